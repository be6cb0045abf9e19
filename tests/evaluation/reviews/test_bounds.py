"""Bounds of all pairs against every way in which open verdicts can turn out, and against the landed comparison."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.evaluation.reviews.bounds import find_pair_bounds
from regauge.records.evaluation.reviews import ReviewField, ReviewMetric
from regauge.records.evaluation.scores import ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.workflows.evaluation.scoring import score

IDS = ["a", "b", "c"]


def make_field(answers: list[list[int]], *, correct: list[list[int]], wrong: list[list[int]], trust: bool = False):
    test_set = TestSet("t", IDS, [0, 0, 0])
    label_set = LabelSet.from_lists("L", IDS, correct=correct, wrong=wrong)
    names = tuple(f"m{row}" for row in range(len(answers)))
    return ReviewField(test_set, names, np.array(answers, np.int32), label_set, trust)


def enumerate_ends(field: ReviewField, correct: list[list[int]], wrong: list[list[int]]) -> tuple[int, int]:
    """The least and the greatest difference over all verdicts on open classes."""
    pairs = sorted({(row, one) for answers in field.answers.tolist() for row, one in enumerate(answers)})
    open_ = [(row, one) for row, one in pairs if one not in correct[row] and one not in wrong[row]]
    if field.trust_dataset_labels:
        open_ = [(row, one) for row, one in open_ if one != 0]
    found = []
    for verdicts in itertools.product((False, True), repeat=len(open_)):
        of = dict(zip(open_, verdicts, strict=True))
        right = [
            [of.get((row, one), one in correct[row] or one not in wrong[row]) for row, one in enumerate(answers)]
            for answers in field.answers.tolist()
        ]
        found.append(sum(right[0]) - sum(right[1]))
    return min(found), max(found)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=2),
    st.lists(st.permutations(range(4)), min_size=3, max_size=3),
    st.booleans(),
)
def test_the_ends_are_those_of_all_verdicts_that_are_possible(answers, shuffled, trust):
    correct, wrong = [one[:1] for one in shuffled], [one[1:2] for one in shuffled]
    field = make_field(answers, correct=correct, wrong=wrong, trust=trust)
    bounds = find_pair_bounds(field, ReviewMetric.STRICT)
    assert (bounds.lower.tolist()[0], bounds.upper.tolist()[0]) == enumerate_ends(field, correct, wrong)


def test_a_comparison_of_scores_has_the_same_bounds():
    rng = np.random.default_rng(3)
    ids, names = [f"i{n}" for n in range(60)], ("a", "b")
    answers = rng.integers(0, 4, (2, 60)).astype(np.int32)
    test_set = TestSet("t", ids, rng.integers(0, 4, 60))
    lists = [[int(one)] for one in rng.integers(0, 4, 60)]
    label_set = LabelSet.from_lists(
        "L",
        ids,
        correct=lists,
        wrong=[[(one + 1) % 4] for (one,) in lists],
        is_problematic=(rng.random(60) < 0.2).tolist(),
    )
    bounds = find_pair_bounds(ReviewField(test_set, names, answers, label_set), ReviewMetric.LENIENT)
    scores = score(
        [Predictions(name, ids, row) for name, row in zip(names, answers, strict=True)],
        Truth(test_set, (label_set,)),
        settings=ScoreSettings(against="b"),
    )
    row = scores.frame.filter((scores.frame["participant"] == "a") & (scores.frame["metric"] == "multilabel_lenient"))
    frame = bounds.to_frame()
    assert frame["lower_bound"][0] == pytest.approx(row["difference_lower_bound"][0])
    assert frame["upper_bound"][0] == pytest.approx(row["difference_upper_bound"][0])
    assert frame["n_images"][0] == row["n_both"][0]


def test_a_pair_is_settled_when_no_verdict_can_turn_it_and_when_nothing_is_open():
    # Image a: only m0 is right, b: both open on the same class, c: m1 judged wrong and m0 open. The ends are 1 and 2.
    field = make_field([[1, 5, 6], [2, 5, 7]], correct=[[1], [], []], wrong=[[2], [], [7]])
    bounds = find_pair_bounds(field, ReviewMetric.STRICT)
    assert (bounds.lower.tolist(), bounds.upper.tolist(), bounds.n_open.tolist()) == ([1], [2], [1])
    assert bounds.to_frame().row(0) == ("m0", "m1", 3, 1 / 3, 2 / 3, 1, True, "m0")
    # One open answer each way: anything between −1 and 1.
    field = make_field([[1, 5, 6], [2, 5, 7]], correct=[[], [5], []], wrong=[[1, 2], [], [6]])
    assert find_pair_bounds(field, ReviewMetric.STRICT).to_frame().row(0) == ("m0", "m1", 3, -1 / 3, 0.0, 1, False, "")
    known = make_field([[1, 5, 5], [2, 5, 5]], correct=[[1, 2], [5], []], wrong=[[], [], [5]])
    assert find_pair_bounds(known, ReviewMetric.STRICT).to_frame().row(0)[-2:] == (True, "")


def test_images_that_one_has_not_answered_or_that_are_problematic_do_not_count():
    label_set = LabelSet.from_lists("L", ["c"], correct=[[]], wrong=[[]], is_problematic=[True])
    answers = np.array([[1, NO_CLASS, 3], [2, 2, 4]], np.int32)
    field = ReviewField(TestSet("t", IDS, [0, 0, 0]), ("m0", "m1"), answers, label_set)
    assert find_pair_bounds(field, ReviewMetric.STRICT).to_frame().row(0)[2:6] == (1, -1.0, 1.0, 2)


def test_answers_must_fit_and_somebody_without_any_is_refused():
    test_set = TestSet("t", IDS, [0, 0, 0])
    with pytest.raises(InputError, match="2 participants on 3 images need as many answers"):
        ReviewField(test_set, ("a", "b"), np.zeros((2, 2), np.int32))
    with pytest.raises(InputError, match="b has answered no image of t"):
        ReviewField(test_set, ("a", "b"), np.array([[1, 1, 1], [NO_CLASS] * 3], np.int32))


def test_a_label_set_of_other_images_is_refused():
    field = ReviewField(TestSet("t", IDS, [0, 0, 0]), ("a",), np.zeros((1, 3), np.int32))
    other = LabelSet.from_lists("L", ["x"], correct=[[1]])
    with pytest.raises(InputError, match="Label set L judges no image of t"):
        find_pair_bounds(replace(field, label_set=other), ReviewMetric.STRICT)


def test_all_pairs_of_67_models_take_less_than_two_seconds(published: Path):
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        answers, labels = archive["val_top1"].astype(np.int32), archive["val_labels"].astype(np.int32)
        ids, names = archive["val_ids"].astype(np.str_), tuple(archive["models"].tolist())
    field = ReviewField(TestSet("val", ids, labels), names, answers, trust_dataset_labels=True)
    before = time.process_time()
    bounds = find_pair_bounds(field, ReviewMetric.STRICT)
    assert time.process_time() - before < 2
    assert len(bounds) == 2_211
    first, second = answers[bounds.first[7]], answers[bounds.second[7]]
    is_open = (first != second)[np.newaxis] & (np.stack([first, second]) != labels)
    assert bounds.n_open[7] == is_open.sum()
    assert bounds.upper[7] - bounds.lower[7] == is_open.sum()
