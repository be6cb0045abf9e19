"""People and models on two test sets as a figure, all classes beside objects only, with a line through the models alone.

After Figure 1 of Shankar et al. (2020): models are blue dots, people orange diamonds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import altair as alt

from regauge.errors import InputError
from regauge.records.canvas import Canvas
from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.scores import WHOLE
from regauge.records.evaluation.shifts import Shift
from regauge.report.drawing.axes import Axes
from regauge.report.drawing.fit_words import describe_equation
from regauge.report.drawing.sheet import BESIDE, Sheet
from regauge.report.metrics import get_title
from regauge.report.shift_figures import describe_point

MIN_PLOT = 300
"""Pixels that a plot needs; in a narrower figure they stand one below the other."""
N_NAMED = 12
"""So many names at most, of people first."""


def plot_humans(
    report: HumanReport, *, label: Sequence[str] = (), canvas: Canvas | None = None
) -> alt.HConcatChart | alt.VConcatChart:
    """People and models on both sets as a figure that can be published as it is.

    Args:
        report: what to draw.
        label: globs; the names of matching participants are printed where they find room. Unless given, those of people.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: there is one test set, or a glob matches nobody.
    """
    if not report.shifts:
        raise InputError("This figure is of two test sets, on which the same people or models answered; give both.")
    for glob in label:
        if not any(fnmatchcase(one.name, glob) for one in report.participants):
            raise InputError(f"No participant matches {glob!r}, so there is no name to print in the figure.")
    sheet = Sheet(canvas or Canvas())
    is_wide = (sheet.inner - BESIDE) / 2 >= MIN_PLOT
    part = sheet.divide(len(report.shifts)) if is_wide else Sheet(Canvas(width=sheet.inner))
    plots = [_plot(shift, name, label=label, sheet=part) for name, shift in report.shifts.items()]
    title = sheet.make_title(
        f"{get_title(report.metrics[0])} on {report.test_sets[1]} against {report.test_sets[0]}", _explain(report)
    )
    return sheet.finish_beside(plots, title=title) if is_wide else sheet.finish_below(plots, title=title)


def _plot(shift: Shift, name: str, *, label: Sequence[str], sheet: Sheet) -> Any:  # noqa: ANN401 - what altair makes of layers
    fit = shift.fits[0] if shift.fits else None
    points: list[dict[str, Any]] = [
        describe_point(one, Scale.LINEAR, fit=fit) | {"is_person": one.name in shift.people} for one in shift.models
    ]
    titles = f"accuracy on {shift.original}", f"accuracy on {shift.new}"
    axes = Axes(Scale.LINEAR, points, titles=titles, sheet=sheet)
    lines = [layer for one in shift.fits for layer in axes.plot_fit(one)]
    words = axes.plot_words(describe_equation(fit), points) if fit is not None else []
    wanted = label or tuple(shift.people)
    named = [point for point in points if any(fnmatchcase(point["model"], glob) for glob in wanted)][:N_NAMED]
    names, _ = axes.plot_names(named, points)
    layers = [
        axes.plot_diagonal(),
        *lines,
        *axes.plot_intervals(points),
        *axes.plot_points(points),
        *axes.plot_equal(points),
        *words,
        *names,
    ]
    heading = alt.TitleParams("all classes" if name == WHOLE else f"{name} only", fontSize=sheet.letter, fontWeight=600)
    return alt.layer(*layers, **axes.extent, title=heading)


def _explain(report: HumanReport) -> list[str]:
    n_people = len(report.people)
    level = f"{100 * report.settings.level:g}%"
    lines = [
        f"Models (dots): {len(report.participants) - n_people}; people (diamonds): {n_people}.",
        f"{level} Clopper–Pearson intervals; dashed: equal accuracy.",
    ]
    if n_people and any(shift.fits for shift in report.shifts.values()):
        lines.append("The line goes through the models alone, with limits from bootstrap samples of them.")
    return lines
