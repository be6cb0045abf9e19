"""Can two test sets be told apart by features of their images? Pairs, folds and the test.

Images that both sets have, and images with the very same features as another, would be seen in training and met again when
held out; the former are left out before anything is fitted, and of the latter one is kept. As many images of either set take
part, drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from regauge.arrays import NO_CLASS, CountArray, FloatArray, IntArray, ScoreArray
from regauge.errors import InputError
from regauge.estimates import Estimate, Share, count_things
from regauge.records.evaluation.two_sample import Likeness, TwoSample, TwoSampleSettings
from regauge.records.testsets.features import Features
from regauge.stats.two_sample import find_accuracy_limits, find_components, separate

PAIRS_PER_FOLD = 4
"""With fewer, a fold says next to nothing."""
MAX_FEATURE = 1e30
"""Larger ones are not features, and sums of them no numbers of 32 bits."""

_ROWS_AT_ONCE = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class _Distinct:
    """The rows of each set that take part, no two with the same features, and how many were left out."""

    rows: tuple[CountArray, CountArray]
    n_shared: int
    n_identical: int


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Rows of the first and of the second set that are paired, the class of each pair, and its fold."""

    first: CountArray
    second: CountArray
    classes: IntArray
    folds: CountArray


def compare_features(
    first: Features, second: Features, *, classes: tuple[IntArray, IntArray] | None, settings: TwoSampleSettings
) -> TwoSample:
    """Whether images of the two sets can be told apart, how well, and which look most like the other set.

    Args:
        first: features of one set.
        second: features of the other, from the same network.
        classes: the class of every row of both, `NO_CLASS` where it is not known; None where no class is known.
        settings: by class or not, folds, permutations, seed and level.

    Raises:
        InputError: the features do not fit or are not numbers, classes are needed and not known, or too few images are left.
    """
    _check(first, second)
    if settings.by_class and classes is None:
        raise InputError(
            "A comparison by class needs the classes of both sets; give their truths, or leave out the option."
        )
    rng = np.random.default_rng(settings.seed)
    distinct = _leave_out_twins((first, second), rng)
    known = classes or (np.full(len(first), NO_CLASS, np.int32), np.full(len(second), NO_CLASS, np.int32))
    pairs = _pair_up(distinct, known, settings, rng)
    components = _reduce((first, second), pairs, settings, rng)
    n = len(pairs.first)
    swaps = rng.random((settings.n_permutations, n)) < 0.5
    found = separate(components[:n], components[n:], folds=pairs.folds, swaps=swaps, level=settings.level)
    n_correct = int((found.scores[0] < 0).sum() + (found.scores[1] > 0).sum())
    limits = find_accuracy_limits(n_correct, 2 * n, level=settings.level)
    return TwoSample(
        first=first.name,
        second=second.name,
        n_first=len(first),
        n_second=len(second),
        n_shared=distinct.n_shared,
        n_identical=distinct.n_identical,
        n_pairs=n,
        n_classes=len(np.unique(pairs.classes)) if settings.by_class else None,
        n_features=first.values.shape[1],
        n_components=components.shape[1],
        accuracy=Share(n_correct / (2 * n), float(limits.low), float(limits.high), n=2 * n, k=n_correct),
        auc=Estimate(found.auc, float(found.limits.low), float(found.limits.high), n=2 * n),
        p=found.p,
        likenesses=tuple(_rank((first, second), (pairs.first, pairs.second), found.scores, known)),
        settings=settings,
        notes=tuple(_note(distinct, n, (len(first), len(second)), components.shape[1])),
    )


def _reduce(
    sets: tuple[Features, Features], pairs: _Pairs, settings: TwoSampleSettings, rng: np.random.Generator
) -> ScoreArray:
    """Principal components of the images in pairs, those of the first set first; by class, less the mean of the class."""
    rows = (pairs.first, pairs.second)
    values = np.concatenate([np.asarray(one.values[own], np.float32) for one, own in zip(sets, rows, strict=True)])
    if settings.by_class:
        values = _centre(values, np.concatenate([pairs.classes, pairs.classes]))
    return find_components(values, n_components=min(settings.n_components, max(1, len(pairs.first) // 2)), rng=rng)


def _check(first: Features, second: Features) -> None:
    sizes = first.values.shape[1], second.values.shape[1]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"{first.name} has {sizes[0]:,} features per image and {second.name} {sizes[1]:,}; take both from one network."
        )
    for one in (first, second):
        for start in range(0, len(one), _ROWS_AT_ONCE):
            # Half precision knows no number as large as the limit.
            values = np.asarray(one.values[start : start + _ROWS_AT_ONCE], np.float64)
            good = (np.abs(values) <= MAX_FEATURE).all(axis=1)
            if not good.all():
                image_id = str(one.image_ids[start + int(np.argmin(good))])
                raise InputError(
                    f"{one.name} has a feature that is not a number from {-MAX_FEATURE:g} to {MAX_FEATURE:g} for image "
                    f"{image_id!r}; compute it again, or leave the image out."
                )


def _leave_out_twins(sets: tuple[Features, Features], rng: np.random.Generator) -> _Distinct:
    """Without images that both sets have, and with one, drawn at random, of all images that have the very same features.

    Which one is kept must not depend on the sets: if they do not differ, every image that takes part is then of the one or
    the other with the same chances, and the test holds its level.
    """
    shared = set(sets[0].image_ids.tolist()) & set(sets[1].image_ids.tolist())
    alike: dict[bytes, list[tuple[int, int]]] = {}
    for side, features in enumerate(sets):
        for row, image_id in enumerate(features.image_ids.tolist()):
            if image_id not in shared:
                alike.setdefault(_find_digest(features, row), []).append((side, row))
    kept = [group[rng.integers(len(group))] if len(group) > 1 else group[0] for group in alike.values()]
    rows = tuple(np.array([row for own, row in kept if own == side], np.int64) for side in (0, 1))
    return _Distinct((rows[0], rows[1]), len(shared), sum(map(len, alike.values())) - len(kept))


def _find_digest(features: Features, row: int) -> bytes:
    """Sixteen bytes that stand for the features of an image; added to nought, -0 is 0."""
    values = np.asarray(features.values[row], np.float32) + np.float32(0)
    return blake2b(values.tobytes(), digest_size=16).digest()


def _pair_up(
    distinct: _Distinct, classes: Sequence[IntArray], settings: TwoSampleSettings, rng: np.random.Generator
) -> _Pairs:
    """As many images of either set, in pairs at random, or at random within a class; and pairs dealt out to folds."""
    strata = [_find_strata(rows, own, settings) for rows, own in zip(distinct.rows, classes, strict=True)]
    first, second, own_class = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for stratum in np.setdiff1d(np.intersect1d(strata[0], strata[1]), [NO_CLASS]).tolist():
        one, other = (rng.permutation(rows[own == stratum]) for rows, own in zip(distinct.rows, strata, strict=True))
        n = min(len(one), len(other))
        first.append(one[:n])
        second.append(other[:n])
        own_class.append(np.full(n, stratum, np.int64))
    columns = [np.concatenate(parts) for parts in (first, second, own_class)]
    n_pairs = len(columns[0])
    if n_pairs < PAIRS_PER_FOLD * settings.n_folds:
        n_left_out = distinct.n_shared, distinct.n_identical
        raise InputError(
            f"{settings.n_folds} folds need at least {PAIRS_PER_FOLD * settings.n_folds} images of either set, and {n_pairs} are "
            f"left to compare, {n_left_out[0]:,} being in both sets and {n_left_out[1]:,} having the features of another; take "
            "fewer folds or more images."
        )
    # Dealt out in the order of the classes, so that each is spread over the folds.
    folds = (np.arange(n_pairs) + rng.integers(settings.n_folds)) % settings.n_folds
    return _Pairs(columns[0], columns[1], columns[2].astype(np.int32), folds)


def _find_strata(rows: CountArray, classes: IntArray, settings: TwoSampleSettings) -> IntArray:
    """The class of every row, or one stratum for all of them."""
    chosen: IntArray = classes[rows] if settings.by_class else np.zeros(len(rows), np.int32)
    return chosen


def _centre(values: ScoreArray, classes: IntArray) -> ScoreArray:
    """The values less the mean of their class in both sets together."""
    _, places, counts = np.unique(classes, return_inverse=True, return_counts=True)
    order = np.argsort(places, kind="stable")
    sums = np.add.reduceat(values[order], np.cumsum(counts) - counts, axis=0)
    return np.asarray(values - (sums / counts[:, np.newaxis])[places], np.float32)


def _rank(
    sets: tuple[Features, Features],
    rows: tuple[CountArray, CountArray],
    scores: FloatArray,
    classes: tuple[IntArray, IntArray],
) -> list[Likeness]:
    """The images by the probability of the other set, the highest first; ties by set and id."""
    found = []
    for features, own, log_odds, known in zip(sets, rows, (scores[0], -scores[1]), classes, strict=True):
        columns: tuple[NDArray[np.generic], ...] = (features.image_ids[own], known[own], expit(log_odds))
        for image_id, class_index, probability in zip(*(column.tolist() for column in columns), strict=True):
            found.append(
                Likeness(features.name, image_id, None if class_index == NO_CLASS else class_index, probability)
            )
    return sorted(found, key=lambda one: (-one.other_probability, one.test_set, one.image_id))


def _note(distinct: _Distinct, n_pairs: int, sizes: tuple[int, int], n_components: int) -> Iterator[str]:
    if distinct.n_shared:
        yield f"{count_things(distinct.n_shared, 'image')} in both sets left out of both."
    if distinct.n_identical:
        yield f"{count_things(distinct.n_identical, 'image')} left out: the same features as another image."
    n_rest = sum(sizes) - 2 * distinct.n_shared - distinct.n_identical - 2 * n_pairs
    if n_rest:
        yield f"{count_things(n_rest, 'image')} left out, to compare {n_pairs:,} from each set."
    yield f"Features are standardised and enter as their {n_components} leading principal components, all with variance 1."
