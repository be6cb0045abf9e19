"""The flow of a participant's mistakes: through versions of a label set, and through the hands of those who code them."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.errors import InputError
from regauge.records.mistakes.found import SampledShare

MAJOR, MINOR, BORDERLINE, NOT_CODED = "major", "minor", "borderline", "not coded"
"""What the mistakes at the end are, in the order of figures and tables."""


@dataclass(frozen=True, slots=True)
class FlowStep:
    """From one label set to the next, or from the last one through a coding.

    Attributes:
        before: the label set under which the mistakes were counted.
        after: the next one, or the coding.
        n: the mistakes before.
        n_novel: those among them that nobody had judged.
        left: why others are none any more, each with how many: fates, or the reasons of coders.
        n_remaining: those that are mistakes still.
        n_joined: mistakes after the step that were none before it.
        is_coding: whether people coded them.
    """

    before: str
    after: str
    n: int
    n_novel: int
    left: tuple[tuple[str, int], ...]
    n_remaining: int
    n_joined: int = 0
    is_coding: bool = False

    def __post_init__(self) -> None:
        if self.n_remaining + self.n_left != self.n:
            raise InputError(
                f"From {self.before} to {self.after}, {self.n_remaining:,} remaining mistakes and {self.n_left:,} others are not "
                f"the {self.n:,} before."
            )

    @property
    def n_left(self) -> int:
        """How many mistakes are none any more, or are not judged."""
        return sum(n for _, n in self.left)


@dataclass(frozen=True, slots=True)
class MistakeFlow:
    """What became of a participant's mistakes from the first label set to the last one and a coding.

    Attributes:
        participant: who answered.
        test_set: what outputs call the images.
        labels: the label sets, the earliest first.
        steps: from each to the next, and through the coding; there is at least one.
        n_end: the mistakes that are left.
        n_end_novel: those among them that nobody has judged or coded.
        ends: how severe these are, `MAJOR` first; empty where there is no coding.
        overturned: the share of the first mistakes that turned out to be none.
        coding: which coding; empty where there is none.
        is_strict: unclear answers are mistakes too.
        notes: what the reader should know, a sentence each.
    """

    participant: str
    test_set: str
    labels: tuple[str, ...]
    steps: tuple[FlowStep, ...]
    n_end: int
    n_end_novel: int
    ends: tuple[tuple[str, int], ...]
    overturned: SampledShare
    coding: str = ""
    is_strict: bool = False
    notes: tuple[str, ...] = ()
