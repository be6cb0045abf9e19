"""Where images went after CONTAINS, as `regauge candidates split` prints it or as it was released → records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from regauge.formats.text import read_table, require_columns
from regauge.records.candidates import SplitPart

SPELLINGS: Mapping[str, SplitPart] = {
    **{part.value: part for part in SplitPart},
    "fu": SplitPart.FOLLOW_UP,
    "amb": SplitPart.AMBIGUOUS,
    "mis": SplitPart.MISLABELED,
}
"""How parts are written: as here, and as they were released with Tsipras et al. (2020)."""

_OTHER_NAMES = {"image": "image_id", "split": "part"}


def load_parts(path: Path | str) -> dict[str, SplitPart]:
    """Image id → part, from a CSV or TSV table with the columns image_id and part, or image and split.

    Raises:
        FormatError: a column or a cell is missing, a part is not known, or an image occurs twice.
    """
    table = read_table(Path(path))
    known = table.frame.columns
    renamed = {old: new for old, new in _OTHER_NAMES.items() if old in known and new not in known}
    table = replace(table, frame=table.frame.rename(renamed))
    require_columns(table, ("image_id", "part"), purpose="a split of images")
    ids, written = table.get_column("image_id"), table.get_column("part").str.to_lowercase()
    unknown = (~written.is_in(list(SPELLINGS))).arg_true()
    if len(unknown):
        row = int(unknown[0])
        raise table.make_error(row, f"a part is {', '.join(SplitPart)}, not {written[row][:40]!r}.")
    table.check_distinct(ids, "image")
    return {image_id: SPELLINGS[part] for image_id, part in zip(ids.to_list(), written.to_list(), strict=True)}
