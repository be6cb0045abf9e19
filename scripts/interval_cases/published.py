"""A model beside published ones of which only counts are known: its distance from their line, and its rank among them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr
from scripts.interval_cases.cases import Case, Found, count_covered

from regauge.arrays import CountArray, FloatArray
from regauge.estimates import Share
from regauge.evaluation.count_sides import make_count_side
from regauge.evaluation.published_standings import find_rank
from regauge.evaluation.robustness import measure_robustness
from regauge.evaluation.side_pairs import Pair
from regauge.records.evaluation.accuracies import SetAccuracies
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.stats.intervals import Limits

ABOVE = 0.03
"""How far above the line the model lies."""


def _count_right(chances: FloatArray, n: int, *, together: float, rng: np.random.Generator) -> CountArray:
    """Right answers and n of models on the same images, on which they err together with this correlation."""
    common, own = rng.standard_normal(n), rng.standard_normal((len(chances), n))
    hard = np.sqrt(together) * common + np.sqrt(1 - together) * own
    right = (ndtr(hard) < chances[:, np.newaxis]).sum(axis=1)
    return np.stack([right, np.full(len(chances), n)], axis=1)


def _measure(original: CountArray, new: CountArray, seed: int) -> tuple[float, float]:
    """The limits of the last model's distance from the line through the others."""
    names, settings = tuple(map(str, range(len(original)))), ShiftSettings(n_bootstrap=200, seed=seed)
    sides = [
        make_count_side(SetAccuracies(name, names, {"top1": counts}), settings=settings)
        for name, counts in (("original", original), ("new", new))
    ]
    _, low, high = measure_robustness(Pair(sides[0], sides[1], settings), names[:-1]).columns
    return float(low[-1]), float(high[-1])


def _residual(n_models: int, sizes: tuple[int, int], together: float) -> Case:
    """Published models around a line, and one model three points above it."""

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        found = []
        for study in range(n_studies):
            x = np.append(rng.uniform(0.4, 0.9, n_models), 0.7)
            y = 0.95 * x - 0.1 + np.append(rng.normal(0, 0.01, n_models), ABOVE)
            counts = [
                _count_right(chances, n, together=together, rng=rng) for chances, n in zip((x, y), sizes, strict=True)
            ]
            found.append(_measure(counts[0], counts[1], study))
        low, high = np.array(found).T
        return count_covered(Limits(low, high), ABOVE)

    name = f"{sizes[0]} and {sizes[1]} images; {n_models} models, correlation {together:g}"
    return Case("distance from the line of published models, by counts", name, sizes[1], simulate)


def _rank(n_models: int, n: int, together: float) -> Case:
    """Models with accuracies a third of a point apart, of which the one in the middle is ranked among the others."""
    chances = 0.7 + np.arange(n_models + 1) / 300
    place = n_models // 2
    truth = n_models - place + 1

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        found = []
        for _ in range(n_studies):
            counts = _count_right(chances, n, together=together, rng=rng)
            k = int(counts[place, 0])
            own = Share(k / n, 0.0, 1.0, n=n, k=k)
            found.append(find_rank(own, np.delete(counts, place, axis=0), level=0.95)[1:])
        low, high = np.array(found, np.float64).T
        return count_covered(Limits(low, high), truth)

    name = f"{n:,} images; {n_models} models, correlation {together:g}"
    return Case("rank among published models, by counts", name, n, simulate)


def _list_cases() -> Iterator[Case]:
    for together in (0.0, 0.5):
        for n_models in (8, 20, 60):
            yield _residual(n_models, (300, 200), together)
        for n_models in (10, 60):
            yield _rank(n_models, 1_000, together)


CASES = tuple(_list_cases())
