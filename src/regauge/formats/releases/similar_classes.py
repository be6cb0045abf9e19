"""Lists of similar classes, for each class the most similar first: `.npz` as Recht et al. (2019) released it, or a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from regauge.errors import FormatError
from regauge.formats.array_files import read_arrays
from regauge.formats.classes import resolve_column
from regauge.formats.text import read_table, require_columns
from regauge.records.taxonomy import Taxonomy

ARRAY = "most_similar"
"""The array of an archive: a row for each class, with the most similar classes first; the class itself may be among them."""


def load_similar(path: Path, *, taxonomy: Taxonomy) -> dict[int, tuple[int, ...]]:
    """Per class those that are like it, the most similar first, each once and without the class itself.

    Raises:
        FormatError: the file does not hold such lists, or names classes that are not there.
    """
    pairs = _read_archive(path, taxonomy) if path.suffix.lower() == ".npz" else _read_rows(path, taxonomy)
    found: dict[int, dict[int, None]] = {}
    for index, other in pairs:
        if index != other:
            found.setdefault(index, {})[other] = None
    if not found:
        raise FormatError(path, "no class has a similar one.")
    return {index: tuple(others) for index, others in sorted(found.items())}


def dump_similar(similar: Mapping[int, tuple[int, ...]]) -> str:
    """The lists as a text; the same lists give the same text."""
    return json.dumps({str(index): list(others) for index, others in similar.items()}, separators=(",", ":"))


def parse_similar(text: str) -> dict[int, tuple[int, ...]]:
    """What `dump_similar` gave."""
    return {int(index): tuple(others) for index, others in json.loads(text).items()}


def _read_archive(path: Path, taxonomy: Taxonomy) -> list[tuple[int, int]]:
    array = read_arrays(path, ARRAY)[ARRAY]
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer) or len(array) != len(taxonomy):
        raise FormatError(
            path,
            f"{ARRAY} has whole numbers in the shape [{len(taxonomy)}, k], a row for each class, not {array.dtype} in "
            f"{list(array.shape)}.",
        )
    if array.size and (array.min() < 0 or array.max() >= len(taxonomy)):
        raise FormatError(
            path,
            f"{ARRAY} names classes from {array.min()} to {array.max()}; indices run from 0 to {len(taxonomy) - 1}.",
        )
    return [(index, other) for index, row in enumerate(array.tolist()) for other in row]


def _read_rows(path: Path, taxonomy: Taxonomy) -> list[tuple[int, int]]:
    table = read_table(path)
    require_columns(table, ("class", "similar"), purpose="a list of similar classes")
    classes, others = (resolve_column(table, name, taxonomy).tolist() for name in ("class", "similar"))
    return list(zip(classes, others, strict=True))
