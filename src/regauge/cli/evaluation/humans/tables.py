"""People and models as tables for people, and as one object for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, TypeAlias

from rich.text import Text

import regauge
import regauge.frames as pl
from regauge.cli.evaluation.humans.pair_tables import make_consistency, make_pairs
from regauge.cli.printing.tables import FittedTable, Holds, make_table
from regauge.estimates import (
    MISSING,
    Estimate,
    format_estimate,
    format_p,
    format_plain,
    format_points,
    from_fields,
)
from regauge.records.evaluation.humans import tables as names
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.scores import WHOLE

Row: TypeAlias = Mapping[str, Any]
Part: TypeAlias = FittedTable | Text
N_MODELS = 12
"""Models in a table that nobody asked for by its name."""
N_IMAGES = 12
"""Likewise images."""


def describe_humans(report: HumanReport, tables: Sequence[str]) -> dict[str, object]:
    """The report as docs/formats.md has it, whole or of some tables; fractions, not percentages."""
    chosen = tables or tuple(report.tables)
    return {
        "test_sets": list(report.test_sets),
        "metrics": list(report.metrics),
        "participants": [one.to_dict() for one in report.participants],
        **{name: report.get_table(name).to_dicts() for name in chosen},
        "notes": list(report.notes),
        "warnings": list(report.warnings),
        "settings": asdict(report.settings),
        "version": regauge.__version__,
    }


def make_human_tables(report: HumanReport, tables: Sequence[str]) -> Iterator[Part]:
    """The tables that are asked for, with all their rows; or all that have any, with people and the best models."""
    makers: Mapping[str, Callable[[HumanReport, pl.DataFrame], Iterable[Part]]] = {
        names.GAPS: _make_gaps,
        names.GAP_DIFFERENCES: _make_gap_differences,
        names.ACCURACIES: _make_accuracies,
        names.PAIRS: partial(make_pairs, is_whole=bool(tables)),
        names.MISSED: _make_missed,
        names.MISSED_IMAGES: _make_missed_images,
        names.MEAN_CONSISTENCY: _make_mean_consistency,
        names.CONSISTENCY: partial(make_consistency, is_whole=bool(tables)),
        names.SECONDS: _make_seconds,
        names.FAST_IMAGES: _make_fast,
        names.ACCURACY_BY_SECONDS: _make_bins,
    }
    shown = _choose_participants(report)
    for name in makers:
        if tables and name not in tables:
            continue
        frame = report.get_table(name)
        if not tables:
            frame = _cut(name, frame, shown)
        if frame.height:
            yield from makers[name](report, frame)
    n_left_out = sum(one.name not in shown for one in report.participants)
    if n_left_out and not tables:
        yield Text(
            f"{n_left_out:,} further models: --table NAME has all of one table, --format json everything.", style="dim"
        )


def _choose_participants(report: HumanReport) -> set[str]:
    """People, and the best models."""
    models = [one.name for one in report.participants if not one.is_person]
    return {*report.people, *models[:N_MODELS], names.PEOPLE, names.MODELS}


def _cut(name: str, frame: pl.DataFrame, shown: set[str]) -> pl.DataFrame:
    """The rows about those who are shown."""
    if name == names.MISSED_IMAGES:
        return frame.group_by("test_set", "who", maintain_order=True).head(N_IMAGES)
    for column in ("participant", "model", "first", "second"):
        if column in frame.columns:
            frame = frame.filter(pl.col(column).is_in(list(shown)))
    return frame


def _name(row: Row) -> str:
    """The participant of a row; of several, whose mean it is."""
    n = row["n_participants"]
    return row["participant"] if n == 1 else f"mean of {n} {row['participant']}"


def _list_groups(frame: pl.DataFrame, *columns: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """The rows by the values of some columns, in the order in which these come."""
    for key, rows in frame.group_by(*columns, maintain_order=True):
        yield key, list(rows.iter_rows(named=True))


def _count(values: Iterable[int | None]) -> str:
    """The n of a column: one number, or from the least to the most."""
    found = [value for value in values if value is not None]
    if not found:
        return "n = 0"
    return f"n = {min(found):,}" + ("" if min(found) == max(found) else f" to {max(found):,}")


def _make_gaps(report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    """Table 1: both accuracies of everybody, and the gap."""
    original, new = report.test_sets
    chosen = frame.filter(pl.col("subset") == WHOLE)
    for (metric,), rows in _list_groups(chosen, "metric"):
        table = make_table(title=f"{metric} on {original} and {new}", whole="--format json has all subsets")
        table.add_column("participant", Holds.NAMES)
        table.add_column(f"{original}\n{_count(row['n_original'] for row in rows)}", rank=1, label=original)
        table.add_column(f"{new}\n{_count(row['n_new'] for row in rows)}", rank=1, label=new)
        table.add_column("gap\nin points", rank=0)
        for row in rows:
            estimates = [from_fields(row, prefix) for prefix in ("original", "new")]
            table.add_row(
                _name(row), *map(format_estimate, estimates), format_points(from_fields(row, "gap"), sign=True)
            )
        yield table


def _make_gap_differences(report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    """The gap of each person less that of each model."""
    people = [name for name in report.people if name in set(frame["person"])]
    table = make_table(title="Gap of a person minus that of a model, in points (paired bootstrap of the images)")
    table.add_column("model", Holds.NAMES)
    for name in people:
        table.add_column(name, rank=1)
    by_pair = {(row["person"], row["model"]): row for row in frame.to_dicts()}
    for model in dict.fromkeys(frame["model"]):
        cells = [_difference(by_pair.get((person, model))) for person in people]
        table.add_row(model, *cells)
    yield table


def _difference(row: Row | None) -> str:
    return MISSING if row is None else format_points(from_fields(row, "difference"), sign=True)


def _make_accuracies(_report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    """Table 2: everybody on every subset, and what a subset changes beside as many classes drawn at random."""
    subsets = list(dict.fromkeys(frame["subset"]))
    for (test_set, metric), rows in _list_groups(frame, "test_set", "metric"):
        cells = {(_name(row), row["subset"]): row for row in rows}
        people = list(dict.fromkeys(_name(row) for row in rows))
        table = make_table(title=f"{metric} on {test_set}")
        changes = make_table(
            title=f"What a subset changes: {metric} on {test_set}, in points, and p of as many random classes"
        )
        for one in (table, changes):
            one.add_column("participant", Holds.NAMES)
        for subset in subsets:
            own = [row for row in rows if row["subset"] == subset and row["n_participants"] == 1]
            head = f"{subset}\n{_count(row['n'] for row in own)}"
            table.add_column(head, rank=_rank(subset), label=subset)
            if subset != WHOLE:
                changes.add_column(head, rank=_rank(subset), label=subset)
        for name in people:
            own_rows = [cells.get((name, subset)) for subset in subsets]
            table.add_row(name, *(MISSING if row is None else format_estimate(from_fields(row)) for row in own_rows))
            if len(subsets) > 1:
                changes.add_row(
                    name, *(_change(row) for row, subset in zip(own_rows, subsets, strict=True) if subset != WHOLE)
                )
        yield table
        if len(subsets) > 1:
            yield changes


def _rank(subset: str) -> int:
    """How important a subset is where there is no room for all: those of the paper first."""
    first = (WHOLE, "without dogs", "objects", names.FAST)
    return first.index(subset) if subset in first else len(first)


def _change(row: Row | None) -> str | Text:
    if row is None or row["change"] is None:
        return MISSING
    text = format_points(from_fields(row, "change"), sign=True)
    return text if row["p_subsampling"] is None else Text(f"{text}\np {format_p(row['p_subsampling'])}")


def _make_missed(_report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    for (test_set, metric), rows in _list_groups(frame, "test_set", "metric"):
        table = make_table(title=f"Images of {test_set} that all of them miss ({metric})")
        table.add_column("missed by", Holds.NAMES)
        table.add_column("images of", Holds.NAMES)
        for name, rank in (
            ("n", 2),
            ("missed", 0),
            ("share", 1),
            ("expected if\nindependent", 3),
            ("if kinds\nare", 4),
        ):
            table.add_column(name, rank=rank)
        for row in rows:
            expected = Estimate(row["expected"], row["expected_low"], row["expected_high"])
            table.add_row(
                f"all {row['n_participants']} {row['who']}" if row["who"] != names.EVERYBODY else names.EVERYBODY,
                row["group"],
                f"{row['n']:,}",
                f"{row['n_missed']:,}",
                format_estimate(from_fields(row, "share")),
                format_plain(expected, decimals=2),
                MISSING if row["expected_apart"] is None else f"{row['expected_apart']:.2f}",
            )
        yield table


def _make_missed_images(_report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    table = make_table("test set", "missed by", "image", "class", "class id", title="Images that all of them miss")
    for row in frame.to_dicts():
        label = "" if row["class"] is None else str(row["class"])
        table.add_row(row["test_set"], row["who"], row["image_id"], label, row["class_id"] or "")
    yield table


def _make_mean_consistency(_report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    table = make_table("test set", title="Mean error consistency (kappa between right and wrong)")
    table.add_column("between", Holds.NAMES)
    table.add_column("pairs", rank=2)
    table.add_column("images", rank=1)
    table.add_column("kappa", rank=0)
    for row in frame.to_dicts():
        between = f"{row['first_kind']} and {row['second_kind']}"
        kappa = format_plain(from_fields(row, "kappa"), decimals=3)
        table.add_row(row["test_set"], between, f"{row['n_pairs']:,}", f"{row['n']:,}", kappa)
    yield table


def _make_seconds(_report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    for (clock,), rows in _list_groups(frame.filter(pl.col("n") > 0), "clock"):
        title = "from image shown to answer" if clock == "seconds" else "without pauses"
        table = make_table(title=f"Seconds per image and hours in total, {title}")
        table.add_column("participant", Holds.NAMES)
        table.add_column("images", rank=1)
        table.add_column("median\nseconds", rank=0)
        table.add_column("hours", rank=0)
        for row in rows:
            name = row["participant"] if row["n_participants"] == 1 else f"median of {row['n_participants']} people"
            median = format_plain(from_fields(row, "median"), decimals=1)
            table.add_row(name, f"{row['n']:,}", median, MISSING if row["hours"] is None else f"{row['hours']:.1f}")
        yield table


def _make_fast(_report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    table = make_table("test set", title="Fast images, by the median of people's seconds")
    table.add_column("median", Holds.NAMES)
    for name in ("n", "fast", "share"):
        table.add_column(name, rank=0)
    for row in frame.to_dicts():
        share = format_estimate(from_fields(row, "share"))
        table.add_row(row["test_set"], row["rule"], f"{row['n']:,}", f"{row['n_fast']:,}", share)
    yield table


def _make_bins(_report: HumanReport, frame: pl.DataFrame) -> Iterator[FittedTable]:
    """Accuracy against seconds: of a person by its own, of people and models on average by the median of people's."""
    bins = list(dict.fromkeys(zip(frame["from_seconds"], frame["to_seconds"], strict=True)))
    for (metric,), rows in _list_groups(frame, "metric"):
        table = make_table(
            title=f"{metric} by seconds, a person's own or the median of people's, with limits and n below"
        )
        table.add_column("participant", Holds.NAMES)
        for rank, (start, end) in enumerate(bins):
            table.add_column(f"{start:g} s on" if end is None else f"{start:g} to\n{end:g} s", rank=rank)
        cells = {(_name(row), row["from_seconds"]): row for row in rows}
        for name in dict.fromkeys(_name(row) for row in rows):
            table.add_row(name, *(_bin(cells[name, start]) for start, _ in bins))
        yield table


def _bin(row: Row) -> str | Text:
    if not row["n"]:
        return MISSING
    share, _, limits = format_estimate(from_fields(row)).partition(" ")
    return Text(f"{share}\n{limits}\nn = {row['n']:,}")
