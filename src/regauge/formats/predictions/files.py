"""Prediction files → records.

NPZ `image_ids, classes, scores?`; CSV `image_id,rank,class,score?` or `image_id,class`; timm's CSV; logits `.npy` with
an ids file. docs/formats.md shows one of each. Arrays are read with pickling off.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, IdArray, IntArray, ScoreArray, freeze_ids
from regauge.errors import FormatError, InputError
from regauge.formats.array_files import find_ids, map_array, open_archive, read_ids
from regauge.formats.classes import MAX_INDEX, check_indices, resolve_class, resolve_column
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.timm import is_timm, read_timm
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, read_table
from regauge.records.predictions import Logits, Predictions
from regauge.records.taxonomy import Taxonomy

MAX_ANSWERS = 1_000
"""More ranks than this per image are taken for a mistake in the file, before memory is spent on them."""


def load_predictions(
    file: PredictionFile, *, taxonomy: Taxonomy | None = None, ids: Path | None = None
) -> Predictions | Logits:
    """One participant's answers, or for a `.npy` file its memory-mapped outputs.

    Args:
        file: the participant's name and the file.
        taxonomy: the classes; without it, classes must be given by index.
        ids: the image ids of `.npy` files, one per line; unless given, NAME.ids.txt or image_ids.txt beside the file.
    """
    try:
        return _READERS[file.path.suffix.lower()](file, taxonomy, ids)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(file.path, str(error)) from None


def _load_npz(file: PredictionFile, taxonomy: Taxonomy | None, _: Path | None) -> Predictions:
    with open_archive(file.path) as archive:
        found = [name for name in archive.names if name in _ARRAYS]
        if not {"image_ids", "classes"} <= set(found):
            raise FormatError(
                file.path,
                "an NPZ of predictions needs the arrays image_ids and classes; "
                f"this one has: {', '.join(found) or 'none'}.",
            )
        archive.check_room(_ARRAYS)
        # Ids that are no ids tell a file that is none before the rest of it is unpacked.
        image_ids = freeze_ids(_read_ids(archive.read("image_ids")), owner=file.participant)
        classes = _read_classes(archive.read("classes", n_rows=len(image_ids)), taxonomy)
        scores = _read_scores(archive.read("scores", n_rows=len(image_ids)) if "scores" in found else None)
    return Predictions(file.participant, image_ids, classes, scores)


def _read_ids(image_ids: NDArray[Any]) -> IdArray:
    image_ids = _decode(image_ids, "image_ids")
    if image_ids.dtype.kind not in "Uiu":
        raise InputError(f"image_ids must be text, not {image_ids.dtype}.")
    return image_ids.astype(np.str_)


_ARRAYS = frozenset({"image_ids", "classes", "scores"})


def _decode(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Text that was saved as bytes as text."""
    try:
        return np.strings.decode(array, "utf-8") if array.dtype.kind == "S" else array
    except UnicodeDecodeError:
        raise InputError(f"{name} holds bytes that are not UTF-8 text.") from None


def _read_classes(classes: NDArray[Any], taxonomy: Taxonomy | None) -> IntArray:
    classes = _decode(classes, "classes")
    if classes.dtype.kind == "U":
        words, inverse = np.unique(classes, return_inverse=True)
        indices = np.array([resolve_class(str(word), taxonomy) for word in words], dtype=np.int32)
        return indices[inverse].reshape(classes.shape)
    if classes.dtype.kind not in "iu":
        raise InputError(f"classes must be class indices (integers) or ids (text), not {classes.dtype}.")
    check_indices(classes, taxonomy)
    if taxonomy is None and classes.size and classes.max() > MAX_INDEX:
        raise InputError(f"{classes.max()} is too large for a class index.")
    # A number far below 0 must not become an index by wrapping round; the record refuses what is below NO_CLASS.
    if classes.dtype.kind == "i":
        classes = np.maximum(classes, classes.dtype.type(NO_CLASS - 1))
    return classes.astype(np.int32, copy=False)


def _read_scores(scores: NDArray[Any] | None) -> ScoreArray | None:
    if scores is None:
        return None
    if scores.dtype.kind not in "fiu":
        raise InputError(f"scores must be numbers, not {scores.dtype}.")
    return _shorten(scores)


def _shorten(scores: NDArray[Any]) -> ScoreArray:
    """Scores in single precision; what is too large for it becomes infinite, and the order stays."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32, copy=False)


def _load_table(file: PredictionFile, taxonomy: Taxonomy | None, _: Path | None) -> Predictions:
    table = read_table(file.path)
    if is_timm(table):
        return read_timm(table, file.participant, taxonomy)
    columns = set(table.frame.columns)
    if not {"image_id", "class"} <= columns:
        found = ", ".join(table.frame.columns)
        raise FormatError(
            file.path,
            "predictions need the columns image_id,rank,class[,score] or image_id,class (or timm's filename,index,label,prob); "
            f"this file has: {found}.",
            line=1,
        )
    classes = resolve_column(table, "class", taxonomy)
    scores = read_numbers(table, "score") if "score" in columns else None
    image_ids = table.get_column("image_id")
    if "rank" not in columns:
        table.check_distinct(image_ids, "image")
        return Predictions(file.participant, make_names(image_ids), classes, scores)
    return _spread_ranks(table, file.participant, classes, scores)


def read_numbers(table: Table, name: str) -> ScoreArray:
    """A column of numbers; NaN and what is no number are refused with their line."""
    numbers = table.get_column(name).cast(pl.Float64, strict=False)
    bad = (numbers.is_null() | numbers.is_nan()).arg_true()
    if len(bad):
        row = int(bad[0])
        raise table.make_error(row, f"{name} must be a number, not {table.frame[name][row]!r}.")
    return _shorten(numbers.to_numpy())


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


def _load_logits(file: PredictionFile, taxonomy: Taxonomy | None, ids: Path | None) -> Logits:
    values = map_array(file.path)
    if values.ndim != 2 or values.dtype.kind != "f":
        raise FormatError(
            file.path,
            f"logits must be a float array [images, classes], not {values.dtype} of shape {list(values.shape)}.",
        )
    if taxonomy is not None and values.shape[1] != len(taxonomy):
        background = " Drop the background class first." if values.shape[1] == len(taxonomy) + 1 else ""
        raise FormatError(
            file.path,
            f"the logits have {values.shape[1]:,} columns, but {taxonomy.name} has {len(taxonomy):,} classes.{background}",
        )
    ids_path = find_ids(file.path, ids)
    image_ids = read_ids(ids_path)
    if len(image_ids) != values.shape[0]:
        raise FormatError(
            ids_path, f"there are {len(image_ids):,} ids for the {values.shape[0]:,} rows of {file.path.name}."
        )
    return Logits(file.participant, make_names(image_ids), values)


_READERS: dict[str, Callable[[PredictionFile, Taxonomy | None, Path | None], Predictions | Logits]] = {
    ".npz": _load_npz,
    ".csv": _load_table,
    ".tsv": _load_table,
    ".npy": _load_logits,
}
