"""The slice of major mistakes against what was worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.slices.small_slices import ANSWERS, IMAGES, LABELS, OF_A, OF_R, RULE, WRONG, code

from regauge.errors import InputError
from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.coded import Severity
from regauge.records.predictions import Predictions
from regauge.records.slices.answers import AnswerState, MajorChoice, OpenReason
from regauge.records.slices.rules import MajorRule
from regauge.slices.majors import choose_majors
from regauge.slices.states import find_states, index_codes


def choose(
    *codings: Any, rule: MajorRule = RULE, labels: LabelSet = LABELS, answers: Any = None, n_own: int = 1
) -> MajorChoice:
    own = codings or (OF_R, OF_A)
    return choose_majors(rule, own[:n_own], label_set=labels, codes=index_codes(own), answers=answers or ANSWERS)


def test_the_images_are_those_on_which_enough_models_make_a_major_mistake():
    found = choose()
    assert found.image_ids.tolist() == ["m1", "m2"]
    assert found.n_major.tolist() == [3, 3]
    assert found.undecided.tolist() == ["m3", "m5"]
    assert (found.n_candidates, found.n_accepted, found.n_changed) == (5, 0, 0)


def test_predictions_that_nobody_judged_or_coded_are_the_queue():
    assert list(choose().open_predictions.list_rows()) == [
        {"image_id": "m3", "class": 3, "needs": "verdict", "participants": "A"},
        {"image_id": "m5", "class": 4, "needs": "severity", "participants": "A"},
    ]


@pytest.mark.parametrize(
    ("severity", "chosen"),
    [(Severity.MAJOR, ["m1", "m2", "m3"]), (Severity.MINOR, ["m1", "m2"]), (Severity.BORDERLINE, ["m1", "m2"])],
)
def test_what_is_coded_major_counts_and_what_is_borderline_does_not(severity: Severity, chosen: list[str]):
    found = choose(OF_R, code("A", [("m2", 2, Severity.MAJOR), ("m3", 3, severity)]))
    assert found.image_ids.tolist() == chosen
    assert found.open_predictions.image_ids.tolist() == ["m5"]


def test_a_novel_prediction_that_turns_out_right_is_no_mistake():
    lists = [[0], [0], [0, 3], [0], [0], [0]]
    found = choose(labels=LabelSet.from_lists("panel@2", IMAGES, correct=lists, wrong=WRONG))
    assert (found.image_ids.tolist(), found.undecided.tolist()) == (["m1", "m2"], ["m5"])


def test_predictions_on_images_that_are_surely_out_need_nobody():
    # With 4 of 4 only m1 to m5 without a right answer could be in, and there is none: nothing is asked.
    found = choose(rule=replace(RULE, at_least=4))
    assert (len(found.image_ids), len(found.undecided), len(found.open_predictions)) == (0, 0, 0)


def test_the_reference_alone_gives_all_its_majors():
    found = choose(rule=replace(RULE, at_least=1))
    assert found.image_ids.tolist() == IMAGES[:5]
    # Every prediction on them is still to be looked at.
    assert found.open_predictions.count(OpenReason.VERDICT) == found.open_predictions.count(OpenReason.SEVERITY) == 1


def test_mistakes_that_the_labels_accept_and_that_the_reference_no_longer_makes_are_left_out():
    accepted = [[0, 1], *([[0]] * 5)]
    labels = LabelSet.from_lists("panel@2", IMAGES, correct=accepted, wrong=[[], *WRONG[1:]])
    answers = {**ANSWERS, "R": Predictions("R", IMAGES, [1, 0, 1, 1, 1, 1])}
    found = choose(labels=labels, answers=answers)
    assert (found.n_candidates, found.n_accepted, found.n_changed) == (3, 1, 1)
    assert found.image_ids.tolist() == []


def test_all_codings_of_the_reference_are_chosen_from_and_the_first_one_s_code_holds():
    # The first coding has m1 alone, and finds m2 minor; the second has m1 to m5 as major.
    first = code("R", [("m1", 1, Severity.MAJOR), ("m2", 1, Severity.MINOR)])
    found = choose(first, OF_R, OF_A, n_own=2)
    assert (found.n_candidates, sorted(found.image_ids.tolist())) == (4, ["m1"])
    assert choose(first, n_own=1).n_candidates == 1


def test_a_reference_that_answers_otherwise_by_now_has_nothing_to_choose_from():
    with pytest.raises(InputError, match=r"R@1 holds no major mistake that R still makes under panel@1"):
        choose(answers={**ANSWERS, "R": Predictions("R", IMAGES, [0] * 6)})


def test_a_reference_without_major_mistakes_and_a_model_without_answers_are_refused():
    with pytest.raises(InputError, match=r"A@1 holds no major mistake that A still makes under panel@1"):
        choose(code("A", [("m2", 2, Severity.MINOR)]), rule=MajorRule("A", ("B",), 1))
    few = {**ANSWERS, "B": Predictions("B", IMAGES[:3], [1, 0, 1])}
    with pytest.raises(
        InputError, match=r"B has no answer on 2 images of the reference's major mistakes \('m4', 'm5'\)"
    ):
        choose(answers=few)


@pytest.mark.parametrize(
    ("models", "at_least", "problem"),
    [
        ((), 1, "needs other models"),
        (("A", "A"), 2, "A is named twice"),
        (("R",), 1, "R is named twice"),
        (("A",), 3, "3 of 2 models"),
        (("A",), 0, "0 of 2"),
    ],
)
def test_rules_that_cannot_be_are_refused(models: tuple[str, ...], at_least: int, problem: str):
    with pytest.raises(InputError, match=problem):
        MajorRule("R", models, at_least)


def test_of_two_codes_the_first_holds_and_what_coders_overturned_is_unjudged():
    second = code("B", [("m1", 1, Severity.MINOR)], overturned=[("m5", 4)])
    codes = index_codes((OF_R, second))
    assert codes.n_conflicts == 1
    ids, classes = np.array(["m1", "m5", "m1", "m1", "zz"]), np.array([1, 4, 0, -1, 1], np.int32)
    states = find_states(LABELS, ids, classes=classes, codes=codes)
    assert [AnswerState(one) for one in states.tolist()] == [
        AnswerState.MAJOR,
        AnswerState.UNJUDGED,
        AnswerState.RIGHT,
        AnswerState.NOT_COUNTED,
        AnswerState.NOT_COUNTED,
    ]


def test_mistakes_of_the_reference_that_nobody_coded_are_open_where_enough_others_may_be_wrong():
    # m4 stays out: with a major mistake of C there are two of four. On m2 and m5 the reference decides.
    own = code("R", [(one, 1, Severity.MAJOR) for one in ("m1", "m3")])
    found = choose(own, code("A", [("m2", 2, Severity.MAJOR)]))
    assert found.image_ids.tolist() == ["m1"]
    assert found.undecided.tolist() == ["m3", "m2", "m5"]
    assert (found.n_candidates, found.n_uncoded) == (2, 4)
    rows = [(one["image_id"], one["class"], one["participants"]) for one in found.open_predictions.list_rows()]
    assert rows == [("m3", 3, "A"), ("m2", 1, "R|C"), ("m5", 1, "R|B"), ("m5", 4, "A")]


def test_a_mistake_of_the_reference_is_major_whoever_s_coding_says_so_and_none_if_coders_overturned_it():
    # The same answer to m5 was coded as that of B, and that to m2 was overturned as that of C.
    own = code("R", [("m1", 1, Severity.MAJOR)])
    others = code("B", [("m5", 1, Severity.MAJOR)]), code("C", [], overturned=[("m2", 1)])
    found = choose(own, *others, OF_A)
    assert (found.image_ids.tolist(), found.n_candidates, found.n_uncoded) == (["m1"], 2, 3)
    assert "m5" in found.undecided.tolist()
    assert "m2" not in found.undecided.tolist()


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=6), st.integers(1, 4))
def test_the_choice_is_that_of_plain_counting(rows: list[tuple[int, int, int]], at_least: int):
    # Class 0 is right, 1 a major mistake, 2 a minor one, 3 unjudged; on every image the reference answers 1.
    ids = [f"i{place}" for place in range(len(rows))]
    labels = LabelSet.from_lists("l", ids, correct=[[0]] * len(ids), wrong=[[1, 2]] * len(ids))
    pairs = [(one, index, severity) for one in ids for index, severity in ((1, Severity.MAJOR), (2, Severity.MINOR))]
    answers = {name: Predictions(name, ids, [row[place] for row in rows]) for place, name in enumerate("ABC")}
    coding = code("R", pairs)
    found = choose_majors(
        replace(RULE, at_least=at_least), [coding], label_set=labels, codes=index_codes([coding]), answers=answers
    )
    low = [1 + row.count(1) for row in rows]
    high = [one + row.count(3) for one, row in zip(low, rows, strict=True)]
    assert found.image_ids.tolist() == [one for one, n in zip(ids, low, strict=True) if n >= at_least]
    assert set(found.undecided.tolist()) == {
        one for one, n, most in zip(ids, low, high, strict=True) if n < at_least <= most
    }
    open_images = {one for one, most, row in zip(ids, high, rows, strict=True) if most >= at_least and 3 in row}
    assert set(found.open_predictions.image_ids.tolist()) == open_images
