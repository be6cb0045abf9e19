"""All pairs of participants as tables: McNemar's tests as a matrix and a list, and error consistency as a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.text import Text

import regauge.frames as pl
from regauge.cli.printing.tables import FittedTable, Holds, make_table
from regauge.estimates import MISSING, format_p, format_plain, format_points, from_fields
from regauge.records.evaluation.humans import tables as names
from regauge.records.evaluation.humans.report import HumanReport

Row: TypeAlias = Mapping[str, Any]
N_MATRIX = 20
"""A matrix of more participants is not a table that anybody reads."""
N_LISTED = 30
"""Pairs in a list that nobody asked for by its name; each person beside the models first."""


def make_pairs(report: HumanReport, frame: pl.DataFrame, *, is_whole: bool) -> Iterator[FittedTable | Text]:
    """Every set as a matrix, of adjusted p below the diagonal and of the images on which two differ above it; then as a list."""
    n_tests = report.get_table(names.PAIRS)["p_mcnemar"].count()
    for (test_set, metric), rows in _list_sets(frame):
        people = _order(report, rows)
        if not is_whole or len(people) <= N_MATRIX:
            where = f"{metric} on {test_set}"
            title = (
                f"McNemar's p (Holm) below the diagonal, images only the row / only the column has right above: {where}"
            )
            yield _make_matrix(title, people, rows)
        ordered = _sort(report, rows)
        n_shown = len(ordered) if is_whole else N_LISTED
        yield _make_list(f"McNemar's test of pairs ({metric} on {test_set})", ordered[:n_shown])
    yield Text(f"p adjusted by Holm over one family of {n_tests:,} exact tests.", style="dim")


def make_consistency(report: HumanReport, frame: pl.DataFrame, *, is_whole: bool) -> Iterator[FittedTable]:
    """Kappa of all pairs on every set as a matrix, its limits above the diagonal."""
    for (test_set, metric), rows in _list_sets(frame):
        people = _order(report, rows)
        if is_whole and len(people) > N_MATRIX:
            yield _list_consistency(f"Error consistency ({metric} on {test_set})", rows)
            continue
        by_pair = {frozenset((row["first"], row["second"])): row for row in rows}
        table = _start(
            f"Error consistency ({metric} on {test_set}): kappa below the diagonal, its limits above it", people
        )
        for i, one in enumerate(people):
            cells = []
            for j, other in enumerate(people):
                row = by_pair.get(frozenset((one, other)))
                cells.append("" if row is None else _kappa(row, is_below=j < i))
            table.add_row(str(i + 1), one, *cells)
        yield table


def _list_sets(frame: pl.DataFrame) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    for key, rows in frame.group_by("test_set", "metric", maintain_order=True):
        yield key, list(rows.iter_rows(named=True))


def _order(report: HumanReport, rows: Sequence[Row]) -> list[str]:
    """Those who are in a pair, people first, the best first."""
    present = {row[side] for row in rows for side in ("first", "second")}
    return [one.name for one in report.participants if one.name in present]


def _sort(report: HumanReport, rows: Sequence[Row]) -> list[Row]:
    """A person beside a model first, then two people, then two models; each in the order of the report."""
    is_person = {one.name: one.is_person for one in report.participants}
    kinds = {(True, False): 0, (False, True): 0, (True, True): 1, (False, False): 2}
    return sorted(rows, key=lambda row: kinds[is_person[row["first"]], is_person[row["second"]]])


def _start(title: str, people: Sequence[str]) -> FittedTable:
    table = make_table(title=title)
    table.add_column("", rank=0, label="number")
    table.add_column("participant", Holds.NAMES, rank=0)
    for place in range(len(people)):
        table.add_column(str(place + 1), rank=place + 1)
    return table


def _make_matrix(title: str, people: Sequence[str], rows: Sequence[Row]) -> FittedTable:
    by_pair = {frozenset((row["first"], row["second"])): row for row in rows}
    table = _start(title, people)
    for i, one in enumerate(people):
        cells = []
        for j, other in enumerate(people):
            row = by_pair.get(frozenset((one, other)))
            if row is None:
                cells.append("")
            elif j < i:
                cells.append(format_p(row["p_holm"]))
            else:
                counts = row["n_only_first"], row["n_only_second"]
                own, theirs = counts if row["first"] == one else counts[::-1]
                cells.append(f"{own:,} / {theirs:,}")
        table.add_row(str(i + 1), one, *cells)
    return table


def _make_list(title: str, rows: Sequence[Row]) -> FittedTable:
    table = make_table(title=title)
    for name, rank in (("first", 0), ("second", 0)):
        table.add_column(name, Holds.NAMES, rank=rank)
    ranks = {"n": 3, "only\nfirst": 2, "only\nsecond": 2, "difference\nin points": 1, "p": 4, "p\n(Holm)": 0}
    for name, rank in ranks.items():
        table.add_column(name, rank=rank)
    for row in rows:
        counts = (f"{row[name]:,}" for name in ("n", "n_only_first", "n_only_second"))
        difference = format_points(from_fields(row, "difference"), sign=True)
        table.add_row(
            row["first"], row["second"], *counts, difference, format_p(row["p_mcnemar"]), format_p(row["p_holm"])
        )
    return table


def _list_consistency(title: str, rows: Sequence[Row]) -> FittedTable:
    table = make_table(title=title)
    for name in ("first", "second"):
        table.add_column(name, Holds.NAMES, rank=0)
    for name, rank in (("n", 2), ("both\nwrong", 3), ("kappa", 0)):
        table.add_column(name, rank=rank)
    for row in rows:
        kappa = format_plain(from_fields(row, "kappa"), decimals=2)
        table.add_row(row["first"], row["second"], f"{row['n']:,}", f"{row['n_both_wrong']:,}", kappa)
    return table


def _kappa(row: Row, *, is_below: bool) -> str:
    if row["kappa"] is None:
        return MISSING
    return f"{row['kappa']:z.2f}" if is_below else f"[{row['kappa_low']:z.2f}, {row['kappa_high']:z.2f}]"
