"""A participant beside published models by two metrics on the same images: its distance from the line through their counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr
from scripts.interval_cases.cases import Case, Found, count_covered

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.evaluation.published_lines import measure_distances
from regauge.records.evaluation.accuracies import SetAccuracies
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.stats.intervals import Limits

ABOVE = 0.03
"""How far above the line the participant lies."""


def _answer(
    chances: tuple[FloatArray, FloatArray], n: int, *, together: float, alike: float, rng: np.random.Generator
) -> tuple[BoolArray, BoolArray]:
    """[models, images], right or not by two metrics; models err together, and so do the metrics, with these correlations."""
    common, own = rng.standard_normal(n), rng.standard_normal((len(chances[0]), n))
    first = np.sqrt(together) * common + np.sqrt(1 - together) * own
    second = alike * first + np.sqrt(1 - alike**2) * rng.standard_normal(first.shape)
    return ndtr(first) < chances[0][:, np.newaxis], ndtr(second) < chances[1][:, np.newaxis]


def _count(right: BoolArray) -> CountArray:
    return np.stack([right.sum(axis=1), np.full(len(right), right.shape[1])], axis=1)


def _measure(first: BoolArray, second: BoolArray, seed: int) -> tuple[float, float]:
    """The limits of the last model's distance from the line through the others; the second metric leaves images out."""
    n_both = second.shape[1]
    one, other = first[-1, :n_both], second[-1]
    joint = np.array([[(one & other).sum(), (one & ~other).sum(), (~one & other).sum(), (~one & ~other).sum()]])
    counts = [_count(first), _count(second)]
    names = tuple(map(str, range(len(first) - 1)))
    found = [SetAccuracies(name, names, {"top1": side[:-1]}) for name, side in zip("ab", counts, strict=True)]
    settings = ShiftSettings(n_bootstrap=200, seed=seed)
    _, low, high = measure_distances([side[-1:] for side in counts], found, settings=settings, joint=joint).columns
    return float(low[0]), float(high[0])


def _distance(n_models: int, *, together: float, alike: float) -> Case:
    """Published models around a line, and a participant three points above it; one image in ten counts by one metric alone."""

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        found = []
        for study in range(n_studies):
            x = np.append(rng.uniform(0.4, 0.9, n_models), 0.7)
            y = 0.8 * x + 0.2 + np.append(rng.normal(0, 0.01, n_models), ABOVE)
            first, second = _answer((x, y), 300, together=together, alike=alike, rng=rng)
            found.append(_measure(first, second[:, :270], study))
        low, high = np.array(found).T
        return count_covered(Limits(low, high), ABOVE)

    name = f"300 and 270 of the same images; {n_models} models, correlation {together:g}, of metrics {alike:g}"
    return Case("distance from the line of published models, by two metrics", name, 270, simulate)


def _list_cases() -> Iterator[Case]:
    for together in (0.0, 0.5):
        for n_models in (8, 20, 60):
            yield _distance(n_models, together=together, alike=0.9)
    yield _distance(60, together=0.5, alike=0)


CASES = tuple(_list_cases())
