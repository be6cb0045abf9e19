"""A split gap as a figure: what selection explains and what remains, for every participant, with intervals."""

from __future__ import annotations

from typing import Any

import altair as alt

from regauge.estimates import Estimate, typeset
from regauge.records.evaluation.gaps import MEAN, GapDecomposition, GapReport
from regauge.report.theme import CONFIG, DATASET, HUMAN, INK, MODEL, SEQUENCE

PANEL_WIDTH = 300
ROW_HEIGHT = 16
"""Pixels for one method of one participant."""
LABEL_LIMIT = 200
COLOURS = {"naive": DATASET, "jackknife": HUMAN, "beta-binomial": SEQUENCE[2], "deconvolution": MODEL}
PARTS = {"selection": "Explained by selection", "remainder": "Remainder at equal frequency"}


def plot_gap(report: GapReport) -> alt.HConcatChart:
    """Both parts of the gap side by side: participants by their gap, the mean first, and below each other the methods."""
    gaps = {one.participant: one.gap.value for one in report.shown}
    names = sorted(gaps, key=lambda name: (name != MEAN, -gaps[name]))
    panels = [_plot_part(report, part, names) for part in PARTS]
    first = report.decompositions[0]
    subtitle = [
        f"original − new, in points, on {first.n_original:,} and {first.n_new:,} images.",
        f"{100 * report.settings.level:g}% intervals: {first.gap.method}.",
    ]
    title = alt.TitleParams(f"The gap from {report.original} to {report.new}", subtitle=subtitle)
    figure: alt.HConcatChart = alt.hconcat(*panels, title=title, spacing=36).configure(**CONFIG)
    return figure


def _plot_part(report: GapReport, part: str, names: list[str]) -> Any:  # noqa: ANN401 - altair types a layer as one of two charts
    rows = [_describe(one, getattr(one, part)) for one in report.shown]
    methods = [method.value for method in report.settings.methods]
    has_names = part == next(iter(PARTS))
    axis = alt.Axis(labelLimit=LABEL_LIMIT) if has_names else None
    base = alt.Chart({"values": rows}).encode(
        y=alt.Y("participant:N", sort=names, title=None, axis=axis, scale=alt.Scale(domain=names, paddingInner=0.25)),
        yOffset=alt.YOffset("method:N", sort=methods, scale=alt.Scale(domain=methods)),
        color=alt.Color(
            "method:N",
            scale=alt.Scale(domain=methods, range=[COLOURS[method] for method in methods]),
            legend=alt.Legend(title=None, orient="bottom") if len(methods) > 1 else None,
        ),
        tooltip=["participant:N", "method:N", alt.Tooltip("text:N", title=part)],
    )
    x: dict[str, Any] = {"title": "points", "scale": alt.Scale(zero=True, nice=True)}
    zero = alt.Chart({"values": [{"at": 0}]}).mark_rule(color=INK, strokeWidth=1, opacity=0.4).encode(x="at:Q")
    interval = base.mark_rule(strokeWidth=2, opacity=0.55).encode(x=alt.X("low:Q", **x), x2="high:Q")
    point = base.mark_circle(size=34, opacity=1).encode(x=alt.X("value:Q", **x))
    heading = alt.TitleParams(PARTS[part], fontSize=13, color=INK, offset=8, frame="group")
    height = ROW_HEIGHT * len(methods) * len(names)
    return alt.layer(zero, interval, point, title=heading, width=PANEL_WIDTH, height=height)


def _describe(one: GapDecomposition, part: Estimate[float]) -> dict[str, Any]:
    return {
        "participant": one.participant,
        "method": one.method.value,
        "value": 100 * part.value,
        "low": 100 * part.low,
        "high": 100 * part.high,
        "text": typeset(part, scale=100),
    }
