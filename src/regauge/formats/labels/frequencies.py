"""Tables of selection counts, as `regauge aggregate contains` prints them → records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from regauge.arrays import CountArray
from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class, resolve_column
from regauge.formats.parquets import read_parquet
from regauge.formats.sizes import make_names
from regauge.formats.text import Table, read_json_lines, read_table, require_columns
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.taxonomy import Taxonomy

FREQUENCY_COLUMNS = ("image_id", "class", "n_shown", "n_selected")
FILE_SUFFIXES = frozenset({".csv", ".tsv", ".parquet", ".jsonl", ".ndjson"})
"""Frequencies named with one of these are a file; others are a label set of the study."""
_MAX_COUNT = 2**31 - 1


def is_table(name: str) -> bool:
    """Whether frequencies are in a file of that name, and not behind a label set."""
    return Path(name).suffix.lower() in FILE_SUFFIXES


def load_selection_counts(path: Path | str, *, taxonomy: Taxonomy | None = None) -> SelectionCounts:
    """The counts of every (image, class) pair, by image in the order of the file and by class.

    Args:
        path: a `.csv`, `.tsv` or `.parquet` table with `image_id,class,n_shown,n_selected`, or a `.jsonl` file with these
            fields; others are ignored.
        taxonomy: the classes; without it, classes must be given by index.

    Raises:
        FormatError: the file is not such a table, a count is not a whole number from 0 up, a pair was selected more often than
            shown, or a pair occurs twice.
    """
    path = Path(path)
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        return _load_lines(path, taxonomy)
    table = _read_parquet(path) if path.suffix.lower() == ".parquet" else read_table(path)
    require_columns(table, FREQUENCY_COLUMNS, purpose="a table of selection frequencies")
    image_ids = table.get_column("image_id")
    classes = resolve_column(table, "class", taxonomy)
    n_shown, n_selected = (_read_counts(table, name) for name in ("n_shown", "n_selected"))
    above = np.flatnonzero(n_selected > n_shown)
    if above.size:
        row = int(above[0])
        raise table.make_error(row, f"{n_selected[row]} annotators selected the pair, but only {n_shown[row]} saw it.")
    distinct = image_ids.unique(maintain_order=True)
    numbered = pl.DataFrame({"image_id": distinct, "image": pl.Series(range(len(distinct)), dtype=pl.Int64)})
    joined = image_ids.to_frame("image_id").join(numbered, on="image_id", how="left", maintain_order="left")
    images = joined["image"].to_numpy()
    _check_distinct(table, images, classes.astype(np.int64))
    order = np.lexsort((classes, images))
    return SelectionCounts(
        make_names(distinct),
        images[order].astype(np.int32),
        classes[order],
        n_shown[order],
        n_selected[order],
    )


def _read_parquet(path: Path) -> Table:
    frame = read_parquet(path, FREQUENCY_COLUMNS).cast(pl.String)
    return Table(path, frame, text="", records=pl.Series(range(frame.height), dtype=pl.Int64))


def _read_counts(table: Table, name: str) -> CountArray:
    column = table.get_column(name)
    counts = column.cast(pl.Int64, strict=False)
    wrong = (counts.is_null() | (counts < 0) | (counts > _MAX_COUNT)).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise table.make_error(row, f"{name} is a whole number from 0 up, not {column[row]!r}.")
    return counts.to_numpy()


def _check_distinct(table: Table, images: CountArray, classes: CountArray) -> None:
    order = np.lexsort((classes, images))
    twice = np.flatnonzero((np.diff(images[order]) == 0) & (np.diff(classes[order]) == 0))
    if twice.size:
        row = int(order[twice + 1].min())
        image_id = table.get_column("image_id")[row]
        raise table.make_error(row, f"class {classes[row]} of image {image_id!r} occurs a second time.")


def _load_lines(path: Path, taxonomy: Taxonomy | None) -> SelectionCounts:
    counts: dict[str, dict[int, tuple[int, int]]] = {}
    for line, row in read_json_lines(path):
        try:
            image_id, index, pair = _read_line(row, taxonomy)
        except InputError as error:
            raise FormatError(path, str(error), line=line) from None
        of_image = counts.setdefault(image_id, {})
        if index in of_image:
            raise FormatError(path, f"class {index} of image {image_id!r} occurs a second time.", line=line)
        of_image[index] = pair
    rows = [
        (image, index, *pair)
        for image, of_image in enumerate(counts.values())
        for index, pair in sorted(of_image.items())
    ]
    return SelectionCounts(make_names(list(counts)), *np.array(rows, np.int64).reshape(-1, 4).T)


def _read_line(row: dict[str, object], taxonomy: Taxonomy | None) -> tuple[str, int, tuple[int, int]]:
    image_id = row.get("image_id")
    if isinstance(image_id, bool) or not isinstance(image_id, str | int) or not str(image_id):
        raise InputError("every line needs an image_id that is not empty.")
    n_shown, n_selected = row.get("n_shown"), row.get("n_selected")
    if type(n_shown) is not int or type(n_selected) is not int or not 0 <= n_selected <= n_shown <= _MAX_COUNT:
        raise InputError(
            f"n_selected and n_shown are whole numbers with 0 ≤ n_selected ≤ n_shown, not {n_selected!r}, {n_shown!r}."
        )
    return str(image_id), resolve_class(row.get("class"), taxonomy), (n_shown, n_selected)
