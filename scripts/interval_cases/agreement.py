"""Agreement of annotators: limits of Krippendorff's alpha over tasks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scripts.interval_cases.cases import Case, Claim, Found, count_covered

from regauge.stats.agreement.coefficients import limit_agreement
from regauge.stats.agreement.tables import count_answers
from regauge.stats.intervals import Limits

SIZES = (10, 20, 50, 200)
N_VOTES = (2, 5)
SKILLS = (0.98, 0.9, 0.75)
"""How often annotators give the true label; otherwise they give any other."""

LAYOUTS = {"2 labels": (0.5, 0.5), "10 labels": (0.1,) * 10, "a label in 10% of tasks": (0.9, 0.1)}
"""How common the labels are."""


def _draw(
    shares: tuple[float, ...], shape: tuple[int, int], skill: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The answers [tasks, votes]."""
    truth = rng.choice(len(shares), p=shares, size=(shape[0], 1))
    wrong = (truth + rng.integers(1, len(shares), shape)) % len(shares)
    return np.where(rng.random(shape) < skill, truth, wrong)


def find_alpha(shares: tuple[float, ...], skill: float) -> float:
    """Alpha of all tasks there could be."""
    n, common = len(shares), np.array(shares)
    given = common * skill + (1 - common) * (1 - skill) / (n - 1)
    differing = 1 - skill**2 - (1 - skill) ** 2 / (n - 1)
    return float(1 - differing / (1 - (given**2).sum()))


def _simulate(
    shares: tuple[float, ...], shape: tuple[int, int], skill: float, rng: np.random.Generator, n_studies: int
) -> Found:
    tasks = np.repeat(np.arange(shape[0]), shape[1])
    found: list[tuple[float, float]] = []
    while len(found) < n_studies:
        answers = _draw(shares, shape, skill, rng).ravel()
        low, high = limit_agreement(count_answers(tasks, answers, n_labels=len(shares))).alpha
        # A study whose tasks do not tell what chance would give has no interval, and says so.
        if not np.isnan(low):
            found.append((float(low), float(high)))
    return count_covered(Limits(*np.array(found).T), find_alpha(shares, skill))


def _list_cases() -> Iterator[Case]:
    for layout, shares in LAYOUTS.items():
        for n in SIZES if "10% of" not in layout else SIZES[1:]:
            for n_votes in N_VOTES:
                for skill in SKILLS:

                    def simulate(
                        rng: np.random.Generator,
                        n_studies: int,
                        shares: tuple[float, ...] = shares,
                        shape: tuple[int, int] = (n, n_votes),
                        skill: float = skill,
                    ) -> Found:
                        return _simulate(shares, shape, skill, rng, n_studies)

                    claim = Claim.SHORT if "10% of" in layout and n < 200 else Claim.HOLDS
                    yield Case(
                        "alpha", f"{n} tasks, {layout}; {n_votes} votes, right in {skill:.0%}", n, simulate, claim
                    )


CASES = tuple(_list_cases())
