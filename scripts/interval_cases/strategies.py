"""Several new sets: the share of the variance between sets, and how far participants lie apart on one, images drawn anew."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scripts.interval_cases.cases import Case, Found, count_covered
from scripts.interval_cases.changes import judge

from regauge.arrays import BoolArray, FloatArray
from regauge.evaluation.strategies import ComparedSet, compare_strategies
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.evaluation.strategies import SETS
from regauge.stats.intervals import Limits
from regauge.stats.two_way import split_squares

TRUTH = np.array([[0.8, 0.6, 0.72], [0.7, 0.55, 0.6], [0.55, 0.35, 0.5], [0.62, 0.44, 0.55]])
"""The true accuracies of four participants on three new sets."""


def _answer(accuracies: FloatArray, n_images: int, rng: np.random.Generator) -> BoolArray:
    """Participants that find the same images hard; on average right that often."""
    skills = ndtri(accuracies)[:, np.newaxis] * np.sqrt(2)
    is_right: BoolArray = rng.standard_normal(n_images) + rng.standard_normal((len(accuracies), n_images)) < skills
    return is_right


def _share(n_images: int) -> Case:
    squares = split_squares(TRUTH)
    share = float(squares.sets) / sum(map(float, squares))

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        found = []
        for study in range(n_studies):
            sides = [judge(f"s{place}", _answer(column, n_images, rng)) for place, column in enumerate(TRUTH.T)]
            old = judge("old", _answer(TRUTH[:, 0], n_images, rng))
            settings = ShiftSettings(n_bootstrap=100, seed=study)
            part = compare_strategies(ComparedSet(old), list(map(ComparedSet, sides)), settings=settings).get_part(SETS)
            found.append((part.by_images.low, part.by_images.high))
        low, high = np.array(found, np.float64).T
        return count_covered(Limits(low, high), share)

    return Case(
        "share of the variance between sets, images drawn anew", f"{n_images:,} images each", n_images, simulate
    )


CASES = (_share(200), _share(1_000))
