"""Scores on a slice: states, intervals, bounds, and who is comparable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.slices.small_slices import ANSWERS, IMAGES, LABELS, OF_A, OF_R, RULE, code

from regauge.errors import InputError, MissingImagesError
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.results import CompleteImages
from regauge.records.mistakes.coded import Severity
from regauge.records.predictions import ParticipantKind, Predictions
from regauge.records.slices.answers import AnswerState
from regauge.records.slices.scores import SLICE_COLUMNS, SliceScores, SliceSettings
from regauge.records.slices.slice import Slice, SliceInputs, SliceKind, SliceParticipant
from regauge.records.testsets.test_set import TestSet
from regauge.slices.cards import CardContent, format_card
from regauge.slices.completeness import find_coverage
from regauge.slices.scoring import SliceTruth, score_slice, share_right

INPUTS = SliceInputs(
    participants=(SliceParticipant("R", "r", is_reference=True), SliceParticipant("A", "a")),
    codings=("R@1",),
    n_candidates=5,
)
CHOSEN = Slice("major", SliceKind.MAJOR, "val", np.array(IMAGES[:5]), "panel@1", RULE, INPUTS)
TRUTH = SliceTruth(
    LABELS,
    (OF_R, OF_A, code("B", [("m4", 9, Severity.BORDERLINE), ("m5", 9, Severity.MINOR)])),
    dataset_labels=TestSet("val", IMAGES, [0] * 6),
    choosers={"R": "r", "A": "a"},
)


def score(*people: Predictions, truth: SliceTruth = TRUTH, **settings: Any) -> SliceScores:
    return score_slice(CHOSEN, people or tuple(ANSWERS.values()), truth=truth, settings=SliceSettings(**settings))


@pytest.mark.parametrize(
    ("n_right", "printed"),
    [
        (0, "0.0% [0.0, 5.3]"),
        (9, "13.2% [6.2, 23.6]"),
        (19, "27.9% [17.7, 40.1]"),
        (24, "35.3% [24.1, 47.8]"),
        (42, "61.8% [49.2, 73.3]"),
    ],
)
def test_intervals_of_the_figures_of_the_paper(n_right: int, printed: str):
    share = share_right(n_right, 68, level=0.95)
    oracle = binomtest(n_right, 68).proportion_ci(method="exact")
    assert str(share) == printed
    assert (share.low, share.high) == pytest.approx((oracle.low, oracle.high))


def test_answers_are_split_by_severity_and_nothing_is_wrong_in_silence():
    found = score().get("A")
    # m1 and m2 are coded major, nobody has judged 3 on m3, m4 is right, and 4 on m5 is wrong and not coded.
    assert (found.correct.k, found.correct.n) == (1, 5)
    assert found.counts == {
        AnswerState.MAJOR: 2,
        AnswerState.MINOR: 0,
        AnswerState.BORDERLINE: 0,
        AnswerState.UNCODED: 1,
        AnswerState.UNJUDGED: 1,
    }
    assert (found.lower_bound, found.upper_bound) == (0.2, 0.4)
    assert found.correct.high == share_right(2, 5, level=0.95).high
    assert found.correct.holds_unjudged
    assert found.top1 is not None
    assert (found.top1.k, found.top1.n) == (2, 6)


def test_borderline_stands_beside_minor():
    new = Predictions("new", IMAGES, [0, 0, 0, 9, 9, 0])
    counts = score(new).get("new").counts
    assert (counts[AnswerState.MINOR], counts[AnswerState.BORDERLINE], counts[AnswerState.MAJOR]) == (1, 1, 0)


def test_those_who_helped_to_choose_are_not_comparable_under_any_name():
    truth = replace(TRUTH, checksums={"B": "a", "C": "c"})
    found = score(truth=truth)
    assert {one.participant: one.is_comparable for one in found.scores} == {
        "R": False,
        "A": False,
        "B": False,
        "C": True,
    }


def test_the_best_come_first_and_rows_have_the_documented_columns():
    found = score()
    assert [one.participant for one in found.scores] == ["C", "B", "A", "R"]
    frame = found.to_frame()
    assert tuple(frame.columns) == tuple(SLICE_COLUMNS)
    assert frame["n_correct"].to_list() == [3, 2, 1, 0]
    assert frame["n_unjudged"].to_list() == [0, 0, 1, 0]
    assert len(found.mistakes) == 2 + 3 + 4 + 5
    with pytest.raises(KeyError):
        found.get("nobody")


def test_the_queue_has_each_prediction_once_with_all_who_give_it():
    twin = replace(ANSWERS["A"], participant="twin")
    rows = list(score(ANSWERS["A"], twin).queue.list_rows())
    assert rows == [
        {"image_id": "m3", "class": 3, "needs": "verdict", "participants": "A|twin"},
        {"image_id": "m5", "class": 4, "needs": "severity", "participants": "A|twin"},
    ]


def test_strict_takes_unclear_answers_for_mistakes():
    labels = LabelSet.from_lists("panel@1", IMAGES, correct=[[0]] * 6, unclear=[[8]] * 6, wrong=[[]] * 6)
    unclear, truth = Predictions("u", IMAGES, [8] * 6), SliceTruth(labels)
    assert score(unclear, truth=truth).get("u").correct.k == 5
    assert score(unclear, truth=truth, is_strict=True).get("u").counts[AnswerState.UNCODED] == 5


def test_problematic_images_do_not_count_and_that_is_said():
    labels = LabelSet.from_lists(
        "panel@1", IMAGES, correct=[[0]] * 6, wrong=[[]] * 6, is_problematic=[True, *([False] * 5)]
    )
    found = score(truth=SliceTruth(labels))
    assert found.get("B").correct.n == 4
    assert found.get("B").n_not_counted == 1
    assert found.notes == ("1 image of major left out for everybody: problematic, or without labels.",)


def test_predictions_of_other_images_and_of_a_part_are_refused():
    with pytest.raises(
        InputError, match=r"x has no answer on any of the 5 images of major: the first of the slice is 'm1'"
    ):
        score(Predictions("x", ["other"], [0]))
    part = Predictions("x", ["m1", "m2"], [0, 0])
    with pytest.raises(MissingImagesError, match="3 of 5 images"):
        score(part)
    found = score(part, allow_missing=True).get("x")
    assert (found.correct.k, found.correct.n, found.n_not_counted, found.top1) == (2, 2, 3, None)
    with pytest.raises(InputError, match="Nobody is there"):
        score_slice(CHOSEN, (), truth=TRUTH)


def test_top1_of_a_person_who_answered_a_part_is_that_of_this_part():
    part = Predictions("x", ["m1", "m2", "m6"], [0, 1, 0], kind=ParticipantKind.PERSON)
    found = score(part, allow_missing=True).get("x")
    assert found.is_person
    assert found.top1 is not None
    assert (found.top1.k, found.top1.n) == (2, 3)


def test_coverage_tells_missing_images_and_labels_that_lack_what_was_found():
    done = CompleteImages(frozenset(["m1", "m2", "far"]), frozenset([("m1", 0), ("m2", 8), ("far", 1)]))
    found = find_coverage(
        CHOSEN.image_ids, LABELS, campaigns=[("look", done), ("idle", CompleteImages(frozenset(), frozenset()))]
    )
    assert (found.campaigns, found.missing, found.outdated) == (("look",), ("m3", "m4", "m5"), ("m2",))
    assert found.ahead == ("look",)
    # The labels hold all that the first campaign judged: it is the second whose labels have to be made.
    old = CompleteImages(frozenset(["m1"]), frozenset([("m1", 0)]))
    found = find_coverage(CHOSEN.image_ids, LABELS, campaigns=[("old", old), ("look", done)])
    assert (found.campaigns, found.ahead) == (("old", "look"), ("look",))


def test_a_card_tells_limits_as_they_are():
    card = format_card(CardContent(CHOSEN, LABELS, (OF_R, OF_A)))
    assert (
        "Of the major mistakes of R, those on which at least 3 of 4 models make a major mistake: R, A, B and C." in card
    )
    assert "| fine-grained, major | 6 |" in card
    assert "R and A helped to choose the images" in card
    assert "Its labels are not complete" in card
    assert "open" not in card
    settled = replace(CHOSEN, is_complete=True, inputs=SliceInputs(complete_by=("look",), n_open=2, n_undecided=1))
    card = format_card(CardContent(settled, LABELS, void="its labels are gone"))
    assert "Its labels are not complete" not in card
    assert "2 predictions had not been judged or coded" in card
    assert "**This slice is void:** its labels are gone." in card


def test_a_card_says_wrong_of_what_complete_lists_leave_out():
    lists = LabelSet.from_lists("real@1", IMAGES, correct=[[0]] * 6)
    assert "Such an answer counts as wrong." in format_card(CardContent(CHOSEN, lists))
    assert "Such an answer counts as unjudged, never as wrong." in format_card(CardContent(CHOSEN, LABELS))


def test_the_card_of_a_void_list_still_says_that_its_images_were_listed():
    listed = replace(CHOSEN, kind=SliceKind.LIST, rule=None, inputs=SliceInputs(n_candidates=7, source="list.txt"))
    card = format_card(CardContent(listed, LABELS, void="its labels are gone"))
    assert "The images were listed. The list has 7 images." in card
    erased = format_card(CardContent(replace(listed, kind=SliceKind.RULE), LABELS, void="gone"))
    assert "Its rule went with what was erased." in erased


def test_a_name_cannot_write_markup_into_a_card():
    card = format_card(CardContent(replace(CHOSEN, name="<b>|x\n# y"), LABELS))
    assert card.startswith("# \\<b\\>\\|x \\# y\n")
