"""A slice as a figure: what every participant gets right on it, against top-1 accuracy on the whole test set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from regauge.errors import InputError
from regauge.estimates import Share, count_things
from regauge.records.canvas import Canvas
from regauge.records.evaluation.fits import Scale
from regauge.records.slices.scores import SliceScore, SliceScores
from regauge.report.drawing.axes import OUTSIDE, Axes, Point
from regauge.report.drawing.sheet import Sheet
from regauge.report.theme import HUMAN, MODEL

MAX_NAMED = 24
"""With at most as many participants, all want their names printed; of more, the best and the worst."""


def plot_slice(scores: SliceScores, *, canvas: Canvas | None = None) -> alt.LayerChart:
    """Right answers on a slice against top-1 accuracy, both with their intervals.

    Models are blue dots and people orange diamonds; whoever helped to choose the images is hollow, for their share cannot be
    compared with others'.

    Args:
        scores: what to draw.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: nobody's top-1 accuracy is known.
    """
    drawn = [one for one in scores.scores if one.top1 is not None and one.correct.n]
    if not drawn:
        raise InputError(
            "There is nothing to draw: the figure sets a slice against top-1 accuracy, and nobody's is known; give the dataset "
            "labels of the whole test set with `truth=…`."
        )
    points = [_describe_point(one) for one in drawn]
    sheet = Sheet(canvas or Canvas())
    axes = Axes(
        Scale.LINEAR, points, titles=("top-1 accuracy on the whole test set", f"right on {scores.slice}"), sheet=sheet
    )
    wanted = points if len(points) <= MAX_NAMED else [points[0], points[-1]]
    names, missing = axes.plot_names(wanted, points)
    layers = [
        axes.plot_diagonal(),
        *axes.plot_intervals(points),
        *_plot_points(axes, points),
        *axes.plot_equal(points),
        *names,
    ]
    told = " ".join(_explain(scores, drawn, missing if len(points) <= MAX_NAMED else []))
    return sheet.finish(layers, **axes.extent, title=sheet.make_title(f"{scores.slice} against top-1", [told]))


def _plot_points(axes: Axes, points: list[Point]) -> Iterator[Any]:
    """The marks: full ones, and hollow ones for those that helped to choose."""
    names = ("model", "top1", "slice", "mistakes", "comparable")
    for is_person, color in ((False, MODEL), (True, HUMAN)):
        own = [one for one in points if one["is_person"] is is_person]
        full, hollow = ([one for one in own if (one["fit"] == OUTSIDE) is is_out] for is_out in (False, True))
        yield from axes.plot_marks(full, names, color=color)
        yield from axes.plot_marks(hollow, names, color=color, is_hollow=True)


def _describe_point(one: SliceScore) -> Point:
    top1, correct = one.top1, one.correct
    return {
        "model": one.participant,
        "label": one.participant,
        **_place("x", top1),
        **_place("y", correct),
        "top1": str(top1),
        "slice": f"{correct.k:,} of {correct.n:,}, {correct}",
        "mistakes": ", ".join(f"{n:,} {state.name.lower()}" for state, n in one.counts.items() if n),
        "comparable": "yes" if one.is_comparable else "no, it helped to choose the images",
        "is_person": one.is_person,
        "fit": "" if one.is_comparable else OUTSIDE,
    }


def _place(axis: str, share: Share[float | None] | None) -> dict[str, float]:
    value, low, high = (None, None, None) if share is None else (share.value, share.low, share.high)
    names = (axis, f"{axis}_low", f"{axis}_high")
    return {name: float(number or 0.0) for name, number in zip(names, (value, low, high), strict=True)}


def _explain(scores: SliceScores, drawn: list[SliceScore], missing: list[str]) -> Iterator[str]:
    yield f"{count_things(scores.n_images, 'image')} under {scores.labels}. Intervals: Clopper–Pearson."
    if any(not one.is_comparable for one in drawn):
        yield "Hollow: helped to choose the images, so not comparable."
    if any(one.n_unjudged for one in drawn):
        yield "Intervals reach as far as unjudged answers may turn out."
    left_out = len(scores.scores) - len(drawn)
    if left_out:
        yield f"{count_things(left_out, 'participant')} not drawn: top-1 is not known."
    n_most = max(one.top1.n for one in drawn if one.top1 is not None)
    if any(one.is_person and one.top1 is not None and one.top1.n < n_most for one in drawn):
        yield "Top-1 of people: on the images that they answered."
    if missing:
        yield f"No room for the names of {', '.join(missing)}."
