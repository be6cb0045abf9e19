"""Lists about images, as people write them: images with classes, reviewed pairs, and images with reasons."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from regauge.formats.classes import resolve_column
from regauge.formats.sizes import make_names
from regauge.formats.text import read_table, require_columns
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.pairs import PairVerdict, ReviewedPairs

SPELLINGS: Mapping[str, PairVerdict] = {
    **dict.fromkeys(("same", "duplicate", "near-duplicate", "near_duplicate", "true", "yes", "1"), PairVerdict.SAME),
    **dict.fromkeys(("different", "distinct", "not duplicate", "false", "no", "0"), PairVerdict.DIFFERENT),
    **dict.fromkeys(("unsure", "unclear", "maybe"), PairVerdict.UNSURE),
}
"""How verdicts are written, in any case: as here, and true or false as they were released with ImageNetV2."""


def load_pairs(path: Path | str) -> ReviewedPairs:
    """The pairs of a CSV with the columns image_a, image_b and verdict; others, such as metric and distance, are left alone.

    Raises:
        FormatError: a column or a cell is missing, or a verdict is not understood.
    """
    table = read_table(Path(path))
    require_columns(table, ("image_a", "image_b", "verdict"), purpose="a list of pairs")
    first, second = table.get_column("image_a"), table.get_column("image_b")
    written = table.get_column("verdict").str.to_lowercase()
    verdicts = written.replace_strict(SPELLINGS, default=None, return_dtype=pl.String)
    unknown = verdicts.is_null().arg_true()
    if len(unknown):
        row = int(unknown[0])
        raise table.make_error(row, f"a verdict is same, different or unsure, not {written[row][:40]!r}.")
    return ReviewedPairs(*(make_names(column) for column in (first, second, verdicts)))


def load_class_pairs(path: Path, *, taxonomy: Taxonomy) -> list[tuple[str, int]]:
    """The (image, class) pairs of a CSV with the columns image_id and class, as `candidates` writes them; others are left alone.

    Raises:
        FormatError: a column is missing or a class is unknown.
    """
    table = read_table(path)
    require_columns(table, ("image_id", "class"), purpose="a list of pairs")
    classes = resolve_column(table, "class", taxonomy)
    return list(zip(table.get_column("image_id").to_list(), classes.tolist(), strict=True))


def load_pair_participants(path: Path) -> tuple[str, ...]:
    """Who gives the answers of such a file, each name once, by its column `participants`, as queues of slices have it.

    Names stand between vertical bars; none where the file has no such column.

    Raises:
        FormatError: the file cannot be read.
    """
    table = read_table(path)
    if "participants" not in table.frame.columns:
        return ()
    cells = table.frame["participants"].cast(pl.String).fill_null("").to_list()
    return tuple(dict.fromkeys(name.strip() for cell in cells for name in cell.split("|") if name.strip()))


def load_reasons(path: Path | str, *, reason: str = "") -> dict[str, str]:
    """Image id → why, from a CSV with the columns image_id and reason.

    Args:
        path: the file.
        reason: what holds where the file has no such column, or an empty cell in it.

    Raises:
        FormatError: an image occurs twice, or one has no reason.
    """
    table = read_table(Path(path))
    require_columns(table, ("image_id",), purpose="a list of images")
    given = table.frame["reason"] if "reason" in table.frame.columns else pl.Series([""] * table.frame.height)
    reasons = given.fill_null("").str.strip_chars().replace("", reason.strip())
    unexplained = (reasons == "").arg_true()
    if len(unexplained):
        raise table.make_error(
            int(unexplained[0]), "every image needs a reason; add a column reason, or give `reason=…`."
        )
    ids = table.get_column("image_id")
    table.check_distinct(ids, "image")
    return dict(zip(ids.to_list(), reasons.to_list(), strict=True))
