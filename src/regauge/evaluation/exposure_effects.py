"""Whether people answer better what they have seen before: accuracies apart, and their difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, make_share
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.records.exposure.effects import ExposedScore, ExposureDifference, ExposureSplit
from regauge.stats.intervals import clopper_pearson, newcombe

CLOPPER_PEARSON, NEWCOMBE = "clopper-pearson", "newcombe"


@dataclass(frozen=True, slots=True, eq=False)
class LabelerOutcomes:
    """What became of one person's answers, and which of the images they had seen before.

    Attributes:
        labeler: who.
        outcomes: one `Outcome` per image.
        is_seen: per image, whether they had seen it before they began.
    """

    labeler: str
    outcomes: OutcomeArray
    is_seen: BoolArray

    @property
    def is_exposed(self) -> bool:
        """Whether they had seen any of the images that they answered."""
        return bool((self.is_seen & (self.outcomes != Outcome.NOT_COUNTED)).any())


class _Count(NamedTuple):
    """How many answers there are, how many of them are right, and how many nobody has judged."""

    n: int = 0
    n_right: int = 0
    n_unjudged: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Answers of some people: all of them, or only those to images that they had seen or had not."""

    labelers: Sequence[LabelerOutcomes]
    is_seen: bool | None = None

    def list_parts(self) -> list[OutcomeArray]:
        """Per person what became of these answers."""
        return [
            one.outcomes if self.is_seen is None else one.outcomes[one.is_seen == self.is_seen] for one in self.labelers
        ]

    def count_answers(self) -> _Count:
        """All of them together."""
        counts = [count_outcomes(part) for part in self.list_parts()]
        return _Count(*(int(total) for total in np.sum(counts, axis=0))) if counts else _Count()

    def count_people(self) -> int:
        """How many people gave them."""
        return sum(count_outcomes(part).n > 0 for part in self.list_parts())


def measure_effect(
    labelers: Sequence[LabelerOutcomes], *, level: float = DEFAULT_LEVEL
) -> tuple[tuple[ExposedScore, ...], tuple[ExposureDifference, ...]]:
    """Accuracies with and without exposure, and their differences: by labeler, by image, and within each who has both.

    Accuracies have Clopper–Pearson limits and differences Newcombe's. Both take answers for independent, which those of one
    person, or to one image, are not quite: limits of pooled answers are somewhat narrow. A part without answers has no value.

    Args:
        labelers: everybody who answered.
        level: the level of every interval.
    """
    exposed = [one for one in labelers if one.is_exposed]
    unexposed = [one for one in labelers if not one.is_exposed]
    sides = [(ExposureSplit.LABELERS, "", _Side(unexposed), _Side(exposed))]
    sides.append((ExposureSplit.IMAGES, "", _Side(labelers, is_seen=False), _Side(exposed, is_seen=True)))
    sides += [
        (ExposureSplit.WITHIN, one.labeler, _Side([one], is_seen=False), _Side([one], is_seen=True)) for one in exposed
    ]
    scores: list[ExposedScore] = []
    differences = []
    for split, labeler, *parts in sides:
        counts = [part.count_answers() for part in parts]
        for is_exposed, (part, count) in enumerate(zip(parts, counts, strict=True)):
            share = find_accuracy(count, level=level)
            n_labelers = part.count_people()
            scores.append(ExposedScore(split, labeler, bool(is_exposed), n_labelers, share, count.n_unjudged))
        found = _subtract(counts[1], counts[0], level=level)
        differences.append(ExposureDifference(split, labeler, found, counts[1].n, counts[0].n))
    return tuple(scores), tuple(differences)


def count_outcomes(outcomes: OutcomeArray) -> _Count:
    """How many answers count, are right, and are not judged."""
    return _Count(
        int((outcomes != Outcome.NOT_COUNTED).sum()),
        int((outcomes == Outcome.RIGHT).sum()),
        int((outcomes == Outcome.UNJUDGED).sum()),
    )


def find_accuracy(count: _Count, *, level: float = DEFAULT_LEVEL) -> Share[float | None]:
    """The share of right answers; its limits hold whatever unjudged ones turn out to be."""
    low = float(clopper_pearson(count.n_right, count.n, level=level).low)
    high = float(clopper_pearson(count.n_right + count.n_unjudged, count.n, level=level).high)
    return make_share(count.n_right, count.n, limits=(low, high), method=CLOPPER_PEARSON)


def _subtract(exposed: _Count, unexposed: _Count, *, level: float) -> Estimate[float | None]:
    """The difference of two shares; unjudged answers count against it in the lower limit and for it in the upper."""
    if not (exposed.n and unexposed.n):
        return Estimate(None, None, None, method=NEWCOMBE)
    low = newcombe(
        exposed.n_right,
        exposed.n,
        n_correct_b=unexposed.n_right + unexposed.n_unjudged,
        n_b=unexposed.n,
        level=level,
    ).low
    high = newcombe(
        exposed.n_right + exposed.n_unjudged,
        exposed.n,
        n_correct_b=unexposed.n_right,
        n_b=unexposed.n,
        level=level,
    ).high
    value = exposed.n_right / exposed.n - unexposed.n_right / unexposed.n
    has_unjudged = bool(exposed.n_unjudged or unexposed.n_unjudged)
    return Estimate(value, float(low), float(high), method=NEWCOMBE, holds_unjudged=has_unjudged)
