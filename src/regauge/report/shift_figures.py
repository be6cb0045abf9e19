"""Two test sets as a figure: every model as a point with its intervals, the line y = x, the fit and its band.

After Figure 1 of Recht et al. (2019): both axes have the same unit, so that slopes can be read off.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import altair as alt

from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.records.canvas import Canvas
from regauge.records.evaluation.fits import Scale, ShiftFit
from regauge.records.evaluation.shifts import ModelShift, Shift
from regauge.report.drawing.axes import OUTSIDE, Axes, Point
from regauge.report.drawing.fit_words import describe_equation, place_share, say_missing, tell_line
from regauge.report.drawing.sheet import Sheet
from regauge.report.metrics import get_title
from regauge.report.published_figures import explain_published, list_published_fits, plot_published
from regauge.report.theme import DATASET

N_ALL = 24
"""With at most as many models, all want their names printed."""
N_MOVED = 6
"""How many of those that change rank most are named among more."""


def plot_shift(
    shift: Shift, *, label: Sequence[str] = (), scale: Scale | str | None = None, canvas: Canvas | None = None
) -> alt.LayerChart:
    """The comparison as a figure that can be published as it is.

    Models that the fit leaves out are hollow. Names stand beside their points where they find room.

    Args:
        shift: what to draw.
        label: globs; the names of matching models are printed. Unless given, all names of a few models, and of many those of
            the best, the worst, and those that the fit leaves out or that change rank most. All show on hover in HTML.
        scale: the scale of both axes; by default the first that was asked for.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: a glob matches no model.
    """
    chosen = shift.settings.scales[0] if scale is None else Scale(scale)
    check_label(shift, label)
    fits = [fit for fit in shift.fits if fit.scale is chosen]
    fitted = fits[0] if fits else None
    points = [
        describe_point(model, chosen, fit=fitted) | {"is_person": model.name in shift.people} for model in shift.models
    ]
    sheet = Sheet(canvas or Canvas())
    theirs = [] if shift.published is None else [describe_point(one, chosen) for one in shift.published.shift.models]
    everybody = [*points, *theirs]
    axes = Axes(chosen, everybody, titles=(f"accuracy on {shift.original}", f"accuracy on {shift.new}"), sheet=sheet)
    grey = [layer for fit in list_published_fits(shift.published, chosen) for layer in axes.plot_fit(fit, DATASET)]
    lines = [layer for fit in fits for layer in axes.plot_fit(fit)]
    words = axes.plot_words(describe_equation(fitted), everybody) if fitted is not None else []
    names, missing = axes.plot_names(choose_named(shift, points, label=label), everybody)
    layers = [
        axes.plot_diagonal(),
        *grey,
        *plot_published(theirs, x=axes.x, y=axes.y),
        *lines,
        *axes.plot_intervals(points),
        *axes.plot_points(points),
        *axes.plot_equal(everybody),
        *words,
        *names,
    ]
    # Of many models we chose some ourselves; nobody misses those that found no room.
    is_asked = bool(label) or len(shift.models) <= N_ALL
    told = " ".join(
        [
            *_explain(shift, fitted, chosen),
            *explain_published(shift.published, chosen),
            *say_missing(missing if is_asked else ()),
        ]
    )
    title = sheet.make_title(f"{get_title(shift.settings.metric)} on {shift.new} against {shift.original}", [told])
    return sheet.finish(layers, **axes.extent, title=title)


def check_label(shift: Shift, label: Sequence[str]) -> None:
    """Refuse a glob that matches no model."""
    for glob in label:
        if not any(fnmatchcase(model.name, glob) for model in shift.models):
            raise InputError(f"No model matches {glob!r}, so there is no name to print in the figure.")


def choose_named(shift: Shift, points: Sequence[Point], *, label: Sequence[str]) -> list[Point]:
    """The points whose names are to be printed, the most interesting first."""
    by_name = {point["model"]: point for point in points}
    models = shift.models
    if label:
        models = tuple(one for one in models if any(fnmatchcase(one.name, glob) for glob in label))
    moved = sorted(models, key=lambda one: -abs(one.delta_rank))
    if not label and len(models) > N_ALL:
        moved = [one for one in moved[:N_MOVED] if one.delta_rank]
        models = ()
    # People are few and seen first.
    outside = sorted(
        (one for one in shift.models if by_name[one.name]["fit"] == OUTSIDE),
        key=lambda one: one.name not in shift.people,
    )
    ends = [one for one in (*shift.models[:1], *shift.models[-1:], *outside) if not label or one in models]
    return [by_name[name] for name in dict.fromkeys(one.name for one in (*ends, *moved, *models))]


def describe_point(model: ModelShift, scale: Scale, *, fit: ShiftFit | None = None) -> Point:
    """Where a model stands, and what its tooltip says."""
    x, x_low, x_high = place_share(model.original, scale)
    y, y_low, y_high = place_share(model.new, scale)
    return {
        "model": model.name,
        "label": model.name,
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
        "fit": _tell_fit(model, fit),
    }


def _tell_fit(model: ModelShift, fit: ShiftFit | None) -> str:
    if fit is None:
        return "none"
    return "goes through it" if model.name in fit.models else OUTSIDE


def _explain(shift: Shift, fit: ShiftFit | None, scale: Scale) -> list[str]:
    level = f"{100 * shift.settings.level:g}%"
    n_people = len(shift.people)
    models = count_things(len(shift.models) - n_people, "model") if n_people < len(shift.models) else ""
    people = count_things(n_people, "person", many="people") + " (diamonds)" if n_people else ""
    whom = " and ".join(filter(None, (models, people)))
    lines = [f"{whom} with {level} {shift.accuracy_interval} intervals; dashed: equal accuracy."]
    if scale is not Scale.LINEAR and any({one.original.value, one.new.value} & {0.0, 1.0} for one in shift.models):
        lines.append(f"Accuracies of 0% and 100%, which have no {scale}, are drawn half an answer from the end.")
    if fit is not None:
        lines.append(f"{fit.scale.capitalize()} fit through {fit.n_models} models: {tell_line(fit)}.")
        lines.append(f"Shaded: {level} of {fit.n_bootstrap:,} bootstrap samples of {fit.resample.words}.")
        n_outside = len(shift.models) - n_people - fit.n_models
        if n_outside:
            lines.append(f"Hollow: {n_outside} that the fit leaves out.")
    return lines
