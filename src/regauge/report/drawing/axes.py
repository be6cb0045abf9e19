"""Two axes with one unit, and what stands between them: points with intervals, the line y = x, fits, names and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import pi, sqrt
from typing import Any

import altair as alt

from regauge.records.evaluation.fits import Scale, ShiftFit
from regauge.report.drawing.marks import mark_participants
from regauge.report.drawing.placement import Anchor, Box, find_line_end, place_names
from regauge.report.drawing.sheet import Sheet
from regauge.report.drawing.words import cut_words, find_widest, measure_words
from regauge.report.theme import FIT, HUMAN, INK, MODEL, MUTED
from regauge.stats.scales import from_scale, to_scale

MIN_SHARE = 0.4
"""The figure is at least this part of its width high."""
PAD = 0.03
TICKS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""On the probit and logit scales, where at least three of them are in sight."""
STEPS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
"""Between ticks, where these are too far apart."""
DOT, SMALL_DOT = 34, 16
"""The area of a dot, and in a narrow figure."""
RING = 1.6
"""How wide the ring of a mark is."""
NAME_LIMIT = 0.4
"""The part of the figure's width that a name takes at most."""
STRIDE = 5
"""Pixels between the places of a line that names keep away from."""
EQUAL = "equal accuracy"

Point = dict[str, Any]


class Axes:
    """Both axes on one scale with one unit, wide enough for the points, and what is drawn between them."""

    def __init__(
        self, scale: Scale, points: Sequence[Mapping[str, Any]], *, titles: tuple[str, str], sheet: Sheet
    ) -> None:
        x_domain, y_domain = (
            _find_domain([point[f"{axis}_low"] for point in points], [point[f"{axis}_high"] for point in points])
            for axis in "xy"
        )
        self.scale = scale
        self.sheet = sheet
        self.x_domain = _widen(x_domain, _measure(y_domain), scale)
        self.y_domain = _widen(y_domain, MIN_SHARE * _measure(self.x_domain), scale)
        self.x_title, self.y_title = titles
        beside = measure_words("100%", sheet.letter) * 1.5 + sheet.letter + 16
        self.unit = _measure(self.x_domain) / (sheet.inner - beside)
        self.dot = SMALL_DOT if sheet.is_narrow else DOT
        self.radius = sqrt(self.dot / pi)
        self.taken: list[Box] = []
        self.fits: list[tuple[float, float]] = []

    @property
    def width(self) -> float:
        """Of the plot, in pixels."""
        return _measure(self.x_domain) / self.unit

    @property
    def height(self) -> float:
        """Likewise."""
        return _measure(self.y_domain) / self.unit

    @property
    def extent(self) -> dict[str, float]:
        """Width and height in pixels."""
        return {"width": self.width, "height": self.height}

    def x(self, field: str) -> alt.X:
        """A field along the original set."""
        return alt.X(f"{field}:Q", title=self.x_title, scale=self._scale(self.x_domain), axis=self._axis(self.x_domain))

    def y(self, field: str) -> alt.Y:
        """A field along the new set."""
        return alt.Y(f"{field}:Q", title=self.y_title, scale=self._scale(self.y_domain), axis=self._axis(self.y_domain))

    def find_pixels(self, x: float, y: float) -> tuple[float, float]:
        """Where a place on the scales is, counted from the lower left corner."""
        return (x - self.x_domain[0]) / self.unit, (y - self.y_domain[0]) / self.unit

    def find_place(self, x: float, y: float) -> tuple[float, float]:
        """The other way round."""
        return self.x_domain[0] + x * self.unit, self.y_domain[0] + y * self.unit

    def plot_diagonal(self) -> alt.Chart:
        """Where both accuracies are equal."""
        low, high = self._find_equal()
        ends = {"values": [{"x": low, "y": low}, {"x": high, "y": high}] if low < high else []}
        dashes = alt.Chart(ends).mark_line(color=MUTED, strokeDash=[5, 4], strokeWidth=1, clip=True)
        diagonal: alt.Chart = dashes.encode(self.x("x"), self.y("y"))
        return diagonal

    def plot_equal(self, points: Sequence[Mapping[str, Any]]) -> list[alt.Chart]:
        """What the dashed line is, along it, where nothing else is; left out where there is no such place."""
        start, end = (self.find_pixels(one, one) for one in self._find_equal())
        size = self.sheet.small
        length = (measure_words(EQUAL, size) + 4) / sqrt(2)
        dots = [*self.find_dots(points), *self.taken]
        for share in (0.97, 0.8, 0.6, 0.4, 0.2):
            along = share * (end[0] - start[0])
            x, y = start[0] + along, start[1] + along
            # The words rise by 45 degrees and end here; small rectangles along them are what they take.
            steps = [(x - part * length / 8, y - part * length / 8) for part in range(9)]
            boxes = [Box(at_x - size, at_y, at_x, at_y + size) for at_x, at_y in steps]
            is_inside = along > length and y + size < self.height
            if is_inside and not any(box.overlaps(dot) for box in boxes for dot in dots):
                self.taken += boxes
                return [self._plot_along(x, y)]
        return []

    def _plot_along(self, x: float, y: float) -> alt.Chart:
        place = dict(zip(("label_x", "label_y"), self.find_place(x, y), strict=True))
        words = alt.Chart({"values": [{**place, "label": EQUAL}]}).mark_text(
            align="right", baseline="bottom", angle=315, dy=-2, fontSize=self.sheet.small, color=MUTED
        )
        rising: alt.Chart = words.encode(self.x("label_x"), self.y("label_y"), text="label:N")
        return rising

    def plot_fit(self, fit: ShiftFit, color: str = FIT) -> list[Any]:
        """The band and the line."""
        self.fits.append((fit.slope.value, fit.offset.value))
        heights = fit.slope.value * fit.band_at + fit.offset.value
        rows = [
            {"x": float(at), "y": float(height), "low": float(low), "high": float(high)}
            for at, height, low, high in zip(fit.band_at, heights, fit.band_low, fit.band_high, strict=True)
        ]
        base = alt.Chart({"values": rows})
        band = base.mark_area(color=color, opacity=0.2, clip=True).encode(self.x("x"), self.y("low"), alt.Y2("high:Q"))
        line = base.mark_line(color=color, strokeWidth=1.5, clip=True).encode(self.x("x"), self.y("y"))
        return [band, line]

    def plot_intervals(self, points: list[Point], color: str = MODEL) -> list[Any]:
        """The intervals of both accuracies."""
        found: list[Any] = []
        for some, shade in ((_pick_models(points), color), (_pick_people(points), HUMAN)):
            rule = alt.Chart({"values": some}).mark_rule(color=shade, opacity=0.45)
            across = rule.encode(self.x("x_low"), alt.X2("x_high:Q"), self.y("y"))
            along = rule.encode(self.x("x"), self.y("y_low"), alt.Y2("y_high:Q"))
            found += [across, along] if some else []
        return found

    def plot_points(self, points: list[Point], color: str = MODEL, *, ring: str = "") -> list[Any]:
        """Models as full dots, and hollow ones where the fit leaves them out; people as diamonds, in a ring if one is wanted."""
        names = ("model", "original", "new", "gap", "rank", "fit")
        models = _pick_models(points)
        return [
            *self.plot_marks([one for one in models if one["fit"] != OUTSIDE], names, color=color),
            *self.plot_marks([one for one in models if one["fit"] == OUTSIDE], names, color=color, is_hollow=True),
            *self.plot_marks(_pick_people(points), names, color=HUMAN, ring=ring),
        ]

    def plot_marks(
        self, points: list[Point], names: Sequence[str], *, color: str, is_hollow: bool = False, ring: str = ""
    ) -> list[alt.Chart]:
        """Points of one look, with what shows under the mouse; none where there are none."""
        look: dict[str, Any] = {"color": color} | ({"stroke": ring, "strokeWidth": RING} if ring else {})
        if is_hollow:
            look = {"fill": "white", "stroke": color, "strokeWidth": 1.3}
        mark = mark_participants(alt.Chart({"values": points}), size=self.dot, are_people=color == HUMAN, **look)
        tooltip = [alt.Tooltip(f"{name}:N") for name in names]
        return [mark.encode(self.x("x"), self.y("y"), tooltip=tooltip)] if points else []

    def plot_words(self, lines: Sequence[str], points: Sequence[Mapping[str, Any]]) -> list[alt.Chart]:
        """Lines of words in the corner where they cover the fewest points."""
        size = self.sheet.small
        width, height = find_widest(lines, size), len(lines) * (size + 3.0)
        if width > self.width or height > self.height:
            return []
        dots = self.find_dots(points)
        corners = [
            Box(left, bottom, left + width, bottom + height)
            for left, bottom in (
                (self.width - width - 4, 6.0),
                (8.0, self.height - height - 4),
                (8.0, 6.0),
                (self.width - width - 4, self.height - height - 4),
            )
        ]
        box = min(corners, key=lambda one: sum(one.widen(3).overlaps(dot) for dot in (*dots, *self.taken)))
        self.taken.append(box)
        rows = [
            dict(zip(("label_x", "label_y"), self.find_place(box.left, box.top - place * (size + 3)), strict=True))
            | {"label": line}
            for place, line in enumerate(lines)
        ]
        text = alt.Chart({"values": rows}).mark_text(align="left", baseline="top", fontSize=size, color=INK)
        return [text.encode(self.x("label_x"), self.y("label_y"), text="label:N")]

    def plot_names(self, named: Sequence[Point], points: Sequence[Point]) -> tuple[list[alt.Chart], list[str]]:
        """The names of some points, the most important first, and those that found no room."""
        size = self.sheet.small
        labels = [cut_words(one["label"], NAME_LIMIT * self.width, size=size) for one in named]
        anchors = [
            Anchor(*self.find_pixels(one["x"], one["y"]), measure_words(label, size) + 1, size, self.radius)
            for one, label in zip(named, labels, strict=True)
        ]
        frame = Box(0, 0, self.width, self.height)
        taken = [*self.taken, *self.find_dots(points)]
        placed = place_names(anchors, frame=frame, taken=taken, strokes=self._find_strokes(points))
        rows, missing = [], []
        for one, label, anchor, place in zip(named, labels, anchors, placed, strict=True):
            if place is None:
                missing.append(one["label"])
                continue
            corner = self.find_place(place.box.left, (place.box.bottom + place.box.top) / 2)
            end = self.find_place(*find_line_end(anchor, place.box))
            self.taken.append(place.box)
            names = ("label_x", "label_y", "end_x", "end_y")
            row = dict(zip(names, (*corner, *end), strict=True))
            rows.append({**row, "x": one["x"], "y": one["y"], "label": label, "is_far": place.is_far})
        return [*self._plot_leaders([row for row in rows if row["is_far"]]), *self._plot_labels(rows)], missing

    def find_dots(self, points: Sequence[Mapping[str, Any]]) -> list[Box]:
        """What the dots of the points take, in pixels."""
        places = [self.find_pixels(one["x"], one["y"]) for one in points]
        return [Box(x, y, x, y).widen(self.radius) for x, y in places]

    def _find_equal(self) -> tuple[float, float]:
        return max(self.x_domain[0], self.y_domain[0]), min(self.x_domain[1], self.y_domain[1])

    def _find_strokes(self, points: Sequence[Mapping[str, Any]]) -> list[Box]:
        """Intervals as thin rectangles, and lines as small ones in a row."""
        found = [*self._find_steps(1, 0), *(step for fit in self.fits for step in self._find_steps(*fit))]
        for one in points:
            (left, bottom), (right, top) = (
                self.find_pixels(one[f"x_{end}"], one[f"y_{end}"]) for end in ("low", "high")
            )
            x, y = self.find_pixels(one["x"], one["y"])
            found += [Box(left, y - 0.5, right, y + 0.5), Box(x - 0.5, bottom, x + 0.5, top)]
        return found

    def _find_steps(self, slope: float, offset: float) -> list[Box]:
        """Small rectangles along a line."""
        steps = [self.x_domain[0] + pixel * self.unit for pixel in range(0, int(self.width), STRIDE)]
        places = [self.find_pixels(x, slope * x + offset) for x in steps]
        return [Box(x, y, x, y).widen(1) for x, y in places]

    def _plot_leaders(self, rows: list[Point]) -> list[alt.Chart]:
        """Thin lines to names that stand away from their points."""
        rule = alt.Chart({"values": rows}).mark_rule(color=MUTED, strokeWidth=0.6)
        ends = (self.x("x"), self.y("y"), alt.X2("end_x:Q"), alt.Y2("end_y:Q"))
        return [rule.encode(*ends, detail="label_y:Q")] if rows else []

    def _plot_labels(self, rows: list[Point]) -> list[alt.Chart]:
        """The names on a ground of their own."""
        base = alt.Chart({"values": rows}).encode(self.x("label_x"), self.y("label_y"), text="label:N")
        options: dict[str, Any] = {"align": "left", "baseline": "middle", "fontSize": self.sheet.small}
        ground = base.mark_text(**options, color="white", stroke="white", strokeWidth=3, opacity=0.8)
        return [ground, base.mark_text(**options, color=INK)] if rows else []

    def _scale(self, domain: tuple[float, float]) -> alt.Scale:
        return alt.Scale(domain=list(domain), zero=False, nice=False)

    def _axis(self, domain: tuple[float, float]) -> alt.Axis:
        ticks = self._find_ticks(domain)
        places = [round(float(to_scale(tick, self.scale)), 6) for tick in ticks]
        names = [f"{100 * tick:g}%" for tick in ticks]
        return alt.Axis(values=places, labelExpr=f"{names}[indexof({places}, round(datum.value * 1e6) / 1e6)]")

    def _find_ticks(self, domain: tuple[float, float]) -> list[float]:
        """Accuracies to name on an axis; on the linear scale both axes have ticks at the same distance."""
        if self.scale is Scale.LINEAR:
            step = _find_step(self.x_domain, self.width / (5 * self.sheet.letter))
            return [tick for tick in list_multiples(step) if domain[0] <= tick <= domain[1]]
        low, high = from_scale(domain, self.scale).tolist()
        choices = ([tick for tick in ticks if low <= tick <= high] for ticks in (TICKS, *map(list_multiples, STEPS)))
        return next((ticks for ticks in choices if len(ticks) >= 3), [])


def _pick_models(points: Sequence[Point]) -> list[Point]:
    return [one for one in points if not one.get("is_person")]


def _pick_people(points: Sequence[Point]) -> list[Point]:
    return [one for one in points if one.get("is_person")]


OUTSIDE = "left out of it"
"""What the tooltip of a model says that the fit does not go through."""


def _find_step(domain: tuple[float, float], n: float) -> float:
    ticks = find_share_ticks(domain, min(n, 9))
    return ticks[1] - ticks[0] if len(ticks) > 1 else STEPS[0]


def _find_domain(lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    low, high = min(lows), max(highs)
    margin = PAD * (high - low) or 0.01
    return low - margin, high + margin


def _measure(domain: tuple[float, float]) -> float:
    return domain[1] - domain[0]


def _widen(domain: tuple[float, float], needed: float, scale: Scale) -> tuple[float, float]:
    """The domain, extended to as much as is needed, so that equal units do not make a figure as thin as a ribbon."""
    if _measure(domain) >= needed:
        return domain
    low = (domain[0] + domain[1] - needed) / 2
    if scale is Scale.LINEAR:
        # There are no accuracies outside 0 to 1.
        low = max(min(low, 1 + PAD * needed - needed), -PAD * needed)
    return low, low + needed


def find_share_ticks(domain: tuple[float, float], n: float) -> list[float]:
    """Round shares from 0 to 1 inside the domain, about n of them at most.

    >>> find_share_ticks((0.63, 0.92), 6)
    [0.65, 0.7, 0.75, 0.8, 0.85, 0.9]
    """
    low, high = max(domain[0], 0.0), min(domain[1], 1.0)
    step = next((one for one in reversed(STEPS) if (high - low) <= max(n, 2) * one), STEPS[0])
    return list_multiples(step, (low, high))


def list_multiples(step: float, domain: tuple[float, float] = (0.0, 1.0)) -> list[float]:
    """The multiples of a step inside the domain."""
    n = round(1 / step)
    return [place / n for place in range(n + 1) if domain[0] <= place / n <= domain[1]]
