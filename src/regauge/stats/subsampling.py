"""Whether accuracy on a subset of the classes differs more than on as many classes drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.errors import InputError
from regauge.stats.counts import check_counts

DEFAULT_DRAWS = 1_000

_BATCH_ELEMENTS = 2**20

# Changes of equal draws may differ in their last bits.
_TIE = 1e-12


class ClassSubsampling(NamedTuple):
    """What leaving classes out does to the accuracy of each participant.

    Attributes:
        changes: accuracy on the subset − accuracy on all classes; NaN where either has no image.
        p: (1 + b)/(1 + n_draws) with b the draws that change the accuracy, up or down, at least as much; NaN where the
            change is.
        n_draws: how many times classes were drawn.
    """

    changes: FloatArray
    p: FloatArray
    n_draws: int


def class_subsampling(
    n_correct_by_class: ArrayLike,
    n_by_class: ArrayLike,
    *,
    is_kept: ArrayLike,
    rng: np.random.Generator,
    n_draws: int = DEFAULT_DRAWS,
) -> ClassSubsampling:
    """Compare the change of accuracy on a subset of the classes with the changes on random subsets of the same size.

    Leaving out some classes moves every accuracy a little. Only when few random subsets move it as far does the subset
    itself mean something: that dogs are hard, say. Each draw keeps as many classes as the subset has, without replacement,
    the same ones for all participants. A draw in which a participant has no image counts as extreme.

    Args:
        n_correct_by_class: [participants, classes], right answers.
        n_by_class: images, [classes], or [participants, classes] where participants saw different ones.
        is_kept: bool [classes], the subset.
        rng: the source of the draws.
        n_draws: how many times to draw.

    Reference:
        Shankar et al. (2020), Evaluating Machine Accuracy on ImageNet, §5, who draw 882 of 1,000 classes a thousand times.
    """
    return _subsample(n_correct_by_class, n_by_class, is_kept=is_kept, draws=_Draws(rng, n_draws))


def mean_class_subsampling(
    n_correct_by_class: ArrayLike,
    n_by_class: ArrayLike,
    *,
    is_kept: ArrayLike,
    rng: np.random.Generator,
    n_draws: int = DEFAULT_DRAWS,
) -> ClassSubsampling:
    """As `class_subsampling`, for the mean of the participants' accuracies: one change and one p, [1].

    It is their mean, each counting once, also where they answered different numbers of images; NaN where one has no image.
    """
    return _subsample(n_correct_by_class, n_by_class, is_kept=is_kept, draws=_Draws(rng, n_draws, is_mean=True))


class _Draws(NamedTuple):
    """How classes are drawn, and whether the mean of all participants is looked at in place of each."""

    rng: np.random.Generator
    n: int
    is_mean: bool = False


def _subsample(
    n_correct_by_class: ArrayLike,
    n_by_class: ArrayLike,
    *,
    is_kept: ArrayLike,
    draws: _Draws,
) -> ClassSubsampling:
    correct, n = check_counts(n_correct_by_class=n_correct_by_class, n=n_by_class)
    if correct.ndim != 2:
        raise InputError(f"Right answers by class are [participants, classes], not an array of shape {correct.shape}.")
    kept = _check_subset(is_kept, n_classes=correct.shape[1])
    if draws.n < 1:
        raise InputError(f"Drawing classes needs at least one draw, not {draws.n}.")
    whole = _find_accuracies(np.ones((1, kept.size), np.bool_), correct, n)

    def change(is_drawn: BoolArray) -> FloatArray:
        moved = _find_accuracies(is_drawn, correct, n) - whole
        return moved.mean(axis=1, keepdims=True) if draws.is_mean else moved

    changes = change(kept[np.newaxis])[0]
    n_extreme = np.zeros(changes.size, np.int64)
    for n_rows in _split(draws.n, row_size=kept.size):
        moved = np.abs(change(draws.rng.permuted(np.tile(kept, (n_rows, 1)), axis=1)))
        # A missing change is not less than the observed one, so it counts.
        n_extreme += n_rows - np.count_nonzero(moved < np.abs(changes) - _TIE, axis=0)
    return ClassSubsampling(changes, np.where(np.isnan(changes), np.nan, (1 + n_extreme) / (1 + draws.n)), draws.n)


def _check_subset(is_kept: ArrayLike, *, n_classes: int) -> BoolArray:
    kept = np.asarray(is_kept)
    if kept.dtype != np.bool_ or kept.shape != (n_classes,):
        raise InputError(
            f"A subset says of each of the {n_classes} classes whether it is kept: bool [{n_classes}], "
            f"not {kept.dtype} {kept.shape}."
        )
    return kept


def _find_accuracies(is_drawn: BoolArray, correct: CountArray, n: CountArray) -> FloatArray:
    """Accuracy [draws, participants] on the drawn classes; NaN without an image. The sums are exact in floats."""
    weights = is_drawn.astype(np.float64)
    n_correct = weights @ correct.T.astype(np.float64)
    # Participants who saw the same images share their counts.
    shared = n[:1] if (n == n[:1]).all() else n
    n_images = weights @ shared.T.astype(np.float64)
    return np.asarray(n_correct / np.where(n_images > 0, n_images, np.nan), np.float64)


def _split(n_draws: int, *, row_size: int) -> Iterator[int]:
    step = max(1, _BATCH_ELEMENTS // max(1, row_size))
    for start in range(0, n_draws, step):
        yield min(step, n_draws - start)
