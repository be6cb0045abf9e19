"""Data frames of votes → records, from pandas, polars or whatever has named columns; neither of them is imported for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Protocol, TypeGuard

import polars as pl

from regauge.errors import InputError
from regauge.formats.columns import number_texts
from regauge.formats.responses.votes import ANNOTATOR_NAMES
from regauge.formats.sizes import make_names
from regauge.records.labels.votes import GoldLabels
from regauge.records.responses.votes import Votes


class DataFrame(Protocol):
    """What a data frame has, whoever made it: names of columns, and the column of a name."""

    @property
    def columns(self) -> Any:  # noqa: ANN401 - an index in pandas, a list in polars
        """The names, in their order."""

    def __getitem__(self, key: Any, /) -> Any:  # noqa: ANN401 - names or rows, and a column or a frame
        """The column of a name."""


def is_data_frame(value: object) -> TypeGuard[DataFrame]:
    """Whether a value has named columns."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__")


def read_votes(frame: DataFrame) -> Votes:
    """The votes of a data frame with the columns task, worker or annotator, and label; other columns are passed over.

    Raises:
        InputError: a column is missing or there twice, or a row lacks a value.
    """
    names = [str(name) for name in frame.columns]
    annotator = next((name for name in ANNOTATOR_NAMES if name in names), None)
    if annotator is None or not {"task", "label"} <= set(names):
        raise InputError(
            f"A data frame of votes has the columns task, {' or '.join(ANNOTATOR_NAMES)}, and label; this one has: "
            f"{', '.join(names) or 'none'}."
        )
    tasks, annotators, labels = (number_texts(_read(frame, name)) for name in ("task", annotator, "label"))
    return Votes(tasks.texts, annotators.texts, labels.texts, tasks.codes, annotators.codes, labels.codes)


def read_gold(frame: DataFrame) -> GoldLabels:
    """Known labels of a data frame with the columns task and label.

    Raises:
        InputError: a column is missing, a row lacks a value, or a task is there twice.
    """
    names = [str(name) for name in frame.columns]
    if not {"task", "label"} <= set(names):
        raise InputError(
            f"A data frame of known labels has the columns task and label; this one has: {', '.join(names) or 'none'}."
        )
    return GoldLabels(make_names(_read(frame, "task")), make_names(_read(frame, "label")))


def read_texts(frame: DataFrame, names: Iterable[str], *, empty: Collection[str] = ()) -> pl.DataFrame:
    """Those of the columns that the frame has, as text.

    Args:
        frame: the data frame.
        names: the columns.
        empty: the columns of which a cell may be empty.

    Raises:
        InputError: a column is there twice, or a row lacks a value.
    """
    found = {str(name) for name in frame.columns}
    return pl.DataFrame([_read(frame, name, may_lack=name in empty) for name in names if name in found])


def _read(frame: DataFrame, name: str, *, may_lack: bool = False) -> pl.Series:
    """A column as text; whole numbers are written without a point, wherever they come from, and truth values as 0 and 1."""
    column = frame[name]
    if is_data_frame(column):
        raise InputError(f"The data frame has the column {name!r} twice; leave one out.")
    return pl.Series(name, list(_write(column, name, may_lack=may_lack)), dtype=pl.String)


def _write(column: Iterable[Any], name: str, *, may_lack: bool) -> Iterable[str]:
    for row, value in enumerate(column):
        # What is missing is None, or in pandas a value that is not equal to itself; its <NA> is neither equal nor different.
        is_missing = value is None or type(value).__name__ == "NAType" or value in {""} or value != value  # noqa: PLR0124
        if is_missing and not may_lack:
            raise InputError(f"Row {row} of the data frame has no {name}; rows are counted from 0.")
        is_whole = isinstance(value, float) and value.is_integer()
        yield "" if is_missing else str(int(value)) if is_whole else str(value)
