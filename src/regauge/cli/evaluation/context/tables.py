"""What analyses of benchmark and task find: as sentences and tables for people, and as one object for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.text import Text

import regauge
import regauge.frames as pl
from regauge.cli.printing.tables import FittedTable, Holds
from regauge.estimates import (
    MISSING,
    Estimate,
    count_things,
    format_estimate,
    format_p,
    format_plain,
    format_points,
    from_fields,
    join_words,
)
from regauge.records.evaluation.context.report import ContextReport, ContextTable
from regauge.workflows.evaluation.context import get_analysis

Row: TypeAlias = Mapping[str, Any]
Part: TypeAlias = FittedTable | Text
N_ROWS = 15
"""Rows of a table that nobody asked for by its name."""
N_NAMES = 2
"""Columns of names that stay however narrow the terminal is."""
_P_VALUES = {"p", "p_bh"}
MAX_HEADER = 12
"""Names of columns that are longer break between their words."""


def describe_context(report: ContextReport, tables: Sequence[str] = ()) -> dict[str, object]:
    """The report as docs/formats.md has it, whole or of some tables; fractions, not percentages."""
    content = report.to_dict()
    if tables:
        content["tables"] = {name: report.get_table(name).to_dicts() for name in tables}
    return {**content, "version": regauge.__version__}


def make_context_parts(
    report: ContextReport, tables: Sequence[str] = (), *, only_first: bool = False
) -> Iterator[Part]:
    """Answers and tables: those that are asked for with all their rows, or the first rows of all, or of the leading one."""
    if not tables:
        yield Text(f"{report.title}: {report.test_set}", style="bold")
        yield from (Text(answer) for answer in report.answers)
        yield Text()
    described = get_analysis(report.analysis).tables
    for name, frame in report.tables.items():
        if tables and name not in tables:
            continue
        if frame.height or tables:
            yield _make_table(described[name], frame if tables else frame.head(N_ROWS))
        if frame.height > N_ROWS and not tables:
            more = count_things(frame.height - N_ROWS, "more row")
            yield Text(f"… and {more}: --table {name} has all.\n", style="dim")
        if only_first:
            return


def _make_table(described: ContextTable, frame: pl.DataFrame) -> FittedTable:
    """The table with numbers and their limits, and classes with their names, in one column each."""
    word = "figure" if len(described.figures) == 1 else "figures"
    figures = f" (Tsipras et al. 2020, {word} {join_words(described.figures)})" if described.figures else ""
    title = f"{described.title}{figures}"
    table = FittedTable(title)
    rows = frame.to_dicts()
    names = [name for name in described.columns if not _is_part(name, described.columns)]
    order = _rank(names, described)
    for name in names:
        is_text = _is_text(name, described)
        holds = Holds.NAMES if is_text else Holds.NUMBERS
        table.add_column(_break(name), holds, rank=order[name], label=name.replace("_", " "))
    for row in rows:
        table.add_row(*(_format(name, row, described) for name in names))
    return table


def _rank(names: Sequence[str], described: ContextTable) -> dict[str, int]:
    """How important each column is: what a row is of and the first number stay, then come limits, counts, and what is left."""
    limited = [name for name in names if f"{name}_low" in described.columns]
    told = [name for name in names if _is_text(name, described)][:N_NAMES] or list(names[:1])
    told += limited[:1]
    counts = [name for name in names if name in {"rank", "n"} or name.endswith("_n") or name.startswith("n_")]
    order = dict.fromkeys((*limited, *counts, *names))
    return dict.fromkeys(told, 0) | {
        name: place + 1 for place, name in enumerate(one for one in order if one not in told)
    }


def _is_text(name: str, described: ContextTable) -> bool:
    return _is_class(name, described.columns) or bool(described.columns[name] == pl.String)


def _is_part(name: str, columns: Mapping[str, Any]) -> bool:
    """Whether a column stands in the cell of another one: a limit, or the id or name of a class."""
    stem, _, end = name.rpartition("_")
    if end in {"low", "high"}:
        return {stem, f"{stem}_low", f"{stem}_high"} <= set(columns)
    return end in {"id", "name"} and _is_class(stem, columns)


def _is_class(name: str, columns: Mapping[str, Any]) -> bool:
    return {name, f"{name}_id", f"{name}_name"} <= set(columns)


def _format(name: str, row: Row, described: ContextTable) -> str:
    """A cell as people read it."""
    value = row[name]
    if value is None:
        return MISSING
    if _is_class(name, described.columns):
        return f"{value} {row[f'{name}_name']}" if row[f"{name}_name"] is not None else str(value)
    if isinstance(value, float):
        return _format_number(name, row, described)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _format_number(name: str, row: Row, described: ContextTable) -> str:
    """A number with its limits, if it has any: differences in points, shares in percent, others as they are."""
    if name.startswith("n_") or name == "n":
        # Images that classes share count in parts.
        return f"{row[name]:,.1f}".removesuffix(".0")
    if name in _P_VALUES:
        return format_p(row[name])
    has_limits = f"{name}_low" in described.columns
    estimate = from_fields(row, name) if has_limits else Estimate(row[name], None, None)
    if name in described.points:
        return format_points(estimate, sign=True)
    if name in described.plain or abs(row[name]) > 1:
        return format_plain(estimate, decimals=2)
    return format_estimate(estimate)


def _break(name: str) -> str:
    """The name of a column in lines of a few letters."""
    lines = [""]
    for word in name.split("_"):
        if lines[-1] and len(lines[-1]) + len(word) >= MAX_HEADER:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)
