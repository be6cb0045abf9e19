"""Arrays of answers and labels, of any library → records with ids, or rows without them.

What an array holds is told by its type and shape: whole numbers or text in one column are classes; text or whole numbers in
several columns are the best classes of each image; floats in several columns are one score per class. What could be two of
these is refused.
"""

from __future__ import annotations

import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import AnyArray, IdArray, IntArray, freeze_ids, read_array
from regauge.errors import InputError
from regauge.formats.array_files import read_ids
from regauge.formats.classes import MAX_INDEX, check_indices, resolve_class
from regauge.records.predictions import Logits, Predictions
from regauge.records.taxonomy import ClassIndex, ImageClass, NodeId, Taxonomy
from regauge.records.testsets.rows import AnswerRows, LabelRows, LogitRows
from regauge.records.testsets.test_set import TestSet

MODEL = "model"
"""What the participant of a single array is called."""
TEST_SET = "test set"
"""What the images of an array of labels are called."""

_PATH_SIGNS = frozenset("./\\*?=")
"""One of these is in what a list of files holds: paths, globs and NAME=PATH."""

Ids: TypeAlias = AnyArray | str | Path | None


class ArrayInputs(NamedTuple):
    """What was given as arrays; None for what was given otherwise.

    Attributes:
        labels: keyed by id where ids were given, else rows.
        answers: likewise, one per participant.
        taxonomy: the classes: those that were given, or the names that occur.
    """

    labels: TestSet | LabelRows | None
    answers: tuple[Predictions | Logits | AnswerRows | LogitRows, ...] | None
    taxonomy: Taxonomy | None


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """An array that was read, and what messages call it."""

    what: str
    values: NDArray[Any]
    index: Any = None

    @property
    def is_text(self) -> bool:
        """Whether classes are named."""
        return self.values.dtype.kind == "U"

    @property
    def has_scores(self) -> bool:
        """Whether it has one score per class, not classes."""
        return self.values.dtype.kind == "f" and self.values.ndim == 2


def is_array(value: object) -> bool:
    """Whether a value is meant as an array: it has `__array__` or `__dlpack__`, or is a list of numbers or of rows."""
    if isinstance(value, str | bytes | Path | Mapping):
        return False
    if hasattr(value, "__array__") or hasattr(value, "__dlpack__") or isinstance(value, array.array | memoryview):
        return True
    if not isinstance(value, list | tuple) or not value:
        return False
    return isinstance(value[0], int | float | list | tuple) or is_array(value[0])


def holds_paths(predictions: Mapping[Any, Any]) -> bool:
    """Whether a dictionary names files, not arrays."""
    return bool(predictions) and all(isinstance(one, str | Path) for one in predictions.values())


def read_arrays(predictions: object, truth: object, *, ids: Ids, taxonomy: Taxonomy | None) -> ArrayInputs | None:
    """The arrays among predictions and truth; None where there are none.

    Args:
        predictions: an array, a dictionary with one per participant, or something else.
        truth: an array, or something else.
        ids: the image id of each row; without, rows are known by their position.
        taxonomy: the classes; without it, names are numbered as they occur.
    """
    has_many = isinstance(predictions, Mapping) and not holds_paths(predictions)
    named = predictions if has_many and isinstance(predictions, Mapping) else {MODEL: predictions}
    first = next(iter(named.values()), None)
    # Lists in a dictionary are answers, not files.
    beside = np.array(first) if has_many and _is_list_of_text(first) else first
    has_labels = is_array(truth) or _is_list_of_names(truth, beside=beside)
    has_answers = has_many or is_array(predictions) or _is_list_of_names(predictions, beside=truth)
    if not has_labels and not has_answers:
        _refuse_two_lists_of_names(predictions, truth)
        return None
    labels = _read_labels(truth) if has_labels else None
    answers = {name: _read_answers(name, values) for name, values in named.items()} if has_answers else {}
    if has_answers and not answers:
        raise InputError("Predictions are needed: the dictionary holds no participant.")
    columns = [*([labels] if labels is not None else []), *answers.values()]
    image_ids = _read_ids(ids, columns)
    if image_ids is None:
        _check_same_index(columns)
    classes = taxonomy or _name_classes(columns)
    known = None if labels is None else _to_labels(labels, classes)
    rows = tuple(_to_rows(name, one, classes, known) for name, one in answers.items())
    if image_ids is None:
        return ArrayInputs(None if known is None else LabelRows(TEST_SET, known), rows or None, classes)
    keyed = tuple(one.key(image_ids) for one in rows)
    return ArrayInputs(None if known is None else TestSet(TEST_SET, image_ids, known), keyed or None, classes)


def _is_list_of_text(value: object) -> TypeGuard[list[str] | tuple[str, ...]]:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, str) for one in value)


def _is_list_of_names(value: object, *, beside: object) -> bool:
    """Whether a list of text holds class names, not files: it stands beside an array of as many rows, and is not a file."""
    if not _is_list_of_text(value) or not is_array(beside):
        return False
    return len(read_array(beside)) == len(value) and not Path(value[0]).exists()  # type: ignore[arg-type]


def _refuse_two_lists_of_names(predictions: object, truth: object) -> None:
    """Lists of text are files where nothing else tells; two of one length that hold nothing like a file are names of classes."""
    if not (_is_list_of_text(predictions) and _is_list_of_text(truth)):
        return
    both = [*predictions, *truth]
    if len(predictions) == len(truth) > 1 and not any(set(one) & _PATH_SIGNS or Path(one).exists() for one in both):
        raise InputError(
            f"Two lists of text are read as files, and {both[0]!r} is none; give the names of classes as an array, with "
            "np.array(…)."
        )


def _read_labels(truth: object) -> _Column:
    column = _read(truth, "the labels")
    values = column.values
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            f"Labels are one column with a class per image, not an array of shape {list(values.shape)}; join batches into one "
            "array, turn one-hot rows into classes with argmax(1), and give several labels per image as a LabelSet."
        )
    if values.dtype.kind == "f" and not (np.isfinite(values) & (values == np.floor(values))).all():
        row = int(np.argmin(np.isfinite(values) & (values == np.floor(values))))
        raise InputError(f"Labels are classes, by index or by name; row {row} has {values[row]}.")
    return _Column(column.what, values, column.index)


def _read_answers(name: object, values: object) -> _Column:
    if not isinstance(name, str) or not name:
        raise InputError(f"Participants have names: the keys of the dictionary are texts, not {name!r}.")
    if not is_array(values) and not (isinstance(values, list | tuple) and values and isinstance(values[0], str)):
        raise InputError(
            f"A dictionary of predictions holds an array or a file for every participant, and not both; {name!r} is "
            f"{'empty' if values in ([], ()) else f'of type {type(values).__name__}'}."
        )
    column = _read(values, f"the answers of {name}")
    found = column.values
    if found.ndim not in {1, 2} or (found.ndim == 2 and not found.shape[1]):
        raise InputError(
            f"Answers are one column, or one row per image, not an array of shape {list(found.shape)}; join batches into one "
            "array, and give several participants as a dictionary by name."
        )
    if found.dtype.kind == "b" and found.ndim == 2:
        raise InputError(
            f"{_start(column.what)} are true or false in several columns; turn them into classes with argmax(1)."
        )
    if found.dtype.kind == "f" and (found.ndim == 1 or found.shape[1] == 1):
        raise InputError(
            f"{_start(column.what)} are one column of floats, which are neither classes nor one score per class; give whole "
            "numbers, or a column of scores for each class."
        )
    return column


def _read(values: object, what: str) -> _Column:
    """The array; text, wherever it comes from, is NumPy's."""
    found = read_array(values, what=what)  # type: ignore[arg-type]
    if found.dtype.kind == "S":
        found = np.char.decode(found, "utf-8")
    elif found.dtype.kind == "T":
        found = found.astype(np.str_)
    elif found.dtype.kind == "O":
        found = _settle(found, what)
    if found.dtype.kind not in "biufU":
        raise InputError(f"{_start(what)} are classes or real numbers, not values of type {found.dtype}.")
    return _Column(what, found, getattr(values, "index", None))


def _settle(found: NDArray[Any], what: str) -> NDArray[Any]:
    """A column of Python objects as text or as numbers, where it is wholly one of them."""
    cells = found.ravel().tolist()
    if all(isinstance(one, str) for one in cells):
        return found.astype(np.str_)
    if all(isinstance(one, int | np.integer) for one in cells):
        return found.astype(np.int64)
    odd = next((place for place, one in enumerate(cells) if not isinstance(one, str | int | np.integer)), 0)
    if odd or not isinstance(cells[0], str | int | np.integer):
        raise InputError(f"{_start(what)} have no class at position {odd}: {cells[odd]!r}; every row needs one.")
    raise InputError(f"{_start(what)} hold both names and numbers; give all classes by name, or all by index.")


def _read_ids(ids: Ids, columns: list[_Column]) -> IdArray | None:
    if ids is None:
        return None
    given = read_ids(Path(ids)) if isinstance(ids, str | Path) else read_array(ids, what="the ids")
    if not isinstance(given, list) and given.dtype.kind in "fb":
        raise InputError(f"Image ids are text or whole numbers, not values of type {given.dtype}.")
    image_ids = freeze_ids(np.asarray(given).astype(np.str_), owner="The array")
    for column in columns:
        if len(column.values) != len(image_ids):
            raise InputError(f"There are {len(image_ids):,} ids, but {column.what} have {len(column.values):,} rows.")
    return image_ids


def _check_same_index(columns: list[_Column]) -> None:
    """Refuse pandas columns whose indexes differ: by position, rows would meet that pandas keeps apart."""
    indexed = [one for one in columns if hasattr(one.index, "equals")]
    for one in indexed[1:]:
        if not indexed[0].index.equals(one.index):
            raise InputError(
                f"{_start(indexed[0].what)} and {one.what} have different indexes, so their rows may be of different images; put "
                "them in the same order, or say which image each row is with `ids=…`."
            )


def _name_classes(columns: list[_Column]) -> Taxonomy | None:
    """The names that occur, as a taxonomy, where all columns have names and no digits; without names there is none."""
    texts = [one for one in columns if one.is_text]
    names = sorted({name.strip() for one in texts for name in one.values.ravel().tolist()})
    numbers = [name for name in names if name.isascii() and name.isdigit()]
    if len(numbers) == len(names):
        return None
    if numbers:
        raise InputError(
            f"{numbers[0]!r} is an index and {next(name for name in names if name not in numbers)!r} is none; say which classes "
            "there are with `taxonomy=…`."
        )
    if len(texts) < len(columns):
        other = next(one for one in columns if not one.is_text)
        raise InputError(
            f"{_start(texts[0].what)} name classes and {other.what} number them; say which classes there are, and in which "
            "order, with `taxonomy=…`."
        )
    if "" in names:
        raise InputError(f"{_start(texts[0].what)} have a row without a class; every row needs one.")
    return Taxonomy(
        "names", tuple(ImageClass(ClassIndex(index), NodeId(name), (name,)) for index, name in enumerate(names))
    )


def _to_labels(labels: _Column, taxonomy: Taxonomy | None) -> IntArray:
    found = _to_classes(labels, taxonomy)
    if found.size and found.max() > MAX_INDEX:
        raise InputError(f"{found.max()} is too large for a class index; the largest is {MAX_INDEX:,}.")
    check_indices(found, taxonomy)
    return found


def _to_rows(name: str, column: _Column, taxonomy: Taxonomy | None, labels: IntArray | None) -> AnswerRows | LogitRows:
    if column.has_scores:
        _check_scores(column, taxonomy, labels)
        return LogitRows(name, column.values)
    _check_told_apart(column, taxonomy, labels)
    classes = _to_classes(column, taxonomy)
    check_indices(classes, taxonomy)
    return AnswerRows(name, classes[:, np.newaxis] if classes.ndim == 1 else classes)


def _check_scores(column: _Column, taxonomy: Taxonomy | None, labels: IntArray | None) -> None:
    """Logits or probabilities have one column for each class."""
    n_columns = column.values.shape[1]
    if taxonomy is not None and n_columns != len(taxonomy):
        raise InputError(
            f"{_start(column.what)} have {n_columns:,} columns of floats, but {taxonomy.name} has {len(taxonomy):,} classes; "
            "scores have one column per class, in the order of the classes."
        )
    if labels is not None and labels.size and labels.max() >= n_columns:
        raise InputError(
            f"{_start(column.what)} have {n_columns:,} columns of floats, one per class, but a label is {labels.max()}; the "
            "columns are numbered from 0."
        )


def _check_told_apart(column: _Column, taxonomy: Taxonomy | None, labels: IntArray | None) -> None:
    """Refuse whole numbers that could be answers as well as one score for every class."""
    if column.is_text or column.values.ndim == 1 or column.values.shape[1] == 1:
        return
    n_columns = column.values.shape[1]
    n_classes = (
        len(taxonomy) if taxonomy is not None else 1 + int(labels.max()) if labels is not None and labels.size else 0
    )
    if n_classes and n_columns >= n_classes:
        raise InputError(
            f"{_start(column.what)} are whole numbers in {n_columns} columns for {n_classes:,} classes, so they could be the "
            "best classes of each image or one score per class; give scores as floats, and of the best classes fewer columns, or "
            "say how many classes there are with `taxonomy=…`."
        )


def _to_classes(column: _Column, taxonomy: Taxonomy | None) -> IntArray:
    """Class indices, resolved from names where the column has them."""
    values = column.values
    if not column.is_text:
        if values.size and not -(2**31) <= values.min() <= values.max() < 2**31:
            raise InputError(f"{_start(column.what)} hold {values.max()}, which is too large for a class index.")
        return values.astype(np.int32)
    words, places = np.unique(values, return_inverse=True)
    indices = np.array([resolve_class(str(word), taxonomy) for word in words], np.int32)
    return indices[places].reshape(values.shape)


def _start(what: str) -> str:
    return what[:1].upper() + what[1:]
