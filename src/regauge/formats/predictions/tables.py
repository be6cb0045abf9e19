"""Tables of predictions → records: one line per answer or per image, of one participant or of several.

`image_id,rank,class,score?` or `image_id,class`, with a column `participant` where there are several, as `regauge export` writes
them; or timm's columns. Seconds, and the kind and family of the participant, are kept where there are such columns. The table may
be CSV, TSV, Parquet, JSON Lines or JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, IntArray, ScoreArray
from regauge.errors import FormatError
from regauge.formats.classes import resolve_column
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.arrays import shorten_scores
from regauge.formats.predictions.timm import is_timm, read_timm
from regauge.formats.sizes import make_names
from regauge.formats.tables import IMAGE_ID, keep_test_set, open_table
from regauge.formats.text import Table
from regauge.records.predictions import Logits, ParticipantKind, Predictions
from regauge.records.taxonomy import Taxonomy

PARTICIPANT, TEST_SET = "participant", "test_set"
TIMES = ("seconds", "active_seconds")
KIND, FAMILY = "kind", "family"
PREDICTION_FIELDS = (
    *("class", "rank", "score", PARTICIPANT, "filename", "index", "prob", "logit"),
    *(*TIMES, KIND, FAMILY),
)
"""What `columns` can name of a table of predictions, beside image_id."""

_OF_ACCURACIES = {"accuracy", "n_correct", "top1"}
"""Columns that, beside a model, tell of no single image."""
MAX_SECONDS = 10**9
"""Some thirty years: more is not a time that an answer took."""
MAX_ANSWERS = 1_000
"""More ranks than this per image are taken for a mistake in the file, before memory is spent on them."""


def open_answers(file: PredictionFile, columns: Mapping[str, str] | None = None) -> Table:
    """The table in a file of predictions, its columns as we call them; the rows of one test set where one is named."""
    table = open_table(file.path, columns=columns, own=PREDICTION_FIELDS)
    return table if file.part is None else keep_test_set(table, file.part, column=TEST_SET)


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
        if "model" in columns and columns & _OF_ACCURACIES:
            raise FormatError(
                table.path,
                f"this is a table of accuracies ({found}), not of answers to images: two of them are compared by `shift`, and "
                "one is set beside the answers of a model with `beside=…`.",
            )
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
        predictions = Predictions(participant, make_names(image_ids), classes, scores)
    else:
        predictions = _spread_ranks(table, participant, classes, scores)
    times: dict[str, Any] = {name: _read_seconds(table, name) for name in TIMES if name in columns}
    return replace(predictions, **times, kind=_read_kind(table), family=_read_same(table, FAMILY))


def _read_seconds(table: Table, name: str) -> ScoreArray | None:
    """How long each image took, in the order in which images come first; an empty cell is not known, and all empty is none.

    Raises:
        FormatError: a cell is not a number from 0 up, or the answers to an image say different numbers.
    """
    given = table.frame[name]
    seconds = given.cast(pl.Float64, strict=False).fill_nan(None)
    is_blank = given.is_null() | (given.cast(pl.String, strict=False) == "")
    bad = (~is_blank & (seconds.is_null() | ~seconds.is_between(0, MAX_SECONDS))).arg_true()
    if len(bad):
        raise table.make_error(int(bad[0]), f"{name} must be a number from 0 up, not {given[int(bad[0])]!r}.")
    image_ids = table.get_column(IMAGE_ID)
    first = image_ids.is_first_distinct()
    if not first.all():
        own = pl.DataFrame({"id": image_ids, "own": seconds})
        same = own.join(own.filter(first), on="id", how="left", maintain_order="left").select(
            pl.col("own").eq_missing(pl.col("own_right"))
        )
        row = int(same["own"].arg_min() or 0)
        if not same["own"].all():
            raise table.make_error(
                row,
                f"the answers to image {image_ids[row]!r} say different {name.replace('_', ' ')}; an image has one number.",
            )
    kept = seconds.filter(first)
    return None if kept.null_count() == len(kept) else shorten_scores(kept.fill_null(float("nan")).to_numpy())


def _read_kind(table: Table) -> ParticipantKind | None:
    """What the participant is, where the table says so.

    Raises:
        FormatError: it is neither a model nor a person, or the rows say both.
    """
    word = _read_same(table, KIND)
    if word is None:
        return None
    if word not in set(ParticipantKind):
        raise table.make_error(
            0,
            f"a participant is a model or a person, not {word!r}; if the column {KIND!r} says something else, rename it.",
        )
    return ParticipantKind(word)


def _read_same(table: Table, name: str) -> str | None:
    """What a column says in all rows of a participant; None where there is no such column, or an empty one.

    Raises:
        FormatError: rows say different things.
    """
    if name not in table.frame.columns:
        return None
    words = table.frame[name].cast(pl.String, strict=False).replace("", None)
    said: list[str | None] = words.unique(maintain_order=True).to_list()
    if len(said) > 1:
        row = int((~words.eq_missing(said[0])).arg_max() or 0)
        raise table.make_error(row, f"the {name} is {said[1]!r} here and {said[0]!r} before; a participant has one.")
    return said[0] if said else None


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
        image, known = joined.frame[IMAGE_ID][row], table.get_column(TEST_SET).unique(maintain_order=True)
        raise joined.make_error(
            row,
            f"image {image!r} has other answers in the test set {joined.frame[TEST_SET][row]!r} than in another; "
            f"choose one: write {table.path.name}#NAME with one of: {', '.join(known)}.",
        )
    return joined


def read_numbers(table: Table, name: str) -> ScoreArray:
    """A column of numbers; NaN and what is not a number are refused with their line."""
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
