"""Plots that figures of benchmark and task are made of: participants against top-1, ranked rows, steps, bars, matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from regauge.report.drawing.axes import find_share_ticks
from regauge.report.drawing.sheet import Sheet
from regauge.report.drawing.words import find_widest, fit_labels
from regauge.report.theme import FAINT, INK, MODEL, MUTED, SEQUENCE

HEIGHT = 300
"""Pixels of a plot with two axes."""
ROW = 22
"""Pixels of a row."""
DOT = 26
MIN_TICKED = 300
"""Pixels below which an axis has a tick at its ends and in its middle alone."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows: its title, whether numbers are shares, and its ends where they are known."""

    title: str
    is_share: bool = True
    ends: tuple[float, float] | None = None

    def find_ends(self, values: Sequence[float]) -> tuple[float, float]:
        """From a little below the least value to a little above the greatest; shares stay between 0 and 1."""
        if self.ends is not None:
            return self.ends
        low, high = min(values), max(values)
        margin = 0.04 * (high - low) or 0.05
        low, high = low - margin, high + margin
        return (max(0.0, low), min(1.0, high)) if self.is_share else (low, high)

    def make(self, ends: tuple[float, float], *, pixels: float) -> dict[str, Any]:
        """The scale and the axis as Altair takes them."""
        axis: dict[str, Any] = {"title": self.title, "grid": True, "tickCount": max(2, int(pixels // 90))}
        if self.is_share:
            ticks = (
                find_share_ticks(ends, max(5.0, pixels / 90))
                if pixels > MIN_TICKED
                else [ends[0], sum(ends) / 2, ends[1]]
            )
            axis |= {"values": ticks, "format": ".0%" if all(abs(100 * one % 1) < 1e-6 for one in ticks) else ".1%"}
        return {"scale": alt.Scale(domain=list(ends), zero=False, nice=False), "axis": alt.Axis(**axis)}


def plot_points(
    rows: Sequence[Row], sheet: Sheet, *, series: Sequence[str], x: Axis, y: Axis
) -> tuple[list[Any], dict[str, float]]:
    """Participants as points with both intervals, a colour for each series; and how large the plot is.

    Args:
        rows: participant, series, x, x_low, x_high, y, y_low, y_high; people have is_person, and are diamonds.
        sheet: how wide the figure is.
        series: what the colours mean, in the order of the legend.
        x: the axis below.
        y: the axis beside.
    """
    width, height = sheet.inner - 80, HEIGHT if not sheet.is_narrow else 220
    shown = [row for row in rows if row["x"] is not None and row["y"] is not None]
    ends_x = x.find_ends(_find_values(shown, "x"))
    ends_y = y.find_ends(_find_values(shown, "y"))
    colours = alt.Scale(domain=list(series), range=[SEQUENCE[place % len(SEQUENCE)] for place in range(len(series))])
    names = [name for name in series if any(row["series"] == name for row in shown)]
    legend = sheet.make_legend(names, symbolType="circle", symbolSize=60, values=names)
    colour = alt.Color("series:N", scale=colours, legend=legend)
    base = alt.Chart({"values": [dict(row) for row in shown]})
    place_x = alt.X("x:Q", **x.make(ends_x, pixels=width))
    place_y = alt.Y("y:Q", **y.make(ends_y, pixels=2 * height))
    faint: dict[str, Any] = {"strokeWidth": 1, "opacity": 0.45 if len(shown) <= 3 * 24 else 0.22}
    layers: list[Any] = [
        base.mark_rule(**faint, clip=True).encode(place_x, alt.Y("y_low:Q"), alt.Y2("y_high:Q"), colour),
        base.mark_rule(**faint, clip=True).encode(alt.X("x_low:Q"), place_y, alt.X2("x_high:Q"), colour),
    ]
    tooltip = ["participant:N", "series:N", alt.Tooltip("x:Q", title=x.title), alt.Tooltip("y:Q", title=y.title)]
    for shape, is_person in (("circle", False), ("diamond", True)):
        some = [dict(row) for row in shown if bool(row.get("is_person")) is is_person]
        if some:
            chart = alt.Chart({"values": some}).mark_point(
                filled=True, shape=shape, size=DOT * (1 + is_person), opacity=1
            )
            layers.append(chart.encode(place_x, place_y, colour, tooltip=tooltip))
    return layers, {"width": width, "height": height}


def draw_level(value: float, *, color: str = MUTED) -> alt.Chart:
    """A dashed line across a plot."""
    line = alt.Chart({"values": [{"y": value}]}).mark_rule(strokeDash=[5, 4], color=color)
    chart: alt.Chart = line.encode(alt.Y("y:Q"))
    return chart


def plot_rows(rows: Sequence[Row], sheet: Sheet, *, x: Axis) -> tuple[list[Any], dict[str, float]]:
    """Named rows with a dot, its interval, and the number with n beside the plot; in the order in which they come.

    Args:
        rows: label, value, low, high, and told, which stands at the right.
        sheet: how wide the figure is.
        x: the axis below.
    """
    labels = [f"{place + 1}. {row['label']}" for place, row in enumerate(rows)]
    data = {"values": [{**row, "label": label} for row, label in zip(rows, labels, strict=True)]}
    left = min(sheet.name_room, find_widest(labels, sheet.letter) + 12)
    right = find_widest([row["told"] for row in rows], sheet.small) + 12
    width = sheet.inner - left - right - 20
    ends = x.find_ends([row[name] for row in rows for name in ("low", "high") if row[name] is not None])
    side = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(**fit_labels(labels, left, size=sheet.letter)))
    base = alt.Chart(data)
    place = x.make(ends, pixels=width)
    layers = [
        base.mark_rule(color=MODEL, strokeWidth=1.5).encode(alt.X("low:Q", **place), alt.X2("high:Q"), side),
        base.mark_circle(color=MODEL, size=46, opacity=1).encode(alt.X("value:Q", **place), side),
        base.mark_text(align="left", dx=8, color=INK, fontSize=sheet.small).encode(
            side, alt.Text("told:N"), x=alt.value(width)
        ),
    ]
    return layers, {"width": width, "height": ROW * len(rows)}


def plot_steps(
    rows: Sequence[Row], sheet: Sheet, *, series: Sequence[str], x: Axis, y: Axis
) -> tuple[list[Any], dict[str, float]]:
    """A line for each series through points with their intervals.

    Args:
        rows: series, x, y, low, high.
        sheet: how wide the figure is.
        series: what the colours mean.
        x: the axis below.
        y: the axis beside.
    """
    width, height = sheet.inner - 80, HEIGHT * 0.8
    colours = alt.Scale(domain=list(series), range=list(SEQUENCE[: len(series)]))
    colour = alt.Color("series:N", scale=colours, legend=sheet.make_legend(series, symbolType="stroke"))
    base = alt.Chart({"values": [dict(row) for row in rows]})
    place_x = alt.X("x:Q", **x.make(x.find_ends([row["x"] for row in rows]), pixels=width))
    ends = y.find_ends([row[name] for row in rows for name in ("low", "high")])
    place_y = alt.Y("y:Q", **y.make(ends, pixels=2 * height))
    layers = [
        base.mark_line(strokeWidth=2).encode(place_x, place_y, colour),
        base.mark_rule(strokeWidth=1.5).encode(place_x, alt.Y("low:Q"), alt.Y2("high:Q"), colour),
        base.mark_circle(size=46, opacity=1).encode(place_x, place_y, colour),
    ]
    return layers, {"width": width, "height": height}


def draw_matrix(rows: Sequence[Row], sheet: Sheet, *, title: str, most: float) -> Any:  # noqa: ANN401 - what altair makes of layers
    """A matrix with its numbers: shares in percent of a row, whose n stands beside its name; columns have the numbers of rows.

    Args:
        rows: row, column, share and n; the diagonal is grey, as it is not what the matrix is about.
        sheet: how wide the figure is.
        title: what stands above it.
        most: the share that is darkest.
    """
    n_of = {row["row"]: row["n"] for row in rows}
    columns = list(dict.fromkeys(row["column"] for row in rows))
    sides = {name: f"{place}. {name} (n = {n:,})" for place, (name, n) in enumerate(n_of.items(), 1)}
    tops = {name: str(place) if name in n_of else "none" for place, name in enumerate(columns, 1)}
    left = min(sheet.name_room, find_widest(list(sides.values()), sheet.letter) + 12)
    width = sheet.inner - left - 24
    data = [
        {
            "side": sides[row["row"]],
            "top": tops[row["column"]],
            "text": "–" if row["share"] is None else f"{100 * row['share']:.1f}",
            "beside": -1 if row["share"] is None or row["row"] == row["column"] else row["share"],
        }
        for row in rows
    ]
    base = alt.Chart({"values": data})
    across = alt.X(
        "top:N",
        sort=list(tops.values()),
        title=None,
        axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False),
    )
    names = alt.Axis(**fit_labels(list(sides.values()), left, size=sheet.letter))
    down = alt.Y("side:N", sort=list(sides.values()), title=None, axis=names)
    scale = alt.Scale(domain=[0, most], range=["#FFFFFF", MODEL], interpolate="rgb", clamp=True)
    shade = alt.condition("datum.beside < 0", alt.value(FAINT), alt.Color("beside:Q", scale=scale, legend=None))
    ink = alt.condition(f"datum.beside > {0.6 * most}", alt.value("white"), alt.value(INK))
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(across, down, color=shade)
    numbers = base.mark_text(fontSize=min(sheet.small, 10)).encode(across, down, alt.Text("text:N"), color=ink)
    heading = alt.TitleParams(title, fontSize=sheet.letter, fontWeight=600, offset=6)
    return alt.layer(cells, numbers, width=width, height=ROW * len(n_of), title=heading)


def plot_bars(rows: Sequence[Row], sheet: Sheet, *, x: Axis, y: Axis) -> tuple[list[Any], dict[str, float]]:
    """Bars of shares by a whole number, each with its interval.

    Args:
        rows: x, y, low, high.
        sheet: how wide the figure is.
        x: the axis below.
        y: the axis beside.
    """
    width, height = sheet.inner - 80, HEIGHT * 0.6
    base = alt.Chart({"values": [dict(row) for row in rows]})
    numbers = [row["x"] for row in rows]
    step = max(1, round((max(numbers) - min(numbers) + 1) / 16))
    shown = [one for one in range(min(numbers), max(numbers) + 1) if one % step == 0]
    across = alt.X(
        "x:O",
        title=x.title,
        scale=alt.Scale(domain=list(range(min(numbers), max(numbers) + 1))),
        axis=alt.Axis(values=shown, labelAngle=0),
    )
    ends = (0.0, min(1.0, 1.05 * max(row["high"] for row in rows)))
    layers = [
        base.mark_bar(color=MODEL, opacity=0.75).encode(across, alt.Y("y:Q", **y.make(ends, pixels=2 * height))),
        base.mark_rule(color=INK).encode(across, alt.Y("low:Q"), alt.Y2("high:Q")),
    ]
    return layers, {"width": width, "height": height}


def _find_values(rows: Sequence[Row], name: str) -> list[float]:
    return [row[one] for row in rows for one in (name, f"{name}_low", f"{name}_high") if row.get(one) is not None]
