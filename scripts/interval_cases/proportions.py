"""Shares of a count, selection frequencies, and differences of two independent sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri
from scripts.interval_cases.cases import Case, Found, count_covered

from regauge.arrays import CountArray, FloatArray
from regauge.stats.beta_binomial import find_posterior, fit_beta
from regauge.stats.intervals import Limits, clopper_pearson, newcombe, wilson

N_PAIRS = 400
"""Pairs of image and class in a table of selection frequencies."""


def _find_width(variance: float) -> float:
    """The width of a normal interval that knows its variance."""
    return float(2 * ndtri(0.975) * np.sqrt(variance))


def _share(n: int, p: float) -> Iterator[Case]:
    def exact(rng: np.random.Generator, n_studies: int) -> Found:
        limits = clopper_pearson(rng.binomial(n, p, n_studies), n)
        return count_covered(limits, p, oracle_width=_find_width(p * (1 - p) / n))

    yield Case("share (Clopper–Pearson)", f"{n:,} images; accuracy {p:.0%}", n, exact)


def _outer(n: int, p: float, is_judged: float) -> Iterator[Case]:
    """Some answers were judged by nobody: the interval must hold the accuracy that judging them would give."""

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        right = rng.binomial(n, p, n_studies)
        known, unjudged = rng.binomial(right, is_judged), rng.binomial(n - right, 1 - is_judged)
        unjudged += right - known
        low, high = clopper_pearson(known, n).low, clopper_pearson(known + unjudged, n).high
        return count_covered(Limits(low, high), p)

    yield Case("share with unjudged answers (outer)", f"{n:,} images; {1 - is_judged:.0%} unjudged", n, simulate)


def _frequency(n: int, a: float, b: float) -> Iterator[Case]:
    """Selection frequencies of many pairs at once, whose true ones follow a beta distribution."""

    def draw(rng: np.random.Generator, n_studies: int) -> tuple[FloatArray, CountArray]:
        truth = rng.beta(a, b, size=(-(-n_studies // N_PAIRS), N_PAIRS))
        return truth, rng.binomial(n, truth)

    def plain(rng: np.random.Generator, n_studies: int) -> Found:
        truth, selected = draw(rng, n_studies)
        return count_covered(wilson(selected.ravel(), n), truth.ravel())

    def shrunken(rng: np.random.Generator, n_studies: int) -> Found:
        truth, selected = draw(rng, n_studies)
        shown = np.full(N_PAIRS, n)
        found = [find_posterior(one, shown, fit=fit_beta(one, shown)) for one in selected]
        low, high = (np.concatenate([getattr(one.limits, side) for one in found]) for side in ("low", "high"))
        return count_covered(Limits(low, high), truth.ravel())

    name = f"{n} annotators; frequencies beta({a:g}, {b:g})"
    yield Case("selection frequency (Wilson)", name, n, plain)
    yield Case("selection frequency (shrunken)", name, n, shrunken)


def _difference(n_a: int, n_b: int, p: float, q: float) -> Iterator[Case]:
    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        k_a, k_b = rng.binomial(n_a, p, n_studies), rng.binomial(n_b, q, n_studies)
        limits = newcombe(k_a, n_a, n_correct_b=k_b, n_b=n_b)
        return count_covered(limits, p - q, oracle_width=_find_width(p * (1 - p) / n_a + q * (1 - q) / n_b))

    yield Case("gap of two sets (Newcombe)", f"{n_a:,} and {n_b:,} images; {p:.0%} and {q:.0%}", n_a + n_b, simulate)


def _list_cases() -> Iterator[Case]:
    for n in (10, 50, 1_000):
        for p in (0.5, 0.8, 0.98):
            yield from _share(n, p)
    for is_judged in (0.98, 0.8):
        yield from _outer(200, 0.8, is_judged)
    for n in (5, 10, 20):
        for a, b in ((6.0, 2.0), (1.5, 0.5), (0.8, 0.8)):
            yield from _frequency(n, a, b)
    for n_a, n_b in ((50, 10), (1_000, 200), (50_000, 10_000)):
        for p, q in ((0.75, 0.63), (0.98, 0.9)):
            yield from _difference(n_a, n_b, p, q)


CASES = tuple(_list_cases())
