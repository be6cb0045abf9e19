"""People and models as tables of a document: people, both means, and the best models; files have everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import polars as pl

from regauge.estimates import (
    MISSING,
    Estimate,
    format_estimate,
    format_p,
    format_plain,
    format_points,
    from_fields,
    typeset,
)
from regauge.records.evaluation.humans import tables as names
from regauge.records.evaluation.humans.report import HumanReport
from regauge.records.evaluation.scores import WHOLE
from regauge.report.tables import DocumentTable, TableCell, TableColumn, describe_n

Row: TypeAlias = Mapping[str, Any]
N_MODELS = 5
"""Models beside people, the best first."""


def make_both_sets(found: HumanReport) -> DocumentTable:
    """Table 1: accuracies on both sets with the gap."""
    chosen = _choose(found, found.get_table(names.GAPS).filter(metric=found.metrics[0], subset=WHOLE))
    columns = [
        TableColumn(name, n=describe_n([row[f"n_{side}"] for row in chosen]))
        for name, side in zip(found.test_sets, ("original", "new"), strict=True)
    ]
    rows = tuple(
        (
            _name(row),
            (
                *(TableCell(format_estimate(from_fields(row, side)), row[side]) for side in ("original", "new")),
                TableCell(format_points(from_fields(row, "gap"), sign=True), row["gap"]),
            ),
        )
        for row in chosen
    )
    return DocumentTable("participant", (*columns, TableColumn("Gap", "points")), rows)


def make_one_set(found: HumanReport, test_set: str) -> DocumentTable:
    """Table 2: accuracies on every subset of a set, each with n and the p of as many random classes."""
    frame = found.get_table(names.ACCURACIES).filter(test_set=test_set, metric=found.metrics[0])
    chosen = _choose(found, frame)
    subsets = list(dict.fromkeys(row["subset"] for row in chosen))
    cells = {(_name(row), row["subset"]): row for row in chosen}
    columns = tuple(TableColumn(name) for name in subsets)
    rows = tuple(
        (name, tuple(_make_cell(cells.get((name, subset))) for subset in subsets))
        for name in dict.fromkeys(_name(row) for row in chosen)
    )
    return DocumentTable("participant", columns, rows)


def make_seconds(found: HumanReport) -> DocumentTable:
    """Median seconds per image by both clocks, and hours."""
    rows = [row for row in found.get_table(names.SECONDS).iter_rows(named=True) if row["n"]]
    clocks = {"seconds": "from shown to answered", "active_seconds": "without pauses"}
    known = [clock for clock in clocks if any(row["clock"] == clock for row in rows)]
    by_name: dict[str, dict[str, Row]] = {}
    for row in rows:
        name = row["participant"] if row["n_participants"] == 1 else f"all {row['n_participants']} people"
        by_name.setdefault(name, {})[row["clock"]] = row
    columns = [TableColumn("Seconds", clocks[clock]) for clock in known]
    has_hours = any(row["hours"] is not None for row in rows if row["clock"] == "seconds")
    columns += [TableColumn("Hours", clocks["seconds"])] if has_hours else []
    made = []
    for name, own in by_name.items():
        seconds = [own.get(clock) for clock in known]
        hours = own.get("seconds", {}).get("hours")
        note = "" if name in found.people else "median person"
        spent = [TableCell(_hours(hours), hours, note if hours else "")] if has_hours else []
        made.append((name, (*(_make_median(row) for row in seconds), *spent)))
    return DocumentTable("person", tuple(columns) if made else (), tuple(made))


def make_missed(found: HumanReport) -> DocumentTable:
    """How many images everybody of a kind misses, on each set and of each group of classes that has images."""
    both = TableColumn("Expected", "if kinds are independent")
    columns = (TableColumn("Missed"), TableColumn("Share"), TableColumn("Expected", "if all are independent"), both)
    rows = []
    for row in found.get_table(names.MISSED).filter(pl.col("n") > 0).iter_rows(named=True):
        apart = row["expected_apart"]
        who = "everybody" if row["who"] == names.EVERYBODY else f"all {row['n_participants']} {row['who']}"
        expected = Estimate(row["expected"], row["expected_low"], row["expected_high"])
        cells = (
            TableCell(f"{row['n_missed']:,}", row["n_missed"], f"n = {row['n']:,}"),
            TableCell(format_estimate(from_fields(row, "share")), row["share"]),
            TableCell(typeset(expected, decimals=2), row["expected"]),
            TableCell(MISSING if apart is None else f"{apart:.2f}", apart),
        )
        where = row["test_set"] if row["group"] == WHOLE else f"{row['test_set']}, {row['group']}"
        rows.append((f"{who} on {where}", cells))
    return DocumentTable("missed by", columns, tuple(rows))


def _choose(found: HumanReport, frame: pl.DataFrame) -> list[Row]:
    """The rows of people, then both means, then the best models."""
    models = [one.name for one in found.participants if not one.is_person][:N_MODELS]
    groups = [names.PEOPLE, names.MODELS]
    rows = frame.to_dicts()
    single = {
        name: [row for row in rows if row["participant"] == name and row["n_participants"] == 1]
        for name in (*found.people, *models)
    }
    means = {name: [row for row in rows if row["participant"] == name and row["n_participants"] > 1] for name in groups}
    ordered = [*(single[name] for name in found.people), *means.values(), *(single[name] for name in models)]
    return [row for own in ordered for row in own]


def _name(row: Row) -> str:
    n = row["n_participants"]
    return str(row["participant"]) if n == 1 else f"mean of {n} {row['participant']}"


def _make_cell(row: Row | None) -> TableCell:
    if row is None or row["value"] is None:
        return TableCell(MISSING, None, "n = 0")
    note = f"n = {row['n']:,}"
    if row["p_subsampling"] is not None:
        note += f", p {format_p(row['p_subsampling'])}"
    return TableCell(format_estimate(from_fields(row)), row["value"], note)


def _make_median(row: Row | None) -> TableCell:
    if row is None:
        return TableCell(MISSING)
    return TableCell(format_plain(from_fields(row, "median"), decimals=1), row["median"], f"n = {row['n']:,}")


def _hours(hours: float | None) -> str:
    return MISSING if hours is None else f"{hours:.1f}"
