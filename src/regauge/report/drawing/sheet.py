"""How large everything on a figure is, so that it is as wide as asked for and no word is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from regauge.records.canvas import Canvas
from regauge.report.drawing.words import BOLD, find_widest, wrap_words
from regauge.report.theme import CONFIG

DEFAULT_WIDTH = 660
"""Pixels: 17.5 cm, the whole width of a page."""
NARROW = 480
"""Below this width, as in one of two columns, letters and margins are smaller."""
BESIDE = 24
"""Pixels between plots that stand side by side."""
MARK = "regauge"
"""Under this key a drawing says how it is to be written into files."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A canvas with the sizes that follow from its width, in pixels."""

    canvas: Canvas = field(default_factory=Canvas)

    @property
    def width(self) -> float:
        """Of the whole figure."""
        return DEFAULT_WIDTH if self.canvas.width is None else self.canvas.width

    @property
    def is_narrow(self) -> bool:
        """Whether it is for one of two columns."""
        return self.width < NARROW

    @property
    def name_room(self) -> float:
        """What names beside a plot take at most."""
        return 0.4 * self.inner

    @property
    def letter(self) -> int:
        """The size of letters: 9 points, or 7.5 in a narrow figure."""
        return 10 if self.is_narrow else 12

    @property
    def small(self) -> int:
        """The size of values and names inside a figure."""
        return self.letter - 1

    @property
    def padding(self) -> int:
        """The margin; a narrow figure stands in a column that has its own."""
        return 4 if self.is_narrow else 16

    @property
    def inner(self) -> float:
        """What is left between the margins."""
        return self.width - 2 * self.padding

    def make_title(self, text: str, subtitle: Sequence[str]) -> Any:  # noqa: ANN401 - altair has a value for nothing
        """The title and the sentences below it, in lines that fit; nothing where there is to be no title."""
        if not self.canvas.has_title:
            return alt.Undefined
        size = self.letter + (2 if self.is_narrow else 4)
        heading = wrap_words(text, self.inner / BOLD, size=size)
        told = [line for one in subtitle for line in wrap_words(one, self.inner, size=self.letter)]
        title = heading[0] if len(heading) == 1 else heading
        return alt.TitleParams(title, subtitle=told, fontSize=size, limit=2 * self.inner, frame="bounds")

    def make_legend(self, names: Sequence[str], *, left: float = 0, **options: Any) -> alt.Legend:  # noqa: ANN401 - altair's
        """A legend above the plot in as many columns as fit, beginning so many pixels left of it."""
        widest = find_widest(names, self.letter) + 34
        columns = min(len(names), max(1, int(self.inner // widest)))
        height = -(-len(names) // columns) * (self.letter + 4) + 6
        return alt.Legend(
            title=None,
            orient="none",
            direction="horizontal",
            legendX=-left,
            legendY=-height - 4,
            columns=columns,
            labelLimit=self.inner - 24,
            labelFontSize=self.letter,
            symbolOpacity=1,
            columnPadding=16,
            **options,
        )

    def divide(self, n: int) -> Sheet:
        """The sheet of one of n plots that stand side by side."""
        part = Sheet(Canvas(width=(self.inner - (n - 1) * BESIDE) / n))
        return self if n == 1 else part

    def finish(self, layers: Sequence[Any], *, width: float, height: float, title: Any) -> alt.LayerChart:  # noqa: ANN401
        """The layers as one figure in the look of all, with a mark that says how wide its files are."""
        layered = alt.layer(*layers, width=width, height=height, title=title, usermeta=self._mark())
        figure: alt.LayerChart = layered.configure(**self._configure())
        return figure

    def finish_beside(self, plots: Sequence[alt.LayerChart], *, title: Any) -> alt.HConcatChart:  # noqa: ANN401
        """Plots side by side as one figure, likewise."""
        joined = alt.hconcat(*plots, spacing=BESIDE, title=title, usermeta=self._mark())
        figure: alt.HConcatChart = joined.configure(**self._configure())
        return figure

    def finish_below(self, plots: Sequence[alt.LayerChart], *, title: Any) -> alt.VConcatChart:  # noqa: ANN401
        """Plots one below the other as one figure, likewise."""
        joined = alt.vconcat(*plots, spacing=BESIDE, title=title, usermeta=self._mark())
        figure: alt.VConcatChart = joined.configure(**self._configure())
        return figure

    def _mark(self) -> Any:  # noqa: ANN401 - altair has a value for nothing
        asked = {MARK: {"width": self.canvas.width, "ppi": self.canvas.ppi}}
        return alt.Undefined if self.canvas.width is None else asked

    def _configure(self) -> dict[str, Any]:
        sizes: dict[str, dict[str, Any]] = {
            "axis": {"labelFontSize": self.letter, "titleFontSize": self.letter, "titleLimit": self.inner},
            "title": {"subtitleFontSize": self.letter, "subtitleLineHeight": self.letter + 4},
            "legend": {"labelFontSize": self.letter},
        }
        return {**CONFIG, **{name: {**CONFIG[name], **some} for name, some in sizes.items()}, "padding": self.padding}
