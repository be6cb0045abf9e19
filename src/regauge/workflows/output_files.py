"""Results → files of the user's choice, each whole or as it was before."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from regauge.records.cells import write_csv
from regauge.storage.files import write_whole

ROW_SUFFIXES = (".csv", ".jsonl", ".parquet")
"""How files end that `write_rows` writes."""


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write a data frame in the format that the extension names: `.jsonl`, `.parquet`, else CSV.

    Raises:
        StorageError: the file cannot be written; one that was there is still there.
    """
    with write_whole(path, replaces=True) as partial:
        if path.suffix.lower() == ".jsonl":
            rows.write_ndjson(partial)
        elif path.suffix.lower() == ".parquet":
            rows.write_parquet(partial)
        else:
            write_csv(rows, partial)
