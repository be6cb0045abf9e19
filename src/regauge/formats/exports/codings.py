"""Codings → files that `mistakes summary` and `mistakes add` read: CSV, TSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from regauge.errors import InputError
from regauge.formats.mistakes.coded import FIELDS, NOTE, OVERTURNED
from regauge.records.cells import write_csv
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.mistakes.coding import MistakeCoding

COLUMNS = {name: pl.Int64 if name == "prediction" else pl.String for name in (*FIELDS, OVERTURNED, NOTE)}


def list_coding(coding: MistakeCoding) -> Iterator[dict[str, Any]]:
    """One row per mistake: those that remain with their codes, then those that were overturned with the reason."""
    coded, overturned = coding.coded, coding.overturned
    codes = (coded.image_ids, coded.predictions, coded.categories, coded.severities)
    for image_id, prediction, category, severity, remark in zip(
        *(column.tolist() for column in codes), coding.remarks, strict=True
    ):
        cells = (image_id, prediction, coded.category_names[category], str(SEVERITIES[severity]), None, remark or None)
        yield dict(zip(COLUMNS, cells, strict=True))
    pairs = zip(overturned.image_ids.tolist(), overturned.predictions.tolist(), strict=True)
    for pair, reason, note in zip(pairs, overturned.reasons, overturned.notes, strict=True):
        yield dict(zip(COLUMNS, (*pair, None, None, reason, note or None), strict=True))


def write_coding(coding: MistakeCoding, path: Path, *, suffix: str) -> None:
    """Write all mistakes; what `load_coded_file` reads is the same again.

    Args:
        coding: the coding.
        path: the file to write.
        suffix: what the file is called at the end, which says how to write it.

    Raises:
        InputError: it ends neither as a table nor as JSON.
    """
    rows = list(list_coding(coding))
    if suffix == ".json":
        filled = [{name: value for name, value in row.items() if value is not None} for row in rows]
        path.write_text(json.dumps({coding.participant: filled}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    elif suffix == ".csv":
        write_csv(pl.DataFrame(rows, schema=COLUMNS, orient="row"), path)
    else:
        raise InputError(
            f"Coded mistakes are written to a .csv or .json file, not {suffix or 'one without an ending'}."
        )
