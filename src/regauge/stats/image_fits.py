"""How far the line through two test sets moves when their images are redrawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.records.evaluation.fits import Scale
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.stats.fits import LineReplicates, check_seed, fit_line
from regauge.stats.resampling import DEFAULT_RESAMPLES
from regauge.stats.scales import move_inside, to_scale

# How many threads share the replicates; the bits do not depend on it, nor on how many replicates are drawn at once.
_N_THREADS = 2
_N_ROWS = 16

# Tells the draws of models from those of other things with one seed.
_MODEL_STREAM = 1

# Accuracies of one model drawn again and again differ by rounding alone, whose square is far below that of 1/n.
_ROUNDING = 1e-24

# The kernel reads masks in whole blocks.
_MASK_BLOCK = 4_096


class ImageReplicates(NamedTuple):
    """What redrawn images make of the comparison of two test sets.

    Attributes:
        lines: the fits new = slope·original + offset on the chosen scale. A replicate has none where its original
            accuracies are all equal. On curved scales accuracies of 0 and 1 are moved inside (`scales.move_inside`).
        mean_gaps: the mean over models of original − new, in accuracy whatever the scale of the fit.
    """

    lines: LineReplicates
    mean_gaps: FloatArray


class ResampledAccuracies(NamedTuple):
    """The accuracies of the same models on redrawn images of both sets.

    Attributes:
        original: [replicates, models].
        new: likewise.
        n_original: images in each replicate of the original set.
        n_new: likewise.
    """

    original: FloatArray
    new: FloatArray
    n_original: CountArray
    n_new: CountArray

    @property
    def n_at_end(self) -> int:
        """In how many replicates a model is at 0 or 1, which probits and logits know only by a rule."""
        sides = [((side <= 0) | (side >= 1)).any(axis=1) for side in (self.original, self.new)]
        return int((sides[0] | sides[1]).sum())

    def choose(self, models: ArrayLike) -> ResampledAccuracies:
        """The same of some models."""
        columns = np.asarray(models, np.intp)
        return self._replace(original=self.original[:, columns], new=self.new[:, columns])


class ResampledSet(NamedTuple):
    """The accuracies on one set [replicates, models], and how many of its images each replicate has."""

    accuracies: FloatArray
    n: CountArray


class _Answers(NamedTuple):
    """Who is right where on one test set.

    Attributes:
        masks: [models, images rounded up to whole blocks], 255 where the model is right.
        n: the number of images.
        stream: tells the two sets apart in the draws.
    """

    masks: NDArray[np.uint8]
    n: int
    stream: int

    @property
    def accuracies(self) -> FloatArray:
        """The share of images that each model gets right."""
        return np.asarray(np.count_nonzero(self.masks, axis=1) / self.n, np.float64)


def bootstrap_image_lines(
    original: ArrayLike,
    new: ArrayLike,
    *,
    seed: int,
    n_resamples: int = DEFAULT_RESAMPLES,
    scale: Scale = Scale.LINEAR,
) -> ImageReplicates:
    """The lines through the models' accuracies on images redrawn with replacement, each set by itself.

    In a replicate all models see the same images, so what makes an image easy or hard for all of them is kept. The models
    stay; `fits.bootstrap_lines` redraws them instead. The two answer different questions: other images, or other models.

    Args:
        original: [models, images], whether the model is right (True or 1, else False or 0) on the original set.
        new: the same models on the new set.
        seed: a whole number from 0 to 2⁶⁴ − 1. Replicate r depends on the seed and r alone, so the bits are the same for any
            number of threads.
        n_resamples: how many replicates.
        scale: where the line is fitted.

    Raises:
        InputError: the arrays do not fit, there are fewer than two models, or all have the same original accuracy.

    Reference:
        Efron, Tibshirani (1993), An Introduction to the Bootstrap, chapter 8 on several samples.
    """
    x, y = (_put_on_scale(answers.accuracies, answers.n, scale) for answers in _read_pair(original, new))
    fit_line(x, y)
    resampled = resample_images(original, new, seed=seed, n_resamples=n_resamples)
    mean_original, mean_new = (
        accuracies.sum(axis=1) / accuracies.shape[1] for accuracies in (resampled.original, resampled.new)
    )
    return ImageReplicates(fit_resampled(resampled, scale=scale), mean_original - mean_new)


def resample_images(
    original: ArrayLike,
    new: ArrayLike,
    *,
    seed: int,
    n_resamples: int = DEFAULT_RESAMPLES,
    shared: SharedImages = NO_SHARED_IMAGES,
) -> ResampledAccuracies:
    """The accuracies of all models on images redrawn with replacement; arguments as above, and the images in both sets.

    Each set is drawn by itself. Where sets share images, all images are drawn together, as many as there are, and a drawn
    image counts in every set that has it; so sets vary in size a little from replicate to replicate.

    Raises:
        InputError: the arrays do not fit.
    """
    sets = _read_pair(original, new)
    if len(shared):
        numbers = np.arange(sets[0].n), sets[0].n + np.arange(sets[1].n)
        numbers[1][shared.rows_new] = shared.rows_original
        both = resample_sets((original, new), numbers, seed=seed, stream=1, n_resamples=n_resamples)
        return ResampledAccuracies(both[0].accuracies, both[1].accuracies, both[0].n, both[1].n)
    _check_n_resamples(n_resamples)
    own_seed = check_seed(seed)
    accuracies = [_resample(answers, own_seed, n_resamples=n_resamples) / answers.n for answers in sets]
    sizes = [np.full(n_resamples, answers.n, np.int64) for answers in sets]
    return ResampledAccuracies(accuracies[0], accuracies[1], sizes[0], sizes[1])


def resample_sets(
    answers: Sequence[ArrayLike], numbers: Sequence[CountArray], *, seed: int, stream: int, n_resamples: int
) -> list[ResampledSet]:
    """The accuracies of all models on several sets that share images, all images being drawn together.

    Args:
        answers: per set, [models, images], whether the model is right.
        numbers: per set, a number for every image; equal numbers are the same image.
        seed: as in `bootstrap_image_lines`.
        stream: tells draws with one seed apart.
        n_resamples: how many replicates.

    Returns:
        One per set.
    """
    _check_n_resamples(n_resamples)
    sets = [np.asarray(right) for right in answers]
    distinct, places = np.unique(np.concatenate(numbers), return_inverse=True)
    borders = np.cumsum([right.shape[1] for right in sets])[:-1]
    rows = np.zeros((sum(len(right) + 1 for right in sets), distinct.size), np.bool_)
    first, ends = 0, []
    for right, own in zip(sets, np.split(places, borders), strict=True):
        # After the models of a set, a row for the images themselves, which counts those of the set that are drawn.
        rows[first : first + len(right), own] = right
        rows[first + len(right), own] = True
        first += len(right) + 1
        ends.append(first)
    totals = _resample(_read_answers("joint", rows, stream=stream), check_seed(seed), n_resamples=n_resamples)
    return [_count_set(part) for part in np.split(totals, ends[:-1], axis=1)]


def _count_set(totals: CountArray) -> ResampledSet:
    """A set from the right answers of its models and, last, its images; NaN where none of them was drawn."""
    n = totals[:, -1]
    accuracies = totals[:, :-1] / np.where(n > 0, n, np.nan)[:, np.newaxis]
    return ResampledSet(accuracies, n)


def resample_weights(groups: ArrayLike, *, n_replicates: int, seed: int) -> FloatArray:
    """How often every model comes in each replicate when models, or whole groups of them, are drawn with replacement.

    Images and models are drawn independently of each other, so that what both add to the spread of a statistic adds up.

    Args:
        groups: the group of every model; a name of its own draws it by itself.
        n_replicates: how many.
        seed: a whole number from 0.

    Returns:
        [n_replicates, models]; models of one group have one weight.

    Reference:
        Owen (2007), The pigeonhole bootstrap.
    """
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    drawn = np.random.default_rng([seed, _MODEL_STREAM]).integers(names.size, size=(n_replicates, names.size))
    places = drawn + names.size * np.arange(n_replicates)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=n_replicates * names.size).reshape(n_replicates, names.size)
    return np.asarray(counts[:, group], np.float64)


def fit_resampled(
    resampled: ResampledAccuracies, *, scale: Scale = Scale.LINEAR, weights: FloatArray | None = None
) -> LineReplicates:
    """The line through the models of every replicate; NaN where there is none, for all original accuracies are equal.

    Args:
        resampled: accuracies on redrawn images.
        scale: where the line is fitted.
        weights: how often every model counts in each replicate, from `resample_weights`; once by default.
    """
    x = _put_on_scale(resampled.original, resampled.n_original[:, np.newaxis], scale)
    y = _put_on_scale(resampled.new, resampled.n_new[:, np.newaxis], scale)
    return _fit(x, y) if weights is None else _fit_weighted(x, y, weights)


def _fit_weighted(x: FloatArray, y: FloatArray, weights: FloatArray) -> LineReplicates:
    """The weighted least-squares line of every row."""
    shares = weights / weights.sum(axis=1, keepdims=True)
    x_mean, y_mean = ((shares * side).sum(axis=1, keepdims=True) for side in (x, y))
    deviations = x - x_mean
    spread = (shares * deviations**2).sum(axis=1)
    slopes = np.divide(
        (shares * deviations * (y - y_mean)).sum(axis=1), spread, out=np.full(len(x), np.nan), where=spread > _ROUNDING
    )
    return LineReplicates(slopes, y_mean[:, 0] - slopes * x_mean[:, 0])


def bootstrap_image_accuracies(
    right: ArrayLike, *, seed: int, stream: int, n_resamples: int = DEFAULT_RESAMPLES
) -> FloatArray:
    """The accuracies of all models on images redrawn with replacement, the same ones for all of them.

    Args:
        right: [models, images], whether the model is right.
        seed: as in `bootstrap_image_lines`.
        stream: a whole number from 1 that tells test sets with one seed apart, so that their images are drawn independently.
        n_resamples: how many replicates.

    Returns:
        [n_resamples, models].
    """
    _check_n_resamples(n_resamples)
    answers = _read_answers("test", right, stream=stream)
    return np.asarray(_resample(answers, check_seed(seed), n_resamples=n_resamples) / answers.n, np.float64)


def _read_answers(name: str, right: ArrayLike, *, stream: int) -> _Answers:
    array = np.asarray(right)
    if array.ndim != 2 or not array.shape[1]:
        raise InputError(
            f"The answers on the {name} set are [models, images] with an image at least, not {array.shape}."
        )
    if array.dtype.kind not in "biu" or (array.dtype.kind != "b" and ((array < 0) | (array > 1)).any()):
        raise InputError(f"The answers on the {name} set are right or wrong: True and False, or 1 and 0.")
    n_models, n = array.shape
    masks = np.zeros((n_models, -(-n // _MASK_BLOCK) * _MASK_BLOCK), np.uint8)
    masks[:, :n] = np.where(array, np.uint8(255), np.uint8(0))
    return _Answers(masks, n, stream)


def _check_n_resamples(n_resamples: int) -> None:
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")


def _read_pair(original: ArrayLike, new: ArrayLike) -> tuple[_Answers, _Answers]:
    sets = (_read_answers("original", original, stream=1), _read_answers("new", new, stream=2))
    if len(sets[0].masks) != len(sets[1].masks):
        raise InputError(
            f"Both sets need the same models; the original has {len(sets[0].masks)}, the new one {len(sets[1].masks)}."
        )
    return sets


def _resample(answers: _Answers, seed: np.uint64, *, n_resamples: int) -> CountArray:
    """The right answers of every model in every replicate, [n_resamples, models]."""
    totals = np.empty((n_resamples, len(answers.masks)), np.int64)

    def fill(rows: slice) -> None:
        totals[rows] = _count_right(answers, seed, rows=rows)

    with ThreadPoolExecutor(_N_THREADS) as pool:
        list(pool.map(fill, _split(n_resamples)))
    return totals


def _split(n_resamples: int) -> Iterator[slice]:
    for start in range(0, n_resamples, _N_ROWS):
        yield slice(start, min(start + _N_ROWS, n_resamples))


def _count_right(answers: _Answers, seed: np.uint64, *, rows: slice) -> CountArray:
    """The right answers of every model in some replicates, [rows, models]."""
    from regauge.stats._kernels import resample_totals

    n_rows = rows.stop - rows.start
    # The kernel takes rows in pairs; one too many is drawn and left out.
    n_drawn = n_rows + n_rows % 2
    counts = np.empty((n_drawn, answers.masks.shape[1]), np.uint8)
    totals = np.empty((n_drawn, len(answers.masks)), np.int64)
    resample_totals(answers.masks, answers.n, seed, answers.stream, rows.start, counts, totals)
    return totals[:n_rows]


def _put_on_scale(accuracies: FloatArray, n: ArrayLike, scale: Scale) -> FloatArray:
    return accuracies if scale is Scale.LINEAR else to_scale(move_inside(accuracies, n), scale)


def _fit(x: FloatArray, y: FloatArray) -> LineReplicates:
    """The line of every row."""
    from regauge.stats._kernels import fit_rows

    lines = LineReplicates(np.empty(len(x)), np.empty(len(x)))
    fit_rows(x, y, *lines)
    return lines
