"""What became of one participant's coded mistakes in others: whether these correct major mistakes first."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.records.mistakes.summaries import MajorsFixed


@dataclass(frozen=True, slots=True)
class FixedMistakes:
    """Coded mistakes, and who corrects which of them.

    Attributes:
        coded: whose mistakes they are, as outputs call them.
        n: how many were coded.
        n_major: those among them that are major.
        test_set: what outputs call the images.
        labels: the label set, with its version where it has one.
        fixes: one entry per participant, in their order.
        p_adjusted: Fisher's exact p-values, adjusted by Holm for all of these participants; None where there is no test.
        is_strict: unclear answers are mistakes too.
        notes: what the reader should know, a sentence each.
    """

    coded: str
    n: int
    n_major: int
    test_set: str
    labels: str
    fixes: tuple[MajorsFixed, ...]
    p_adjusted: tuple[float | None, ...]
    is_strict: bool = False
    notes: tuple[str, ...] = ()
