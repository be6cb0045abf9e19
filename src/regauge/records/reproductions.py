"""Figures of a paper beside what the released data give."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Agreement(StrEnum):
    """How a recomputed figure stands to the published one."""

    EQUAL = "equal"
    """To the digits that were printed."""
    CONSISTENT = "consistent"
    """The data hold a part of what the figure was computed from, and its interval covers the published value."""
    DIFFERS = "differs"
    NOT_COMPUTABLE = "not computable"
    """What it is computed from is not in the folder given."""


@dataclass(frozen=True, slots=True)
class ReproducedFigure:
    """One figure of a paper.

    Attributes:
        paper: short name, for instance recht2019.
        figure: where it stands and what it is.
        published: as printed.
        recomputed: from the data, to the same digits; empty where it cannot be computed.
        agreement: how the two stand.
        expected: how they are known to stand.
        note: why they differ, or what was assumed.
    """

    paper: str
    figure: str
    published: str
    recomputed: str
    agreement: Agreement
    expected: Agreement
    note: str = ""

    @property
    def is_surprising(self) -> bool:
        """Whether a figure that is known to be reproducible is not reproduced by these data."""
        reproducible = {Agreement.EQUAL, Agreement.CONSISTENT}
        return self.expected in reproducible and self.agreement is Agreement.DIFFERS


@dataclass(frozen=True, slots=True)
class Reproduction:
    """All figures of one paper, in the order of the paper."""

    paper: str
    title: str
    figures: tuple[ReproducedFigure, ...]

    @property
    def is_sound(self) -> bool:
        """Whether everything that is known to match does."""
        return not any(figure.is_surprising for figure in self.figures)

    def count(self, agreement: Agreement) -> int:
        """How many figures stand like that."""
        return sum(figure.agreement is agreement for figure in self.figures)
