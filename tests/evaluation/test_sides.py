"""One side of a comparison: who is right where, what is counted, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from regauge.errors import InputError, MissingImagesError
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.sides import Side, check_same_models, judge_side, sort_side
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet

IDS = np.array(["a", "b", "c", "d"])
TEST_SET = TestSet("old", IDS, np.array([0, 1, 2, 3], np.int32))
TRUTH = Truth(TEST_SET)


def answer(name: str, classes: Sequence[object], ids: Sequence[str] = ("a", "b", "c", "d")) -> Predictions:
    return Predictions(name, np.array(ids), np.array(classes, np.int32))


def judge(
    participants: Sequence[Predictions],
    truth: Truth = TRUTH,
    **options: object,
) -> Side:
    return judge_side(participants, line_up(truth), settings=ShiftSettings(**options))  # type: ignore[arg-type]


def list_counts(side: Side) -> Mapping[str, list[list[int]]]:
    return {metric: counts.tolist() for metric, counts in side.counts.items()}


def test_right_answers_are_counted_per_model_and_metric() -> None:
    five = [[0, 4, 5, 6, 7], [4, 5, 6, 7, 1], [5, 2, 6, 7, 8], [4, 5, 6, 7, 8]]
    side = judge([answer("five", five), answer("other", np.roll(five, 1, axis=1).tolist())])
    assert (side.name, side.models) == ("old", ("five", "other"))
    # First answers: only image a. Among five: a, b and c. Rolled, image b comes first and nothing leaves the five.
    assert list_counts(side) == {"top1": [[1, 4], [1, 4]], "top5": [[3, 4], [3, 4]]}
    assert side.is_right.tolist() == [[True, False, False, False], [False, True, False, False]]


def test_a_model_without_five_answers_leaves_top5_out_for_all() -> None:
    five = [[0, 4, 5, 6, 7], [4, 5, 6, 7, 1], [5, 2, 6, 7, 8], [4, 5, 6, 7, 8]]
    side = judge([answer("five", five), answer("one", [0, 1, 2, 0])])
    assert list_counts(side) == {"top1": [[1, 4], [3, 4]]}


def test_answers_are_matched_by_id_and_not_by_position() -> None:
    side = judge([answer("model", [3, 2, 1, 0], ["d", "c", "b", "a"])])
    assert list_counts(side)["top1"] == [[4, 4]]


def test_only_images_that_count_for_every_model_are_drawn_anew() -> None:
    some = answer("some", [1, 0, 3], ["b", "c", "d"])
    side = judge([answer("all", [0, 1, 0, 3]), some], allow_missing=True)
    assert list_counts(side)["top1"] == [[3, 4], [2, 3]]
    assert side.outcomes[1, 0] == Outcome.NOT_COUNTED
    # Images b, c and d, in which the first is right, wrong, right, and the second too.
    assert side.is_right.tolist() == [[True, False, True], [True, False, True]]


def test_missing_images_are_refused_unless_allowed() -> None:
    with pytest.raises(MissingImagesError, match="some has no prediction for 1 of 4 images, the first being 'a'"):
        judge([answer("some", [1, 2, 3], ["b", "c", "d"])])


def test_too_few_answers_for_the_metric_are_refused() -> None:
    with pytest.raises(InputError, match=r"^one gives too few answers for top5 on old\.$"):
        judge([answer("one", [0, 1, 2, 3])], metric="top5")


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("real", "For real there is nothing in the truth of old; it allows: top1, top5."),
        ("top2", "For top2 there is nothing in the truth of old; it allows: top1, top5."),
    ],
)
def test_a_metric_that_the_truth_does_not_allow_is_refused(metric: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        judge([answer("one", [0, 1, 2, 3])], metric=metric)


def test_a_metric_under_two_label_sets_is_ambiguous() -> None:
    sets = tuple(LabelSet.from_lists(name, IDS, correct=[[0], [1], [2], [3]]) for name in ("early", "late"))
    message = "For multilabel_strict there are 2 label sets in the truth of old; it allows: "
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        judge([answer("one", [0, 1, 2, 3])], Truth(TEST_SET, sets), metric="multilabel_strict")


def test_a_model_of_which_no_image_counts_is_refused() -> None:
    real = LabelSet.from_lists("real", IDS, correct=[[], [1], [2], [3]], kind=LabelKind.REAL)
    truth = Truth(TEST_SET, (real,))
    with pytest.raises(InputError, match=r"^No image of old that lone answers counts for real\.$"):
        judge([answer("lone", [0], ["a"])], truth, metric="real", allow_missing=True)


def test_a_mean_change_that_has_no_image_for_a_model_is_absent() -> None:
    real = LabelSet.from_lists("real", np.array(["e"]), correct=[[4]], kind=LabelKind.REAL)
    side = judge([answer("lone", [4], ["e"])], Truth(TEST_SET, (real,)), metric="real", allow_missing=True)
    assert list_counts(side) == {"real": [[1, 1]]}


def test_unjudged_predictions_count_as_wrong_and_are_told() -> None:
    review = LabelSet.from_lists("review", IDS, correct=[[0], [1], [2], []], wrong=[[], [], [], [0]])
    side = judge([answer("model", [0, 1, 5, 0])], Truth(TEST_SET, (review,)), metric="multilabel_strict")
    assert list_counts(side)["multilabel_strict"] == [[2, 4]]
    assert side.warnings == ("model: 1 of 4 predictions are unjudged and count as wrong here.",)
    assert judge([answer("model", [0, 1, 2, 0])], Truth(TEST_SET, (review,)), metric="multilabel_strict").warnings == ()


def test_answers_stored_worst_first_are_suspected() -> None:
    ids = np.array([f"image {row}" for row in range(300)])
    labels = np.arange(300, dtype=np.int32) % 50
    wrong = [(labels + step) % 50 for step in (7, 11, 13, 17)]
    model = Predictions("model", ids, np.stack([*wrong, labels], axis=1).astype(np.int32))
    side = judge([model], Truth(TestSet("many", ids, labels)))
    assert any("worst first" in warning or "another order" in warning for warning in side.warnings)


def test_a_side_is_sorted_with_all_its_rows() -> None:
    side = judge([answer("x", [0, 1, 2, 0]), answer("y", [0, 0, 0, 0]), answer("z", [0, 1, 0, 0])])
    turned = sort_side(side, ["z", "x", "y"])
    assert turned.models == ("z", "x", "y")
    assert turned.counts["top1"].tolist() == [[2, 4], [3, 4], [1, 4]]
    assert np.array_equal(turned.outcomes, side.outcomes[[2, 0, 1]])


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ("xy", "x", "y has predictions on old but not on fresh; "),
        ("x", "xy", "y has predictions on fresh but not on old; "),
        ("xyz", "x", "y (and 1 more) has predictions on old but not on fresh; "),
    ],
)
def test_a_model_on_one_side_only_is_refused(ours: str, theirs: str, message: str) -> None:
    old = judge([answer(name, [0, 1, 2, 3]) for name in ours])
    fresh = judge([answer(name, [0, 1, 2, 3]) for name in theirs], Truth(TestSet("fresh", IDS, TEST_SET.labels)))
    with pytest.raises(InputError, match=f"^{re.escape(message)}models are matched by name"):
        check_same_models(old, fresh)


def test_the_same_models_in_another_order_are_no_mistake() -> None:
    old, turned = (judge([answer(name, [0, 1, 2, 3]) for name in names]) for names in ("xy", "yx"))
    check_same_models(old, turned)
    assert sort_side(turned, old.models).models == old.models
