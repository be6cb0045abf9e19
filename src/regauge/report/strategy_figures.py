"""Several new test sets against one original as a figure: a colour for each, its models, its fit, and the line y = x.

After Figures 1 and 2 of Recht et al. (2019): the strategies share both axes, so that what they make of the same models can
be compared at sight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from regauge.errors import InputError
from regauge.estimates import typeset
from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.strategies import NewSet, StrategyComparison
from regauge.report.metrics import get_title
from regauge.report.shift_figures import Axes, check_label, describe_point
from regauge.report.theme import CONFIG, FIT, HUMAN, MODEL

COLOURS = (MODEL, FIT, "#009E73", "#CC79A7", HUMAN, "#56B4E9")
"""Okabe and Ito's, in the order in which sets take them."""


def plot_strategies(
    comparison: StrategyComparison, *, label: Sequence[str] = (), scale: Scale | str | None = None
) -> alt.LayerChart:
    """The comparison as a figure that can be published as it is.

    Args:
        comparison: what to draw.
        label: globs; the names of matching models are printed beside their points on the first set.
        scale: the scale of both axes; unless given, the first that was asked for.

    Raises:
        InputError: a glob matches no model, or there are more sets than colours.
    """
    if len(comparison.sets) > len(COLOURS):
        raise InputError(
            f"A figure tells {len(COLOURS)} sets apart, not {len(comparison.sets)}; compare fewer at once."
        )
    chosen = comparison.settings.scales[0] if scale is None else Scale(scale)
    check_label(comparison.sets[0].shift, label)
    points = [
        [describe_point(model, chosen, label=() if place else label) for model in one.shift.models]
        for place, one in enumerate(comparison.sets)
    ]
    titles = f"accuracy on {comparison.original}", "accuracy on the new set"
    axes = Axes(chosen, [point for some in points for point in some], titles=titles)
    layers: list[Any] = [axes.plot_diagonal()]
    for color, one, some in zip(COLOURS, comparison.sets, points, strict=False):
        fits = [fit for fit in one.shift.fits if fit.scale is chosen]
        layers += [layer for fit in fits for layer in axes.plot_fit(fit, color)]
        layers += axes.plot_points(some, color)
    layers.append(_plot_key(comparison))
    title = alt.TitleParams(
        f"{get_title(comparison.settings.metric)} on {len(comparison.sets)} new sets against {comparison.original}",
        subtitle=_explain(comparison, chosen),
    )
    figure: alt.LayerChart = alt.layer(*layers, **axes.extent, title=title).configure(**CONFIG)
    return figure


def _plot_key(comparison: StrategyComparison) -> alt.Chart:
    """Invisible points that give the legend its names and colours."""
    names = [one.name for one in comparison.sets]
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    legend = alt.Legend(title="new set", symbolType="circle", symbolOpacity=1, symbolSize=60, labelLimit=260)
    key = alt.Chart({"values": [{"set": name} for name in names]}).mark_circle(opacity=0, size=0)
    chart: alt.Chart = key.encode(alt.Color("set:N", scale=colours, legend=legend))
    return chart


def _explain(comparison: StrategyComparison, scale: Scale) -> list[str]:
    level = f"{100 * comparison.settings.level:g}%"
    models = f"{len(comparison.ranges)} models with {level} Clopper–Pearson intervals"
    first = f"{models}, mean changes with images drawn anew; dashed: equal accuracy."
    return [first, *(_describe_set(one, scale, comparison.settings.metric) for one in comparison.sets)]


def _describe_set(one: NewSet, scale: Scale, metric: str) -> str:
    """The set in a line: its mean change, its frequency and its slope, each with limits."""
    change = one.changes[metric].by_images
    words = f"{one.name}: {typeset(change, scale=100, sign=True)} points on average"
    if one.frequency is not None:
        words += f", selection frequency {typeset(one.frequency, decimals=2)}"
    for fit in one.shift.fits:
        if fit.scale is scale:
            words += f", {scale} slope {typeset(fit.slope, decimals=2)}"
    return f"{words}."
