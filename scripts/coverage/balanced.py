"""Balanced accuracy: the mean of per-class means, images redrawn at fixed accuracies of the classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from scipy.special import ndtri
from scripts.coverage.cases import Case, Claim, Found, count_covered

from regauge.records.arrays import CountArray, FloatArray
from regauge.stats.intervals import Limits
from regauge.stats.resampling import bootstrap_balanced_mean, percentile_limits

LAYOUTS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "8 × 100 + 2 × 1": ((8, 100), (2, 1)),
    "10 × 2": ((10, 2),),
    "90 × 50 + 10 × 2": ((90, 50), (10, 2)),
    "100 × 1": ((100, 1),),
    "100 × 2": ((100, 2),),
    "100 × 3": ((100, 3),),
    "100 × 5": ((100, 5),),
    "100 × 10": ((100, 10),),
}
"""Classes × images."""

N_RESAMPLES = 400


def draw_accuracies(n_classes: int, *, world: str, rng: np.random.Generator) -> FloatArray:
    """The true accuracy of every class, drawn once per world."""
    if world == "bimodal":
        return np.where(np.arange(n_classes) % 2 == 0, 0.15, 0.9)
    if world == "equal":
        return np.full(n_classes, 0.75)
    return rng.beta(*{"around 50%": (2, 2), "around 75%": (4.5, 1.5), "around 95%": (9.5, 0.5)}[world], size=n_classes)


WORLDS = ("around 50%", "around 75%", "around 95%", "bimodal", "equal")


def _simulate(n: CountArray, world: str, rng: np.random.Generator, n_studies: int) -> Found:
    accuracies = draw_accuracies(len(n), world=world, rng=rng)
    n_correct = rng.binomial(n, accuracies, size=(n_studies, len(n)))
    limits = [percentile_limits(bootstrap_balanced_mean(one, n, rng=rng, n_resamples=N_RESAMPLES)) for one in n_correct]
    sd = np.sqrt((accuracies * (1 - accuracies) / n).sum()) / len(n)
    found = Limits(*(np.array(side) for side in zip(*limits, strict=True)))
    return count_covered(found, float(accuracies.mean()), oracle_width=float(2 * ndtri(0.975) * sd))


def _list_cases() -> Iterator[Case]:
    for name, groups in LAYOUTS.items():
        n = np.concatenate([np.full(n_classes, n_images) for n_classes, n_images in groups])
        for world in WORLDS:

            def simulate(rng: np.random.Generator, n_studies: int, n: CountArray = n, world: str = world) -> Found:
                return _simulate(n, world, rng, n_studies)

            yield Case("balanced mean", f"{name}; {world}", int(n.sum()), simulate, Claim.SHORT)


CASES = tuple(_list_cases())
