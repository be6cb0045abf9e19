"""Mean selection frequencies: limits over images and annotators, and for these annotators where only counts are known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scripts.interval_cases.cases import Case, Claim, Found, count_covered

from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.stats.frequency_means import find_information, limit_mean_frequency, measure_spread
from regauge.stats.intervals import Limits

LAYOUTS = ((1_000, 15, 15), (1_000, 15, 10), (200, 15, 10), (1_000, 60, 10), (50, 15, 10))
"""Images, annotators, and annotators per image."""

SPREADS = (0.0, 0.5, 1.0)
"""Standard deviations of the annotators' logits."""

CENTRE, WITHIN = 2.5, 1.5
"""Mean and standard deviation of the images' logits."""

GRID = 20
"""Images that go to the same annotators."""


def find_truth(spread: float) -> float:
    """The mean frequency over all images and annotators."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    chances = 1 / (1 + np.exp(-(CENTRE + np.hypot(WITHIN, spread) * points)))
    return float(weights @ chances / weights.sum())


def _draw(layout: tuple[int, int, int], spread: float, rng: np.random.Generator) -> tuple[NDArray[np.bool_], ...]:
    """Who saw and who selected [images, annotators]."""
    n_images, n_annotators, n_votes = layout
    logits = rng.normal(CENTRE, WITHIN, n_images)[:, np.newaxis] + rng.normal(0, spread, n_annotators)
    grids = np.arange(n_images) // GRID
    ranks = rng.random((grids.max() + 1, n_annotators)).argsort(axis=1).argsort(axis=1)
    seen = (ranks < n_votes)[grids]
    return seen, seen & (rng.random((n_images, n_annotators)) < 1 / (1 + np.exp(-logits)))


def _measure(seen: NDArray[np.bool_], selected: NDArray[np.bool_]) -> AnnotatorSpread | None:
    shown, chosen = seen.sum(axis=1), selected.sum(axis=1)
    stretch = np.sqrt(shown / (shown - 1))[:, np.newaxis]
    surplus = ((selected - seen * (chosen / shown)[:, np.newaxis]) * stretch).sum(axis=0)
    return measure_spread(surplus, (seen * find_information(chosen, shown)[:, np.newaxis]).sum(axis=0))


def _simulate(
    layout: tuple[int, int, int], spread: float, rng: np.random.Generator, n_studies: int, *, is_known: bool
) -> Found:
    found = []
    for _ in range(n_studies):
        seen, selected = _draw(layout, spread, rng)
        told = _measure(seen, selected) if is_known else None
        found.append(limit_mean_frequency(selected.sum(axis=1), seen.sum(axis=1), spread=told))
    limits = Limits(*(np.array([float(one) for one in side]) for side in zip(*found, strict=True)))
    return count_covered(limits, find_truth(spread))


def _list_cases() -> Iterator[Case]:
    for is_known in (True, False):
        for layout in LAYOUTS if is_known else LAYOUTS[1:2]:
            for spread in SPREADS:

                def simulate(
                    rng: np.random.Generator,
                    n_studies: int,
                    layout: tuple[int, int, int] = layout,
                    spread: float = spread,
                    *,
                    is_known: bool = is_known,
                ) -> Found:
                    return _simulate(layout, spread, rng, n_studies, is_known=is_known)

                name = "mean selection frequency" + ("" if is_known else ", for these annotators")
                people = f"{layout[0]:,} images, {layout[1]} annotators, {layout[2]} per image"
                others = "" if is_known else ", of what others would give"
                claim = Claim.HOLDS if is_known or not spread else Claim.SHORT
                yield Case(name, f"{people}{others}; spread {spread:g}", layout[0], simulate, claim)


CASES = tuple(_list_cases())
