"""Can two test sets be told apart by features of their images? Pairs, folds and the test.

Images that both sets have, and images with the very same features as another, would be seen in training and met again when
held out; they are left out before anything is fitted. As many images of either set take part, drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from regauge.errors import InputError
from regauge.records.arrays import NO_CLASS, CountArray, FloatArray, IntArray, ScoreArray
from regauge.records.features import Features
from regauge.records.two_sample import Likeness, TwoSample, TwoSampleSettings
from regauge.stats.two_sample import find_accuracy_limits, find_components, separate

PAIRS_PER_FOLD = 4
"""With fewer, a fold says next to nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class _Distinct:
    """The rows of each set that no other image equals, and how many were left out."""

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
        InputError: the features do not fit or are no numbers, classes are needed and not known, or too few images are left.
    """
    _check(first, second)
    if settings.by_class and classes is None:
        raise InputError(
            "A comparison by class needs the classes of both sets; give their truths, or leave out the option."
        )
    rng = np.random.default_rng(settings.seed)
    distinct = _leave_out_twins(first, second)
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
        n_correct=n_correct,
        accuracy_low=float(limits.low),
        accuracy_high=float(limits.high),
        auc=found.auc,
        auc_low=float(found.limits.low),
        auc_high=float(found.limits.high),
        p=found.p,
        likenesses=tuple(_rank((first, second), (pairs.first, pairs.second), found.scores, known)),
        settings=settings,
        notes=tuple(_note(distinct, n, (len(first), len(second)), components.shape[1])),
    )


def _reduce(
    sets: tuple[Features, Features], pairs: _Pairs, settings: TwoSampleSettings, rng: np.random.Generator
) -> ScoreArray:
    """Principal components of the images in pairs, those of the first set first; by class, less the mean of the class."""
    parts = [one.values[rows] for one, rows in zip(sets, (pairs.first, pairs.second), strict=True)]
    values = np.concatenate(parts).astype(np.float32)
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
        bad = ~np.isfinite(one.values).all(axis=1)
        if bad.any():
            image_id = str(one.image_ids[int(np.argmax(bad))])
            raise InputError(f"{one.name} has a feature that is not a finite number for image {image_id!r}.")


def _leave_out_twins(first: Features, second: Features) -> _Distinct:
    """Without images that both sets have, and with one of several images of one set that have the very same features.

    Where images of both sets have the same features, none of them says anything about a difference, and all are left out.
    """
    shared = set(first.image_ids.tolist()) & set(second.image_ids.tolist())
    seen: dict[bytes, list[tuple[int, int]]] = {}
    for side, features in enumerate((first, second)):
        for row, image_id in enumerate(features.image_ids.tolist()):
            if image_id not in shared:
                seen.setdefault(np.asarray(features.values[row], np.float32).tobytes(), []).append((side, row))
    kept = [group[0] for group in seen.values() if len({side for side, _ in group}) == 1]
    rows = tuple(np.array([row for own, row in kept if own == side], np.int64) for side in (0, 1))
    n_seen = sum(map(len, seen.values()))
    return _Distinct((rows[0], rows[1]), len(shared), n_seen - len(kept))


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
        raise InputError(
            f"{settings.n_folds} folds need at least {PAIRS_PER_FOLD * settings.n_folds} images of either set, and {n_pairs} are "
            "left to compare; take fewer folds or more images."
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
        yield f"{distinct.n_shared:,} images are in both sets and left out of both."
    if distinct.n_identical:
        yield f"{distinct.n_identical:,} images have the very same features as another and are left out."
    n_rest = sum(sizes) - 2 * distinct.n_shared - distinct.n_identical - 2 * n_pairs
    if n_rest:
        yield f"{n_rest:,} images are left out so that {n_pairs:,} of either set are compared."
    yield f"Features are standardised and cut to their {n_components} leading principal components, all with variance 1."
