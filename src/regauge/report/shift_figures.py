"""Two test sets as a figure: every model as a point with its intervals, the line y = x, the fit and its band.

After Figure 1 of Recht et al. (2019): both axes have the same unit, so that slopes can be read off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import altair as alt
import numpy as np

from regauge.errors import InputError
from regauge.estimates import Share, typeset
from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.shifts import ModelShift, Shift, ShiftFit
from regauge.report.metrics import get_title
from regauge.report.published_figures import explain_published, list_published_fits, plot_published
from regauge.report.theme import CONFIG, DATASET, FIT, INK, MODEL, MUTED
from regauge.stats.scales import from_scale, move_inside, to_scale

SIDE = 560
"""Pixels of the longer axis."""
MIN_SHARE = 0.4
"""The shorter axis is at least this part of the longer one."""
PAD = 0.03
STEPS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
"""Between ticks."""
TICKS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""On the probit and logit scales, where at least three of them are in sight."""
NAME_RIGHT, NAME_BELOW, NAME_LINE, NAME_LETTER, NAME_LIMIT = 8, 9, 13, 6, 220
"""Pixels from a point to its name, from a name to the one below it, and the width of a letter and of a name at most."""


def plot_shift(shift: Shift, *, label: Sequence[str] = (), scale: Scale | str | None = None) -> alt.LayerChart:
    """The comparison as a figure that can be published as it is.

    Args:
        shift: what to draw.
        label: globs; the names of matching models are printed beside their points. All names show on hover in HTML.
        scale: the scale of both axes; unless given, the first that was asked for.

    Raises:
        InputError: a glob matches no model.
    """
    chosen = shift.settings.scales[0] if scale is None else Scale(scale)
    check_label(shift, label)
    points = [describe_point(model, chosen, label=label) for model in shift.models]
    theirs = [] if shift.published is None else [describe_point(model, chosen) for model in shift.published.models]
    titles = f"accuracy on {shift.original}", f"accuracy on {shift.new}"
    axes = Axes(chosen, [*points, *theirs], titles=titles)
    fits = [fit for fit in shift.fits if fit.scale is chosen]
    layers = [
        axes.plot_diagonal(),
        *(layer for fit in list_published_fits(shift.published, chosen) for layer in axes.plot_fit(fit, DATASET)),
        *plot_published(theirs, x=axes.x, y=axes.y),
        *(layer for fit in fits for layer in axes.plot_fit(fit)),
        *axes.plot_points(points),
    ]
    title = alt.TitleParams(
        f"{get_title(shift.settings.metric)} on {shift.new} against {shift.original}",
        subtitle=[*_explain(shift, fits, chosen), *explain_published(shift.published, chosen)],
    )
    figure: alt.LayerChart = alt.layer(*layers, **axes.extent, title=title).configure(**CONFIG)
    return figure


class Axes:
    """Both axes on one scale with one unit, wide enough for the points, and what is drawn between them."""

    def __init__(self, scale: Scale, points: Sequence[Mapping[str, Any]], *, titles: tuple[str, str]) -> None:
        x_domain, y_domain = (
            _find_domain([point[f"{axis}_low"] for point in points], [point[f"{axis}_high"] for point in points])
            for axis in "xy"
        )
        self.scale = scale
        self.x_domain = _widen(x_domain, y_domain, scale)
        self.y_domain = _widen(y_domain, x_domain, scale)
        self.x_title, self.y_title = titles
        self.unit = max(_measure(self.x_domain), _measure(self.y_domain)) / SIDE

    @property
    def extent(self) -> dict[str, float]:
        """Width and height in pixels."""
        return {"width": _measure(self.x_domain) / self.unit, "height": _measure(self.y_domain) / self.unit}

    def x(self, field: str) -> alt.X:
        """A field along the original set."""
        return alt.X(f"{field}:Q", title=self.x_title, scale=self._scale(self.x_domain), axis=self._axis(self.x_domain))

    def y(self, field: str) -> alt.Y:
        """A field along the new set."""
        return alt.Y(f"{field}:Q", title=self.y_title, scale=self._scale(self.y_domain), axis=self._axis(self.y_domain))

    def plot_diagonal(self) -> alt.Chart:
        """Where both accuracies are equal."""
        low, high = max(self.x_domain[0], self.y_domain[0]), min(self.x_domain[1], self.y_domain[1])
        ends = {"values": [{"x": low, "y": low}, {"x": high, "y": high}] if low < high else []}
        dashes = alt.Chart(ends).mark_line(color=MUTED, strokeDash=[5, 4], strokeWidth=1, clip=True)
        diagonal: alt.Chart = dashes.encode(self.x("x"), self.y("y"))
        return diagonal

    def plot_fit(self, fit: ShiftFit, color: str = FIT) -> list[Any]:
        """The band and the line."""
        heights = fit.slope.value * fit.band_at + fit.offset.value
        rows = [
            {"x": float(at), "y": float(height), "low": float(low), "high": float(high)}
            for at, height, low, high in zip(fit.band_at, heights, fit.band_low, fit.band_high, strict=True)
        ]
        base = alt.Chart({"values": rows})
        band = base.mark_area(color=color, opacity=0.2, clip=True).encode(self.x("x"), self.y("low"), alt.Y2("high:Q"))
        line = base.mark_line(color=color, strokeWidth=1.5, clip=True).encode(self.x("x"), self.y("y"))
        return [band, line]

    def plot_points(self, points: list[dict[str, Any]], color: str = MODEL) -> list[Any]:
        """Intervals both ways, the points above them, and the chosen names."""
        base = alt.Chart({"values": points})
        across = base.mark_rule(color=color, opacity=0.45).encode(self.x("x_low"), alt.X2("x_high:Q"), self.y("y"))
        along = base.mark_rule(color=color, opacity=0.45).encode(self.x("x"), self.y("y_low"), alt.Y2("y_high:Q"))
        tooltip = [alt.Tooltip(f"{name}:N") for name in ("model", "original", "new", "gap", "rank")]
        point = base.mark_circle(color=color, size=34, opacity=1).encode(self.x("x"), self.y("y"), tooltip=tooltip)
        return [across, along, point, *self.plot_names([one for one in points if one["label"]])]

    def plot_names(self, points: list[dict[str, Any]]) -> list[Any]:
        """The names of the points, and a line to each name that another one pushed away."""
        named = _place_names(points, self.unit)
        moved = alt.Chart({"values": [one for one in named if one["is_moved"]]})
        leader = moved.mark_rule(color=MUTED, strokeWidth=0.5).encode(
            self.x("x"), self.y("y"), alt.X2("label_x:Q"), alt.Y2("label_y:Q")
        )
        text = alt.Chart({"values": named}).mark_text(
            align="left", baseline="middle", fontSize=11, color=INK, limit=NAME_LIMIT
        )
        return [leader, text.encode(self.x("label_x"), self.y("label_y"), text="label:N")]

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
            step = next((one for one in STEPS[::-1] if SIDE * self.unit <= 8 * one), STEPS[0])
            low, high = max(domain[0], 0), min(domain[1], 1)
            return [tick for tick in _list_multiples(step) if low <= tick <= high]
        low, high = from_scale(domain, self.scale).tolist()
        choices = ([tick for tick in ticks if low <= tick <= high] for ticks in (TICKS, *map(_list_multiples, STEPS)))
        return next((ticks for ticks in choices if len(ticks) >= 3), [])


def _list_multiples(step: float) -> list[float]:
    n = round(1 / step)
    return [place / n for place in range(n + 1)]


def check_label(shift: Shift, label: Sequence[str]) -> None:
    """Refuse a glob that matches no model."""
    for glob in label:
        if not any(fnmatchcase(model.name, glob) for model in shift.models):
            raise InputError(f"No model matches {glob!r}, so there is no name to print in the figure.")


def _place_names(points: list[dict[str, Any]], unit: float) -> list[dict[str, Any]]:
    """Where names stand: right of and below their points, and below any name that they would overlap, from the top down."""
    placed: list[dict[str, Any]] = []
    for point in sorted(points, key=lambda one: (-one["y"], one["x"])):
        left, start = point["x"] + NAME_RIGHT * unit, point["y"] - NAME_BELOW * unit
        right = left + unit * min(NAME_LETTER * len(point["label"]), NAME_LIMIT)
        height = start
        for other in sorted(placed, key=lambda one: -one["label_y"]):
            is_beside = left < other["right"] and other["label_x"] < right
            if is_beside and abs(height - other["label_y"]) < NAME_LINE * unit:
                height = other["label_y"] - NAME_LINE * unit
        placed.append({**point, "label_x": left, "label_y": height, "right": right, "is_moved": height < start})
    return placed


def describe_point(model: ModelShift, scale: Scale, *, label: Sequence[str] = ()) -> dict[str, Any]:
    """Where a model stands, what its tooltip says, and its name if a glob matches it."""
    x, x_low, x_high = _place(model.original, scale)
    y, y_low, y_high = _place(model.new, scale)
    return {
        "model": model.name,
        "label": model.name if any(fnmatchcase(model.name, glob) for glob in label) else "",
        "x": x,
        "x_low": x_low,
        "x_high": x_high,
        "y": y,
        "y_low": y_low,
        "y_high": y_high,
        "original": str(model.original),
        "new": str(model.new),
        "gap": str(model.gap),
        "rank": f"{model.rank_original} → {model.rank_new}",
    }


def _place(accuracy: Share[float], scale: Scale) -> list[float]:
    """Value and limits on the scale; a value of 0 or 1 stands where the fit takes it to stand, and limits there at the rim."""
    ends = np.array([accuracy.value, accuracy.low, accuracy.high])
    if scale is not Scale.LINEAR:
        rim = min(0.001, 0.5 / accuracy.n)
        ends = np.clip([move_inside(accuracy.value, accuracy.n), accuracy.low, accuracy.high], rim, 1 - rim)
    placed: list[float] = to_scale(ends, scale).tolist()
    return placed


def _find_domain(lows: Sequence[float], highs: Sequence[float]) -> tuple[float, float]:
    low, high = min(lows), max(highs)
    margin = PAD * (high - low) or 0.01
    return low - margin, high + margin


def _measure(domain: tuple[float, float]) -> float:
    return domain[1] - domain[0]


def _widen(domain: tuple[float, float], other: tuple[float, float], scale: Scale) -> tuple[float, float]:
    """The domain, extended to a fair part of the other one, so that equal units do not make a figure as thin as a ribbon."""
    needed = MIN_SHARE * _measure(other)
    if _measure(domain) >= needed:
        return domain
    low = (domain[0] + domain[1] - needed) / 2
    if scale is Scale.LINEAR:
        # There are no accuracies outside 0 to 1.
        low = max(min(low, 1 + PAD * needed - needed), -PAD * needed)
    return low, low + needed


def _explain(shift: Shift, fits: Sequence[ShiftFit], scale: Scale) -> list[str]:
    level = f"{100 * shift.settings.level:g}%"
    models = "1 model" if len(shift.models) == 1 else f"{len(shift.models)} models"
    lines = [f"{models} with {level} {shift.accuracy_interval} intervals; dashed: equal accuracy."]
    if scale is not Scale.LINEAR and any({one.original.value, one.new.value} & {0.0, 1.0} for one in shift.models):
        lines.append(f"Accuracies of 0% and 100%, which have no {scale}, stand half an answer from the end.")
    for fit in fits:
        lines.append(f"{fit.scale.capitalize()} fit through {fit.n_models} models: {_describe_line(fit)}.")
        lines.append(f"Shaded: {level} of {fit.n_bootstrap:,} bootstrap samples of {fit.resample.words}.")
    return lines


def _describe_line(fit: ShiftFit) -> str:
    slope = f"slope {typeset(fit.slope, decimals=2)}"
    if fit.scale is not Scale.LINEAR:
        return f"{slope}, offset {typeset(fit.offset, decimals=2)}"
    return f"{slope}, offset {typeset(fit.offset, scale=100)} points"
