"""Balanced accuracy, the mean of per-class means, and its paired difference: images redrawn at fixed accuracies of the classes.

Every case draws the accuracies of its classes `N_DRAWS` times and redraws the images of each. The oracle is a normal interval
that knows the variance of the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from scipy.special import ndtri
from scripts.interval_cases.cases import Case, Claim, Found, count_covered

from regauge.arrays import CountArray, FloatArray
from regauge.stats.balanced import find_balanced_difference_limits, find_balanced_limits, subtract_limits

N_DRAWS = 100

LAYOUTS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "8 × 100 + 2 × 1": ((8, 100), (2, 1)),
    "9 × 100 + 1 × 1": ((9, 100), (1, 1)),
    "10 × 2": ((10, 2),),
    "90 × 50 + 10 × 2": ((90, 50), (10, 2)),
    "long tail of 100 classes, 30 × 1 … 10 × 100": ((30, 1), (20, 2), (15, 4), (15, 7), (10, 20), (10, 100)),
    **{f"100 × {n}": ((100, n),) for n in (1, 2, 3, 5, 10)},
    **{f"1,000 × {n}": ((1_000, n),) for n in (1, 2, 3, 5, 10)},
    "10 × 100": ((10, 100),),
}
"""Classes × images."""

Draw = Callable[[np.random.Generator, int], FloatArray]

WORLDS: Mapping[str, Draw] = {
    "spread around 50%": lambda rng, n: rng.beta(2, 2, size=n),
    "spread around 75%": lambda rng, n: rng.beta(4.5, 1.5, size=n),
    "spread around 95%": lambda rng, n: rng.beta(9.5, 0.5, size=n),
    "half at 10%, half at 90%": lambda rng, n: rng.permuted(np.where(np.arange(n) % 2, 0.9, 0.1)),
    "all at 75%": lambda _, n: np.full(n, 0.75),
    "all at 95%": lambda _, n: np.full(n, 0.95),
}
"""The true accuracies of so many classes."""

PAIRED_WORLDS: Mapping[str, Draw] = {
    "few differ": lambda rng, n: rng.dirichlet([0.3, 0.2, 9.5], size=n),
    "many differ": lambda rng, n: rng.dirichlet([2, 1, 7], size=n),
    "all alike": lambda _, n: np.tile([0.08, 0.05, 0.87], (n, 1)),
    "a tenth of the classes differs": lambda rng, n: np.where(
        rng.permuted(np.arange(n) % 10 == 0)[:, np.newaxis], [0.5, 0.2, 0.3], [0.01, 0.01, 0.98]
    ),
}
"""The chances that only the first, only the second, or neither alone is right, in so many classes."""


def _simulate_mean(rng: np.random.Generator, n_studies: int, *, n: CountArray, world: Draw) -> Found:
    return _add(_redraw_mean(rng, n_resampled, n, world(rng, len(n))) for n_resampled in _deal(n_studies))


def _redraw_mean(rng: np.random.Generator, n_studies: int, n: CountArray, accuracies: FloatArray) -> Found:
    limits = find_balanced_limits(rng.binomial(n, accuracies, size=(n_studies, len(n))), n)
    return count_covered(limits, float(accuracies.mean()), oracle_width=_widen(accuracies * (1 - accuracies), n))


def _simulate_difference(rng: np.random.Generator, n_studies: int, *, n: CountArray, world: Draw) -> Found:
    return _add(_redraw_difference(rng, n_resampled, n, world(rng, len(n))) for n_resampled in _deal(n_studies))


def _redraw_difference(rng: np.random.Generator, n_studies: int, n: CountArray, chances: FloatArray) -> Found:
    drawn = rng.multinomial(n, chances, size=(n_studies, len(n)))
    limits = find_balanced_difference_limits(drawn[..., 0], drawn[..., 1], n_by_class=n)
    first, second = chances[:, 0], chances[:, 1]
    width = _widen(first + second - (first - second) ** 2, n)
    return count_covered(limits, float((first - second).mean()), oracle_width=width)


def _simulate_gap(rng: np.random.Generator, n_studies: int, *, n: CountArray, world: Draw) -> Found:
    """The gap of a model between two sets of like layout, on the second of which every class is a little harder."""
    return _add(_redraw_gap(rng, n_resampled, n, world(rng, len(n))) for n_resampled in _deal(n_studies))


def _redraw_gap(rng: np.random.Generator, n_studies: int, n: CountArray, original: FloatArray) -> Found:
    both = original, 0.9 * original
    first, second = (rng.binomial(n, accuracies, size=(n_studies, len(n))) for accuracies in both)
    limits = subtract_limits(
        (first / n).mean(axis=-1),
        (second / n).mean(axis=-1),
        limits=(find_balanced_limits(first, n), find_balanced_limits(second, n)),
    )
    old, new = (_widen(accuracies * (1 - accuracies), n) for accuracies in both)
    return count_covered(limits, float(0.1 * original.mean()), oracle_width=float(np.hypot(old, new)))


def _deal(n_studies: int) -> list[int]:
    """How many studies each draw of accuracies gets; fewer studies than draws leave some draws out."""
    n_draws = min(N_DRAWS, n_studies)
    return [n_studies // n_draws] * n_draws


def _widen(variances: FloatArray, n: CountArray) -> float:
    """The width of normal limits of a mean of class means whose images have these variances."""
    return float(2 * ndtri(0.975) * np.sqrt((variances / n).sum()) / len(n))


def _add(parts: Iterator[Found]) -> Found:
    found = list(parts)
    return Found(
        n_covered=sum(one.n_covered for one in found),
        n_studies=sum(one.n_studies for one in found),
        mean_width=float(np.mean([one.mean_width for one in found])),
        oracle_width=float(np.mean([one.oracle_width for one in found])),
    )


HARD_TAILS: Mapping[str, Claim] = {
    "8 × 100 + 2 × 1": Claim.SHORT,
    "9 × 100 + 1 × 1": Claim.SHORT,
    "90 × 50 + 10 × 2": Claim.HOLDS,
}
"""Layouts that are also simulated with rare classes at 20% and all others at 95%."""


def _list_hard_tails() -> Iterator[Case]:
    for layout, claim in HARD_TAILS.items():
        n_classes, n_images = zip(*LAYOUTS[layout], strict=True)
        n, accuracies = np.repeat(n_images, n_classes), np.repeat([0.95, 0.2], n_classes)
        simulate = partial(_redraw_mean, n=n, accuracies=accuracies)
        yield Case(
            "balanced mean", f"{layout}, the rare classes much harder; 20% beside 95%", int(n.sum()), simulate, claim
        )


def _list_cases() -> Iterator[Case]:
    kinds = (
        ("balanced mean", _simulate_mean, WORLDS),
        ("balanced paired difference", _simulate_difference, PAIRED_WORLDS),
        ("gap of balanced means", _simulate_gap, WORLDS),
    )
    for kind, simulate, worlds in kinds:
        for layout, groups in LAYOUTS.items():
            n = np.concatenate([np.full(n_classes, n_images) for n_classes, n_images in groups])
            for name, world in worlds.items():
                yield Case(kind, f"{layout}; {name}", int(n.sum()), partial(simulate, n=n, world=world))


CASES = (*_list_cases(), *_list_hard_tails())
