"""Random subsets of the classes: arithmetic, all subsets, a plain loop and the promised error rate."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from regauge.arrays import BoolArray
from regauge.errors import InputError
from regauge.stats import subsampling
from regauge.stats.intervals import clopper_pearson
from regauge.stats.subsampling import class_subsampling, mean_class_subsampling

CORRECT = np.array([[9, 2, 7, 5, 1, 8], [3, 3, 3, 3, 3, 3], [10, 5, 8, 6, 4, 0]])
IMAGES = np.array([10, 5, 8, 6, 4, 10])


def keep(*classes: int, n: int = 6) -> BoolArray:
    return np.isin(np.arange(n), classes)


def test_two_of_four_classes_by_hand(rng: np.random.Generator) -> None:
    # All four classes: 20 of 40 right, 0.5. The first two: 18 of 20, a change of 0.4. Of the six pairs only {0, 1} and {2, 3}
    # move the accuracy by 0.4, so p is near 2/6.
    result = class_subsampling([[9, 9, 1, 1]], [10, 10, 10, 10], is_kept=keep(0, 1, n=4), rng=rng, n_draws=30_000)
    np.testing.assert_allclose(result.changes, [0.4], rtol=1e-12)
    np.testing.assert_allclose(result.p, [1 / 3], atol=0.015)
    assert result.n_draws == 30_000


@pytest.mark.parametrize("classes", [(0, 1, 2), (0, 2, 5), (1, 4), (3,), (0, 1, 2, 3, 5)])
def test_the_share_of_all_subsets_is_approached(classes: tuple[int, ...], rng: np.random.Generator) -> None:
    result = class_subsampling(CORRECT, IMAGES, is_kept=keep(*classes), rng=rng, n_draws=40_000)
    for participant, correct in enumerate(CORRECT):
        whole = correct.sum() / IMAGES.sum()
        change = correct[list(classes)].sum() / IMAGES[list(classes)].sum() - whole
        subsets = [list(subset) for subset in combinations(range(6), len(classes))]
        moved = [abs(correct[subset].sum() / IMAGES[subset].sum() - whole) for subset in subsets]
        share = np.mean([move >= abs(change) - 1e-9 for move in moved])
        assert result.changes[participant] == pytest.approx(change, rel=1e-9, abs=1e-12)
        assert result.p[participant] == pytest.approx(share, abs=5 * (0.25 / 40_000) ** 0.5)


def test_keeping_every_class_changes_nothing(rng: np.random.Generator) -> None:
    result = class_subsampling(CORRECT, IMAGES, is_kept=np.ones(6, bool), rng=rng, n_draws=20)
    np.testing.assert_array_equal(result.changes, np.zeros(3))
    np.testing.assert_array_equal(result.p, np.ones(3))


def test_p_is_never_zero(rng: np.random.Generator) -> None:
    correct = np.where(np.arange(1_000) < 118, 0, 10)
    result = class_subsampling(correct[np.newaxis], np.full(1_000, 10), is_kept=correct > 0, rng=rng)
    np.testing.assert_array_equal(result.p, [1 / 1_001])


def test_no_image_gives_no_value(rng: np.random.Generator) -> None:
    n = np.array([[4, 4, 4], [0, 0, 0], [0, 0, 4]])
    result = class_subsampling([[1, 2, 3], [0, 0, 0], [0, 0, 4]], n, is_kept=keep(0, 1, n=3), rng=rng, n_draws=50)
    np.testing.assert_array_equal(np.isnan(result.changes), [False, True, True])
    np.testing.assert_array_equal(np.isnan(result.p), [False, True, True])
    nothing = class_subsampling([[1, 2, 3]], [4, 4, 4], is_kept=np.zeros(3, bool), rng=rng, n_draws=50)
    assert np.isnan(nothing.p).all()


def test_a_draw_without_an_image_counts_as_extreme(rng: np.random.Generator) -> None:
    # All images are of class 0, and one of two classes is drawn: half of the draws hold no image, the others no change.
    result = class_subsampling([[5, 0]], [8, 0], is_kept=keep(0, n=2), rng=rng, n_draws=200)
    np.testing.assert_array_equal(result.p, [1])


def test_participants_may_have_seen_different_images(rng: np.random.Generator) -> None:
    n = np.stack([IMAGES, IMAGES + 2, IMAGES + 5])
    together = class_subsampling(CORRECT, n, is_kept=keep(0, 3), rng=np.random.default_rng(1))
    for participant in range(3):
        alone = class_subsampling(
            CORRECT[[participant]], n[participant], is_kept=keep(0, 3), rng=np.random.default_rng(1)
        )
        np.testing.assert_allclose(alone.changes, together.changes[[participant]], rtol=1e-12)
        np.testing.assert_array_equal(alone.p, together.p[[participant]])


def test_the_same_seed_gives_the_same_bits_in_batches_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw() -> subsampling.ClassSubsampling:
        return class_subsampling(CORRECT, IMAGES, is_kept=keep(0, 1), rng=np.random.default_rng(3), n_draws=501)

    whole = draw()
    monkeypatch.setattr(subsampling, "_BATCH_ELEMENTS", 20)
    np.testing.assert_array_equal(draw().p, whole.p)
    assert np.unique(whole.p).size > 1


@pytest.mark.parametrize(
    ("correct", "kept", "problem"),
    [
        ([3, 3], [True, False], r"\[participants, classes\], not an array of shape \(2,\)"),
        ([[3, 6]], [True, False], "item 1 has n_correct_by_class = 6, n = 5"),
        ([[3, 3]], [True], r"bool \[2\], not bool \(1,\)"),
        ([[3, 3]], [0, 1], r"bool \[2\], not int64 \(2,\)"),
    ],
)
def test_what_does_not_fit_is_refused(
    correct: ArrayLike, kept: ArrayLike, problem: str, rng: np.random.Generator
) -> None:
    with pytest.raises(InputError, match=problem):
        class_subsampling(correct, [5, 5], is_kept=kept, rng=rng)


def test_at_least_one_draw_is_asked_for(rng: np.random.Generator) -> None:
    with pytest.raises(InputError, match="at least one draw, not 0"):
        class_subsampling(CORRECT, IMAGES, is_kept=keep(0), rng=rng, n_draws=0)


@given(st.integers(0, 2**32), st.integers(1, 5))
def test_leaving_out_and_keeping_pull_in_opposite_directions(seed: int, n_kept: int) -> None:
    rng = np.random.default_rng(seed)
    kept = keep(*rng.permutation(6)[:n_kept])
    inside = class_subsampling(CORRECT, IMAGES, is_kept=kept, rng=rng, n_draws=1).changes
    outside = class_subsampling(CORRECT, IMAGES, is_kept=~kept, rng=rng, n_draws=1).changes
    np.testing.assert_allclose(inside * IMAGES[kept].sum() + outside * IMAGES[~kept].sum(), np.zeros(3), atol=1e-12)


def test_a_random_subset_is_rejected_no_more_often_than_alpha(rng: np.random.Generator) -> None:
    n = np.full(60, 10)
    n_rejected = 0
    for _ in range(2_000):
        correct = rng.binomial(10, rng.beta(4, 2, 60))[np.newaxis]
        kept = rng.permutation(60) < 45
        n_rejected += int((class_subsampling(correct, n, is_kept=kept, rng=rng, n_draws=99).p <= 0.05).sum())
    assert clopper_pearson(n_rejected, 2_000, level=0.999).low <= 0.05
    # Were p far too large, the check would be worthless.
    assert n_rejected > 40


def test_the_mean_of_one_is_itself_and_of_several_that_of_their_accuracies():
    alone = class_subsampling(CORRECT[:1], IMAGES, is_kept=keep(0, 3), rng=np.random.default_rng(1))
    mean = mean_class_subsampling(CORRECT[:1], IMAGES, is_kept=keep(0, 3), rng=np.random.default_rng(1))
    np.testing.assert_array_equal(mean.changes, alone.changes)
    np.testing.assert_array_equal(mean.p, alone.p)
    # Of two who saw as many images the mean is that of their sums; of others each counts once.
    both = mean_class_subsampling(CORRECT[[0, 2]], IMAGES, is_kept=keep(0, 3), rng=np.random.default_rng(1))
    summed = class_subsampling(
        CORRECT[[0, 2]].sum(axis=0, keepdims=True), 2 * IMAGES, is_kept=keep(0, 3), rng=np.random.default_rng(1)
    )
    np.testing.assert_allclose(both.changes, summed.changes)
    np.testing.assert_array_equal(both.p, summed.p)
    more = mean_class_subsampling(
        CORRECT[[0, 2]], np.stack([IMAGES, 3 * IMAGES]), is_kept=keep(0, 3), rng=np.random.default_rng(1)
    )
    single = class_subsampling(
        CORRECT[[0, 2]], np.stack([IMAGES, 3 * IMAGES]), is_kept=keep(0, 3), rng=np.random.default_rng(1)
    )
    np.testing.assert_allclose(more.changes, [single.changes.mean()])


def test_a_mean_over_somebody_without_images_is_missing():
    found = mean_class_subsampling(
        [[1, 1], [0, 0]], [[2, 2], [0, 0]], is_kept=keep(0, n=2), rng=np.random.default_rng(1)
    )
    assert np.isnan(found.changes).all()
    assert np.isnan(found.p).all()
