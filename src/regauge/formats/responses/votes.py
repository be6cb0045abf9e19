"""Files of votes → records.

CSV with one line per vote, `task,worker,label` (crowd-kit) or `task,annotator,label` (cleanlab); CSV with one line per task
and one column per annotator (cleanlab); Parquet with the columns of the first; Label Studio's JSON export of single choices;
and known labels as CSV `task,label`. docs/formats.md shows one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.columns import NumberedTexts, find_repeated_row, number_texts
from regauge.formats.parquets import read_parquet
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, read_json, read_table, require_columns
from regauge.records.labels.votes import GoldLabels
from regauge.records.responses.votes import Votes

ANNOTATOR_NAMES = ("annotator", "worker")
TASK_NAMES = ("task", "")

_SUFFIXES = ".csv, .tsv, .parquet or .json"


@dataclass(frozen=True, slots=True, eq=False)
class VoteRows:
    """The votes of one file, as text columns of one length.

    Attributes:
        path: the file.
        tasks: the task of each vote.
        annotators: who gave it.
        labels: the label.
        make_error: an error about a vote, by its position.
        note: what was found.
    """

    path: Path
    tasks: pl.Series
    annotators: pl.Series
    labels: pl.Series
    make_error: Callable[[int, str], FormatError]
    note: str


@dataclass(frozen=True, slots=True, eq=False)
class LoadedVotes:
    """The votes of one or several files, and what was found, a sentence per file."""

    votes: Votes
    notes: tuple[str, ...]


def load_votes(paths: Sequence[Path | str]) -> LoadedVotes:
    """The votes of all files together; tasks, annotators and labels are numbered by first appearance.

    Raises:
        FormatError: a file is not what it must be, or an annotator answers a task twice, in one file or two.
    """
    if not paths:
        raise InputError("Votes are needed: give at least one file.")
    parts = [_read(Path(path)) for path in paths]
    tasks, annotators, labels = (
        number_texts(pl.concat([getattr(part, name) for part in parts])) for name in ("tasks", "annotators", "labels")
    )
    _check_once(parts, tasks, annotators, labels)
    votes = Votes(tasks.texts, annotators.texts, labels.texts, tasks.codes, annotators.codes, labels.codes)
    return LoadedVotes(votes, tuple(part.note for part in parts))


def load_gold(path: Path | str) -> GoldLabels:
    """Known labels from a CSV `task,label`."""
    table = read_table(Path(path))
    require_columns(table, ("task", "label"), purpose="a file of known labels")
    tasks, labels = table.get_column("task"), table.get_column("label")
    table.check_distinct(tasks, "task")
    return GoldLabels(make_names(tasks), make_names(labels))


def _read(path: Path) -> VoteRows:
    suffix = path.suffix.lower()
    if suffix in _READERS:
        return _READERS[suffix](path)
    if not path.exists():
        raise FormatError(path, "there is no such file.")
    raise FormatError(path, f"votes are a {_SUFFIXES} file, not {suffix or 'a file without extension'}.")


def _read_csv(path: Path) -> VoteRows:
    table = read_table(path)
    columns = table.frame.columns
    if "label" in columns or "task" in columns[1:] or set(ANNOTATOR_NAMES) & set(columns) or len(columns) < 3:
        return _read_long(table)
    if columns[0] in TASK_NAMES:
        return _read_wide(table)
    return _read_long(table)


def _read_long(table: Table) -> VoteRows:
    annotator = _find_annotator(table.path, table.frame.columns, line=1)
    return VoteRows(
        path=table.path,
        tasks=table.get_column("task"),
        annotators=table.get_column(annotator),
        labels=table.get_column("label"),
        make_error=table.make_error,
        note=f"{table.path.name}: {count_things(table.frame.height, 'vote')}, one per line.",
    )


def _find_annotator(path: Path, columns: Sequence[str], *, line: int | None = None) -> str:
    """The column of the annotators; refuses a table without it or another that votes need."""
    found = [name for name in ANNOTATOR_NAMES if name in columns]
    if len(found) == 2:
        raise FormatError(
            path, "the columns 'annotator' and 'worker' both name who voted; remove one of them.", line=line
        )
    if not found or not {"task", "label"} <= set(columns):
        raise FormatError(
            path,
            "votes need the columns task,worker,label or task,annotator,label, or else task and one column per annotator; "
            f"this file has: {', '.join(columns)}.",
            line=line,
        )
    return found[0]


def _read_wide(table: Table) -> VoteRows:
    """One line per task, one column per annotator; an empty cell is not a vote."""
    task, *names = table.frame.columns
    if "" in names:
        raise FormatError(table.path, "the column of an annotator has no name.", line=1)
    tasks = table.get_column(task)
    table.check_distinct(tasks, "task")
    cells = (
        table.frame.select(pl.col(names).str.strip_chars())
        .with_columns(task=tasks, row=pl.int_range(table.frame.height))
        .unpivot(names, index=["row", "task"], variable_name="annotator", value_name="label")
        .filter(pl.col("label").is_not_null() & (pl.col("label") != ""))
        .sort("row", maintain_order=True)
    )
    if not cells.height:
        raise FormatError(table.path, "no annotator has voted on any task: every cell is empty.")
    rows = cells["row"]
    return VoteRows(
        path=table.path,
        tasks=cells["task"],
        annotators=cells["annotator"],
        labels=cells["label"],
        make_error=lambda vote, problem: table.make_error(int(rows[vote]), problem),
        note=_describe_wide(table, cells),
    )


def _describe_wide(table: Table, cells: pl.DataFrame) -> str:
    """What was found, by those who voted and the tasks that were voted on: a column or a row may be empty."""
    n_annotators, n_tasks = cells["annotator"].n_unique(), cells["task"].n_unique()
    return (
        f"{table.path.name}: {count_things(cells.height, 'vote')} of {count_things(n_annotators, 'annotator')}, "
        f"one column each, on {count_things(n_tasks, 'task')}."
    )


def _read_parquet(path: Path) -> VoteRows:
    frame = read_parquet(path, ("task", *ANNOTATOR_NAMES, "label"))
    annotator = _find_annotator(path, frame.columns)

    def make_error(row: int, problem: str) -> FormatError:
        return FormatError(path, f"row {row + 1}: {problem}")

    return VoteRows(
        path=path,
        tasks=_read_texts(frame, "task", make_error),
        annotators=_read_texts(frame, annotator, make_error),
        labels=_read_texts(frame, "label", make_error),
        make_error=make_error,
        note=f"{path.name}: {count_things(frame.height, 'vote')}, one per row.",
    )


def _read_texts(frame: pl.DataFrame, name: str, make_error: Callable[[int, str], FormatError]) -> pl.Series:
    try:
        column = frame[name].cast(pl.String).str.strip_chars()
    except pl.exceptions.PolarsError:
        raise make_error(0, f"the column {name!r} holds {frame[name].dtype}, not texts or whole numbers.") from None
    empty = (column.is_null() | (column == "")).arg_true()
    if len(empty):
        raise make_error(int(empty[0]), f"the column {name!r} is empty.")
    return column


def _read_label_studio(path: Path) -> VoteRows:
    """Label Studio's JSON export of tasks with one single choice; skipped (cancelled) annotations are not votes."""
    content = read_json(path)
    if not isinstance(content, list) or not all(isinstance(task, dict) and "annotations" in task for task in content):
        raise FormatError(path, "JSON votes are Label Studio's export: a list of tasks with their annotations.")
    found: list[tuple[str, str, str]] = []
    n_skipped = 0
    for task in content:
        task_id = _find_task_id(path, task)
        for annotation in task["annotations"]:
            if annotation.get("was_cancelled"):
                n_skipped += 1
                continue
            found.append((task_id, *_read_annotation(path, task_id, annotation)))
    if not found:
        raise FormatError(path, "no task has an annotation.")
    tasks, annotators, labels = (pl.Series(column, dtype=pl.String) for column in zip(*found, strict=True))
    skipped = f"; {n_skipped:,} skipped annotations are not votes" if n_skipped else ""
    return VoteRows(
        path=path,
        tasks=tasks,
        annotators=annotators,
        labels=labels,
        make_error=lambda _, problem: FormatError(path, problem),
        note=f"{path.name}: {len(found):,} single choices from Label Studio{skipped}.",
    )


def _find_task_id(path: Path, task: dict[str, Any]) -> str:
    """The task's own id in its data where there is one, else Label Studio's."""
    data = task.get("data")
    own = data.get("task_id") if isinstance(data, dict) else None
    task_id = task.get("id") if own is None else own
    if not isinstance(task_id, str | int) or not str(task_id).strip():
        raise FormatError(path, "every task needs an id, or a task_id in its data.")
    return str(task_id).strip()


def _read_annotation(path: Path, task_id: str, annotation: dict[str, Any]) -> tuple[str, str]:
    """Who annotated, and the one choice."""
    choices = list(_find_choices(annotation.get("result")))
    if len(choices) != 1 or not choices[0]:
        raise FormatError(
            path,
            f"an annotation of task {task_id!r} has {len(choices)} choices; a vote is exactly one, from one <Choices> with "
            'choice="single".',
        )
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    if not isinstance(by, str | int) or not str(by).strip():
        raise FormatError(path, f"an annotation of task {task_id!r} does not say who completed it (completed_by).")
    return str(by).strip(), choices[0]


def _find_choices(result: object) -> Iterator[str]:
    for region in result if isinstance(result, list) else ():
        if isinstance(region, dict) and region.get("type") == "choices":
            value = region.get("value")
            yield from (str(one).strip() for one in (value.get("choices", ()) if isinstance(value, dict) else ()))


def _check_once(
    parts: Sequence[VoteRows], tasks: NumberedTexts, annotators: NumberedTexts, labels: NumberedTexts
) -> None:
    """Refuse an annotator who answers a task twice, with the same label or with another."""
    repeated = find_repeated_row(tasks.codes.astype(np.int64) * len(annotators.texts) + annotators.codes)
    if repeated is None:
        return
    row, first = repeated
    who, task = annotators.texts[annotators.codes[row]], tasks.texts[tasks.codes[row]]
    before, now = labels.texts[labels.codes[first]], labels.texts[labels.codes[row]]
    if before == now:
        problem = (
            f"annotator {str(who)!r} gives task {str(task)!r} the label {str(now)!r} a second time; a vote counts once, so "
            "remove one of the two."
        )
    else:
        problem = (
            f"annotator {str(who)!r} gives task {str(task)!r} the label {str(now)!r} after {str(before)!r}; an annotator has "
            "one vote per task, so keep one of the two."
        )
    for part in parts:
        if row < len(part.tasks):
            raise part.make_error(row, problem)
        row -= len(part.tasks)


_READERS: dict[str, Callable[[Path], VoteRows]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".json": _read_label_studio,
}
