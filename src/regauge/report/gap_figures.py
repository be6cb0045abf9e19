"""A split gap as a figure: what selection explains and what is left at equal frequency, on one scale, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from regauge.estimates import Estimate, name_methods, typeset
from regauge.records.canvas import Canvas
from regauge.records.evaluation.gaps import MEAN, GapDecomposition, GapReport
from regauge.report.drawing.marks import DIAMOND, LARGER
from regauge.report.drawing.sheet import Sheet
from regauge.report.drawing.words import find_widest, fit_labels
from regauge.report.theme import FIT, GREEN, INK, MUTED

LANE = 11
"""Pixels for one part of a gap by one method."""
CLOSE_LANE, MAX_LANES = 5, 80
"""Likewise beyond so many, whose values are not printed."""
PARTS = {"selection": "Explained by selection", "remainder": "Remainder at equal frequency"}
WHOLE_GAP = "Whole gap"
PART_COLOURS = {WHOLE_GAP: MUTED, PARTS["selection"]: GREEN, PARTS["remainder"]: FIT}
FEW = 6
"""Participants beyond whom only the last method is drawn."""


def plot_gap(report: GapReport, *, canvas: Canvas | None = None) -> alt.LayerChart:
    """The gap and both its parts on one scale: participants by their gap, the mean first, and below each other the methods.

    Full dots are by the last method, hollow ones by the others, which are drawn for a few participants.
    """
    panel = _Panel(report, Sheet(canvas or Canvas()))
    first = report.decompositions[0]
    told = [
        f"original − new, in points, on {first.n_original:,} and {first.n_new:,} images.",
        f"{100 * report.settings.level:g}% intervals: {name_methods([first.gap.method])}.",
    ]
    if len(panel.methods) > 1:
        told.append(f"Full dots: {panel.methods[-1]}; hollow, from the top: {', '.join(panel.methods[:-1])}.")
    elif len(report.settings.methods) > 1:
        told.append(f"Split by {panel.methods[-1]}.")
    if panel.people:
        told.append("Diamonds: people.")
    title = panel.sheet.make_title(f"The gap from {report.original} to {report.new}", [" ".join(told)])
    height = len(panel.names) * panel.row
    return panel.sheet.finish(panel.plot(), width=panel.width, height=height, title=title)


class _Panel:
    """Participants below each other, and for each a lane per method and part."""

    def __init__(self, report: GapReport, sheet: Sheet) -> None:
        self.sheet = sheet
        gaps = {one.participant: one.gap.value for one in report.shown}
        self.people = report.people & gaps.keys()
        self.names = sorted(gaps, key=lambda name: (name != MEAN, -gaps[name]))
        methods = report.settings.methods if len(self.names) <= FEW + 1 else report.settings.methods[-1:]
        self.methods = [method.value for method in methods]
        split = [one for one in report.shown if one.method in methods]
        self.rows = [
            *(_describe(one, WHOLE_GAP, one.gap) for one in split if one.method is methods[-1]),
            *(_describe(one, part, getattr(one, name)) for one in split for name, part in PARTS.items()),
        ]
        self.lanes = [
            _name_lane(self.methods[-1], WHOLE_GAP),
            *(_name_lane(method, part) for method in self.methods for part in PARTS.values()),
        ]
        self.has_values = len(self.rows) <= MAX_LANES
        self.label_width = min(find_widest(self.names, sheet.letter), sheet.name_room) + 1
        self.width = sheet.inner - self.label_width - 8 - 10

    @property
    def row(self) -> float:
        """How high the row of a participant is."""
        return max(16.0, len(self.lanes) * (LANE if self.has_values else CLOSE_LANE) + 10)

    def plot(self) -> list[Any]:
        """All layers, from the back to the front."""
        return [self.plot_zero(), self.plot_intervals(), *self.plot_dots(), *self.plot_values()]

    def plot_zero(self) -> alt.Chart:
        """Where there is no gap."""
        zero = alt.Chart({"values": [{"at": 0}]}).mark_rule(color=INK, strokeWidth=1, opacity=0.4)
        line: alt.Chart = zero.encode(x=self._x("at"))
        return line

    def plot_intervals(self) -> alt.Chart:
        """The intervals."""
        rule = self._base(self.rows).mark_rule(strokeWidth=1.6, opacity=0.6)
        intervals: alt.Chart = rule.encode(x=self._x("low"), x2="high:Q")
        return intervals

    def plot_dots(self) -> list[alt.Chart]:
        """Gaps and parts: full marks by the last method, hollow ones by the others; people as diamonds."""
        found: list[alt.Chart] = []
        looks: dict[bool, dict[str, Any]] = {
            False: {"size": 34, "filled": False, "strokeWidth": 1.4},
            True: {"size": 38, "filled": True},
        }
        for is_last, look in looks.items():
            for is_person in (False, True):
                rows = [one for one in self.rows if self._is_so(one, is_last=is_last, is_person=is_person)]
                shape = {"shape": DIAMOND, "size": look["size"] * LARGER} if is_person else {}
                mark = self._base(rows).mark_point(**look | shape, opacity=1)
                found += [mark.encode(x=self._x("value"))] if rows else []
        return found

    def _is_so(self, row: Mapping[str, Any], *, is_last: bool, is_person: bool) -> bool:
        return (row["method"] == self.methods[-1]) is is_last and (row["participant"] in self.people) is is_person

    def plot_values(self) -> list[alt.Chart]:
        """The values in digits, right of their intervals."""
        if not self.has_values:
            return []
        base = self._base(self.rows, is_coloured=False).encode(x=self._x("high"), text="digits:N")
        options: dict[str, Any] = {"align": "left", "baseline": "middle", "dx": 5, "fontSize": self.sheet.small}
        ground = base.mark_text(**options, color="white", stroke="white", strokeWidth=3)
        return [ground, base.mark_text(**options, color=INK)]

    def _base(self, rows: list[dict[str, Any]], *, is_coloured: bool = True) -> alt.Chart:
        lanes = alt.Scale(domain=self.lanes, paddingOuter=0.4)
        base = alt.Chart({"values": rows}).encode(
            y=self._y(),
            yOffset=alt.YOffset("lane:N", sort=self.lanes, scale=lanes),
            tooltip=self._tooltip(),
        )
        coloured: alt.Chart = base.encode(color=self._colour()) if is_coloured else base
        return coloured

    def _x(self, field: str) -> alt.X:
        scale = alt.Scale(zero=True, nice=True, padding=4)
        axis = alt.Axis(tickCount=max(2, int(self.width / (5 * self.sheet.letter))))
        return alt.X(f"{field}:Q", title="points", scale=scale, axis=axis)

    def _y(self) -> alt.Y:
        axis = alt.Axis(**fit_labels(self.names, self.label_width, size=self.sheet.letter))
        scale = alt.Scale(domain=self.names, paddingInner=0, paddingOuter=0)
        return alt.Y("participant:N", sort=self.names, title=None, axis=axis, scale=scale)

    def _colour(self) -> alt.Color:
        parts = list(PART_COLOURS)
        legend = self.sheet.make_legend(parts, left=self.label_width + 8, symbolType="circle", symbolSize=60)
        return alt.Color("part:N", scale=alt.Scale(domain=parts, range=list(PART_COLOURS.values())), legend=legend)

    @staticmethod
    def _tooltip() -> list[alt.Tooltip]:
        return [alt.Tooltip(f"{name}:N") for name in ("participant", "method", "part", "points")]


def _describe(one: GapDecomposition, part: str, estimate: Estimate[float]) -> dict[str, Any]:
    return {
        "participant": one.participant,
        "method": one.method.value,
        "part": part,
        "lane": _name_lane(one.method.value, part),
        "value": 100 * estimate.value,
        "low": 100 * estimate.low,
        "high": 100 * estimate.high,
        "digits": typeset(Estimate(estimate.value, None, None), scale=100),
        "points": typeset(estimate, scale=100),
    }


def _name_lane(method: str, part: str) -> str:
    return f"{method}, {part}"
