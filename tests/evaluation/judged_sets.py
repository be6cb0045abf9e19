"""Judged sets for tests: outcomes as text, and a simulated study whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet


def make_set(name: str, outcomes: str, votes: Sequence[int], *, n_shown: int = 10, names: str = "model") -> JudgedSet:
    """Groups of images with so many votes each; 1 where the participant is right. Participants are lines."""
    lines = [line.split() for line in outcomes.splitlines()]
    right = np.array([[one == "1" for group in line for one in group] for line in lines])
    counts = [vote for group, vote in zip(lines[0], votes, strict=True) for _ in group]
    ids = np.array([f"{name}-{place}" for place in range(len(counts))])
    return JudgedSet(name, ids, np.full(len(ids), n_shown), np.array(counts), tuple(names.split()), right)


class Simulated(NamedTuple):
    """A study that matched by votes, and its true remainder."""

    original: JudgedSet
    new: JudgedSet
    pool: CandidateCounts
    remainder: float


def simulate(
    rng: np.random.Generator, *, n: int = 600, n_annotators: int = 10, drop: float = 0.05, has_fresh_votes: bool = False
) -> Simulated:
    """A poorer pool, accuracy 0.1 + 0.8 s, `drop` less on the new set; the new set has the votes of the original one.

    With fresh votes, others judge the new set once it is chosen.
    """
    old, poor = rng.beta(3, 1, n), rng.beta(1.5, 1.2, 8 * n)
    votes, candidates = rng.binomial(n_annotators, old), rng.binomial(n_annotators, poor)
    chosen: list[int] = []
    for count, wanted in enumerate(np.bincount(votes, minlength=n_annotators + 1)):
        chosen += rng.choice(np.flatnonzero(candidates == count), wanted, replace=False).tolist()
    right = rng.random((1, n)) < 0.1 + 0.8 * old
    new_right = rng.random((1, n)) < 0.1 + 0.8 * poor[chosen] - drop
    new_votes = rng.binomial(n_annotators, poor[chosen]) if has_fresh_votes else candidates[chosen]
    shown, ids = np.full(n, n_annotators), np.arange(n).astype(str)
    return Simulated(
        JudgedSet("old", ids, shown, votes, ("model",), right),
        JudgedSet("new", ids, shown, new_votes, ("model",), new_right),
        CandidateCounts(np.full(8 * n, n_annotators), candidates),
        drop,
    )
