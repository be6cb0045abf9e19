"""Images in both of two sets: said, drawn once, and counted once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regauge.records.evaluation.fits import Resample
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.predictions import Predictions
from regauge.records.testsets.shared_images import SharedBy
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import newcombe
from regauge.workflows.evaluation.shifts import shift, shift_by_class
from regauge.workflows.inputs import TestSetAnswers


def make_overlapping(*, n_shared: int, digests: bool = False) -> tuple[TestSetAnswers, TestSetAnswers]:
    """Three models on two sets of 60 images, of which some are the same, with the same labels and answers."""
    rng = np.random.default_rng(2)
    n = 120 - n_shared
    ids = np.array([f"image {row}" for row in range(n)])
    right = rng.random((3, n)) < np.array([[0.8], [0.7], [0.5]])
    sides = []
    for name, part in (("old", slice(0, 60)), ("fresh", slice(60 - n_shared, n))):
        labels = np.zeros(60, np.int32)
        known = ids[part] if digests else None
        own = np.array([f"{name} {row}" for row in range(60)]) if digests else ids[part]
        models = [
            Predictions(f"m{row}", own, np.where(one[part], 0, 1).astype(np.int32)) for row, one in enumerate(right)
        ]
        sides.append(TestSetAnswers(models, TestSet(name, own, labels, known)))
    return sides[0], sides[1]


def test_equal_ids_alone_change_nothing_and_give_a_note() -> None:
    found = shift(*make_overlapping(n_shared=30), settings=ShiftSettings(n_bootstrap=200))
    assert found.n_shared == 0
    assert found.notes[0] == (
        "30 image ids are in both old and fresh, and no digest says whether the images are the same. They are taken for "
        'different ones; if they are the same, say so with `shared="ids"`.'
    )
    model = found.models[0]
    expected = newcombe(model.original.k, 60, n_correct_b=model.new.k, n_b=60)
    assert (model.gap.low, model.gap.high) == pytest.approx((float(expected.low), float(expected.high)))


@pytest.mark.parametrize("digests", [True, False])
def test_shared_images_count_once_in_gaps_mean_changes_and_redrawn_lines(*, digests: bool) -> None:
    sides = make_overlapping(n_shared=30, digests=digests)
    by = SharedBy.DIGESTS if digests else SharedBy.IDS
    drawn = ShiftSettings(n_bootstrap=2_000, resample=Resample.IMAGES)
    apart = shift(*(make_overlapping(n_shared=30)), settings=drawn)
    found = shift(*sides, settings=replace(drawn, shared=by))
    assert found.n_shared == 30
    known = "equal bytes" if digests else "equal ids"
    assert found.notes[0] == f"old and fresh share 30 images (by {known}); shared images are drawn together."
    for one, other in zip(found.models, apart.models, strict=True):
        assert one.gap.value == other.gap.value
        # Half of the images are the same, so that about half of the variance is left.
        assert (one.gap.high - one.gap.low) / (other.gap.high - other.gap.low) == pytest.approx(0.72, abs=0.08)
    widths = [(change.high or 0) - (change.low or 0) for change in (s.mean_changes["top1"] for s in (found, apart))]
    assert widths[0] / widths[1] == pytest.approx(0.7, abs=0.15)
    slopes = [shown.fits[0].slope.high - shown.fits[0].slope.low for shown in (found, apart)]
    assert slopes[0] < slopes[1]


def test_a_set_compared_with_itself_has_no_gap_and_no_doubt() -> None:
    sides = make_overlapping(n_shared=60)
    settings = ShiftSettings(n_bootstrap=200, shared=SharedBy.IDS, resample=Resample.IMAGES)
    found = shift(*sides, settings=settings)
    assert {(one.gap.value, one.gap.low, one.gap.high) for one in found.models} == {(0.0, 0.0, 0.0)}
    assert (found.mean_changes["top1"].low, found.mean_changes["top1"].high) == (0.0, 0.0)
    assert (found.fits[0].slope.low, found.fits[0].slope.high) == pytest.approx((1.0, 1.0))


def test_shared_images_with_other_labels_leave_the_doubt_of_pairs() -> None:
    old, fresh = make_overlapping(n_shared=60)
    assert isinstance(fresh.truth, TestSet)
    labels = fresh.truth.labels.copy()
    labels[0] = 1
    relabelled = TestSetAnswers(fresh.predictions, TestSet("fresh", fresh.truth.image_ids, labels))
    found = shift(old, relabelled, settings=ShiftSettings(n_bootstrap=200, shared=SharedBy.IDS))
    for model in found.models:
        assert model.gap.low < model.gap.value < model.gap.high
        # One image of sixty differs; the limits are those of pairs, far narrower than of different images.
        assert model.gap.high - model.gap.low < 0.2


def test_changes_by_class_say_that_they_take_shared_images_for_different_ones() -> None:
    settings = ShiftSettings(n_bootstrap=200, shared=SharedBy.IDS)
    found = shift_by_class(make_overlapping(n_shared=30), settings=settings)
    assert found.classes.notes[-1].startswith("Changes class by class take the images of both sets for different ones")
    apart = shift_by_class(make_overlapping(n_shared=0), settings=settings)
    assert not any("different ones" in note for note in apart.classes.notes)


def test_two_sets_of_one_name_are_told_apart_in_notes_and_classes() -> None:
    sides = make_overlapping(n_shared=30)
    same = sides[0], replace(sides[1], name=shift(*sides).original)
    found = shift_by_class(same, settings=ShiftSettings(n_bootstrap=200, shared=SharedBy.IDS))
    assert found.shift.notes[0].startswith("old (original) and old (new) share 30 images (by equal ids)")
    assert (found.classes.original, found.classes.new) == ("old (original)", "old (new)")
