"""Published beside recomputed: the few ways in which two figures can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.errors import FormatError, InputError
from regauge.estimates import make_share
from regauge.records.reproductions import Basis, FigureAgreement, ReproducedFigure
from regauge.stats.intervals import clopper_pearson

Planned = Sequence[tuple[str, str]]
"""Figures with what was printed, as they are listed when they cannot be computed."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Makes the figures of one paper.

    Attributes:
        paper: which one.
        is_whole: whether the data hold all that the paper counted, and not a part of it.
    """

    paper: str
    is_whole: bool = True

    def equal(
        self, figure: str, *, published: str, recomputed: str, basis: Basis = Basis.DATA, note: str = ""
    ) -> ReproducedFigure:
        """A figure that is known to come out to the printed digits."""
        return self._compare(figure, published, recomputed, expected=FigureAgreement.EQUAL, rest=(note, basis))

    def differs(
        self, figure: str, *, published: str, recomputed: str, note: str, basis: Basis = Basis.DATA
    ) -> ReproducedFigure:
        """A figure that is known not to come out, and why, which is not said where it does."""
        why = note if published != recomputed else ""
        return self._compare(figure, published, recomputed, expected=FigureAgreement.DIFFERS, rest=(why, basis))

    def untried(
        self, figure: str, *, published: str, recomputed: str, basis: Basis = Basis.DATA, note: str = ""
    ) -> ReproducedFigure:
        """A figure from files that were never at hand whole: it may come out or not, and neither is a surprise."""
        return self._compare(figure, published, recomputed, expected=None, rest=(note, basis))

    def absent(self, figure: str, published: str, *, note: str) -> ReproducedFigure:
        """A figure that cannot be computed from the folders given."""
        return ReproducedFigure(
            self.paper, figure, published, "", FigureAgreement.NOT_COMPUTABLE, FigureAgreement.NOT_COMPUTABLE, note
        )

    def statement(
        self, figure: str, *, published: str, recomputed: str, holds: bool, note: str = ""
    ) -> ReproducedFigure:
        """What a paper says in words or shows in a figure: consistent when the data bear it out."""
        agreement = FigureAgreement.CONSISTENT if holds else FigureAgreement.DIFFERS
        return ReproducedFigure(
            self.paper, figure, published, recomputed, agreement, FigureAgreement.CONSISTENT, note, Basis.DATA
        )

    def every(self, figure: str, *, found: tuple[int, int], note: str = "") -> ReproducedFigure:
        """Something that is so of all images, or pairs, or classes, and of how many it is; of none at all nothing is told."""
        n, n_total = found
        if not n_total:
            return self.absent(figure, "all", note="not in the folders given: anything that it could be counted in")
        agreement = FigureAgreement.EQUAL if n == n_total else FigureAgreement.DIFFERS
        recomputed = f"{n:,} of {n_total:,}"
        return ReproducedFigure(
            self.paper, figure, "all", recomputed, agreement, FigureAgreement.EQUAL, note, Basis.DATA
        )

    def whole(
        self,
        figure: str,
        *,
        published: tuple[int, int],
        found: tuple[int, int],
        expected: FigureAgreement | None = FigureAgreement.EQUAL,
        note: str = "",
    ) -> ReproducedFigure:
        """A count of a total, against the count in data that hold all that it was counted in: the two are equal or not."""
        texts = format_share(*published), format_share(*found)
        return self._compare(figure, *texts, expected=expected, rest=(note, Basis.DATA))

    def part(
        self, figure: str, *, published: tuple[int, int], found: tuple[int, int], note: str = ""
    ) -> ReproducedFigure:
        """A count of a total, against data that hold a part: consistent when the part's 99% interval covers the share."""
        k, n = found
        low, high = map(float, clopper_pearson(k, n, level=0.99))
        share = make_share(k, n, limits=(low, high), method="clopper-pearson")
        recomputed = f"{share} ({k:,} of {n:,})"
        agreement = (
            FigureAgreement.CONSISTENT if low <= published[0] / published[1] <= high else FigureAgreement.DIFFERS
        )
        remark = "computed on the part that the data hold, with a 99% interval" + (f"; {note}" if note else "")
        texts = format_share(*published), recomputed
        return ReproducedFigure(self.paper, figure, *texts, agreement, FigureAgreement.CONSISTENT, remark, Basis.DATA)

    def count(
        self,
        figure: str,
        *,
        published: tuple[int, int],
        found: tuple[int, int],
        expected: FigureAgreement | None = FigureAgreement.EQUAL,
        note: str = "",
    ) -> ReproducedFigure:
        """A count against a printed one: exactly where the data are whole, else by the interval of the part."""
        if self.is_whole:
            return self.whole(figure, published=published, found=found, expected=expected, note=note)
        return self.part(figure, published=published, found=found, note=note)

    def attempt(self, make: Callable[[], Iterable[ReproducedFigure]], planned: Planned) -> Iterator[ReproducedFigure]:
        """The figures that a function makes, or the planned ones with what kept them from being made."""
        try:
            yield from list(make())
        except InputError as error:
            note = f"{error.path.name}: {error.problem}" if isinstance(error, FormatError) else str(error)
            yield from (self.absent(figure, published, note=note) for figure, published in planned)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            # Several of the files were never at hand whole, and two of them may not be about the same images.
            note = f"what the files hold does not fit together ({type(error).__name__}: {str(error)[:80]})"
            yield from (self.absent(figure, published, note=note) for figure, published in planned)

    def gather(
        self, *sections: tuple[Callable[[], Iterable[ReproducedFigure]], Planned]
    ) -> tuple[ReproducedFigure, ...]:
        """The figures of all sections."""
        return tuple(figure for make, planned in sections for figure in self.attempt(make, planned))

    def _compare(
        self,
        figure: str,
        published: str,
        recomputed: str,
        *,
        expected: FigureAgreement | None,
        rest: tuple[str, Basis],
    ) -> ReproducedFigure:
        agreement = FigureAgreement.EQUAL if published == recomputed else FigureAgreement.DIFFERS
        note, basis = rest
        return ReproducedFigure(self.paper, figure, published, recomputed, agreement, expected, note, basis)


def leave_open(figure: ReproducedFigure) -> ReproducedFigure:
    """A figure from files that were never at hand whole: neither outcome is a surprise."""
    return replace(figure, expected=None)


def expect_to_differ(figure: ReproducedFigure) -> ReproducedFigure:
    """A statement that the data at hand are known not to bear out."""
    return replace(figure, expected=FigureAgreement.DIFFERS)


def format_share(k: int, n: int) -> str:
    """A count of a total, with its percentage."""
    return f"{100 * k / n:.1f}% ({k:,} of {n:,})"


def count_fitting(rows: Iterable[tuple[float, float, float]], n: int) -> int:
    """How many rows (value, low, high in percent) print the Clopper–Pearson interval of a whole number of answers among n."""
    n_fit = 0
    for value, low, high in rows:
        k = np.arange(int(n * (value - 0.06) / 100), int(n * (value + 0.06) / 100) + 2)
        k = k[(k <= n) & (np.round(100 * k / n, 1) == value)]
        limits = clopper_pearson(k, n)
        n_fit += bool(((np.round(100 * limits.low, 1) == low) & (np.round(100 * limits.high, 1) == high)).any())
    return n_fit
