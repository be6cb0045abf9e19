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
ROW_HEIGHT = 22


def draw_scores(scores: Scores, *, metrics: Sequence[str] | None = None, subset: str = WHOLE) -> alt.HConcatChart:
    """The scores of all participants on one subset, best first by the first metric.

    Args:
        scores: what to draw.
        metrics: the panels from left to right; unless given, every metric that is not a balanced mean.
        subset: which subset.

    Raises:
        InputError: there is nothing to draw.
    """
    rows = scores.to_frame().filter(pl.col("subset") == subset, pl.col("value").is_not_null())
    chosen = list(metrics) if metrics is not None else _find_plain_metrics(rows)
    rows = rows.filter(pl.col("metric").is_in(chosen))
    absent = [metric for metric in chosen if metric not in rows["metric"]]
    if absent or not chosen:
        raise InputError(
            f"There are no scores to draw for subset {subset!r} and the metrics {', '.join(absent) or '(none)'}."
        )
    order = rows.filter(pl.col("metric") == chosen[0]).sort("value", descending=True)["participant"].to_list()
    rest = [name for name in rows["participant"].unique(maintain_order=True) if name not in order]
    names = [*order, *rest]
    panels = [
        _draw_panel(rows.filter(pl.col("metric") == metric), metric, names, is_first=metric == chosen[0])
        for metric in chosen
    ]
    figure: alt.HConcatChart = alt.hconcat(*panels, spacing=24, title=_make_title(rows, scores, subset)).configure(
        **CONFIG
    )
    return figure


def _find_plain_metrics(rows: pl.DataFrame) -> list[str]:
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    return [metric for metric in metrics if not metric.endswith("_balanced")]


def _draw_panel(rows: pl.DataFrame, metric: str, names: Sequence[str], *, is_first: bool) -> Any:  # noqa: ANN401 - altair types a layer as one of two charts
    estimates = [
        format_estimate(value, low=low, high=high)
        for value, low, high in rows.select("value", "low", "high").iter_rows()
    ]
    data = {"values": rows.with_columns(pl.Series("estimate", estimates)).to_dicts()}
    axis = alt.Axis(labelLimit=240) if is_first else None
    base = alt.Chart(data).encode(
        y=alt.Y("participant:N", sort=list(names), title=None, axis=axis, scale=alt.Scale(domain=list(names))),
        tooltip=[
            alt.Tooltip("participant:N"),
            alt.Tooltip("metric:N"),
            alt.Tooltip("estimate:N"),
            alt.Tooltip("n:Q", format=","),
        ],
    )
    x_axis = alt.Axis(format=".0%", tickCount=5)
    scale = alt.Scale(zero=False, nice=True, padding=8)
    interval = base.mark_rule(color=MODEL, strokeWidth=2, opacity=0.55).encode(
        x=alt.X("low:Q", title=None, axis=x_axis, scale=scale), x2="high:Q"
    )
    point = base.mark_circle(color=MODEL, size=40, opacity=1).encode(x=alt.X("value:Q", scale=scale))
    title = alt.TitleParams(metric, subtitle=_describe_n(rows), fontSize=13, color=INK, offset=8)
    return alt.layer(interval, point, title=title, width=PANEL_WIDTH, height=ROW_HEIGHT * len(names))


def _describe_n(rows: pl.DataFrame) -> str:
    counts = rows["n"].to_list()
    low, high = min(counts), max(counts)
    return f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"


def _make_title(rows: pl.DataFrame, scores: Scores, subset: str) -> alt.TitleParams:
    test_set = rows["test_set"][0]
    part = "" if subset == WHOLE else f", {subset}"
    level = f"{100 * scores.settings.level:g}% intervals"
    methods = ", ".join(rows["interval"].unique(maintain_order=True).drop_nulls())
    return alt.TitleParams(f"Accuracy on {test_set}{part}", subtitle=f"{level} ({methods})")
