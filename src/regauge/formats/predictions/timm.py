"""What timm's inference script writes → predictions: CSV, JSON or Parquet.

One row per image: `filename`, then `index`, `label` and `prob` (or `logit`), each optional. With several answers a
cell holds a list, which is printed in CSV, or there is one column per rank: `index_0`, `index_1`, … Without any class, `prob` or
`logit` has the outputs for all classes.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from regauge.arrays import IntArray, ScoreArray
from regauge.errors import InputError
from regauge.formats.classes import resolve_description
from regauge.formats.sizes import make_names
from regauge.formats.tables import FILE_NAME
from regauge.formats.text import Table, name_from_files
from regauge.records.predictions import Logits, Predictions
from regauge.records.taxonomy import Taxonomy

CLASS_COLUMNS = ("index", "label")
SCORE_COLUMNS = ("prob", "logit")

_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def is_timm(table: Table) -> bool:
    """Whether the table has timm's columns."""
    return FILE_NAME in table.frame.columns and (
        any(_find_columns(table, name) for name in CLASS_COLUMNS) or _has_outputs(table)
    )


def read_timm(table: Table, participant: str, taxonomy: Taxonomy | None) -> Predictions | Logits:
    """The answers, best first; the index is believed where both index and label are given."""
    image_ids = pl.Series(name_from_files(table.get_column(FILE_NAME).to_list()))
    _check_distinct(table, image_ids)
    if _has_outputs(table):
        return _read_outputs(table, participant, image_ids, taxonomy)
    class_name = next(name for name in CLASS_COLUMNS if _find_columns(table, name))
    classes = _read_classes(table, class_name, taxonomy)
    score_name = next((name for name in SCORE_COLUMNS if _find_columns(table, name)), None)
    scores = None if score_name is None else _read_scores(table, score_name)
    return Predictions(participant, make_names(image_ids), classes, scores)


def _has_outputs(table: Table) -> bool:
    """Whether the table has lists of outputs and no class beside them, as timm writes for `--topk 0`."""
    if any(_find_columns(table, name) for name in CLASS_COLUMNS):
        return False
    name = next((name for name in SCORE_COLUMNS if _find_columns(table, name)), None)
    return name is not None and len(_read_cells(table, name)[0]) > 1


def _read_outputs(table: Table, participant: str, image_ids: pl.Series, taxonomy: Taxonomy | None) -> Logits:
    values = _read_scores(table, next(name for name in SCORE_COLUMNS if _find_columns(table, name)))
    if taxonomy is not None and values.shape[1] != len(taxonomy):
        raise InputError(
            f"every image has {values.shape[1]:,} outputs, but {taxonomy.name} has {len(taxonomy):,} classes."
        )
    return Logits(participant, make_names(image_ids), values)


def _check_distinct(table: Table, image_ids: pl.Series) -> None:
    """Refuse two rows about one image; timm writes base names unless it is told otherwise."""
    repeated = (~image_ids.is_first_distinct()).arg_true()
    if len(repeated):
        row = int(repeated[0])
        hint = (
            ""
            if "/" in image_ids[row]
            else " Where files in several folders share a name, let timm write full names (its option fullname)."
        )
        raise table.make_error(row, f"image {image_ids[row]!r} occurs a second time.{hint}")


def _find_columns(table: Table, name: str) -> list[str]:
    """The column of that name, or the columns name_0, name_1, … in rank order."""
    columns = table.frame.columns
    if name in columns:
        return [name]
    ranked = [f"{name}_{rank}" for rank in range(len(columns)) if f"{name}_{rank}" in columns]
    return ranked if f"{name}_0" in ranked else []


def _read_cells(table: Table, name: str) -> list[list[str]]:
    """The cells of every row, one per rank; a single column may hold a printed list."""
    columns = _find_columns(table, name)
    if table.frame[columns[0]].dtype.is_nested():
        lists = table.frame[columns[0]].to_list()
        return [[] if cells is None else [str(cell) for cell in cells] for cells in lists]
    if len(columns) > 1:
        return [list(cells) for cells in zip(*(table.get_column(column) for column in columns), strict=True)]
    return [_split_cell(cell) for cell in table.get_column(columns[0])]


def _split_cell(cell: str) -> list[str]:
    if not (cell.startswith("[") and cell.endswith("]")):
        return [cell]
    quoted = [single or double for single, double in _QUOTED.findall(cell)]
    return quoted or cell[1:-1].replace(",", " ").split()


def _read_classes(table: Table, name: str, taxonomy: Taxonomy | None) -> IntArray:
    cells = _read_cells(table, name)
    _check_even(table, cells, name)
    index_of: dict[str, int] = {}
    for row, words in enumerate(cells):
        for word in words:
            if word not in index_of:
                try:
                    index_of[word] = resolve_description(word, taxonomy)
                except InputError as error:
                    raise table.make_error(row, str(error)) from None
    return np.array([[index_of[word] for word in words] for words in cells], dtype=np.int32)


def _read_scores(table: Table, name: str) -> ScoreArray:
    cells = _read_cells(table, name)
    _check_even(table, cells, name)
    scores = np.empty((len(cells), len(cells[0])), dtype=np.float32)
    for row, words in enumerate(cells):
        try:
            with np.errstate(over="ignore"):
                scores[row] = [float(word) for word in words]
        except ValueError:
            raise table.make_error(row, f"{name} must be a number, not {' '.join(words)!r}.") from None
        if np.isnan(scores[row]).any():
            raise table.make_error(row, f"{name} is not a number (NaN).")
    return scores


def _check_even(table: Table, cells: list[list[str]], name: str) -> None:
    for row, words in enumerate(cells):
        if not words:
            raise table.make_error(row, f"{name} has no answer.")
        if len(words) != len(cells[0]):
            raise table.make_error(row, f"{name} has {len(words)} answers, the first image {len(cells[0])}.")
