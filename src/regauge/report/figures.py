"""Scores as a figure: one panel per metric, one line per participant, every interval drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from regauge.errors import InputError
from regauge.records.estimates import format_estimate
from regauge.records.scores import WHOLE, Scores
from regauge.report.theme import CONFIG, INK, MODEL

PANEL_WIDTH = 220
N_COLUMNS = 3
ROW_HEIGHT = 22


def draw_scores(scores: Scores, *, metrics: Sequence[str] | None = None, subset: str = WHOLE) -> alt.ConcatChart:
    """The scores of all participants on one subset, best first by the first metric.

    The dot is the value, the line its interval. Where predictions are unjudged, a bar leads from the dot to the value
    that the participant would have if all of them were right.

    Args:
        scores: what to draw.
        metrics: the panels in reading order; unless given, every metric that is not a balanced mean.
        subset: which subset.

    Raises:
        InputError: there is nothing to draw.
    """
    rows = scores.to_frame().filter(pl.col("subset") == subset, pl.col("value").is_not_null())
    chosen = list(metrics) if metrics is not None else _find_plain_metrics(rows)
    missing = [metric for metric in chosen if metric not in rows["metric"]]
    rows = rows.filter(pl.col("metric").is_in(chosen))
    if missing or not rows.height:
        raise InputError(
            f"There are no scores to draw for subset {subset!r} and the metrics {', '.join(chosen) or '(none)'}."
        )
    names = _order_participants(rows, chosen[0])
    panels = [
        _draw_panel(part, names, has_names=place % N_COLUMNS == 0) for place, part in enumerate(_split(rows, chosen))
    ]
    title = _make_title(rows, scores, subset)
    figure: alt.ConcatChart = alt.concat(*panels, columns=N_COLUMNS, spacing=24, title=title).configure(**CONFIG)
    return figure


def _find_plain_metrics(rows: pl.DataFrame) -> list[str]:
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    return [metric for metric in metrics if not metric.endswith("_balanced")]


def _order_participants(rows: pl.DataFrame, metric: str) -> list[str]:
    """The best by the metric first; those without it last."""
    first = rows.filter(pl.col("metric") == metric).unique("participant", maintain_order=True)
    ordered = first.sort("value", descending=True, maintain_order=True)["participant"].to_list()
    return list(dict.fromkeys([*ordered, *rows["participant"].to_list()]))


def _split(rows: pl.DataFrame, metrics: Sequence[str]) -> list[pl.DataFrame]:
    """One part per metric and label set, in the order of the metrics."""
    parts = rows.partition_by("metric", "labels", maintain_order=True)
    return sorted(parts, key=lambda part: metrics.index(part["metric"][0]))


def _draw_panel(rows: pl.DataFrame, names: Sequence[str], *, has_names: bool) -> Any:  # noqa: ANN401 - altair types a layer as one of two charts
    estimates = [
        format_estimate(value, low=low, high=high)
        for value, low, high in rows.select("value", "low", "high").iter_rows()
    ]
    data = {"values": rows.with_columns(pl.Series("estimate", estimates)).to_dicts()}
    y_axis = alt.Axis(labelLimit=240) if has_names else None
    base = alt.Chart(data).encode(
        y=alt.Y("participant:N", sort=list(names), title=None, axis=y_axis, scale=alt.Scale(domain=list(names))),
        tooltip=[
            alt.Tooltip("participant:N"),
            alt.Tooltip("metric:N"),
            alt.Tooltip("estimate:N"),
            alt.Tooltip("n:Q", format=","),
            alt.Tooltip("n_unjudged:Q", format=","),
        ],
    )
    x: dict[str, Any] = {
        "title": None,
        "axis": alt.Axis(format=".0%", tickCount=5),
        "scale": alt.Scale(zero=False, nice=True, padding=8),
    }
    interval = base.mark_rule(color=MODEL, strokeWidth=2, opacity=0.5).encode(x=alt.X("low:Q", **x), x2="high:Q")
    bounds = base.mark_rule(color=MODEL, strokeWidth=6, opacity=0.5).encode(
        x=alt.X("lower_bound:Q", **x), x2="upper_bound:Q"
    )
    point = base.mark_circle(color=MODEL, size=40, opacity=1).encode(x=alt.X("value:Q", **x))
    layers = (interval, bounds, point) if (rows["n_unjudged"] > 0).any() else (interval, point)
    title = alt.TitleParams(rows["metric"][0], subtitle=_describe(rows), fontSize=13, color=INK, offset=8)
    return alt.layer(*layers, title=title, width=PANEL_WIDTH, height=ROW_HEIGHT * len(names))


def _describe(rows: pl.DataFrame) -> str:
    """By which labels, and on how many images."""
    counts = rows["n"].to_list()
    low, high = min(counts), max(counts)
    n = f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"
    return f"{n}, labels: {rows['labels'][0]}"


def _make_title(rows: pl.DataFrame, scores: Scores, subset: str) -> alt.TitleParams:
    part = "" if subset == WHOLE else f", {subset}"
    methods = ", ".join(rows["interval"].unique(maintain_order=True).drop_nulls())
    subtitle = f"{100 * scores.settings.level:g}% intervals: {methods}."
    if (rows["n_unjudged"] > 0).any():
        subtitle += " Thick bar: up to the value if all unjudged predictions were right."
    return alt.TitleParams(f"Accuracy on {rows['test_set'][0]}{part}", subtitle=subtitle)
