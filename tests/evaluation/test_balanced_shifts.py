"""Two test sets compared by a mean of per-class means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side, judge_side, sort_side
from regauge.evaluation.strategies import ComparedSet, compare_strategies
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.fits import Resample
from regauge.records.evaluation.gaps import GapSettings
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.stats.balanced import find_balanced_limits

SETTINGS = ShiftSettings(metric="top1_balanced", n_bootstrap=100)
SIZES = {"old": (20, 10, 1), "fresh": (8, 4, 2)}
RIGHT = {
    "old": {"good": (18, 9, 1), "fair": (15, 4, 1), "poor": (10, 2, 0)},
    "fresh": {"good": (6, 3, 1), "fair": (4, 3, 0), "poor": (2, 1, 0)},
}


def judge(
    name: str, right: Mapping[str, Sequence[int]], *, sizes: Sequence[int], settings: ShiftSettings = SETTINGS
) -> Side:
    """Models of which so many answers are right in each class."""
    labels = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    ids = np.array([f"{name} {row}" for row in range(len(labels))])
    answers = [
        Predictions(model, ids, np.where(place < np.array(k)[labels], labels, 9).astype(np.int32))
        for model, k in right.items()
    ]
    return judge_side(answers, line_up(Truth(TestSet(name, ids, labels))), settings=settings)


def compare(settings: ShiftSettings = SETTINGS) -> Shift:
    old, fresh = (judge(name, RIGHT[name], sizes=SIZES[name], settings=settings) for name in ("old", "fresh"))
    return compare_sides(old, fresh, settings=settings)


def test_accuracies_are_means_of_class_means_with_their_own_limits() -> None:
    model = compare().get_model("good")
    # The classes of old have 18/20, 9/10 and 1/1, those of fresh 6/8, 3/4 and 1/2.
    assert model.original.value == pytest.approx(2.8 / 3)
    assert model.new.value == pytest.approx(2 / 3)
    assert (model.original.n, model.original.k) == (31, 28)
    limits = find_balanced_limits([18, 9, 1], [20, 10, 1])
    assert (model.original.low, model.original.high) == pytest.approx(limits)


def test_the_gap_has_limits_made_of_both() -> None:
    model = compare().get_model("fair")
    old, new = model.original, model.new
    assert model.gap.value == pytest.approx((0.75 + 0.4 + 1) / 3 - (0.5 + 0.75 + 0) / 3)
    assert model.gap.low == pytest.approx(model.gap.value - np.hypot(old.value - old.low, new.high - new.value))
    assert model.gap.high == pytest.approx(model.gap.value + np.hypot(old.high - old.value, new.value - new.low))


def test_ranks_fits_and_mean_changes_follow_the_balanced_values() -> None:
    shift = compare()
    x = [one.original.value for one in shift.models]
    y = [one.new.value for one in shift.models]
    assert [one.name for one in shift.models] == ["good", "fair", "poor"]
    assert x == sorted(x, reverse=True)
    assert (shift.fits[0].slope.value, shift.fits[0].offset.value) == pytest.approx(tuple(np.polyfit(x, y, 1)))
    change = shift.mean_changes["top1_balanced"]
    assert change.value == pytest.approx(np.mean(y) - np.mean(x))
    assert shift.mean_changes["top1"].value != change.value


def test_mean_changes_of_balanced_means_have_limits_from_drawing_images_within_classes() -> None:
    alone = compare_sides(
        *(judge(name, {"good": RIGHT[name]["good"]}, sizes=SIZES[name]) for name in ("old", "fresh")), settings=SETTINGS
    )
    change, model = alone.mean_changes["top1_balanced"], alone.models[0]
    assert change.resample is Resample.IMAGES
    # One model's mean change is its gap turned round.
    assert (change.low, change.high) == pytest.approx((-model.gap.high, -model.gap.low))
    together = compare().mean_changes["top1_balanced"]
    assert together.low is not None
    assert together.high is not None
    assert together.low < together.value < together.high


def test_shared_images_and_robustness_of_balanced_means_are_spoken_of() -> None:
    old, fresh = (judge(name, RIGHT[name], sizes=SIZES[name]) for name in ("old", "fresh"))
    numbered = [replace(side, numbers=np.arange(side.outcomes.shape[1])) for side in (old, fresh)]
    found = compare_sides(*numbered, settings=SETTINGS)
    assert any("too wide rather than too short" in note for note in found.notes)
    assert not any("too wide rather" in note for note in compare().notes)
    with pytest.raises(InputError, match="Effective robustness redraws images"):
        ShiftSettings(metric="top1_balanced", baseline=("good",))


def test_classes_of_equal_size_give_the_plain_accuracies() -> None:
    right = {"good": (9, 7), "poor": (3, 4)}
    old, fresh = (judge(name, right, sizes=(10, 10)) for name in ("old", "fresh"))
    for model in compare_sides(old, fresh, settings=SETTINGS).models:
        assert model.original.value == pytest.approx(model.original.k / model.original.n)


def test_images_without_a_label_and_classes_without_an_answer_are_left_out() -> None:
    ids = np.array(list("abcde"))
    lists = LabelSet.from_lists("lists", list("abcde"), correct=[[0], [0], [1], [2], [0]], kind=LabelKind.REAL)
    target = line_up(Truth(TestSet("t", ids[:4], np.array([0, 0, 1, 2], np.int32)), label_sets=(lists,)))
    answers = Predictions("model", ids[[0, 1, 2, 4]], np.array([0, 5, 1, 0], np.int32))
    settings = ShiftSettings(metric="real_balanced", n_bootstrap=100, allow_missing=True)
    side = judge_side([answers], target, settings=settings)
    assert side.by_class is not None
    # Class 0 has 1 of 2, class 1 has 1 of 1; nobody answered the image of class 2, and e has no class.
    assert side.by_class.means == pytest.approx([0.75])
    assert side.counts["real_balanced"].tolist() == [[2, 3]]


def test_a_side_is_sorted_with_its_counts_by_class() -> None:
    side = judge("old", RIGHT["old"], sizes=SIZES["old"])
    turned = sort_side(side, ("poor", "good", "fair"))
    assert turned.by_class is not None
    assert turned.by_class.n_correct.tolist() == [[10, 2, 0], [18, 9, 1], [15, 4, 1]]


def test_a_plain_metric_needs_no_classes() -> None:
    assert judge("old", RIGHT["old"], sizes=SIZES["old"], settings=ShiftSettings(n_bootstrap=100)).by_class is None


def test_a_truth_without_dataset_labels_has_no_balanced_mean() -> None:
    labels = LabelSet.from_lists("lists", ["a"], correct=[[0]], kind=LabelKind.REAL)
    answers = Predictions("model", np.array(["a"]), np.array([0], np.int32))
    with pytest.raises(InputError, match="has no dataset labels to tell them by"):
        judge_side([answers], line_up(Truth(label_sets=(labels,))), settings=ShiftSettings(metric="real_balanced"))


def test_what_goes_image_by_image_refuses_a_balanced_mean() -> None:
    with pytest.raises(InputError, match="cannot redraw images"):
        ShiftSettings(metric="top1_balanced", resample=Resample.IMAGES)
    with pytest.raises(InputError, match="split image by image"):
        GapSettings(metric="top1_balanced")
    side = ComparedSet(judge("old", RIGHT["old"], sizes=SIZES["old"]))
    with pytest.raises(InputError, match="not by top1_balanced"):
        compare_strategies(side, [side, side], settings=SETTINGS)


def test_classes_with_few_images_are_counted_for_both_sets_and_for_balanced_means_alone() -> None:
    found = compare()
    # One class of old has 1 image of 31; of fresh, classes with 4 and 2 images of 14.
    assert any(
        note.startswith("1 of 3 classes in old has fewer than 5 images, 1 image in all.") for note in found.notes
    )
    assert any(note.startswith("2 of 3 classes in fresh have fewer than 5 images, 6 images") for note in found.notes)
    plain = compare(ShiftSettings(n_bootstrap=100))
    assert not any("fewer than 5 images" in note for note in plain.notes)


def test_the_sentence_on_intervals_names_those_of_balanced_means() -> None:
    found = compare()
    assert found.describe_intervals() == (
        "95% intervals: accuracies grouped mid-p, gaps (original − new, in points) from the limits of both accuracies."
    )
    # Shared images count twice in these.
    assert replace(found, n_shared=3).describe_intervals() == found.describe_intervals()
    plain = compare(ShiftSettings(n_bootstrap=100, level=0.9))
    told = "90% intervals: accuracies Clopper–Pearson, gaps (original − new, in points) Newcombe"
    assert plain.describe_intervals() == f"{told}."
    assert replace(plain, n_shared=3).describe_intervals() == f"{told}, with the 3 images of both sets counted once."
    assert replace(plain, n_shared=1).describe_intervals() == f"{told}, with the 1 image of both sets counted once."


def test_one_model_that_is_drawn_anew_is_told_what_would_give_an_interval() -> None:
    settings = replace(SETTINGS, resample=Resample.MODELS)
    alone = compare_sides(
        *(
            judge(name, {"good": RIGHT[name]["good"]}, sizes=SIZES[name], settings=settings)
            for name in ("old", "fresh")
        ),
        settings=settings,
    )
    assert (
        "The mean change has no interval: one model alone cannot be resampled. Without `resample=…` it has one."
        in alone.notes
    )


def answer_parts(name: str, parts: Mapping[str, slice], settings: ShiftSettings) -> Side:
    """Two classes of ten images, which every model answers in part, and rightly on every second image."""
    labels = np.tile(np.arange(2, dtype=np.int32), 10)
    ids = np.array([f"{name} {row}" for row in range(20)])
    right = np.where(np.arange(20) % 4 < 2, labels, 9).astype(np.int32)
    answers = [Predictions(model, ids[part], right[part]) for model, part in parts.items()]
    return judge_side(answers, line_up(Truth(TestSet(name, ids, labels))), settings=settings)


def test_without_an_image_that_counts_for_every_model_the_note_tells_the_true_reason() -> None:
    settings = replace(SETTINGS, allow_missing=True)
    apart = {"first": slice(0, 10), "second": slice(10, 20)}
    found = compare_sides(*(answer_parts(name, apart, settings) for name in ("old", "fresh")), settings=settings)
    assert found.mean_changes["top1_balanced"].low is None
    assert (
        "The mean change of top1_balanced has no interval, for no image of a set counts for every model." in found.notes
    )
    assert not any("cannot be resampled" in note for note in found.notes)


def test_limits_of_a_mean_change_lie_around_it_where_models_lack_images() -> None:
    settings = replace(SETTINGS, allow_missing=True)
    parts = {"all": slice(0, 20), "few": slice(0, 3)}
    found = compare_sides(*(answer_parts(name, parts, settings) for name in ("old", "fresh")), settings=settings)
    change = found.mean_changes["top1_balanced"]
    assert change.low is not None
    assert change.high is not None
    # Both sets have the same answers, so that nothing tells one end from the other.
    assert change.value == pytest.approx(0)
    assert change.low == pytest.approx(-change.high)
    assert change.high > 0
