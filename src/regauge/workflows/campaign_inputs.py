"""Read what campaigns are to ask about: tables of images and classes, as `candidates` writes them."""

from __future__ import annotations

from pathlib import Path

from regauge.formats.classes import resolve_column
from regauge.formats.text import read_table, require_columns
from regauge.records.taxonomy import Taxonomy


def load_pairs(path: Path, *, taxonomy: Taxonomy) -> list[tuple[str, int]]:
    """The (image, class) pairs of a CSV with the columns image_id and class; other columns are left alone.

    Raises:
        FormatError: a column is missing or a class is unknown.
    """
    table = read_table(path)
    require_columns(table, ("image_id", "class"), purpose="a list of pairs")
    classes = resolve_column(table, "class", taxonomy)
    return list(zip(table.get_column("image_id").to_list(), classes.tolist(), strict=True))
