"""Write a result where the user wants it."""

from __future__ import annotations

from pathlib import Path

from regauge.errors import InputError
from regauge.records.results import Result
from regauge.workflows.output_files import ROW_SUFFIXES, write_rows
from regauge.workflows.reports.figures import KINDS, save_figure


def save_result(result: Result, path: str | Path) -> Path:
    """Write the table of a result (.csv, .jsonl, .parquet) or its figure (.svg, .png, .pdf, .html), as the extension says.

    Raises:
        InputError: the extension is none of these, or there is no figure of it.
        StorageError: the table cannot be written; a file that was there is still there.
        FigureError: likewise the figure.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind in KINDS:
        return save_figure(result.plot(), target)
    if kind not in ROW_SUFFIXES:
        raise InputError(
            f"A table is {', '.join(ROW_SUFFIXES)}, a figure {', '.join(KINDS)}, not "
            f"{target.suffix or 'a file without extension'}: {target}."
        )
    write_rows(result.to_frame(), target)
    return target
