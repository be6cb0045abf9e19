"""What a case is: one kind of interval in one world, simulated study by study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.stats.intervals import Limits


class Claim(StrEnum):
    """What the documentation says about the interval in this case."""

    HOLDS = "holds"
    """It covers at least 93% at a nominal 95%."""
    SHORT = "falls short"
    """It covers less, and docs/statistics.md says so."""


class Found(NamedTuple):
    """What the studies of a case gave.

    Attributes:
        n_covered: studies whose interval holds the truth.
        n_studies: studies.
        mean_width: mean width of their intervals.
        oracle_width: mean width of an interval that knows what the method has to estimate, such as true variances; NaN where
            there is none.
    """

    n_covered: int
    n_studies: int
    mean_width: float
    oracle_width: float = float("nan")


Simulate = Callable[[np.random.Generator, int], Found]
"""Takes a generator and a number of studies."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One kind of interval in one world.

    Attributes:
        interval: the kind, as the table of docs/statistics.md calls it.
        name: the world: first its layout, then after a semicolon what else sets it apart from others of this layout; the page
            shows one line per layout.
        n: the images (or tasks, models …) of one study.
        simulate: runs studies; whatever is drawn once per world is drawn from the same generator before the first study.
        claim: what is said about it.
    """

    interval: str
    name: str
    n: int
    simulate: Simulate
    claim: Claim = Claim.HOLDS

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InputError(f"A study of {self.interval}, {self.name}, needs at least one observation, not {self.n}.")


def count_covered(limits: Limits, truth: float | FloatArray, *, oracle_width: float = float("nan")) -> Found:
    """What studies found whose limits stand in arrays, one entry per study; a study without limits covers nothing."""
    low, high = (np.asarray(limit, np.float64) for limit in limits)
    # Rounding must not let a limit miss a truth that it equals.
    is_covered = (low <= truth + 1e-12) & (high >= truth - 1e-12)
    return Found(int(is_covered.sum()), int(low.size), float(np.nanmean(high - low)), oracle_width)
