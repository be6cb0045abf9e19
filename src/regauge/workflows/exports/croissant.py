"""`regauge export croissant`: a description of exported tables in Croissant's JSON-LD."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from regauge.errors import FormatError
from regauge.formats.exports.croissant import CardFacts, describe_files, find_columns, find_values
from regauge.formats.exports.tables import KINDS, TABLES
from regauge.records.studies import TestSetEntry
from regauge.storage.files import write_whole
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.exports.content import (
    ANY_LABELS,
    LICENSE,
    PARTICIPANT,
    TEST_SET,
    ExportChoice,
    ExportedFile,
    ExportFormat,
    ExportOrder,
    write_tables,
)


def export_croissant(
    study: Study, path: Path, *, choice: ExportChoice | None = None, license_name: str = ""
) -> tuple[ExportedFile, ...]:
    """Describe exported tables in Croissant's JSON-LD: those beside the new file, or CSV that is written there.

    Args:
        study: the study, inside a transaction.
        path: the new file.
        choice: which test set and label sets, where tables have to be written.
        license_name: the licence of the data, as the description is to state it.

    Raises:
        InputError: the file exists, or the tables beside it are not exports of that test set.
    """
    asked = choice or ExportChoice()
    entry = get_test_set(study, asked.test_set)
    written: list[ExportedFile] = []
    with write_whole(path) as partial:
        files = _find_tables(path.parent, entry)
        if not files:
            tables = write_tables(
                study, path.parent, kind="csv", choice=ExportChoice(entry.name, asked.labels, asked.participants)
            )
            written += tables
            files = [one.path for one in tables]
        facts = CardFacts(
            name=entry.name,
            description=f"{entry.n_images:,} images of {entry.name}: labels, predictions and scores, by Regauge.",
            license=license_name,
            date=study.around.now()[:10],
        )
        content = describe_files(facts, {file: TABLES[file.stem] for file in files})
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")
    return (ExportedFile(path, len(files)), *written)


def _find_tables(folder: Path, entry: TestSetEntry) -> list[Path]:
    """The tables of one kind in the folder: none, or those of an export of that test set.

    Raises:
        InputError: a file of one of our names is not such a table.
    """
    for kind in reversed(KINDS):
        files = [folder / f"{name}.{kind}" for name in TABLES if (folder / f"{name}.{kind}").is_file()]
        for file in files:
            _check_table(file, entry)
        if files:
            return files
    return []


def _check_table(file: Path, entry: TestSetEntry) -> None:
    try:
        columns = list(find_columns(file))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(file, "this is not a table that Regauge exported.") from error
    # JSON Lines without rows have no columns either.
    if columns and columns != list(TABLES[file.stem]):
        raise FormatError(file, "this is not a table that Regauge exported; write the description to another folder.")
    if file.stem == "images" and find_values(file, "test_set") != [entry.name]:
        raise FormatError(
            file, f"this is not an export of {entry.name} alone; export it with `test_set={entry.name!r}`."
        )


def _write(study: Study, path: Path, order: ExportOrder) -> tuple[ExportedFile, ...]:
    return export_croissant(study, path, choice=order.choice, license_name=order.given.get(LICENSE.name, ""))


CROISSANT = ExportFormat(
    name="croissant",
    help="Describe the exported tables beside FILE in Croissant's JSON-LD; where there are none, CSV is written there first.",
    is_folder=False,
    options=(TEST_SET, ANY_LABELS, PARTICIPANT, LICENSE),
    write=_write,
)
