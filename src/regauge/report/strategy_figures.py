"""Several new test sets against one original as a figure: a colour for each, its models, its fit, and the line y = x.

After Figures 1 and 2 of Recht et al. (2019): the strategies share both axes, so that what they make of the same models can
be compared at sight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from regauge.errors import InputError
from regauge.estimates import count_things, typeset
from regauge.records.canvas import Canvas
from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.strategies import NewSet, StrategyComparison
from regauge.report.drawing.axes import Axes
from regauge.report.drawing.fit_words import say_missing
from regauge.report.drawing.sheet import Sheet
from regauge.report.metrics import get_title
from regauge.report.shift_figures import check_label, choose_named, describe_point
from regauge.report.theme import FIT, GREEN, INK, MODEL, PINK

COLOURS = (MODEL, FIT, GREEN, PINK, "#56B4E9", INK)
"""Okabe and Ito's, in the order in which sets take them; orange is for people, who have a ring of the colour of the set."""


def plot_strategies(
    comparison: StrategyComparison,
    *,
    label: Sequence[str] = (),
    scale: Scale | str | None = None,
    canvas: Canvas | None = None,
) -> alt.LayerChart:
    """The comparison as a figure that can be published as it is.

    Args:
        comparison: what to draw.
        label: globs; the names of matching models are printed beside their points on the first set.
        scale: the scale of both axes; by default the first that was asked for.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: a glob matches no model, or there are more sets than colours.
    """
    if len(comparison.sets) > len(COLOURS):
        raise InputError(
            f"A figure tells {len(COLOURS)} sets apart, not {len(comparison.sets)}; compare fewer at once."
        )
    chosen = comparison.settings.scales[0] if scale is None else Scale(scale)
    check_label(comparison.sets[0].shift, label)
    fits = [next((fit for fit in one.shift.fits if fit.scale is chosen), None) for one in comparison.sets]
    points = [
        [
            describe_point(model, chosen, fit=fit) | {"is_person": model.name in one.shift.people}
            for model in one.shift.models
        ]
        for one, fit in zip(comparison.sets, fits, strict=True)
    ]
    titles = f"accuracy on {comparison.original}", "accuracy on the new set"
    every = [point for some in points for point in some]
    sheet = Sheet(canvas or Canvas())
    axes = Axes(chosen, every, titles=titles, sheet=sheet)
    layers: list[Any] = [axes.plot_diagonal()]
    for color, fit, some in zip(COLOURS, fits, points, strict=False):
        layers += axes.plot_fit(fit, color) if fit is not None else []
        layers += axes.plot_intervals(some, color) + axes.plot_points(some, color, ring=color)
    named = choose_named(comparison.sets[0].shift, points[0], label=label) if label else []
    names, missing = axes.plot_names(named, every)
    layers += [*axes.plot_equal(every), *names, _plot_key(comparison, sheet)]
    title = sheet.make_title(
        f"{get_title(comparison.settings.metric)} on {len(comparison.sets)} new sets against {comparison.original}",
        [*_explain(comparison, chosen), *say_missing(missing)],
    )
    return sheet.finish(layers, **axes.extent, title=title)


def _plot_key(comparison: StrategyComparison, sheet: Sheet) -> alt.Chart:
    """Invisible points that give the legend its names and colours."""
    names = [one.name for one in comparison.sets]
    colours = alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    legend = sheet.make_legend(names, symbolType="circle", symbolSize=60)
    key = alt.Chart({"values": [{"set": name} for name in names]}).mark_circle(opacity=0, size=0)
    chart: alt.Chart = key.encode(alt.Color("set:N", scale=colours, legend=legend))
    return chart


def _explain(comparison: StrategyComparison, scale: Scale) -> list[str]:
    level = f"{100 * comparison.settings.level:g}%"
    people = frozenset[str]().union(*(one.shift.people for one in comparison.sets))
    n_models = len(comparison.ranges) - len(people)
    who = " and ".join(
        [
            *([count_things(n_models, "model")] if n_models else []),
            *([f"{count_things(len(people), 'person', many='people')} (orange diamonds)"] if people else []),
        ]
    )
    first = f"{who} with {level} Clopper–Pearson intervals, mean changes with images resampled; dashed: equal accuracy."
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
