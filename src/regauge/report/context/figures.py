"""One figure for each analysis of benchmark and task, that answers its question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import altair as alt
import numpy as np
import polars as pl

from regauge.errors import InputError
from regauge.estimates import count_things, format_estimate, format_percent, from_fields
from regauge.records.canvas import Canvas
from regauge.records.evaluation.context.report import ContextReport
from regauge.report.context.panels import (
    Axis,
    draw_level,
    draw_matrix,
    plot_bars,
    plot_points,
    plot_rows,
    plot_steps,
)
from regauge.report.drawing.sheet import Sheet

N_ROWS = 15
"""Rows of a ranked list that are drawn."""
MAX_GROUPS = 14
"""Groups whose numbers fit into the cells of a matrix."""
OBJECTS = "objects"
"""What the analysis of confusions calls the objects that images hold."""

Figure: TypeAlias = alt.LayerChart | alt.VConcatChart
Row: TypeAlias = Mapping[str, Any]
Point: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """What a plot of participants says: its title, sentences, the axis beside, and lines across it."""

    title: str
    told: tuple[str, ...]
    y: Axis
    more: tuple[alt.Chart, ...] = ()


def plot_context(report: ContextReport, *, canvas: Canvas | None = None) -> alt.LayerChart | alt.VConcatChart:
    """An analysis of benchmark and task as a figure that can be published as it is.

    Args:
        report: what to draw.
        canvas: how wide, and whether with a title.

    Raises:
        InputError: there is no figure of this analysis, or it found nothing to draw.
    """
    if report.analysis not in _FIGURES:
        raise InputError(
            f"There is no figure of {report.analysis}; its table {next(iter(report.tables))} has the numbers."
        )
    return _FIGURES[report.analysis](report, Sheet(canvas or Canvas()))


def can_plot(report: ContextReport) -> bool:
    """Whether there is a figure of it."""
    if report.analysis not in _FIGURES:
        return False
    try:
        plot_context(report)
    except InputError:
        return False
    return True


def _draw_objects(report: ContextReport, sheet: Sheet) -> Figure:
    kinds = {
        ("top1", "one"): "one object",
        ("top1", "several"): "several objects",
        ("any_object", "several"): "any of several",
    }
    frame = report.get_table("accuracies")
    rows = [
        _point(row, "overall", side, series=words)
        for (metric, side), words in kinds.items()
        for row in frame.filter(pl.col("metric") == metric).to_dicts()
    ]
    told = "Of images with several objects, “any of several” counts the name of any of them."
    picture = Picture(
        "Accuracy by number of objects", (told, _tell_points(rows, report)), Axis("accuracy on these images")
    )
    return _finish_points(report, sheet, rows, picture)


def _draw_pairs(report: ContextReport, sheet: Sheet) -> Figure:
    rows = [
        _ranked(row, "share", label=f"{_name(row, 'class')} + {_name(row, 'other')}")
        for row in report.get_table("strongest").to_dicts()[:N_ROWS]
    ]
    told = "Share of the images of the first class that hold an object of the second beside their own."
    return _finish_rows(report, sheet, rows, title="Classes that come together", told=told)


def _draw_disagreement(report: ContextReport, sheet: Sheet) -> Figure:
    rows = [
        _ranked(
            row,
            "share",
            label=f"{_name(row, 'class')} → {_name(row, 'main')}" if row["main"] is not None else _name(row, "class"),
        )
        for row in report.get_table("classes").to_dicts()[:N_ROWS]
    ]
    told = "Share of the images of a class whose main label is another; after the arrow the most frequent other one."
    return _finish_rows(report, sheet, rows, title="Classes with other main labels", told=told)


def _draw_validation(report: ContextReport, sheet: Sheet) -> Figure:
    rows = [
        {
            "series": row["annotators"],
            "x": row["threshold"],
            "y": row["share"],
            "low": row["share_low"],
            "high": row["share_high"],
        }
        for row in report.get_table("rivals").to_dicts()
        if row["share"] is not None
    ]
    if not rows:
        raise _nothing(report)
    series = list(dict.fromkeys(row["series"] for row in rows))
    x = Axis("frequency of another label ≥ this × that of the dataset label", ends=(0.48, 1.02))
    layers, extent = plot_steps(rows, sheet, series=series, x=x, y=Axis("images with such a label"))
    n = max(report.get_table("rivals")["n"].to_list())
    told = f"n = {n:,} images; with all annotators of each label, and with fewer of them."
    return sheet.finish(
        layers,
        **extent,
        title=sheet.make_title(_head(report, "Images with other valid labels"), [told, _level(report)]),
    )


def _draw_ambiguous(report: ContextReport, sheet: Sheet) -> Figure:
    frame = report.get_table("participants").filter(pl.col("pairwise").is_not_null())
    if not frame.height:
        return _draw_pairs_alone(report, sheet)
    rows: list[Point] = []
    known = set()
    for part in frame.filter(pl.col("split_by") == frame["split_by"][0]).partition_by("pairs", maintain_order=True):
        # A part that is all of the pairs says nothing new.
        if part["n_pairs"][0] not in known:
            known.add(part["n_pairs"][0])
            words = f"{part['pairs'][0]} ({count_things(part['n_pairs'][0], 'pair')})"
            rows += [_point(row, "top1", "pairwise", series=words) for row in part.to_dicts()]
    told = ["Share of the answers within an ambiguous pair that are the dataset label.", _tell_points(rows, report)]
    chance = float(np.mean(frame["chance"].to_numpy()))
    told.append(f"Dashed: chance, {format_percent(chance)} on average.")
    picture = Picture("Ambiguous pairs told apart", tuple(told), Axis("pairwise accuracy"), (draw_level(chance),))
    return _finish_points(report, sheet, rows, picture)


def _draw_pairs_alone(report: ContextReport, sheet: Sheet) -> Figure:
    rows = [
        _ranked(row, "value", label=f"{_name(row, 'first')} / {_name(row, 'second')}")
        for row in report.get_table("pairs").to_dicts()[:N_ROWS]
    ]
    told = "How far both labels are accepted on images of either class."
    return _finish_rows(report, sheet, rows, title="Ambiguous pairs of classes", told=told)


def _draw_frequencies(report: ContextReport, sheet: Sheet) -> Figure:
    *participants, dataset = report.get_table("participants").to_dicts()
    kinds = {"frequency": "selection frequency of answers", "main_label": "answers that are the main label"}
    rows = [_point(row, "top1", name, series=words) for name, words in kinds.items() for row in participants]
    levels = {name: dataset[name] for name in kinds if dataset[name] is not None}
    words = " and ".join(f"{name.replace('_', ' ')} {format_estimate(from_fields(dataset, name))}" for name in levels)
    y = Axis("mean over images", ends=_widen(rows, list(levels.values())))
    lines = tuple(draw_level(value) for value in levels.values())
    told = (_tell_points(rows, report), f"Dashed: the dataset labels themselves, {words}.")
    return _finish_points(report, sheet, rows, Picture("Answers as people see them", told, y, lines))


def _draw_confusion(report: ContextReport, sheet: Sheet) -> Figure:
    frame = report.get_table("groups")
    sizes = {
        part["grouping"][0]: part["label_group"].n_unique()
        for part in frame.partition_by("grouping", maintain_order=True)
    }
    fitting = [name for name, size in sizes.items() if size <= MAX_GROUPS]
    if not fitting:
        raise _nothing(report)
    chosen = max(fitting, key=sizes.__getitem__)
    part = frame.filter(pl.col("grouping") == chosen)
    beside = part.filter(pl.col("label_group") != pl.col("predicted_group"))["predicted"].drop_nulls().to_list()
    plots = []
    for predictor in part["predictor"].unique(maintain_order=True).to_list():
        cells = [
            {"row": row["label_group"], "column": row["predicted_group"], "share": row["predicted"], "n": row["n"]}
            for row in part.filter(pl.col("predictor") == predictor).to_dicts()
        ]
        words = "Objects that images hold, by their names" if predictor == OBJECTS else f"Predicted by {predictor}"
        plots.append(draw_matrix(cells, sheet, title=words, most=max(beside, default=0.0) or 1.0))
    told = [
        f"Percent of the images of each group (rows) by group (columns, numbered as the rows); grouping: {chosen}.",
        "Intervals are in the table groups.",
    ]
    figure: Figure = sheet.finish_below(
        plots, title=sheet.make_title(_head(report, "Groups taken for one another"), told)
    )
    return figure


def _draw_distance(report: ContextReport, sheet: Sheet) -> Figure:
    frame = report.get_table("distances")
    first = frame["measure"][0] if frame.height else ""
    kinds = {"mean": "mistakes", "marginal": "random wrong answers, drawn from its own"}
    rows = [
        _point(row, "top1", name, series=words)
        for name, words in kinds.items()
        for row in frame.filter(pl.col("measure") == first).to_dicts()
    ]
    told = (
        (_tell_points(rows, report), "Diamonds: people, by their votes.")
        if any(row["is_person"] for row in rows)
        else ()
    )
    y = Axis(f"mean {first} to the dataset label", is_share=False)
    return _finish_points(
        report, sheet, rows, Picture("Distance of mistakes", told or (_tell_points(rows, report),), y)
    )


def _draw_potential(report: ContextReport, sheet: Sheet) -> Figure:
    plots: list[Any] = []
    for name, words in (
        ("potential", "labels that people were asked about"),
        ("candidates", "labels that CLASSIFY offered"),
    ):
        rows = [
            {"x": row["n_labels"], "y": row["share"], "low": row["share_low"], "high": row["share_high"]}
            for row in report.get_table(name).to_dicts()
            if row["share"] is not None
        ]
        if rows:
            n = report.get_table(name)["n"][0]
            layers, extent = plot_bars(rows, sheet, x=Axis(f"{words} (n = {n:,} images)"), y=Axis("images"))
            plots.append(alt.layer(*layers, **extent))
    if not plots:
        raise _nothing(report)
    return sheet.finish_below(plots, title=sheet.make_title(_head(report, "Labels per image"), [_level(report)]))


_FIGURES: Mapping[str, Callable[[ContextReport, Sheet], Figure]] = {
    "objects": _draw_objects,
    "cooccurrence": _draw_pairs,
    "disagreement": _draw_disagreement,
    "validation": _draw_validation,
    "ambiguous": _draw_ambiguous,
    "frequencies": _draw_frequencies,
    "confusion": _draw_confusion,
    "distance": _draw_distance,
    "potential": _draw_potential,
}


def _point(row: Row, x: str, y: str, *, series: str) -> Point:
    """Where a participant stands; a number without limits has none."""
    sides = {
        f"{side}{end}": row.get(f"{name}{end}") for side, name in (("x", x), ("y", y)) for end in ("", "_low", "_high")
    }
    who = row.get("participant") or row["predictor"]
    return {"participant": who, "is_person": bool(row.get("is_people")), "series": series, **sides}


def _ranked(row: Row, name: str, *, label: str) -> dict[str, Any]:
    told = f"{format_estimate(from_fields(row, name))}, n = {row['n']:,}"
    return {"label": label, "value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"], "told": told}


def _finish_points(report: ContextReport, sheet: Sheet, rows: Sequence[Point], picture: Picture) -> Figure:
    shown = [
        row | {"is_person": row["is_person"] or row["participant"] in report.people}
        for row in rows
        if row["x"] is not None and row["y"] is not None
    ]
    if not shown:
        raise _nothing(report)
    series = list(dict.fromkeys(row["series"] for row in shown))
    layers, extent = plot_points(shown, sheet, series=series, x=Axis("top-1"), y=picture.y)
    title = sheet.make_title(_head(report, picture.title), picture.told)
    figure: Figure = sheet.finish([*picture.more, *layers], **extent, title=title)
    return figure


def _finish_rows(report: ContextReport, sheet: Sheet, rows: Sequence[Row], *, title: str, told: str) -> Figure:
    if not rows:
        raise _nothing(report)
    layers, extent = plot_rows(rows, sheet, x=Axis("share of images", ends=(0.0, 1.0)))
    figure: Figure = sheet.finish(
        layers, **extent, title=sheet.make_title(_head(report, title), [told, _level(report)])
    )
    return figure


def _nothing(report: ContextReport) -> InputError:
    return InputError(
        f"{report.title}: nothing was found on {report.test_set} that a figure could show; the notes say what is missing."
    )


def _head(report: ContextReport, words: str) -> str:
    return f"{words} on {report.test_set}"


def _level(report: ContextReport) -> str:
    return f"{100 * report.settings.level:g}% intervals."


def _tell_points(rows: Sequence[Row], report: ContextReport) -> str:
    n = len(
        {row["participant"] for row in rows if row["x"] is not None and row["y"] is not None and not row["is_person"]}
    )
    return f"{count_things(n, 'participant')} with {_level(report)}"


def _name(row: Row, prefix: str) -> str:
    name = row[f"{prefix}_name"]
    return f"class {row[prefix]}" if name is None else str(name)


def _widen(rows: Sequence[Row], values: Sequence[float]) -> tuple[float, float] | None:
    """Ends of an axis that hold the values as well as the points."""
    found = [row[name] for row in rows for name in ("y_low", "y_high") if row[name] is not None] + list(values)
    if not found:
        return None
    margin = 0.05 * (max(found) - min(found)) or 0.05
    return max(0.0, min(found) - margin), min(1.0, max(found) + margin)
