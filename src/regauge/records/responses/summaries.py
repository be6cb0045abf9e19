"""What a report tells of the people who answered a campaign: how good they were, how far they agree, and on what they do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from regauge.estimates import Estimate, Share


class FrequencyBin(NamedTuple):
    """How many (image, class) pairs have a selection frequency above `low` and up to `high`; the first bin holds its low end."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class MedianShare:
    """The share of the annotator in the middle, and the ends.

    Attributes:
        median: over annotators, with limits that hold for annotators like these; without limits where there are too few of them.
        lowest: of anybody.
        highest: of anybody.
        n_judged: what the shares of all annotators were counted on, together.
    """

    median: Estimate[float | None]
    lowest: float
    highest: float
    n_judged: int


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """The answers to a campaign that count, in a few numbers.

    Attributes:
        controls: controls answered rightly, of the annotators who are not dropped; None where nobody had any.
        agreement: votes that are those of the majority of the others, likewise.
        alpha: Krippendorff's alpha over (image, class) pairs other than controls; None where the kind of task has no such pairs,
            or nothing can be said.
        bins: selection frequencies of these pairs; empty where there are none.
        divided: pairs with two answers or more that a quarter to three quarters of the annotators selected; None without pairs.
    """

    controls: MedianShare | None
    agreement: MedianShare | None
    alpha: Estimate[float | None] | None
    bins: tuple[FrequencyBin, ...]
    divided: Share[float | None] | None

    @property
    def is_compared(self) -> bool:
        """Whether any answer can be compared with somebody else's."""
        return self.agreement is not None or bool(self.divided is not None and self.divided.n)
