"""The private file that says who people are on their platforms ↔ records. It lies beside the study, never inside it."""

from __future__ import annotations

import csv
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TextIO

from regauge.errors import FormatError, StorageError
from regauge.records.campaigns.campaign import Platform
from regauge.records.campaigns.visits import Identity
from regauge.records.cells import format_rows, undo_disarm
from regauge.storage.files import open_private, sync_folder
from regauge.storage.locks import take_identities_lock

FILE_NAME = "identities.csv"
KEY_NAME = "identities.key"
COLUMNS = ("platform", "id", "annotator", "reference", "at")


def append_identity(folder: Path, identity: Identity) -> None:
    """Add a line; it is on disk when this returns.

    Raises:
        StorageError: the file cannot be written.
    """
    path = folder / FILE_NAME
    with take_identities_lock(folder):
        is_new = not path.exists()
        try:
            with open_private(path, to_append=True) as file:
                _write(file, [*([COLUMNS] if is_new else []), astuple(identity)])
            if is_new:
                sync_folder(folder)
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error.strerror}.") from error


def load_identities(folder: Path) -> tuple[Identity, ...]:
    """All lines, each once, in the order in which they came; none where nobody has come from a platform.

    Raises:
        FormatError: a line is none of ours.
    """
    path = folder / FILE_NAME
    if not path.exists():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[undo_disarm(cell) for cell in row] for row in csv.reader(file)]
    return tuple(dict.fromkeys(_parse(path, row, line) for line, row in enumerate(rows, start=1) if line > 1))


def remove_identities(folder: Path, annotator: str) -> int:
    """Take out every line about somebody, by a new file that replaces the old one; says how many there were."""
    path = folder / FILE_NAME
    with take_identities_lock(folder):
        found = load_identities(folder)
        kept = [one for one in found if one.annotator != annotator]
        if len(kept) == len(found):
            return 0
        partial = path.with_name(f"{FILE_NAME}.{secrets.token_hex(8)}.partial")
        try:
            with open_private(partial) as file:
                _write(file, [COLUMNS, *map(astuple, kept)])
            partial.replace(path)
            sync_folder(folder)
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
        finally:
            partial.unlink(missing_ok=True)
    return len(found) - len(kept)


def save_identities(path: Path, identities: Iterable[Identity]) -> None:
    """Write a list to a new file that only its owner can read."""
    with open_private(path) as file:
        _write(file, [COLUMNS, *map(astuple, identities)])


def _write(file: TextIO, rows: Iterable[Iterable[str]]) -> None:
    file.writelines(f"{line}\n" for line in format_rows(rows))


def _parse(path: Path, row: Sequence[str], line: int) -> Identity:
    try:
        platform, *rest = row
        return Identity(Platform(platform), *rest)
    except (ValueError, TypeError):
        raise FormatError(path, f"A line has {','.join(COLUMNS)}; this one does not.", line=line) from None
