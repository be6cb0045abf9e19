"""What a report tells of an evaluation beyond its scores: who can be told apart, what labels change, hard classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.errors import InputError
from regauge.estimates import Estimate, Share

OrderArray: TypeAlias = NDArray[np.int8]

MeasureName: TypeAlias = tuple[str, str]
"""A metric, and the labels that it judges by."""


@dataclass(frozen=True, slots=True, eq=False)
class Standings:
    """Which of several participants are clearly better than which others on the same images.

    Attributes:
        names: the participants.
        order: [participants, participants]: 1 where the first is clearly better, −1 where it is clearly worse, 0 where the two
            cannot be told apart.
        n: the fewest images that two of them have in common.
        level: 1 − the chance that any pair at all is told apart wrongly.
    """

    names: tuple[str, ...]
    order: OrderArray
    n: int
    level: float

    def __post_init__(self) -> None:
        if self.order.shape != (len(self.names), len(self.names)):
            raise InputError(f"{len(self.names)} participants have an order of {len(self.names)} by as many.")

    @property
    def n_pairs(self) -> int:
        """Pairs of participants."""
        return len(self.names) * (len(self.names) - 1) // 2

    @property
    def n_clear(self) -> int:
        """Pairs that can be told apart."""
        return int(np.count_nonzero(self.order)) // 2

    def list_beside(self, name: str) -> tuple[str, ...]:
        """Those who cannot be told apart from a participant."""
        row = self.order[self.names.index(name)]
        return tuple(other for other, sign in zip(self.names, row, strict=True) if not sign and other != name)


class TurnedPairs(NamedTuple):
    """Two standings of the same participants, against each other.

    Attributes:
        n_pairs: pairs of participants that are in both.
        n_clear: those that can be told apart in both.
        turned: those of them whose order is another: who was better first, then who was better afterwards.
    """

    n_pairs: int
    n_clear: int
    turned: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LabelLift:
    """What other labels make of one participant's accuracy, on the images that count under both.

    Attributes:
        participant: whose.
        before: the share that is right by the labels before; likewise `after`.
        after: the share that is right by the labels after; unjudged answers count as wrong.
        change: after − before, with limits that hold whatever unjudged answers turn out to be.
    """

    participant: str
    before: float
    after: float
    change: Estimate[float]


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """What a new version of labels does to one participant's score under one metric.

    Attributes:
        participant: whose.
        metric: which score.
        before: the share that is right by the earlier version, on the images that count there.
        after: likewise by the later version.
        change: after − before on the images that count under both; None where none does.
        rank_before: the place among all participants by the earlier version, 1 for the best; equal scores share one.
        rank_after: likewise by the later version.
    """

    participant: str
    metric: str
    before: Estimate[float | None]
    after: Estimate[float | None]
    change: Estimate[float] | None
    rank_before: int
    rank_after: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """A class that was answered instead of another, and how many of the mistakes there were so."""

    name: str
    share: Share[float | None]


@dataclass(frozen=True, slots=True)
class ClassAccuracy:
    """One participant on the images of one class.

    Attributes:
        name: the class, by dataset label.
        share: how many of the answers are right; unjudged ones count as wrong in the value, and the limits hold either.
        rest: the same for the images of all other classes.
        confusions: what was answered instead, the most frequent first.
        is_hard: whether the class is clearly harder than the rest, however many classes were looked at.
    """

    name: str
    share: Share[float | None]
    rest: Share[float | None]
    confusions: tuple[Confusion, ...]
    is_hard: bool


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationDetails:
    """A closer look at one evaluation, from the answers that it was made of.

    Attributes:
        measure: the metric and the labels that the report judges by.
        best: whose classes and mistakes are shown: the best by the measure.
        standings: by measure, who can be told apart; by dataset labels, and by the measure.
        lifts: what the labels of the measure make of top-1 accuracy, per participant; empty where it is by dataset labels.
        classes: the classes of the best one, the hardest first.
    """

    measure: MeasureName
    best: str
    standings: Mapping[MeasureName, Standings]
    lifts: tuple[LabelLift, ...]
    classes: tuple[ClassAccuracy, ...]
