"""A plan as a figure: what every combination takes, and how precise its answer would be."""

from __future__ import annotations

from typing import Any

import altair as alt

from regauge.records.canvas import Canvas
from regauge.records.evaluation.planning import ENOUGH, PlanPoint, StudyPlan
from regauge.report.drawing.sheet import Sheet
from regauge.report.theme import FIT, INK, MUTED, SEQUENCE

BESIDE = 56
"""Pixels for the axis of precision."""
SHAPE = 0.64
"""How high the plot is, as a share of its width."""
Y_TITLE = "± points on the gap"


def plot_plan(plan: StudyPlan, *, canvas: Canvas | None = None) -> alt.LayerChart:
    """Half-width of the frequency-adjusted gap against cost, or hours where nobody is paid; a line per number of images."""
    sheet = Sheet(canvas or Canvas())
    rows = [_describe(plan, point) for point in plan.points]
    base = alt.Chart({"values": rows})
    x, y = _make_x(plan), alt.Y("half_width:Q", title=Y_TITLE, scale=alt.Scale(zero=True))
    names = [f"{n} per class" for n in plan.settings.per_class]
    # Beyond the colours of the theme, a sequence of shades still tells the lines apart.
    shades = {"range": list(SEQUENCE[: len(names)])} if len(names) <= len(SEQUENCE) else {"scheme": "viridis"}
    legend = sheet.make_legend(names)
    colour = alt.Color("images:N", sort=names, scale=alt.Scale(domain=names, **shades), legend=legend)
    line = base.mark_line(strokeWidth=1.5).encode(x, y, colour, order=alt.Order("annotators:Q"))
    spread = base.mark_rule(opacity=0.5).encode(x, alt.Y("low:Q", title=Y_TITLE), alt.Y2("high:Q"), colour)
    tooltip = [alt.Tooltip(f"{name}:N") for name in ("images", "annotators", "candidates", "takes", "precision")]
    point = base.mark_circle(size=44, opacity=1).encode(x, y, colour, tooltip=tooltip)
    text = base.mark_text(dy=-10, fontSize=10, color=INK).encode(x, y, text="annotators:N")
    target = alt.Chart({"values": [{"half_width": 100 * plan.settings.target}]})
    rule = target.mark_rule(color=FIT, strokeDash=[5, 4]).encode(alt.Y("half_width:Q", title=Y_TITLE))
    title = sheet.make_title("How precise, at what price", [" ".join(_explain(plan))])
    width = sheet.inner - BESIDE
    return sheet.finish([rule, spread, line, point, text], width=width, height=width * SHAPE, title=title)


def _make_x(plan: StudyPlan) -> alt.X:
    title = f"cost in {plan.currency}" if plan.currency else "hours of work"
    axis = alt.Axis(format="~s" if plan.currency else ",.0f", tickCount=6, labelColor=MUTED)
    return alt.X("price:Q", title=title, scale=alt.Scale(type="log", nice=False, padding=16), axis=axis)


def _describe(plan: StudyPlan, point: PlanPoint) -> dict[str, Any]:
    price = point.hours if point.cost is None else point.cost
    return {
        "images": f"{point.per_class} per class",
        "annotators": point.annotators,
        "candidates": point.candidates,
        "price": max(price, 1e-9),
        "half_width": 100 * point.adjusted_half_width,
        "low": 100 * point.adjusted_low,
        "high": 100 * point.adjusted_high,
        "takes": f"{price:,.0f} {plan.currency or 'hours'}",
        "precision": f"± {100 * point.adjusted_half_width:.2f} points",
    }


def _explain(plan: StudyPlan) -> list[str]:
    settings = plan.settings
    return [
        f"Frequency-adjusted gap, {100 * settings.level:g}% intervals by {settings.method}; numbers: annotators per image.",
        f"Points: median of {settings.n_studies:,} simulated studies; bars: 80% of them; dashed: the target.",
        f"Enough is what reaches it in {100 * ENOUGH:g}% of the studies.",
    ]
