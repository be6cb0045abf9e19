"""The CSV that timm's inference script writes → predictions.

One line per image: `filename`, then `index`, `label` and `prob` (or `logit`), each optional. With several answers a
cell holds a printed list, or there is one column per rank: `index_0`, `index_1`, …
"""

from __future__ import annotations

import re

import numpy as np

from regauge.arrays import IntArray, ScoreArray
from regauge.errors import InputError, UnknownClassError
from regauge.formats.classes import resolve_class
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, name_from_file
from regauge.records.predictions import Predictions
from regauge.records.taxonomy import Taxonomy

CLASS_COLUMNS = ("index", "label")
SCORE_COLUMNS = ("prob", "logit")

_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def is_timm(table: Table) -> bool:
    """Whether the table has timm's columns."""
    return "filename" in table.frame.columns and any(_find_columns(table, name) for name in CLASS_COLUMNS)


def read_timm(table: Table, participant: str, taxonomy: Taxonomy | None) -> Predictions:
    """The answers, best first; the index is believed where both index and label are given."""
    image_ids = table.get_column("filename").map_elements(name_from_file, return_dtype=table.frame["filename"].dtype)
    table.check_distinct(image_ids, "image")
    class_name = next(name for name in CLASS_COLUMNS if _find_columns(table, name))
    classes = _read_classes(table, class_name, taxonomy)
    score_name = next((name for name in SCORE_COLUMNS if _find_columns(table, name)), None)
    scores = None if score_name is None else _read_scores(table, score_name)
    return Predictions(participant, make_names(image_ids), classes, scores)


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
                    index_of[word] = _resolve(word, taxonomy)
                except InputError as error:
                    raise table.make_error(row, str(error)) from None
    return np.array([[index_of[word] for word in words] for words in cells], dtype=np.int32)


def _resolve(word: str, taxonomy: Taxonomy | None) -> int:
    """A class as timm prints it: an index, a WordNet id, or all its names with commas between and perhaps `: gloss`.

    All names come first: "partridge" alone is the class that has no other name, although a grouse is called so too.
    """
    if taxonomy is None:
        return resolve_class(word, taxonomy)
    names = tuple(name.strip().casefold() for name in word.split(":", maxsplit=1)[0].split(","))
    matches = [one.index for one in taxonomy.classes if tuple(name.casefold() for name in one.names) == names]
    if len(matches) == 1:
        return matches[0]
    try:
        return resolve_class(word, taxonomy)
    except UnknownClassError:
        if word == names[0]:
            raise
    return resolve_class(names[0], taxonomy)


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
