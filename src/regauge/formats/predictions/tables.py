"""Tables of predictions → records: one line per answer or per image, of one participant or of several.

`image_id,rank,class,score?` or `image_id,class`, with a column `participant` where there are several, as `regauge export` writes
them; or timm's columns. The table may be CSV, TSV, Parquet, JSON Lines or JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, IntArray, ScoreArray
from regauge.errors import FormatError
from regauge.formats.classes import resolve_column
from regauge.formats.predictions.arrays import shorten_scores
from regauge.formats.predictions.timm import is_timm, read_timm
from regauge.formats.sizes import make_names
from regauge.formats.tables import IMAGE_ID, open_table
from regauge.formats.text import Table
from regauge.records.predictions import Logits, Predictions
from regauge.records.taxonomy import Taxonomy

PARTICIPANT, TEST_SET = "participant", "test_set"
PREDICTION_FIELDS = ("class", "rank", "score", PARTICIPANT, "filename", "index", "prob", "logit")
"""What `columns` can name of a table of predictions, beside image_id."""

MAX_ANSWERS = 1_000
"""More ranks than this per image are taken for a mistake in the file, before memory is spent on them."""


def open_answers(path: Path, columns: Mapping[str, str] | None = None) -> Table:
    """The table in a file of predictions, its columns as we call them."""
    return open_table(path, columns=columns, own=PREDICTION_FIELDS)


def split_participants(table: Table) -> dict[str, Table]:
    """The rows of each participant; one that has no name where the table has no such column.

    Raises:
        FormatError: a row names nobody.
    """
    if PARTICIPANT not in table.frame.columns:
        return {"": table}
    names = table.get_column(PARTICIPANT)
    parts = table.frame.with_columns(names, table.records.alias(_RECORD)).partition_by(
        PARTICIPANT, as_dict=True, maintain_order=True
    )
    return {
        str(name): replace(table, frame=part.drop(_RECORD), records=part[_RECORD]) for (name,), part in parts.items()
    }


def read_answers(table: Table, participant: str, taxonomy: Taxonomy | None) -> Predictions | Logits:
    """The answers of one participant."""
    if is_timm(table):
        return read_timm(table, participant, taxonomy)
    columns = set(table.frame.columns)
    if not {IMAGE_ID, "class"} <= columns:
        found = ", ".join(table.frame.columns)
        raise FormatError(
            table.path,
            "predictions need the columns image_id,rank,class[,score] or image_id,class (or timm's filename,index,label,prob); "
            f"this file has: {found}. Say which is which with `columns=…`: image_id=NAME,class=NAME.",
            line=1 if table.text else None,
        )
    table = _join_test_sets(table)
    classes = resolve_column(table, "class", taxonomy)
    has_scores = "score" in columns and table.frame["score"].null_count() < table.frame.height
    scores = read_numbers(table, "score") if has_scores else None
    image_ids = table.get_column(IMAGE_ID)
    if "rank" not in columns:
        table.check_distinct(image_ids, "image")
        return Predictions(participant, make_names(image_ids), classes, scores)
    return _spread_ranks(table, participant, classes, scores)


def _join_test_sets(table: Table) -> Table:
    """The answers on all test sets; what two of them have alike stands once."""
    if TEST_SET not in table.frame.columns or table.frame[TEST_SET].n_unique() < 2:
        return table
    keys = [name for name in (IMAGE_ID, "rank", "class") if name in table.frame.columns]
    first = table.frame.select(pl.struct(keys).is_first_distinct()).to_series()
    joined = replace(table, frame=table.frame.filter(first), records=table.records.filter(first))
    again = joined.frame.select(pl.struct(one for one in keys if one != "class").is_first_distinct()).to_series()
    row = int(again.arg_min() or 0)
    if not again.all():
        image = joined.frame[IMAGE_ID][row]
        raise joined.make_error(
            row,
            f"image {image!r} has other answers in the test set {joined.frame[TEST_SET][row]!r} than in another; "
            "keep the rows of one test set, or export a single test set.",
        )
    return joined


def read_numbers(table: Table, name: str) -> ScoreArray:
    """A column of numbers; NaN and what is no number are refused with their line."""
    numbers = table.get_column(name).cast(pl.Float64, strict=False)
    bad = (numbers.is_null() | numbers.is_nan()).arg_true()
    if len(bad):
        row = int(bad[0])
        raise table.make_error(row, f"{name} must be a number, not {table.frame[name][row]!r}.")
    return shorten_scores(numbers.to_numpy())


def _spread_ranks(table: Table, participant: str, classes: IntArray, scores: ScoreArray | None) -> Predictions:
    """One row per image from one line per image and rank, in whatever order the lines are."""
    image_ids = table.get_column("image_id")
    distinct = image_ids.unique(maintain_order=True)
    rows = (
        image_ids.to_frame("id")
        .join(
            pl.DataFrame({"id": distinct, "row": np.arange(len(distinct))}), on="id", how="left", maintain_order="left"
        )["row"]
        .to_numpy()
    )
    ranks = _read_ranks(table)
    k = int(ranks.max()) + 1
    spread = np.full((len(distinct), k), NO_CLASS, dtype=np.int32)
    spread[rows, ranks] = classes
    _check_ranks(table, rows * k + ranks, spread)
    spread_scores = None
    if scores is not None:
        spread_scores = np.zeros(spread.shape, dtype=np.float32)
        spread_scores[rows, ranks] = scores
    return Predictions(participant, make_names(distinct), spread, spread_scores)


def _read_ranks(table: Table) -> NDArray[np.int64]:
    """The ranks counted from 0; a file may count from 1 or from 0, but the same throughout."""
    column = table.get_column("rank")
    ranks = column.cast(pl.Int64, strict=False)
    bad = (ranks.is_null() | (ranks < 0) | (ranks > MAX_ANSWERS)).arg_true()
    if len(bad):
        row = int(bad[0])
        raise table.make_error(row, f"a rank is a whole number, 1 for the best answer, not {column[row]!r}.")
    values = ranks.to_numpy()
    return values - (1 if values.min() > 0 else 0)


def _check_ranks(table: Table, places: NDArray[np.int64], spread: IntArray) -> None:
    """Refuse two answers of one rank, and a rank that is missing before the last."""
    repeated = (~pl.Series(places).is_first_distinct()).arg_true()
    if len(repeated):
        row = int(repeated[0])
        raise table.make_error(
            row, f"image {table.frame['image_id'][row]!r} has two answers of rank {table.frame['rank'][row]}."
        )
    gaps = ((spread[:, :-1] == NO_CLASS) & (spread[:, 1:] != NO_CLASS)).any(axis=1)
    if gaps.any():
        distinct = table.get_column("image_id").unique(maintain_order=True)
        image_id = distinct[int(np.argmax(gaps))]
        row = table.find_first(table.get_column("image_id"), image_id)
        raise table.make_error(
            row, f"the ranks of image {image_id!r} have a gap; they must run from the first without one."
        )


_RECORD = "\0record"
