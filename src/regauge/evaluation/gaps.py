"""The gap between two test sets, split by selection frequency: original − new = selection part + remainder.

The selection part is what the gap would be if images of equal selection frequency were equally hard in both sets; the
remainder is the gap at equal frequency. Both add up to the gap exactly, for every participant, for their mean, and in
every bootstrap sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.estimates import Estimate, count_things, make_share
from regauge.evaluation.gap_methods import Shapes, find_obstacles, make_estimates
from regauge.evaluation.gap_samples import (
    GapSamples,
    Material,
    bin_answers,
    count_bins,
    line_up_sets,
    resample,
    take_whole,
)
from regauge.records.evaluation.gaps import (
    CHOSEN_WARNING,
    MEAN,
    NAIVE_WARNING,
    BinAccuracy,
    GapDecomposition,
    GapMethod,
    GapReport,
    GapSettings,
    ReweightedAccuracy,
    SetFrequency,
)
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.testsets.sampling import BIN_NAMES
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.stats.deconvolution import GRID, DistinctCounts, expect, find_likelihoods
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import percentile_limits

CLOPPER_PEARSON = "clopper-pearson"
IMAGE_BOOTSTRAP = "bootstrap of images"
MATCHED_BOOTSTRAP = "bootstrap of images, matched"


def split_gap(
    original: JudgedSet,
    new: JudgedSet,
    *,
    pool: CandidateCounts | None = None,
    settings: GapSettings | None = None,
    shared: SharedImages = NO_SHARED_IMAGES,
) -> GapReport:
    """Split the gap of every participant, and their mean, by every method of the settings.

    Args:
        original: the original set, judged.
        new: the new set, judged by the same participants.
        pool: the counts of all candidates, where the new set was chosen by its counts. Without them its counts are taken for
            fresh ones that had no part in the choice, and its true frequencies are estimated from them alone.
        settings: methods, bootstrap and level.
        shared: the images that are in both sets; samples have them together.

    Returns:
        The report. Limits are percentiles over samples of the images of both sets and the pool, with everything fitted anew to
        each; the seed decides them.

    Raises:
        InputError: the sets have different participants, or no method can be used on the counts.

    Reference:
        Recht et al. (2019), Do ImageNet Classifiers Generalize to ImageNet?; Engstrom et al. (2020), Identifying Statistical
        Bias in Dataset Replication.
    """
    settings = settings or GapSettings()
    material = line_up_sets(original, new, pool=pool, is_matched=settings.is_matched, shared=shared)
    found = _measure(material, settings)
    return GapReport(
        original=original.name,
        new=new.name,
        n_pool=None if pool is None else len(pool),
        decompositions=tuple(_decompose(material, found, settings)),
        bins=tuple(_list_bins(material, settings)),
        reweighted=tuple(_list_reweighted(material, found, settings)),
        frequencies=tuple(_list_frequencies(material, found, settings)),
        settings=replace(settings, methods=tuple(found.equalised)),
        notes=tuple(_find_notes(material, settings)),
        warnings=tuple(_find_warnings(found.equalised, is_chosen=pool is not None and not settings.is_matched)),
        n_shared=len(shared),
    )


def _find_warnings(methods: Iterable[GapMethod], *, is_chosen: bool) -> Iterator[str]:
    """What simulated studies say against methods that were used."""
    used = set(methods)
    if any(method.is_biased for method in used):
        yield NAIVE_WARNING
    if is_chosen and used & {GapMethod.JACKKNIFE, GapMethod.BETA_BINOMIAL}:
        yield CHOSEN_WARNING


class _SetRows(NamedTuple):
    """What is measured of one test set: of its images in row 0, of their samples below.

    Attributes:
        accuracies: [rows, participants].
        n_images: images per bin [rows, bins].
        n_correct: those of them on which each participant is right [rows, bins, participants].
        observed: the mean frequency as counted [rows].
        expected: the mean true frequency that the counts make likely [rows].
    """

    accuracies: FloatArray
    n_images: FloatArray
    n_correct: FloatArray
    observed: FloatArray
    expected: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The images themselves in row 0, the samples below.

    Attributes:
        original: of the original set.
        new: of the new one.
        equalised: per method, the accuracy on original images with the frequencies of the new set [rows, participants].
    """

    original: _SetRows
    new: _SetRows
    equalised: Mapping[GapMethod, FloatArray]


def _measure(material: Material, settings: GapSettings) -> _Found:
    shapes = Shapes(material)
    estimates = make_estimates(settings.methods, material, shapes=shapes)
    rng = np.random.default_rng(settings.seed)
    parts: list[_Found] = []
    for samples in chain([take_whole(material)], resample(material, rng=rng, n_samples=settings.n_bootstrap)):
        original, new = _measure_sets(material, samples, shapes)
        parts.append(_Found(original, new, {method: estimate(samples) for method, estimate in estimates.items()}))
    return _Found(
        _stack([one.original for one in parts]),
        _stack([one.new for one in parts]),
        {method: np.concatenate([one.equalised[method] for one in parts]) for method in estimates},
    )


def _stack(parts: Sequence[_SetRows]) -> _SetRows:
    """The rows of all parts, one below the other."""
    return _SetRows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _measure_sets(material: Material, samples: GapSamples, shapes: Shapes) -> tuple[_SetRows, _SetRows]:
    of_original, of_new = shapes.find(samples)
    original = _SetRows(
        samples.original_accuracy,
        *bin_answers(samples.original_counts, samples.original_correct, pairs=material.original_pairs),
        *_average(samples.original_counts, material.original_pairs, of_original),
    )
    new = _SetRows(
        samples.new_accuracy,
        *bin_answers(samples.new_counts, samples.new_correct, pairs=material.new_pairs),
        *_average(samples.new_counts, material.new_pairs, of_new),
    )
    return original, new._replace(expected=(new.expected + shapes.change_by_class).clip(0, 1))


def _average(counts: FloatArray, pairs: DistinctCounts, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Observed and expected true mean frequency, each [rows]."""
    likelihoods = find_likelihoods(pairs.n_selected, pairs.n_shown)
    expected = expect(shares, likelihoods, of=GRID[:, np.newaxis])[:, :, 0]
    weights = counts / counts.sum(axis=1, keepdims=True)
    observed = (counts @ (pairs.n_selected / pairs.n_shown)) / counts.sum(axis=1)
    return observed, (weights * expected).sum(axis=1)


def _decompose(material: Material, found: _Found, settings: GapSettings) -> Iterator[GapDecomposition]:
    names = (*material.original.participants, MEAN)
    old, new = (_add_mean(one.accuracies) for one in (found.original, found.new))
    equalised = {method: _add_mean(values) for method, values in found.equalised.items()}
    for place, name in enumerate(names):
        for method, values in equalised.items():
            gap = old[:, place] - new[:, place]
            selection = old[:, place] - values[:, place]
            whole = _make_part(gap, settings)
            is_clear = whole.low > 0 or whole.high < 0
            yield GapDecomposition(
                participant=name,
                method=method,
                n_original=len(material.original),
                n_new=len(material.new),
                gap=whole,
                selection=_make_part(selection, settings),
                remainder=_make_part(values[:, place] - new[:, place], settings),
                selection_share=_make_share(selection, gap, settings) if is_clear else None,
            )


def _add_mean(values: FloatArray) -> FloatArray:
    """The participants' columns, then their mean."""
    return np.concatenate([values, values.mean(axis=1, keepdims=True)], axis=1)


def _make_part(values: FloatArray, settings: GapSettings, *, n: int | None = None) -> Estimate[float]:
    """The first value, between percentiles of the others."""
    limits = percentile_limits(values[1:], level=settings.level)
    return Estimate(float(values[0]), float(limits.low), float(limits.high), n=n, method=_name_interval(settings))


def _make_share(part: FloatArray, whole: FloatArray, settings: GapSettings) -> Estimate[float]:
    # A sample may happen to have no gap at all, up to rounding, and then no share; the limits are over the others.
    has_gap = np.abs(whole) > 1e-12
    return _make_part(part[has_gap] / whole[has_gap], settings)


def _name_interval(settings: GapSettings) -> str:
    return MATCHED_BOOTSTRAP if settings.is_matched else IMAGE_BOOTSTRAP


def _list_bins(material: Material, settings: GapSettings) -> Iterator[BinAccuracy]:
    """Accuracy by bin of the observed frequency, for every set and participant."""
    for judged, pairs in ((material.original, material.original_pairs), (material.new, material.new_pairs)):
        counts = count_bins(judged, pairs)
        limits = clopper_pearson(counts.n_correct, counts.n_images[:, np.newaxis], level=settings.level)
        for place, participant in enumerate(judged.participants):
            for number, name in enumerate(BIN_NAMES):
                n, k = int(counts.n_images[number]), int(counts.n_correct[number, place])
                yield BinAccuracy(
                    participant=participant,
                    test_set=judged.name,
                    bin=name,
                    accuracy=make_share(
                        k, n, limits=(limits.low[number, place], limits.high[number, place]), method=CLOPPER_PEARSON
                    ),
                )


def _list_reweighted(material: Material, found: _Found, settings: GapSettings) -> Iterator[ReweightedAccuracy]:
    """Accuracy on sets with other shares of the bins, after Recht et al. (2019), §5.2."""
    for judged, rows in ((material.original, found.original), (material.new, found.new)):
        for shares in settings.shares:
            used = np.flatnonzero(np.asarray(shares) > 0)
            n = int(rows.n_images[0, used].sum())
            values = _add_mean(_reweigh(rows, used, shares))
            for place, participant in enumerate((*judged.participants, MEAN)):
                # A sample may lack a bin that the set has; the limits are then over the others.
                column = values[~np.isnan(values[:, place]), place]
                accuracy: Estimate[float | None] = Estimate(None, None, None, n=n, method=_name_interval(settings))
                if len(column) > 1 and not np.isnan(values[0, place]):
                    accuracy = _make_part(column, settings, n=n)
                yield ReweightedAccuracy(participant, judged.name, shares, accuracy)


def _reweigh(rows: _SetRows, used: np.ndarray[tuple[int], np.dtype[np.intp]], shares: Sequence[float]) -> FloatArray:
    """Σ share · accuracy over the bins with a share [rows, participants]; NaN where one of them has no image."""
    with np.errstate(divide="ignore", invalid="ignore"):
        accuracies = rows.n_correct[:, used] / rows.n_images[:, used, np.newaxis]
    return np.asarray(np.einsum("b,rbp->rp", np.asarray(shares)[used], accuracies), np.float64)


def _list_frequencies(material: Material, found: _Found, settings: GapSettings) -> Iterator[SetFrequency]:
    sets = (
        (material.original, material.original_pairs, found.original),
        (material.new, material.pool_pairs or material.new_pairs, found.new),
    )
    for judged, prior, rows in sets:
        observed, expected = (_make_part(values, settings, n=len(judged)) for values in (rows.observed, rows.expected))
        yield SetFrequency(judged.name, len(judged), observed, None if int(prior.n_shown.max()) == 1 else expected)


def _find_notes(material: Material, settings: GapSettings) -> Iterator[str]:
    new = material.new.name
    if material.pool_pairs is None:
        yield (
            f"The counts of {new} are taken for fresh ones. If they chose its images, corrected estimates need the counts of all "
            "candidates."
        )
    n_strange = _count_strange(material)
    if n_strange:
        yield (
            f"{count_things(n_strange, 'image')} of {new} compared with images of all classes: "
            f"{material.original.name} has none of the "
            "same class."
        )
    obstacles = find_obstacles(material)
    yield from (obstacles[method] for method in settings.methods if method in obstacles)
    n_missing = _count_unmatched(material)
    if GapMethod.NAIVE in settings.methods and n_missing:
        yield (
            f"{count_things(n_missing, 'image')} of {new} in bins where {material.original.name} has none: the "
            "naive method uses the "
            "accuracy of the nearest bin."
        )


def _count_strange(material: Material) -> int:
    """New images of classes that the original set lacks."""
    old, new = material.original.classes, material.new.classes
    return 0 if old is None or new is None else int((~np.isin(new, old)).sum())


def _count_unmatched(material: Material) -> int:
    """New images in bins that have no original image."""
    old, new = (
        count_bins(judged, pairs).n_images
        for judged, pairs in ((material.original, material.original_pairs), (material.new, material.new_pairs))
    )
    return int(new[old == 0].sum())
