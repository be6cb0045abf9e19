"""Two judged sets and a pool as counts per distinct (n_selected, n_shown), and bootstrap samples of them.

All that the methods need of an image is its pair of counts and who is right on it, so a sample of the images is a few small
tables. The first dimension of every table counts the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.records.evaluation.gaps import MEAN
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.testsets.sampling import N_BINS, find_bins
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.stats.deconvolution import DistinctCounts, find_pairs

_MAX_ELEMENTS = 2**23
"""Weights of images, or right answers per pair of counts and participant, that are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What a gap is split by: both sets with their counts, and the candidates.

    Attributes:
        original: the original set.
        new: the new set, with the participants in the same order.
        original_pairs: the distinct counts of the original set.
        new_pairs: those of the new set.
        pool: the candidates; None where the new set's own counts tell its distribution.
        pool_pairs: the distinct counts of the candidates; None where the new set's own counts tell its distribution.
        is_matched: whether the new set was matched to the original one.
        shared: the images that are in both sets.
    """

    original: JudgedSet
    new: JudgedSet
    original_pairs: DistinctCounts
    new_pairs: DistinctCounts
    pool: CandidateCounts | None
    pool_pairs: DistinctCounts | None
    is_matched: bool
    shared: SharedImages = NO_SHARED_IMAGES


@dataclass(frozen=True, slots=True, eq=False)
class GapSamples:
    """Tables of several samples of the images.

    Attributes:
        original_counts: images per pair of counts [samples, pairs].
        original_correct: those of them on which each participant is right [samples, pairs, participants].
        new_counts: images per pair of counts [samples, pairs].
        new_correct: likewise right on them [samples, pairs, participants].
        prior_counts: images per pair of counts that tell the distribution which the new set was drawn from.
        original_weights: how often each image was drawn [samples, images].
        new_weights: likewise for the new set [samples, images].
    """

    original_counts: FloatArray
    original_correct: FloatArray
    new_counts: FloatArray
    new_correct: FloatArray
    prior_counts: FloatArray
    original_weights: FloatArray
    new_weights: FloatArray

    @property
    def original_accuracy(self) -> FloatArray:
        """[samples, participants]."""
        return np.asarray(self.original_correct.sum(axis=1) / self.original_counts.sum(axis=1, keepdims=True))

    @property
    def new_accuracy(self) -> FloatArray:
        """[samples, participants]."""
        return np.asarray(self.new_correct.sum(axis=1) / self.new_counts.sum(axis=1, keepdims=True))


Estimator: TypeAlias = Callable[[GapSamples], FloatArray]
"""From samples to the accuracy on original images with the frequencies of the new set [samples, participants]."""


class Pooled(NamedTuple):
    """What one curve of all classes expects: accuracies [samples, participants] at mean terms [samples, terms] of the new set."""

    accuracies: FloatArray
    terms: FloatArray


PooledEstimator: TypeAlias = Callable[[GapSamples], Pooled]
"""From samples to what one curve of all classes expects."""


def line_up_sets(
    original: JudgedSet,
    new: JudgedSet,
    *,
    pool: CandidateCounts | None = None,
    is_matched: bool = False,
    shared: SharedImages = NO_SHARED_IMAGES,
) -> Material:
    """Both sets with the participants of the original one in its order.

    Raises:
        InputError: the sets do not have the same participants, or one is called as their mean is.
    """
    if MEAN in original.participants:
        raise InputError(f"{MEAN} stands for the mean of all participants; give the one of that name another.")
    if set(original.participants) != set(new.participants):
        odd = sorted(set(original.participants) ^ set(new.participants))[0]
        raise InputError(f"{odd} is on one of {original.name} and {new.name} only; give both the same participants.")
    order = [new.participants.index(name) for name in original.participants]
    sorted_new = replace(new, participants=original.participants, is_correct=new.is_correct[order])
    return Material(
        original,
        sorted_new,
        find_pairs(original.n_selected, original.n_shown),
        find_pairs(new.n_selected, new.n_shown),
        pool,
        None if pool is None else find_pairs(pool.n_selected, pool.n_shown),
        is_matched,
        shared,
    )


def take_whole(material: Material) -> GapSamples:
    """The images themselves, as one sample."""
    original, new = (np.ones((1, len(judged))) for judged in (material.original, material.new))
    pool = material.pool_pairs
    return _tabulate(material, original, new, None if pool is None else pool.weights[np.newaxis])


def resample(material: Material, *, rng: np.random.Generator, n_samples: int) -> Iterator[GapSamples]:
    """Samples of the images of both sets and of the candidates, drawn with replacement; in batches that fit into memory.

    Where the new set was matched, each sample of it follows the frequencies of its sample of the original set, as the set itself
    does. Samples drawn apart would show chance in both histograms that the match has taken out. Otherwise the new set is a part
    of the pool in every sample too: a pool that happens to be good gives a good set.

    An image that is in both sets is drawn as often for one as for the other: all images are drawn together, as many as there
    are, so that sets differ in size from sample to sample.
    """
    step = max(1, _MAX_ELEMENTS // _count_elements(material))
    for start in range(0, n_samples, step):
        n = min(step, n_samples - start)
        original, new = _resample_both(material, n, rng)
        yield _tabulate(material, original, new, _resample_pool(material, new, rng))


def _count_elements(material: Material) -> int:
    """The numbers that the largest table of one sample has."""
    n_pairs = len(material.original_pairs.n_shown) + len(material.new_pairs.n_shown)
    return max(len(material.original) + len(material.new), n_pairs * len(material.original.participants))


def _resample_pool(material: Material, new: FloatArray, rng: np.random.Generator) -> FloatArray | None:
    """Candidates per pair of counts; the chosen among them are those of the sample, unless that was matched.

    A new set that is not part of the pool, by its counts, tells nothing of the candidates; they are drawn by themselves then.
    """
    pool = material.pool_pairs
    if pool is None:
        return None
    n_candidates, n_samples = pool.places.size, len(new)
    chosen = material.new_pairs
    is_same = (chosen.n_selected[:, np.newaxis] == pool.n_selected) & (chosen.n_shown[:, np.newaxis] == pool.n_shown)
    rest = pool.weights - chosen.weights @ is_same
    is_part = bool(is_same.any(axis=1).all()) and bool((rest >= 0).all())
    if material.is_matched or not is_part:
        return rng.multinomial(n_candidates, pool.weights / n_candidates, n_samples).astype(np.float64)
    n_rest = int(rest.sum())
    others = rng.multinomial(n_rest, rest / max(n_rest, 1), n_samples) if n_rest else np.zeros((n_samples, rest.size))
    return np.asarray(_sum_pairs(material.new, chosen, new)[0] @ is_same + others, np.float64)


class BinCounts(NamedTuple):
    """Images per bin [bins] and those of them on which each participant is right [bins, participants]."""

    n_images: CountArray
    n_correct: CountArray


def count_bins(judged: JudgedSet, pairs: DistinctCounts) -> BinCounts:
    """The images of a set in the bins of their observed frequencies."""
    binned = bin_answers(*_sum_pairs(judged, pairs, np.ones((1, len(judged)))), pairs=pairs)
    return BinCounts(*(one[0].astype(np.int64) for one in binned))


def bin_answers(counts: FloatArray, correct: FloatArray, *, pairs: DistinctCounts) -> tuple[FloatArray, FloatArray]:
    """Images [samples, bins] and right answers [samples, bins, participants], from the same by pair of counts."""
    return merge_bins(counts[:, :, np.newaxis], pairs)[:, :, 0], merge_bins(correct, pairs)


def merge_bins(table: FloatArray, pairs: DistinctCounts) -> FloatArray:
    """A table by pair of counts [samples, pairs, columns] summed over the pairs of every bin [samples, bins, columns]."""
    bins = find_bins(pairs.n_shown, pairs.n_selected)
    members = (bins == np.arange(N_BINS)[:, np.newaxis]).astype(np.float64)
    return np.asarray(np.matmul(members, table), np.float64)


def _resample_weights(n: int, n_samples: int, rng: np.random.Generator) -> FloatArray:
    """How often each of n images is drawn [samples, n]."""
    drawn = rng.integers(n, size=(n_samples, n))
    drawn += np.arange(n_samples)[:, np.newaxis] * n
    return np.bincount(drawn.ravel(), minlength=n_samples * n).reshape(n_samples, n).astype(np.float64)


def _resample_both(material: Material, n_samples: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """How often each image of both sets is drawn, each [samples, images]."""
    n_old, n_new, shared = len(material.original), len(material.new), material.shared
    if material.is_matched:
        original = _resample_weights(n_old, n_samples, rng)
        new = _match(material, original, rng)
        new[:, shared.rows_new] = original[:, shared.rows_original]
    elif len(shared):
        is_own = ~np.isin(np.arange(n_new), shared.rows_new)
        places = n_old - 1 + np.cumsum(is_own)
        places[shared.rows_new] = shared.rows_original
        both = _resample_weights(n_old + int(is_own.sum()), n_samples, rng)
        original, new = both[:, :n_old], both[:, places]
    else:
        original = _resample_weights(n_old, n_samples, rng)
        new = _resample_weights(n_new, n_samples, rng)
    for weights in (original, new):
        # A sample of a tiny set may have come out empty; it is the set itself then.
        weights[weights.sum(axis=1) == 0] = 1
    return original, new


def _match(material: Material, weights: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Weights of the new images: each bin grows or shrinks as it does in the sample of the original set."""
    old, new = material.original, material.new
    old_bins, new_bins = (find_bins(one.n_shown, one.n_selected) for one in (old, new))
    matched = np.zeros((len(weights), len(new)))
    for number in range(N_BINS):
        members, of_original = np.flatnonzero(new_bins == number), old_bins == number
        n_original = int(of_original.sum())
        growth = weights[:, of_original].sum(axis=1) / n_original if n_original else np.ones(len(weights))
        sizes = _round_at_random(growth * members.size, rng)
        for row, size in enumerate(sizes.tolist()):
            places = rng.integers(max(members.size, 1), size=size)
            matched[row, members] += np.bincount(places, minlength=members.size)
    return matched


def _round_at_random(values: FloatArray, rng: np.random.Generator) -> CountArray:
    """Whole numbers whose means are the values."""
    return np.floor(values + rng.random(values.shape)).astype(np.int64)


def _tabulate(material: Material, original: FloatArray, new: FloatArray, prior: FloatArray | None) -> GapSamples:
    original_table = _sum_pairs(material.original, material.original_pairs, original)
    new_table = _sum_pairs(material.new, material.new_pairs, new)
    return GapSamples(*original_table, *new_table, new_table[0] if prior is None else prior, original, new)


def _sum_pairs(judged: JudgedSet, pairs: DistinctCounts, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weighted images and right answers per pair of counts."""
    order = np.argsort(pairs.places, kind="stable")
    # Images in the order of their pairs: one, and then who is right.
    table = np.concatenate([np.ones((1, len(judged))), judged.is_correct])[:, order].T.copy()
    sums = np.empty((len(weights), len(pairs.n_shown), table.shape[1]))
    ends = np.cumsum(pairs.weights.astype(np.int64))
    for number, rows in enumerate(np.split(order, ends[:-1])):
        mine = np.take(weights, rows, axis=1, mode="clip")
        sums[:, number] = mine @ table[ends[number] - rows.size : ends[number]]
    return sums[:, :, 0], sums[:, :, 1:]
