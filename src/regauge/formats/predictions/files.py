"""Prediction files → records: arrays, tables of one participant or of several, and timm's. docs/formats.md shows one of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

from regauge.errors import FormatError, InputError
from regauge.formats.predictions.arguments import PredictionFile
from regauge.formats.predictions.arrays import load_archive, load_array
from regauge.formats.predictions.tables import PARTICIPANT, open_answers, read_answers, split_participants
from regauge.formats.tables import TABLE_SUFFIXES, list_columns
from regauge.formats.text import Table
from regauge.records.predictions import Logits, Predictions
from regauge.records.taxonomy import Taxonomy

Answers: TypeAlias = Predictions | Logits


def find_answers(
    file: PredictionFile,
    *,
    taxonomy: Taxonomy | None = None,
    ids: Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> dict[str, Callable[[], Answers]]:
    """The participants of a file, each with what reads its answers; only a table that names its participants is read at once.

    Args:
        file: the participant's name and the file.
        taxonomy: the classes; without it, classes must be given by index.
        ids: a file that tells the order of arrays without ids.
        columns: our name of a column → the file's.

    Raises:
        FormatError: the file names several participants, and one name was given for it.
    """
    if not _names_participants(file.path, columns or {}):
        return {file.participant: partial(load_predictions, file, taxonomy=taxonomy, ids=ids, columns=columns)}
    with _naming(file.path):
        parts = split_participants(open_answers(file, columns))
    if file.is_named and len(parts) > 1:
        raise FormatError(
            file.path,
            f"this file holds the answers of {len(parts)} participants, who are not all {file.participant!r}: "
            f"{', '.join(parts)}.",
        )
    return {
        file.participant if file.is_named else name: partial(
            _load_part, part, file.participant if file.is_named else name, taxonomy
        )
        for name, part in parts.items()
    }


def load_predictions(
    file: PredictionFile,
    *,
    taxonomy: Taxonomy | None = None,
    ids: Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> Answers:
    """One participant's answers, or for a `.npy` file of floats its memory-mapped outputs.

    Args:
        file: the participant's name and the file.
        taxonomy: the classes; without it, classes must be given by index.
        ids: a file that tells the order of arrays without ids: one id per line, or a truth whose order is meant; by default,
            NAME.ids.txt or image_ids.txt beside the file.
        columns: our name of a column → the file's.
    """
    with _naming(file.path):
        suffix = file.path.suffix.lower()
        if file.part is not None and suffix not in TABLE_SUFFIXES:
            raise FormatError(
                file.path,
                f"#{file.part} chooses a test set of a table, and this file holds one set of answers; leave it out.",
            )
        if suffix == ".npz":
            return load_archive(file, taxonomy=taxonomy, ids=ids)
        if suffix == ".npy":
            return load_array(file, taxonomy=taxonomy, ids=ids)
        return read_answers(open_answers(file, columns), file.participant, taxonomy)


def _load_part(table: Table, participant: str, taxonomy: Taxonomy | None) -> Answers:
    with _naming(table.path):
        return read_answers(table, participant, taxonomy)


def _names_participants(path: Path, columns: Mapping[str, str]) -> bool:
    """Whether a table has a column that names participants, by a look at its head."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        return False
    return columns.get(PARTICIPANT, PARTICIPANT) in list_columns(path)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Errors that name the file."""
    try:
        yield
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, str(error)) from None
