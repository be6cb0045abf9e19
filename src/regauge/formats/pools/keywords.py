"""Tables of the keywords of original images → how many images of a class each keyword has."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl

from regauge.errors import FormatError
from regauge.formats.classes import resolve_column
from regauge.formats.text import Table, read_table, require_columns
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

MAX_COUNT = 1_000_000_000
"""Counts are scaled in whole numbers, which larger ones would not fit into."""


def load_keyword_counts(
    path: Path | str, *, taxonomy: Taxonomy, original: TestSet | None = None
) -> tuple[tuple[int, str, int], ...]:
    """(class, keyword, number of original images) in that order, from a CSV or TSV table.

    Args:
        path: `image_id,keyword`, one row per original image; or `class,keyword,n`, already counted.
        taxonomy: the classes.
        original: the original test set, which says of which class an image is.

    Raises:
        FormatError: the file is no such table, an image is not in the original test set, or a row occurs twice.
    """
    table = read_table(Path(path))
    if "image_id" in table.frame.columns:
        return _count_images(table, original)
    require_columns(table, ("class", "keyword", "n"), purpose="a table of keywords")
    classes, words = resolve_column(table, "class", taxonomy).tolist(), table.get_column("keyword").to_list()
    found: dict[tuple[int, str], int] = {}
    for row, (pair, n) in enumerate(zip(zip(classes, words, strict=True), _read_counts(table), strict=True)):
        if pair in found:
            raise table.make_error(row, f"keyword {pair[1]!r} of class {pair[0]} occurs a second time.")
        found[pair] = n
    empty = {index for index, _ in found} - {index for (index, _), n in found.items() if n}
    if empty:
        raise FormatError(table.path, f"class {min(empty)} has no image of any keyword; leave its rows out.")
    return tuple((*pair, n) for pair, n in sorted(found.items()))


def _count_images(table: Table, original: TestSet | None) -> tuple[tuple[int, str, int], ...]:
    require_columns(table, ("image_id", "keyword"), purpose="a table of keywords")
    if original is None:
        raise FormatError(
            table.path, "keywords by image need the original test set, which says of which class each is."
        )
    ids = table.get_column("image_id")
    table.check_distinct(ids, "image")
    label_of = dict(zip(original.image_ids.tolist(), original.labels.tolist(), strict=True))
    unknown = next((row for row, one in enumerate(ids) if one not in label_of), None)
    if unknown is not None:
        raise table.make_error(unknown, f"image {ids[unknown]!r} is not in the test set {original.name}.")
    counts = Counter((label_of[one], word) for one, word in zip(ids, table.get_column("keyword"), strict=True))
    return tuple((*pair, n) for pair, n in sorted(counts.items()))


def _read_counts(table: Table) -> list[int]:
    column = table.get_column("n")
    counts = column.cast(pl.Int64, strict=False)
    wrong = (counts.is_null() | ~counts.is_between(0, MAX_COUNT)).arg_true()
    if len(wrong):
        raise table.make_error(
            int(wrong[0]), f"n is a whole number from 0 to {MAX_COUNT:,}, not {column[int(wrong[0])][:40]!r}."
        )
    return counts.to_list()
