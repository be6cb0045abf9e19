"""`regauge export parquet`, `jsonl` and `csv`: images, labels, predictions and scores, one file each."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from regauge.storage.files import write_whole_folder
from regauge.storage.study import Study
from regauge.workflows.exports.content import (
    ANY_LABELS,
    ANY_TEST_SET,
    PARTICIPANT,
    ExportChoice,
    ExportedFile,
    ExportFormat,
    ExportOrder,
    write_tables,
)


def export_tables(
    study: Study, folder: Path, *, kind: str, choice: ExportChoice | None = None
) -> tuple[ExportedFile, ...]:
    """Write images, labels, predictions and scores, one file each, to a folder that is new or empty.

    Args:
        study: the study, inside a transaction.
        folder: where.
        kind: `parquet`, `jsonl` or `csv`.
        choice: which test set, label sets and participants; everything by default.

    Raises:
        InputError: the folder holds something, or there is nothing of that name.
    """
    with write_whole_folder(folder) as partial:
        written = write_tables(study, partial, kind=kind, choice=choice or ExportChoice())
    return tuple(ExportedFile(folder / one.path.name, one.n_rows) for one in written)


def _write(study: Study, path: Path, order: ExportOrder, *, kind: str) -> tuple[ExportedFile, ...]:
    return export_tables(study, path, kind=kind, choice=order.choice)


def _make_format(kind: str, what: str) -> ExportFormat:
    return ExportFormat(
        name=kind,
        help=f"Write images, labels, predictions and scores to DIR, one {what} file each.",
        is_folder=True,
        options=(ANY_TEST_SET, ANY_LABELS, PARTICIPANT),
        write=partial(_write, kind=kind),
    )


PARQUET = _make_format("parquet", "Parquet")
JSONL = _make_format("jsonl", "JSON Lines")
CSV = _make_format("csv", "CSV")
