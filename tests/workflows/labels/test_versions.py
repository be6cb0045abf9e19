"""Versions are stored as what changed, with what their verdicts rest on, and read back whole, on both databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select
from tests.cli.command_runner import write
from tests.records.labels.test_changes import read
from tests.storage.small_studies import fill

from regauge.errors import InputError
from regauge.records.labels.evidence import ExpertVote, LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.storage.database.schema import label_images, verdict_changes, verdicts
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import covers, find_verdicts, get_label_set, load_label_set
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.labels.label_set import diff_labels
from regauge.workflows.labels.score_changes import measure_changes
from regauge.workflows.labels.versions import store_truth
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

N = 40
IDS = [f"image-{number}" for number in range(N)]
VOTED = VerdictEvidence(rule="plurality", votes=(ExpertVote("ann", Verdict.CORRECT),), reason="several objects")


def make(**changed: dict[int, Verdict]) -> LabelSet:
    """Forty images whose class is right and another wrong, but for those that are named."""
    judged = {one: {row % 10: Verdict.CORRECT, (row + 1) % 10: Verdict.WRONG} for row, one in enumerate(IDS)}
    judged |= {f"image-{name[1:]}": own for name, own in changed.items()}
    lists = {verdict: [[c for c, v in own.items() if v is verdict] for own in judged.values()] for verdict in Verdict}
    return LabelSet.from_lists(
        "reviewed",
        list(judged),
        correct=lists[Verdict.CORRECT],
        unclear=lists[Verdict.UNCLEAR],
        wrong=lists[Verdict.WRONG],
    )


def add(study: Study, label_set: LabelSet, **evidence: VerdictEvidence) -> None:
    pairs = {(f"image-{name[1:].split('_')[0]}", int(name.split("_")[1])): one for name, one in evidence.items()}
    held = (LabelEvidence.from_pairs(label_set.name, pairs),) if pairs else ()
    with study.begin() as begun:
        store_truth(begun, Truth(label_sets=(label_set,), evidence=held), provenance={})


@pytest.fixture
def reviewed(study: Study, tmp_path: Path) -> Study:
    """Two versions: the second changes two verdicts and says why."""
    lines = "".join(f"{image_id},{row % 10}\n" for row, image_id in enumerate(IDS))
    write(tmp_path, {"forty.csv": f"image_id,label\n{lines}"})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "forty.csv")
    add(study, make(), i0_0=VerdictEvidence(rule="file"), i1_2=VerdictEvidence(rule="file"))
    add(
        study,
        make(i0={0: Verdict.CORRECT, 1: Verdict.CORRECT}, i1={1: Verdict.CORRECT, 2: Verdict.UNCLEAR}),
        i0_1=VOTED,
    )
    return study


def test_a_version_with_few_changes_is_stored_as_these(reviewed: Study) -> None:
    with reviewed.read() as begun:
        entry = get_label_set(begun, "reviewed@2")
        assert entry.base_id == get_label_set(begun, "reviewed@1").id
        changed = select(func.count()).select_from(verdict_changes)
        assert begun.connection.scalar(changed) == 2
        for table in (label_images, verdicts):
            query = select(func.count()).select_from(table).where(table.c.label_set_id == entry.id)
            assert begun.connection.scalar(query) == 0
        expected = make(i0={0: Verdict.CORRECT, 1: Verdict.CORRECT}, i1={1: Verdict.CORRECT, 2: Verdict.UNCLEAR})
        found = load_label_set(begun, entry)
    assert found.name == "reviewed@2"
    assert read(found) == read(expected)


def test_earlier_versions_stay_as_they_were(reviewed: Study) -> None:
    with reviewed.read() as begun:
        assert read(load_label_set(begun, get_label_set(begun, "reviewed@1"))) == read(make())


def test_a_version_that_is_quite_different_is_stored_whole(reviewed: Study) -> None:
    add(reviewed, make(**{f"i{number}": {3: Verdict.UNCLEAR} for number in range(30)}))
    with reviewed.read() as begun:
        assert get_label_set(begun, "reviewed@3").base_id is None


def test_a_verdict_rests_on_what_came_with_its_last_change(reviewed: Study) -> None:
    with reviewed.read() as begun:
        found = find_evidence(begun, get_label_set(begun, "reviewed@2")).by_pair
        before = find_evidence(begun, get_label_set(begun, "reviewed@1")).by_pair
    # Class 0 of image 0 did not change; class 2 of image 1 turned without a word.
    assert found == {("image-0", 0): VerdictEvidence(rule="file"), ("image-0", 1): VOTED}
    assert set(before) == {("image-0", 0), ("image-1", 2)}


def test_chains_of_versions_are_read_to_their_end(reviewed: Study) -> None:
    label_set = make()
    for number in range(3, 12):
        label_set = make(**{f"i{number}": {5: Verdict.UNCLEAR}})
        add(reviewed, label_set, **{f"i{number}_5": VOTED})
    with reviewed.read() as begun:
        entry = get_label_set(begun, "reviewed")
        assert entry.version == 11
        assert read(load_label_set(begun, entry)) == read(label_set)
        evidence = find_evidence(begun, entry).by_pair
        assert find_verdicts(begun, entry, image_ids=["image-11", "image-3"]) == {
            "image-11": {5: Verdict.UNCLEAR},
            "image-3": {3: Verdict.CORRECT, 4: Verdict.WRONG},
        }
        assert covers(begun, entry, test_set=get_test_set(begun, "forty"))
    assert evidence[("image-11", 5)] == VOTED
    assert ("image-10", 5) not in evidence


def test_images_that_go_take_their_verdicts_and_evidence_along(reviewed: Study) -> None:
    kept = make()
    rows = np.arange(1, N)
    fewer = replace(
        kept,
        image_ids=kept.image_ids[rows],
        starts=kept.starts[1:] - 2,
        classes=kept.classes[2:],
        verdicts=kept.verdicts[2:],
        is_problematic=kept.is_problematic[rows],
        main_labels=kept.main_labels[rows],
    )
    add(reviewed, fewer)
    with reviewed.read() as begun:
        entry = get_label_set(begun, "reviewed@3")
        assert entry.base_id is not None
        assert read(load_label_set(begun, entry)) == read(fewer)
        assert find_verdicts(begun, entry, image_ids=["image-0"]) == {}
        assert find_evidence(begun, entry).by_pair == {}


def test_evidence_of_a_verdict_that_is_not_there_is_refused(reviewed: Study) -> None:
    with pytest.raises(InputError, match="evidence of class 7 in image 'image-0', of which reviewed has no verdict"):
        add(reviewed, make(), i0_7=VOTED)


def test_label_sets_of_files_have_no_evidence(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.read() as begun:
        assert len(find_evidence(begun, get_label_set(begun, "verdicts"))) == 0


def answer(study: Study, folder: Path, **answers: list[int]) -> None:
    """Let participants answer the forty images."""
    for name, classes in answers.items():
        lines = "".join(f"{image_id},{index}\n" for image_id, index in zip(IDS, classes, strict=True))
        write(folder, {f"{name}.csv": f"image_id,class\n{lines}"})
    with study.begin() as begun:
        add_predictions(begun, PredictionSource([folder / f"{name}.csv" for name in answers]))


def test_scores_count_what_unlisted_classes_mean_in_each_version(reviewed: Study, tmp_path: Path) -> None:
    # Class 0 and 1 are listed in an image of ten each; nobody has judged 0 elsewhere, or it is wrong there.
    answer(reviewed, tmp_path, zero=[0] * N)
    add(reviewed, replace(make(), unlisted=Unlisted.WRONG))
    with reviewed.read() as begun:
        assert diff_labels(begun, "reviewed@1", "reviewed@3").changes == ()
        (open_, closed) = (
            next(one for one in measure_changes(begun, *names) if one.metric == "multilabel_strict")
            for names in (("reviewed@3", "reviewed@1"), ("reviewed@1", "reviewed@3"))
        )
    assert (open_.before.value, open_.after.value) == (0.1, 0.1)
    assert (open_.before.holds_unjudged, open_.after.holds_unjudged) == (False, True)
    assert open_.change is not None
    assert closed.change is not None
    # What may be right now lifts the score; what may have been right before lowers it.
    assert (open_.change.value, closed.change.value) == (0, 0)
    assert open_.change.high is not None
    assert closed.change.low is not None
    assert open_.change.high > 0.8
    assert closed.change.low < -0.8


def test_labels_without_an_image_of_the_test_set_give_no_scores(reviewed: Study, tmp_path: Path) -> None:
    answer(reviewed, tmp_path, zero=[0] * N)
    write(tmp_path, {"other.csv": "image_id,label\nx,0\n"})
    elsewhere = LabelSet.from_lists("elsewhere", ["x"], correct=[[0]])
    reassessed = LabelSet.from_lists("reassessed", IDS, correct=[[0]] * N, kind=LabelKind.REAL)
    with reviewed.begin() as begun:
        add_test_set(begun, tmp_path / "other.csv")
        for one in (elsewhere, reassessed):
            store_truth(begun, Truth(label_sets=(one,)), provenance={})
        for names in (("elsewhere", "reviewed"), ("reviewed", "elsewhere")):
            with pytest.raises(InputError, match=r"elsewhere@1 has no image of test set forty, so .*`test_set=…`"):
                measure_changes(begun, *names, test_set="forty")
        with pytest.raises(InputError, match="No metric goes with both reviewed@2 and reassessed@1"):
            measure_changes(begun, "reviewed", "reassessed", test_set="forty")


def test_scores_by_two_versions_stand_beside_each_other(reviewed: Study, tmp_path: Path) -> None:
    answer(reviewed, tmp_path, first=[row % 10 for row in range(N)], second=[(row + 1) % 10 for row in range(N)])
    with reviewed.read() as begun:
        found = measure_changes(begun, "reviewed@1", "reviewed@2")
        with pytest.raises(InputError, match="Both label sets are reviewed@2"):
            measure_changes(begun, "reviewed", "reviewed@2")
    strict = {one.participant: one for one in found if one.metric == "multilabel_strict"}
    # The second answers a class that was wrong everywhere, and is now correct in image 0 and unclear in image 1.
    assert (strict["second"].before.value, strict["second"].after.value) == (0.0, 1 / N)
    assert strict["second"].change is not None
    assert strict["second"].change.value == 1 / N
    assert (strict["first"].rank_before, strict["second"].rank_after) == (1, 2)
    lenient = next(one for one in found if one.metric == "multilabel_lenient" and one.participant == "second")
    assert lenient.after.value == 2 / N
