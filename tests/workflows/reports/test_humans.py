"""People beside models in the report of a study: which sets, by which labels, and that nobody's missing answers are mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from tests.cli.command_runner import write
from tests.evaluation.humans.answers import PEOPLE, list_predictions, make_set, stop_early
from tests.storage.small_studies import make_circumstances

from regauge import LabelSet, ShiftSettings
from regauge.records.evaluation.humans.tables import ACCURACIES
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import Selection
from regauge.report.content import HumanPart, Misser
from regauge.storage.study import Study
from regauge.workflows.evaluation.evaluations import compare, evaluate
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.reports.report import gather_report
from regauge.workflows.studies.study import init_study
from regauge.workflows.testsets.test_set import add_test_set

SETTINGS = ShiftSettings(n_bootstrap=100)
N_STOPPED = 30


@contextmanager
def make_people_study(folder: Path, *, stops: int = 1) -> Iterator[Study]:
    """Three people, some of whom stopped after 30 of 80 images, and three models on two sets, whose pictures are there."""
    Image.new("RGB", (8, 8)).save(folder / "one.png")
    opened = init_study(folder / "study", taxonomy="imagenet-1k", around=make_circumstances())
    with opened.begin() as begun:
        for seed, name in enumerate(("old", "new")):
            answers = make_set(name, seed=seed)
            for who in PEOPLE[:stops]:
                answers = stop_early(answers, who, N_STOPPED)
            ids, labels = answers.truth.image_ids, answers.truth.labels  # type: ignore[union-attr]
            rows = "".join(f"{one},{label},one.png\n" for one, label in zip(ids, labels, strict=True))
            write(folder, {f"{name}.csv": f"image_id,label,file\n{rows}"})
            add_test_set(begun, folder / f"{name}.csv")
            source = PredictionSource(list_predictions(answers))
            add_predictions(begun, source, test_set=name, allow_missing=True)
    yield opened
    opened.close()


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_people_study(tmp_path) as made:
        yield made


def gather(study: Study) -> HumanPart:
    with study.read() as reading:
        part = gather_report(reading).humans
    assert part is not None
    return part


def evaluate_both(study: Study) -> None:
    with study.begin() as begun:
        for name in ("old", "new"):
            evaluate(begun, Selection(name))


def test_a_person_who_stopped_is_scored_on_what_they_answered_and_judged_closer_with_nobody(study: Study) -> None:
    evaluate_both(study)
    with study.read() as reading:
        (old, _) = gather_report(reading).evaluations
    rows = old.scores.to_frame().filter(metric="top1", subset="all")
    assert dict(zip(rows["participant"], rows["n"], strict=True)) == {
        "ann": N_STOPPED,
        **dict.fromkeys(("bob", "cat", "large", "medium", "small"), 80),
    }
    assert old.details is not None
    standings = old.details.standings[old.details.measure]
    assert "ann" not in standings.names
    assert standings.n == 80


def test_two_sets_are_compared_without_whoever_stopped_unless_they_are_named(study: Study) -> None:
    with study.begin() as begun:
        shift = compare(begun, Selection("old"), Selection("new"), settings=SETTINGS).shift
        named = [Selection(name, participants=["*"]) for name in ("old", "new")]
        everybody = compare(begun, *named, settings=replace(SETTINGS, allow_missing=True)).shift
    assert {one.name for one in shift.models} == {"bob", "cat", "large", "medium", "small"}
    assert [
        one for one in shift.notes if one.startswith("Left out: 1 person who answered only some of the images (ann)")
    ]
    assert "ann" in {one.name for one in everybody.models}
    assert not [one for one in everybody.notes if one.startswith("Left out")]


def test_people_and_models_are_in_the_report_with_both_sets_and_the_pictures_of_what_all_miss(study: Study) -> None:
    evaluate_both(study)
    part = gather(study)
    assert part.found is not None
    assert part.found.test_sets == ("old", "new")
    assert part.measures == (("old", "top1", "dataset"), ("new", "top1", "dataset"))
    n = dict(
        part.found.get_table(ACCURACIES).filter(test_set="old", subset="all").select("participant", "n").iter_rows()
    )
    assert (n["ann"], n["bob"]) == (N_STOPPED, 80)
    assert part.pictures
    assert {one.who for one in part.pictures} <= set(Misser)
    shown = part.pictures[0].images[0]
    assert "people: " in shown.votes or "models: " in shown.votes
    # Nobody was asked in a campaign, so that nothing is known of what they saw.
    assert [one.person for effect in part.exposures for one in effect.labelers] == [""] * 6


def test_the_primary_labels_of_the_report_judge_people_too_and_are_named(study: Study) -> None:
    with study.begin() as begun:
        for seed, name in enumerate(("old", "new")):
            truth = make_set(name, seed=seed).truth
            ids, labels = truth.image_ids, truth.labels  # type: ignore[union-attr]
            reviewed = LabelSet.from_lists(f"people-{name}", ids.tolist(), correct=[[int(one)] for one in labels])
            add_labels(begun, reviewed)
    evaluate_both(study)
    assert gather(study).measures == (
        ("old", "multilabel_strict", "people-old@1"),
        ("new", "multilabel_strict", "people-new@1"),
    )


def test_reviewed_labels_of_the_images_that_people_answered_judge_them_without_an_evaluation(study: Study) -> None:
    with study.begin() as begun:
        for seed, name in enumerate(("old", "new")):
            truth = make_set(name, seed=seed).truth
            ids, labels = truth.image_ids, truth.labels  # type: ignore[union-attr]
            part = LabelSet.from_lists(f"few-{name}", ids[:9].tolist(), correct=[[int(one)] for one in labels[:9]])
            whole = LabelSet.from_lists(f"all-{name}", ids.tolist(), correct=[[int(one)] for one in labels])
            add_labels(begun, whole)
            add_labels(begun, part)
        evaluate(begun, Selection("old", participants=["large"]))
    assert gather(study).measures[1] == ("new", "multilabel_strict", "all-new@1")


def test_further_sets_that_people_answered_are_named_and_not_shown(study: Study, tmp_path: Path) -> None:
    evaluate_both(study)
    third = make_set("third", seed=3)
    ids, labels = third.truth.image_ids, third.truth.labels  # type: ignore[union-attr]
    rows = "".join(f"{one},{label}\n" for one, label in zip(ids, labels, strict=True))
    write(tmp_path, {"third.csv": f"image_id,label\n{rows}"})
    with study.begin() as begun:
        add_test_set(begun, tmp_path / "third.csv")
        people = [one for one in list_predictions(third) if one.kind is ParticipantKind.PERSON]
        add_predictions(begun, PredictionSource(people[:1]), test_set="third")
    part = gather(study)
    assert part.found is not None
    assert (part.found.test_sets, part.others) == (("old", "new"), ("third",))
    assert set(PEOPLE) <= set(part.found.people)
