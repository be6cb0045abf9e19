"""Mistakes from files and inside a study, on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command_runner import write
from tests.mistakes.small_sources import AFTER, BEFORE, FIRST, IMAGES, PETS, SECOND, list_correct
from tests.storage.small_studies import fill

import regauge
from regauge.errors import InputError
from regauge.records.mistakes.flows import Fate
from regauge.records.studies import SUPERSEDED, Selection
from regauge.storage.labels.label_set import get_label_set, mark_label_set
from regauge.workflows.labels.label_set import add_labels
from regauge.workflows.mistakes.sources import MistakeSource
from regauge.workflows.studies.study import Study

REVIEWED = (
    '{"image_id":"a","correct":[0,1],"wrong":[2]}\n'
    '{"image_id":"b","correct":[1],"unclear":[2],"wrong":[]}\n'
    '{"image_id":"c","correct":[],"wrong":[2],"problematic":true}\n'
)


def open_both(*truth: regauge.LabelSet, participant: tuple[str, ...] = ()) -> MistakeSource:
    parts: list[regauge.TestSet | regauge.LabelSet] = [IMAGES, *truth]
    return regauge.open_mistakes(regauge.TestSetAnswers([FIRST, SECOND], parts), participant, taxonomy=PETS)


def test_the_mistakes_of_one_participant_and_who_agrees() -> None:
    found = regauge.find_mistakes(open_both(BEFORE, participant=("first",)))
    assert (found.labels, found.n_mistakes, found.n_novel, found.others) == ("labels@1", 4, 1, ("second",))
    assert found.levels.tolist() == [1, -1, 2, -1]
    assert "first: 1 answered image left out as problematic." in found.notes


def test_keywords_are_settings() -> None:
    found = regauge.find_mistakes(open_both(BEFORE, participant=("second",)), is_strict=True)
    assert found.image_ids.tolist() == ["b", "c", "d"]
    assert "Strict: an answer that people found unclear is a mistake too." in found.notes


def test_of_several_participants_mistakes_are_counted_and_one_must_be_named_to_find_them() -> None:
    source = open_both(BEFORE)
    assert [one.wrong.k for one in regauge.count_mistakes(source).participants] == [4, 2]
    with pytest.raises(InputError, match="One participant's mistakes are found, and 2 are meant"):
        regauge.find_mistakes(source)
    with pytest.raises(InputError, match="A sample is drawn of one participant's mistakes, and 2 are meant"):
        regauge.count_mistakes(source, n_sample=1)


def test_a_name_that_nobody_has_is_refused() -> None:
    with pytest.raises(InputError, match="There is no participant 'third'; there are: first, second"):
        open_both(BEFORE, participant=("third",))
    with pytest.raises(InputError, match="no participant 'third'"):
        regauge.compare_mistakes(open_both(BEFORE), ("first", "third"))
    with pytest.raises(InputError, match="first is named twice"):
        regauge.compare_mistakes(open_both(BEFORE), ("first", "first"))


def test_one_label_set_is_needed_to_find_and_two_to_follow() -> None:
    with pytest.raises(InputError, match="there are labels@1 and labels@2 for five"):
        regauge.find_mistakes(open_both(BEFORE, AFTER, participant=("first",)))
    with pytest.raises(InputError, match="needs two label sets on five, one before and one after, not labels@1"):
        regauge.follow_reviews([open_both(BEFORE)])


def test_without_a_label_set_dataset_labels_decide() -> None:
    found = regauge.find_mistakes(open_both(participant=("first",)))
    assert (found.labels, found.n_mistakes, found.n_novel) == ("dataset labels", 5, 5)


def test_a_label_set_of_other_images_is_refused() -> None:
    other = regauge.LabelSet.from_lists("other", ["x"], correct=[[0]])
    answers = regauge.TestSetAnswers([FIRST], [other])
    with pytest.raises(InputError, match="share no image id"):
        regauge.find_mistakes(regauge.open_mistakes(answers))


def test_two_participants_on_the_same_images_are_tested_with_a_word_of_warning() -> None:
    found = regauge.follow_reviews([open_both(BEFORE, AFTER)])
    assert [flow.overturned.share.k for flow in found.flows] == [3, 2]
    assert found.comparison is not None
    assert any("takes their mistakes for independent" in note for note in found.notes)


def test_labels_that_list_everything_leave_nothing_novel() -> None:
    found = regauge.find_mistakes(open_both(list_correct(), participant=("first",)))
    assert found.novel is None
    assert "real takes every class that it does not list for wrong, so no mistake is novel." in found.notes


def test_in_a_study_by_test_set_labels_and_participant(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.read() as begun:
        source = regauge.open_study_mistakes(begun, Selection(None, ["verdicts"], ["bad"]))
        found = regauge.find_mistakes(source)
    # bad answers 1, 2, 3, 4: on a that is correct, on b nobody judged it; c is problematic, and of d nothing is known.
    assert (found.labels, found.n_mistakes, found.n_problematic, found.n_unknown) == ("verdicts@1", 1, 1, 1)
    assert (found.image_ids.tolist(), found.n_novel) == (["b"], 1)
    assert found.others == ("good",)


def test_in_a_study_two_versions_tell_what_a_review_made_of_mistakes(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    write(tmp_path, {"verdicts.jsonl": REVIEWED, "worse.csv": "image_id,class\na,2\nb,2\nc,2\nd,2\n"})
    with study.begin() as begun:
        add_labels(begun, tmp_path / "verdicts.jsonl")
        regauge.add_predictions(begun, regauge.PredictionSource(tmp_path / "worse.csv"))
    with study.read() as begun:
        source = regauge.open_study_mistakes(begun, Selection(None, ["verdicts@1", "verdicts@2"], ["worse"]))
        (flow,) = regauge.follow_reviews([source]).flows
    assert (flow.before, flow.after) == ("verdicts@1", "verdicts@2")
    assert (flow.count(Fate.UNCLEAR, is_novel=True), flow.count(Fate.REMAINS, is_novel=False)) == (1, 1)


def test_a_version_that_an_erasure_made_void_is_named_as_such(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    with study.begin() as begun:
        entry = get_label_set(begun, "verdicts@1")
        mark_label_set(begun, entry, {SUPERSEDED: {"at": "2026-02-01T00:00:00.000Z", "by": None, "why": "erasure"}})
        source = regauge.open_study_mistakes(begun, Selection(None, ["verdicts@1"], ["bad"]))
        found = regauge.find_mistakes(source)
    assert found.notes[0] == "verdicts@1 was made with answers that were erased since; nothing takes its place."
