"""Answers to CONTAINS grids → records: a table in CSV, TSV or Parquet, and Label Studio's JSON export.

docs/formats.md shows one of each. A table of millions of rows is read by its distinct words: every text column becomes
numbers at once, and whatever is checked or looked up is checked once per word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import BoolArray, FloatArray, IntArray
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.parquets import read_parquet
from regauge.formats.responses.contains_label_studio import GridCell, read_export
from regauge.formats.responses.data_frames import DataFrame, read_texts
from regauge.formats.sizes import make_names
from regauge.formats.text import SEPARATORS, Table, read_table, require_columns
from regauge.records.responses.answers import ContainsVotes, Control, ControlArray
from regauge.records.taxonomy import Taxonomy

CONTAINS_COLUMNS = ("task_id", "annotator_id", "class", "image_id", "control", "selected")
SECONDS = "seconds"
CONTROLS = {"": Control.NONE, "positive": Control.POSITIVE, "negative": Control.NEGATIVE}
ANSWERS = {"0": False, "1": True}


@dataclass(frozen=True, slots=True, eq=False)
class TextCodes:
    """A column of text as numbers.

    Attributes:
        codes: per row, the position of its word.
        words: the distinct words, in the order of their first rows.
    """

    codes: IntArray
    words: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The rows of one file."""

    tasks: TextCodes
    annotators: TextCodes
    images: TextCodes
    classes: IntArray
    controls: ControlArray
    is_selected: BoolArray
    seconds: FloatArray | None
    note: str


def load_contains_responses(paths: Sequence[Path | str], *, taxonomy: Taxonomy | None = None) -> ContainsVotes:
    """The rows of one or several files as one record, in the order in which they stand.

    Args:
        paths: `.csv`, `.tsv` or `.parquet` tables, or `.json` exports of Label Studio.
        taxonomy: the classes; without it, classes must be given by index.

    Raises:
        FormatError: a file is empty or not what it must be; it names the line where there are lines.
    """
    if not paths:
        raise InputError("Answers are needed: give at least one file.")
    return _put_together([_load(Path(path), taxonomy) for path in paths])


def read_contains_frame(frame: DataFrame, *, taxonomy: Taxonomy | None = None) -> ContainsVotes:
    """The rows of a data frame with the columns of a table of answers to grids.

    Raises:
        FormatError: a row does not hold what it must.
        InputError: a column is missing or there twice, or a row lacks a value.
    """
    found = [str(name) for name in frame.columns]
    if not set(CONTAINS_COLUMNS) <= set(found):
        raise InputError(
            f"A data frame of answers to grids has the columns {', '.join(CONTAINS_COLUMNS)}; this one has: {', '.join(found)}."
        )
    texts = read_texts(frame, (*CONTAINS_COLUMNS, SECONDS), empty=("control", SECONDS))
    texts = texts.with_columns(pl.col("selected").replace({"True": "1", "False": "0"}))
    table = Table(Path("data frame"), texts, text="", records=pl.Series(np.arange(len(texts))))
    return _put_together([_read_rows(table, taxonomy)])


def _put_together(parts: Sequence[_Part]) -> ContainsVotes:
    tasks, annotators, images = (
        _join([getattr(part, name) for part in parts]) for name in ("tasks", "annotators", "images")
    )
    return ContainsVotes(
        task_ids=make_names(tasks.words),
        annotator_ids=make_names(annotators.words),
        image_ids=make_names(images.words),
        tasks=tasks.codes,
        annotators=annotators.codes,
        images=images.codes,
        classes=np.concatenate([part.classes for part in parts]),
        controls=np.concatenate([part.controls for part in parts]),
        is_selected=np.concatenate([part.is_selected for part in parts]),
        seconds=_join_seconds(parts),
        notes=tuple(part.note for part in parts),
    )


def _load(path: Path, taxonomy: Taxonomy | None) -> _Part:
    suffix = path.suffix.lower()
    if suffix in SEPARATORS:
        return _read_rows(read_table(path), taxonomy)
    if suffix == ".parquet":
        return _read_rows(_read_parquet(path), taxonomy)
    if suffix == ".json":
        return _read_cells(path, taxonomy)
    if not path.exists():
        raise FormatError(path, "there is no such file.")
    raise FormatError(
        path,
        "answers to grids are a .csv, .tsv or .parquet table or a .json export of Label Studio, "
        f"not {suffix or 'a file without extension'}.",
    )


def _read_parquet(path: Path) -> Table:
    """The columns as text, as a CSV would have them; there are no lines to name."""
    frame = read_parquet(path, (*CONTAINS_COLUMNS, SECONDS))
    known = [name for name in (*CONTAINS_COLUMNS, SECONDS) if name in frame.columns]
    truths = [name for name in known if frame[name].dtype == pl.Boolean]
    frame = frame.with_columns(pl.col(truths).cast(pl.Int8)).with_columns(pl.col(known).cast(pl.String))
    return Table(path, frame, text="", records=pl.Series(np.arange(len(frame))))


def _read_rows(table: Table, taxonomy: Taxonomy | None) -> _Part:
    require_columns(table, CONTAINS_COLUMNS, purpose="a table of answers to grids")
    tasks, annotators, images = (_read_ids(table, name) for name in ("task_id", "annotator_id", "image_id"))
    classes = _map(table, "class", lambda word: resolve_class(word, taxonomy))
    controls = _map(table, "control", _read_control)
    is_selected = _map(table, "selected", _read_answer)
    return _Part(
        tasks,
        annotators,
        images,
        classes=classes.astype(np.int32),
        controls=controls.astype(np.uint8),
        is_selected=is_selected.astype(np.bool_),
        seconds=_read_seconds(table),
        note=_describe(table.path, len(classes), annotators=annotators, tasks=tasks),
    )


def _describe(path: Path, n_rows: int, *, annotators: TextCodes, tasks: TextCodes) -> str:
    return (
        f"{path.name}: {count_things(n_rows, 'answer')} by {count_things(len(annotators.words), 'annotator')} on "
        f"{count_things(len(tasks.words), 'task')}."
    )


def factorise(column: pl.Series) -> TextCodes:
    """The distinct words of a column without spaces around them, and the position of each row's; nothing counts as ''."""
    categories = column.fill_null("").cast(pl.Categorical)
    distinct = categories.unique(maintain_order=True)
    places = np.zeros(int(distinct.to_physical().max() or 0) + 1, np.int32)  # type: ignore[arg-type]
    words = [word.strip() for word in distinct.cast(pl.String).to_list()]
    position_of: dict[str, int] = {}
    places[distinct.to_physical().to_numpy()] = [position_of.setdefault(word, len(position_of)) for word in words]
    return TextCodes(places[categories.to_physical().to_numpy()], list(position_of))


def _read_ids(table: Table, name: str) -> TextCodes:
    ids = factorise(table.frame[name])
    if "" in ids.words:
        raise table.make_error(_find_row(ids, ""), f"the column {name!r} is empty.")
    return ids


def _map(table: Table, name: str, read: Callable[[str], int]) -> IntArray:
    """What each row's word stands for; the error names the first row whose word is not understood."""
    column = factorise(table.frame[name])
    values = []
    for word in column.words:
        try:
            values.append(read(word))
        except InputError as error:
            raise table.make_error(_find_row(column, word), str(error)) from None
    return np.asarray(values, np.int32)[column.codes]


def _find_row(column: TextCodes, word: str) -> int:
    return int(np.argmax(column.codes == column.words.index(word)))


def _read_control(word: str) -> int:
    if word not in CONTROLS:
        raise InputError(f"control is positive, negative or empty, not {word!r}.")
    return CONTROLS[word]


def _read_answer(word: str) -> int:
    if word not in ANSWERS:
        raise InputError(f"selected is 0 or 1, not {word!r}.")
    return ANSWERS[word]


def _read_seconds(table: Table) -> FloatArray | None:
    if SECONDS not in table.frame.columns:
        return None
    column = table.frame[SECONDS].str.strip_chars()
    is_empty = column.is_null() | (column == "")
    numbers = column.cast(pl.Float64, strict=False)
    bad = (~is_empty & ~(numbers.is_finite() & (numbers >= 0)).fill_null(value=False)).arg_true()
    if len(bad):
        row = int(bad[0])
        raise table.make_error(row, f"seconds is a number from 0 up, or empty, not {column[row]!r}.")
    return numbers.fill_null(float("nan")).to_numpy()


def _read_cells(path: Path, taxonomy: Taxonomy | None) -> _Part:
    """The cells of an export, one row each, as a table has them."""
    cells, n_skipped = read_export(path)
    columns = list(zip(*cells, strict=True))
    tasks, annotators, images = (_number(columns[place]) for place in (0, 1, 3))
    skipped = f" {count_things(n_skipped, 'response')} left out: skipped by the annotator." if n_skipped else ""
    return _Part(
        tasks,
        annotators,
        images,
        classes=_resolve_classes(path, cells, taxonomy),
        controls=np.array(columns[4], np.uint8),
        is_selected=np.array(columns[5], np.bool_),
        seconds=np.array(columns[6], np.float64),
        note=_describe(path, len(cells), annotators=annotators, tasks=tasks) + skipped,
    )


def _resolve_classes(path: Path, cells: Iterable[GridCell], taxonomy: Taxonomy | None) -> IntArray:
    index_of: dict[Any, int] = {}
    for cell in cells:
        if cell.asked not in index_of:
            try:
                index_of[cell.asked] = resolve_class(cell.asked, taxonomy)
            except InputError as error:
                raise FormatError(path, f"task {cell.task_id!r}: {error}") from None
    return np.array([index_of[cell.asked] for cell in cells], np.int32)


def _number(words: Iterable[str]) -> TextCodes:
    position_of: dict[str, int] = {}
    codes = [position_of.setdefault(word, len(position_of)) for word in words]
    return TextCodes(np.array(codes, np.int32), list(position_of))


def _join(columns: Sequence[TextCodes]) -> TextCodes:
    """The columns of several files below each other."""
    if len(columns) == 1:
        return columns[0]
    position_of: dict[str, int] = {}
    codes = []
    for column in columns:
        places = [position_of.setdefault(word, len(position_of)) for word in column.words]
        codes.append(np.array(places, np.int32)[column.codes])
    return TextCodes(np.concatenate(codes), list(position_of))


def _join_seconds(parts: Sequence[_Part]) -> FloatArray | None:
    if all(part.seconds is None for part in parts):
        return None
    return np.concatenate([np.full(len(p.classes), np.nan) if p.seconds is None else p.seconds for p in parts])
