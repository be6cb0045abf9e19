"""Scores as a figure: one panel per metric, one line per participant, every interval drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from regauge.errors import InputError
from regauge.estimates import Estimate
from regauge.records.evaluation.scores import WHOLE, Scores
from regauge.report.metrics import find_place, get_title, is_balanced
from regauge.report.theme import CONFIG, INK, MODEL

PANEL_WIDTH = 170
N_COLUMNS = 3
SPACING = {"column": 36, "row": 100}
"""Pixels between the panels themselves; titles and axes stand in them, so that panels below each other start at one line."""
LABEL_LIMIT = 200
"""Pixels for a name. Three panels beside each other are at most 820 wide: on 17 cm the letters have 7 points."""
ROW_HEIGHT, DENSE_ROW_HEIGHT = 22, 15
DOT, DENSE_DOT = 40, 18
MANY = 30
"""Participants beyond whom rows stand closer."""


def plot_scores(scores: Scores, *, metrics: Sequence[str] | None = None, subset: str = WHOLE) -> alt.ConcatChart:
    """The scores of all participants on one subset, best first by the first metric.

    The dot is the value, the line its interval. Where predictions are unjudged, a bar leads from the value
    that the participant would have if all of them were wrong to the one if all were right.

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
        _plot_panel(part, names, has_names=place % N_COLUMNS == 0) for place, part in enumerate(_split(rows, chosen))
    ]
    title = _make_title(rows, scores, subset)
    figure: alt.ConcatChart = alt.concat(*panels, columns=N_COLUMNS, spacing=SPACING, bounds="flush", title=title)
    configured: alt.ConcatChart = figure.configure(**CONFIG)
    return configured


def _find_plain_metrics(rows: pl.DataFrame) -> list[str]:
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    return sorted((metric for metric in metrics if not is_balanced(metric)), key=find_place)


def _order_participants(rows: pl.DataFrame, metric: str) -> list[str]:
    """The best by the metric first; those without it last."""
    first = rows.filter(pl.col("metric") == metric).unique("participant", maintain_order=True)
    ordered = first.sort("value", descending=True, maintain_order=True)["participant"].to_list()
    return list(dict.fromkeys([*ordered, *rows["participant"].to_list()]))


def _split(rows: pl.DataFrame, metrics: Sequence[str]) -> list[pl.DataFrame]:
    """One part per metric and label set, in the order of the metrics."""
    parts = rows.partition_by("metric", "labels", maintain_order=True)
    return sorted(parts, key=lambda part: metrics.index(part["metric"][0]))


def _plot_panel(rows: pl.DataFrame, names: Sequence[str], *, has_names: bool) -> Any:  # noqa: ANN401 - altair types a layer as one of two charts
    base = _make_base(rows, names, has_names=has_names)
    x: dict[str, Any] = {
        "title": None,
        "axis": alt.Axis(format=".0%", tickCount=3),
        "scale": alt.Scale(zero=False, nice=True, padding=8),
    }
    is_dense = len(names) > MANY
    interval = base.mark_rule(color=MODEL, strokeWidth=2, opacity=0.5).encode(x=alt.X("low:Q", **x), x2="high:Q")
    bounds = base.mark_rule(color=MODEL, strokeWidth=6, opacity=0.5).encode(
        x=alt.X("lower_bound:Q", **x), x2="upper_bound:Q"
    )
    size = DENSE_DOT if is_dense else DOT
    point = base.mark_circle(color=MODEL, size=size, opacity=1).encode(x=alt.X("value:Q", **x))
    title = alt.TitleParams(
        get_title(rows["metric"][0], rows["remark"][0]),
        subtitle=_describe(rows),
        fontSize=13,
        color=INK,
        offset=8,
        frame="group",
        limit=PANEL_WIDTH + SPACING["column"] - 8,
    )
    return alt.layer(
        *((interval, bounds, point) if (rows["n_unjudged"] > 0).any() else (interval, point)),
        title=title,
        width=PANEL_WIDTH,
        height=(DENSE_ROW_HEIGHT if is_dense else ROW_HEIGHT) * len(names),
    )


def _make_base(rows: pl.DataFrame, names: Sequence[str], *, has_names: bool) -> alt.Chart:
    """What all layers of a panel share: a line per participant, and what shows under the mouse."""
    estimates = [str(Estimate(*numbers)) for numbers in rows.select("value", "low", "high").iter_rows()]
    data = {"values": rows.with_columns(pl.Series("estimate", estimates)).to_dicts()}
    y_axis = alt.Axis(labelLimit=LABEL_LIMIT) if has_names else None
    base: alt.Chart = alt.Chart(data).encode(
        y=alt.Y("participant:N", sort=list(names), title=None, axis=y_axis, scale=alt.Scale(domain=list(names))),
        tooltip=[
            alt.Tooltip("participant:N"),
            alt.Tooltip("metric:N"),
            alt.Tooltip("estimate:N"),
            alt.Tooltip("n:Q", format=","),
            alt.Tooltip("n_unjudged:Q", format=","),
        ],
    )
    return base


def _describe(rows: pl.DataFrame) -> list[str]:
    """On how many images, and by which labels."""
    counts = rows["n"].to_list()
    low, high = min(counts), max(counts)
    return [f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}", f"labels: {rows['labels'][0]}"]


def _make_title(rows: pl.DataFrame, scores: Scores, subset: str) -> alt.TitleParams:
    part = "" if subset == WHOLE else f", {subset}"
    methods = ", ".join(rows["interval"].unique(maintain_order=True).drop_nulls())
    subtitle = f"{100 * scores.settings.level:g}% intervals: {methods}."
    if (rows["n_unjudged"] > 0).any():
        subtitle += " Thick bar: from all unjudged wrong to all unjudged right."
    if _is_any_hidden(rows):
        subtitle += " Where no line shows, the interval is narrower than the dot."
    return alt.TitleParams(f"Accuracy on {rows['test_set'][0]}{part}", subtitle=subtitle)


def _is_any_hidden(rows: pl.DataFrame) -> bool:
    """Whether some interval is so narrow on its panel that the dot hides it."""
    dot = math.sqrt(DENSE_DOT if rows["participant"].n_unique() > MANY else DOT)
    span = pl.col("high") - pl.col("low")
    spans = rows.group_by("metric", "labels").agg(
        narrowest=span.min(), whole=pl.col("high").max() - pl.col("low").min()
    )
    return spans.filter(PANEL_WIDTH * pl.col("narrowest") < dot * pl.col("whole")).height > 0
