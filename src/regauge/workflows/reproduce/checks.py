"""Published beside recomputed: the few ways in which two figures can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from regauge.errors import FormatError
from regauge.records.reproductions import Agreement, ReproducedFigure
from regauge.stats.intervals import clopper_pearson


@dataclass(frozen=True, slots=True)
class Figures:
    """Makes the figures of one paper."""

    paper: str

    def equal(self, figure: str, *, published: str, recomputed: str, note: str = "") -> ReproducedFigure:
        """A figure that the data are known to give to the printed digits."""
        return self._compare(figure, published, recomputed, expected=Agreement.EQUAL, note=note)

    def differs(self, figure: str, *, published: str, recomputed: str, note: str) -> ReproducedFigure:
        """A figure that the data are known not to give, and why."""
        return self._compare(figure, published, recomputed, expected=Agreement.DIFFERS, note=note)

    def absent(self, figure: str, published: str, *, note: str) -> ReproducedFigure:
        """A figure that cannot be computed from the folder given."""
        return ReproducedFigure(
            self.paper, figure, published, "", Agreement.NOT_COMPUTABLE, Agreement.NOT_COMPUTABLE, note
        )

    def statement(
        self, figure: str, *, published: str, recomputed: str, holds: bool, note: str = ""
    ) -> ReproducedFigure:
        """What a paper says in words or shows in a figure: consistent when the data bear it out."""
        agreement = Agreement.CONSISTENT if holds else Agreement.DIFFERS
        return ReproducedFigure(self.paper, figure, published, recomputed, agreement, Agreement.CONSISTENT, note)

    def sample(
        self, figure: str, published: str, *, share: float, count: tuple[int, int], note: str = ""
    ) -> ReproducedFigure:
        """A share of which the data hold a part: consistent when the interval of the part covers it."""
        k, n = count
        low, high = (float(limit) for limit in clopper_pearson(k, n, level=0.99))
        recomputed = f"{100 * k / n:.1f}% [{100 * low:.1f}, {100 * high:.1f}] ({k:,} of {n:,})"
        agreement = Agreement.CONSISTENT if low <= share <= high else Agreement.DIFFERS
        remark = "computed on the part that the data hold, with a 99% interval" + (f"; {note}" if note else "")
        return ReproducedFigure(self.paper, figure, published, recomputed, agreement, Agreement.CONSISTENT, remark)

    def attempt(self, make: Callable[[], Iterator[ReproducedFigure]], *, figure: str) -> Iterator[ReproducedFigure]:
        """The figures that a function makes, or one that says which file is missing."""
        try:
            yield from list(make())
        except FormatError as error:
            yield self.absent(figure, "", note=f"{error.path.name}: {error.problem}")

    def _compare(
        self, figure: str, published: str, recomputed: str, *, expected: Agreement, note: str
    ) -> ReproducedFigure:
        agreement = Agreement.EQUAL if published == recomputed else Agreement.DIFFERS
        return ReproducedFigure(self.paper, figure, published, recomputed, agreement, expected, note)
