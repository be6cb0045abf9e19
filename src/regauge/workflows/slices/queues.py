"""The queue of a slice as a table that a review campaign reads."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from regauge.records.cells import write_csv
from regauge.records.slices.answers import OpenPredictions
from regauge.storage.files import write_whole


def write_queue(queue: OpenPredictions, path: Path) -> None:
    """Write one row per prediction: image, class, what it needs, and who gives it.

    Raises:
        InputError: the file exists.
        StorageError: it cannot be written.
    """
    columns = {"image_id": pl.String, "class": pl.Int64, "needs": pl.String, "participants": pl.String}
    with write_whole(path) as partial:
        write_csv(pl.DataFrame(list(queue.list_rows()), schema=columns, orient="row"), partial)
