"""Figures of a paper beside what the data in some folders give."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FigureAgreement(StrEnum):
    """How a recomputed figure stands to the published one."""

    EQUAL = "equal"
    """To the digits that were printed."""
    CONSISTENT = "consistent"
    """The data hold a part of what the figure was computed from, and its interval covers the published value; or what the
    paper says in words is so."""
    DIFFERS = "differs"
    NOT_COMPUTABLE = "not computable"
    """What it is computed from is not in the folders given."""


class Basis(StrEnum):
    """What a recomputed figure rests on."""

    DATA = "recomputed from data"
    """Put together anew from predictions, answers or labels."""
    ARITHMETIC = "arithmetic"
    """From other numbers that are printed: it shows that they fit together, and nothing about the data."""
    ROWS = "count of rows"
    """How many entries a file has: it shows that the file is the one that is spoken of."""


@dataclass(frozen=True, slots=True)
class ReproducedFigure:
    """One figure of a paper.

    Attributes:
        paper: short name, for instance recht2019.
        figure: where it stands and what it is.
        published: as printed.
        recomputed: from the data, to the same digits; empty where it cannot be computed.
        agreement: how the two stand.
        expected: how they are known to stand; None where the data that it needs have not been seen whole.
        note: why they differ, or what was assumed; which files were looked for where none was found.
        basis: what the recomputed figure rests on; None where there is none.
    """

    paper: str
    figure: str
    published: str
    recomputed: str
    agreement: FigureAgreement
    expected: FigureAgreement | None
    note: str = ""
    basis: Basis | None = None

    @property
    def is_surprising(self) -> bool:
        """Whether a figure that is known to be reproducible is not reproduced by these data."""
        reproducible = {FigureAgreement.EQUAL, FigureAgreement.CONSISTENT}
        return self.expected in reproducible and self.agreement is FigureAgreement.DIFFERS

    @property
    def verdict(self) -> str:
        """How the two stand, and on what it rests."""
        return f"{self.agreement}: {self.basis}" if self.basis is not None else str(self.agreement)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """All figures of one paper, in the order of the paper; `notes` say what had to be put right in the data."""

    paper: str
    title: str
    figures: tuple[ReproducedFigure, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether everything that is known to match does."""
        return not any(figure.is_surprising for figure in self.figures)

    def count(self, agreement: FigureAgreement) -> int:
        """How many figures stand like that."""
        return sum(figure.agreement is agreement for figure in self.figures)

    def count_equal(self, basis: Basis) -> int:
        """How many figures are equal on that basis."""
        return sum(figure.agreement is FigureAgreement.EQUAL and figure.basis is basis for figure in self.figures)


@dataclass(frozen=True, slots=True)
class ReleasedPart:
    """A part of the released data: in the study that was made of them, or left out.

    Attributes:
        what: what it is, for instance predictions.
        name: what the study calls it, or would.
        detail: what it holds; of what was left out, why.
        is_added: whether the study has it.
    """

    what: str
    name: str
    detail: str
    is_added: bool = True


@dataclass(frozen=True, slots=True)
class ReleasedStudy:
    """A study of released data.

    Attributes:
        folder: where it is.
        parts: what it holds, and what was left out, in the order in which these were looked for.
        notes: what the reader should know, a sentence each.
    """

    folder: str
    parts: tuple[ReleasedPart, ...]
    notes: tuple[str, ...] = ()

    @property
    def added(self) -> tuple[ReleasedPart, ...]:
        """What the study holds."""
        return tuple(part for part in self.parts if part.is_added)

    @property
    def left_out(self) -> tuple[ReleasedPart, ...]:
        """What the study does not hold."""
        return tuple(part for part in self.parts if not part.is_added)
