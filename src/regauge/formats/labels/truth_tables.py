"""Tables of labels → truths: CSV, TSV, Parquet and, of our own exports, JSON Lines.

`image_id,label`; Kaggle's `ImageId,PredictionString`; and the tables `images` and `labels` that `regauge export` writes, of one
or of several test sets and label sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, IdArray
from regauge.errors import FormatError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_column
from regauge.formats.labels.sources import TruthSource, resolve_words
from regauge.formats.sizes import make_names
from regauge.formats.tables import IMAGE_ID, keep_test_set, open_table
from regauge.formats.text import Table, require_columns
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.testsets.test_set import TestSet

DIGEST_COLUMN = "sha256"
"""An optional column of truth tables: of each image's bytes, so that images of two sets can be told to be the same."""

TRUTH_FIELDS = ("label", "file", DIGEST_COLUMN, "correct", "unclear", "wrong", "problematic", "main")
"""What `columns` can name of a truth, beside image_id."""

KAGGLE = {IMAGE_ID: "ImageId", "label": "PredictionString"}
"""The columns of Kaggle's LOC_val_solution.csv."""

VERDICT_COLUMNS = ("label_set", "version", IMAGE_ID, "class", "verdict")
"""By these a table of labels of our own export is known."""

_Word = TypeVar("_Word", LabelKind, Unlisted)

_BOXES = re.compile(r"(\S+( -?\d+(\.\d+)?){4} *)+")


def open_truth_table(source: TruthSource) -> Table:
    """The table, its columns as we call them."""
    table = open_table(source.path, columns=source.columns, own=TRUTH_FIELDS)
    if set(KAGGLE.values()) <= set(table.frame.columns) and "label" not in table.frame.columns:
        return open_table(source.path, columns=KAGGLE, own=TRUTH_FIELDS)
    return table


def load_truth_table(source: TruthSource) -> Truth:
    """Dataset labels, or the verdicts of an export."""
    table = open_truth_table(source)
    if set(VERDICT_COLUMNS) <= set(table.frame.columns):
        return _load_verdicts(source, table)
    _require(table, source)
    table, name = choose_test_set(table, source)
    image_ids = table.get_column(IMAGE_ID)
    table.check_distinct(image_ids, "image")
    if _has_boxes(table):
        return _load_boxes(source, table, name)
    is_known = _find_known(table)
    labels = np.full(len(image_ids), NO_CLASS, np.int32)
    rows = np.flatnonzero(is_known)
    if rows.size:
        kept = replace(table, frame=table.frame[rows], records=table.records[rows])
        labels[rows] = resolve_column(kept, "label", source.taxonomy)
    test_set = TestSet(name, make_names(image_ids), labels, _read_digests(table))
    return Truth(test_set, notes=(describe_labels(source.path.name, test_set),))


def describe_labels(name: str, test_set: TestSet) -> str:
    """How many images a file has, and how many of them a dataset label."""
    n_labelled = int((test_set.labels != NO_CLASS).sum())
    if n_labelled == len(test_set):
        return f"{name}: dataset labels of {count_things(len(test_set), 'image')}."
    some = f"{n_labelled:,} of them have a dataset label" if n_labelled else "none of them has a dataset label"
    return f"{name}: found {count_things(len(test_set), 'image')}; {some}."


def choose_test_set(table: Table, source: TruthSource) -> tuple[Table, str]:
    """The rows of the one test set that is meant, and its name; a table without a column test_set is one.

    Raises:
        FormatError: there are several and none was chosen, or there is none of that name.
    """
    if "test_set" not in table.frame.columns:
        if source.part is not None:
            raise FormatError(source.path, f"this table has no column test_set to choose {source.part!r} from.")
        return table, source.name
    return _choose(table, "test_set", source), source.part or str(table.frame["test_set"][0])


def _choose(table: Table, column: str, source: TruthSource) -> Table:
    names = table.get_column(column)
    known = names.unique(maintain_order=True).to_list()
    if source.part is None and len(known) == 1:
        return table
    if source.part is None:
        raise FormatError(
            source.path,
            f"this file holds {len(known)} test sets, and one is meant; write {source.path.name}#NAME with one of: "
            f"{', '.join(known)}.",
        )
    return keep_test_set(table, source.part, column=column)


def _require(table: Table, source: TruthSource) -> None:
    missing = {IMAGE_ID, "label"} - set(table.frame.columns)
    if missing and not table.text:
        require_columns(table, (IMAGE_ID, "label"), purpose="a truth table")
    if missing:
        found = ", ".join(name for name in table.frame.columns if name not in source.columns)
        raise FormatError(
            table.path,
            f"a truth table needs the columns image_id, label; this file has: {found}. Say which is which with `columns=…`: "
            "image_id=NAME,label=NAME.",
            line=1,
        )


def _find_known(table: Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which rows have a label: all must, but for tables of images that our export writes, which say so by an empty cell."""
    column = table.frame["label"].cast(pl.String).fill_null("").str.strip_chars()
    if "test_set" in table.frame.columns:
        return (column != "").to_numpy()
    return np.ones(len(column), np.bool_)


def _has_boxes(table: Table) -> bool:
    """Whether every label is a class with the four numbers of a box behind it, as Kaggle has them."""
    cells = _read_cells(table, "label")
    # Most tables have none in the first row, and then no other is looked at.
    return all(map(_BOXES.fullmatch, cells))


def _load_boxes(source: TruthSource, table: Table, name: str) -> Truth:
    """Classes of boxes: a dataset label where all boxes of an image are of one class, and else a list of correct classes."""
    words = [list(dict.fromkeys(cell.split()[::5])) for cell in table.get_column("label")]
    flat = [word for row in words for word in row]
    found = resolve_words(flat, source.taxonomy, path=source.path)
    ends = np.cumsum([len(row) for row in words])
    lists = [part.tolist() for part in np.split(found.indices, ends[:-1])]
    labels = np.array([row[0] if len(row) == 1 else NO_CLASS for row in lists], np.int32)
    ids = make_names(table.get_column(IMAGE_ID))
    test_set = TestSet(name, ids, labels)
    note = f"{source.path.name}: classes of the boxes in {count_things(len(ids), 'image')}."
    n_several = int((labels == NO_CLASS).sum())
    if not n_several:
        return Truth(test_set, notes=(note, *found.notes))
    several = LabelSet.from_lists(f"{name}-boxes", ids, correct=lists, unlisted=source.unlisted)
    more = (
        f"{source.path.name}: boxes of several classes are in {n_several:,} of them, which have no dataset label; all of these "
        "classes are correct."
    )
    return Truth(test_set, (several,), notes=(note, more, *found.notes))


def _read_digests(table: Table) -> IdArray | None:
    """The optional column of digests, in small letters; a cell may be empty where one is not known."""
    if DIGEST_COLUMN not in table.frame.columns:
        return None
    column = table.frame[DIGEST_COLUMN].cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase()
    wrong = (~column.str.contains("^([0-9a-f]{64})?$")).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise table.make_error(row, f"{DIGEST_COLUMN} is 64 hexadecimal digits or empty, not {column[row]!r}.")
    return None if (column == "").all() else column.to_numpy().astype(np.str_)


def _load_verdicts(source: TruthSource, table: Table) -> Truth:
    """The label sets of an export, each by its name and version."""
    if source.images is not None:
        kept = table.get_column(IMAGE_ID).is_in(list(source.images))
        table = replace(table, frame=table.frame.filter(kept), records=table.records.filter(kept))
    sets = dict(_split_versions(table))
    if source.part is not None:
        sets = {name: part for name, part in sets.items() if source.part in {name, name.rpartition("@")[0]}}
        if not sets:
            known = ", ".join(dict(_split_versions(table)))
            raise FormatError(source.path, f"there is no label set {source.part!r} here; there are: {known}.")
    label_sets = tuple(_make_label_set(source, name, part) for name, part in sets.items())
    notes = tuple(
        f"{source.path.name}: {count_things(len(one.classes), 'verdict')} on {count_things(len(one), 'image')} in {one.name}, "
        f"{int(one.is_problematic.sum()):,} of them problematic and left out; a class that an image does not list is "
        f"{one.unlisted}."
        for one in label_sets
    )
    return Truth(label_sets=label_sets, notes=notes)


def _split_versions(table: Table) -> Iterator[tuple[str, Table]]:
    names = table.get_column("label_set") + "@" + table.get_column("version")
    for name in names.unique(maintain_order=True):
        kept = names == name
        yield name, replace(table, frame=table.frame.filter(kept), records=table.records.filter(kept))


def _make_label_set(source: TruthSource, name: str, table: Table) -> LabelSet:
    ids = table.get_column(IMAGE_ID)
    distinct = ids.unique(maintain_order=True)
    row_of = {image_id: row for row, image_id in enumerate(distinct)}
    rows = [row_of[one] for one in ids]
    first = np.flatnonzero(ids.is_first_distinct().to_numpy())
    heads = replace(table, frame=table.frame[first], records=table.records[first])
    classes = _read_optional(table, "class", source)
    lists = _list_verdicts(table, rows, classes, n=len(distinct))
    unlisted = source.unlisted or _read_word(table, "unlisted", Unlisted)
    built = LabelSet.from_lists(
        name,
        make_names(distinct),
        correct=lists[Verdict.CORRECT],
        unclear=lists[Verdict.UNCLEAR],
        wrong=lists[Verdict.WRONG],
        is_problematic=[cell == "true" for cell in _read_cells(heads, "problematic")],
        main_labels=_read_optional(heads, "main", source),
        kind=_read_word(table, "kind", LabelKind) or LabelKind.MULTILABEL,
        unlisted=unlisted,
    )
    return replace(built, is_follow_up_only="true" in _read_cells(table, "follow_up_only"))


def _list_verdicts(
    table: Table, rows: Sequence[int], classes: Sequence[int], *, n: int
) -> dict[Verdict, list[list[int]]]:
    lists: dict[Verdict, list[list[int]]] = {verdict: [[] for _ in range(n)] for verdict in Verdict}
    seen: set[tuple[int, int]] = set()
    words = {verdict.name.lower(): verdict for verdict in Verdict}
    for number, (row, index, word) in enumerate(zip(rows, classes, _read_cells(table, "verdict"), strict=True)):
        if index == NO_CLASS and not word:
            continue
        if word not in words or index == NO_CLASS:
            raise table.make_error(number, f"a verdict is one of {', '.join(words)} on a class, not {word!r}.")
        if (row, index) in seen:
            raise table.make_error(number, f"class {index} of an image has a second verdict.")
        seen.add((row, index))
        lists[words[word]][row].append(index)
    return lists


def _read_cells(table: Table, name: str) -> list[str]:
    if name not in table.frame.columns:
        return [""] * table.frame.height
    cells: list[str] = table.frame[name].cast(pl.String).fill_null("").str.strip_chars().to_list()
    return cells


def _read_optional(table: Table, name: str, source: TruthSource) -> list[int]:
    """Class indices of a column in which cells may be empty."""
    cells = np.array(_read_cells(table, name), dtype=object)
    rows = np.flatnonzero(cells != "")
    found = np.full(len(cells), NO_CLASS, np.int32)
    if rows.size:
        kept = replace(table, frame=table.frame[rows], records=table.records[rows])
        found[rows] = resolve_column(kept, name, source.taxonomy)
    indices: list[int] = found.tolist()
    return indices


def _read_word(table: Table, name: str, words: type[_Word]) -> _Word | None:
    cells = set(_read_cells(table, name)) - {""}
    try:
        return words(cells.pop()) if len(cells) == 1 else None
    except ValueError:
        known = ", ".join(one.value for one in words)
        raise FormatError(table.path, f"the column {name} has {known}, and nothing else.") from None
