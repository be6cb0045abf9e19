"""The change of a class between two test sets: limits of the difference of two small samples of scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri
from scripts.interval_cases.cases import Case, Claim, Found, count_covered

from regauge.arrays import CountArray
from regauge.stats.intervals import Limits
from regauge.stats.two_means import compare_means

SIZES = ((50, 50), (50, 10), (50, 3), (10, 10))
N_MODELS = (67, 5, 1)
WORLDS = {
    "alike": ((3.0, 2.0), (3.0, 2.0)),
    "harder": ((1.5, 2.0), (0.8, 2.0)),
    "easy": ((5.0, 1.5), (4.0, 1.5)),
    "spread out": ((0.5, 1.0), (3.0, 2.5)),
    "drawn together": ((3.0, 2.5), (0.5, 1.0)),
}
"""Mean and standard deviation of the logits of images, in the original and in the new set."""

SHORT = {((50, 50), 1, "easy"), ((10, 10), 5, "easy")}
"""Where whole images make the coverage dip to 92%."""


def _draw(size: int, n_models: int, kind: tuple[float, float], rng: np.random.Generator, n_studies: int) -> CountArray:
    return rng.binomial(n_models, 1 / (1 + np.exp(-rng.normal(*kind, size=(n_studies, size)))))


def _average(kind: tuple[float, float], n_models: int) -> tuple[float, float]:
    """The mean and the variance of the share of models that are right on an image."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    chances = 1 / (1 + np.exp(-(kind[0] + kind[1] * points)))
    mean = float(weights @ chances / weights.sum())
    within = float(weights @ (chances * (1 - chances)) / weights.sum()) / n_models
    return mean, float(weights @ chances**2 / weights.sum()) - mean**2 + within


def _simulate(sizes: tuple[int, int], n_models: int, world: str, rng: np.random.Generator, n_studies: int) -> Found:
    samples = [_draw(size, n_models, kind, rng, n_studies) for size, kind in zip(sizes, WORLDS[world], strict=True)]
    found = [compare_means(first, second, top=n_models) for first, second in zip(*samples, strict=True)]
    limits = Limits(np.array([one.low for one in found]), np.array([one.high for one in found]))
    (old, old_variance), (new, new_variance) = (_average(kind, n_models) for kind in WORLDS[world])
    sd = np.sqrt(old_variance / sizes[0] + new_variance / sizes[1])
    return count_covered(limits, new - old, oracle_width=float(2 * ndtri(0.975) * sd))


def _list_cases() -> Iterator[Case]:
    for sizes in SIZES:
        for n_models in N_MODELS:
            for world in WORLDS:

                def simulate(
                    rng: np.random.Generator,
                    n_studies: int,
                    sizes: tuple[int, int] = sizes,
                    n_models: int = n_models,
                    world: str = world,
                ) -> Found:
                    return _simulate(sizes, n_models, world, rng, n_studies)

                layout = f"{sizes[0]} against {sizes[1]} images, {n_models} model{'s' * (n_models > 1)}"
                claim = Claim.SHORT if (sizes, n_models, world) in SHORT else Claim.HOLDS
                yield Case("change of a class", f"{layout}; {world}", sum(sizes), simulate, claim)


CASES = tuple(_list_cases())
