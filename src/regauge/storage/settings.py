"""`study.toml`: what makes a folder a study, and where its tables and its taxonomy are."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from regauge.errors import FormatError, StorageError
from regauge.storage.files import make_private, sync_folder

FILE_NAME = "study.toml"
ANNOUNCED = f"{FILE_NAME}.partial"
NEW = f"{FILE_NAME}.new"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What `study.toml` says.

    Attributes:
        study_id: which study this is; the database must hold the same.
        taxonomy: a packaged name, or a file inside the study's folder.
        database: the address of a PostgreSQL database; empty for the SQLite file in the folder.
        about: what the study is, in its makers' words; reports show it.
    """

    study_id: str
    taxonomy: str
    database: str = ""
    about: str = ""


def announce_settings(settings: StudySettings, folder: Path) -> None:
    """Say which study is being made here, before it is: should that be stopped, what it left can be told from a study."""
    _write(settings, folder / ANNOUNCED)


def find_announced(folder: Path) -> StudySettings | None:
    """What was being made in the folder when it was stopped; None where nothing was, or nothing had begun."""
    try:
        return _read(folder / ANNOUNCED)
    except FormatError:
        return None


def write_settings(settings: StudySettings, folder: Path) -> None:
    """Write `study.toml`, which makes the folder a study; it appears whole or not at all."""
    new = folder / NEW
    _write(settings, new)
    new.replace(folder / FILE_NAME)
    sync_folder(folder)
    (folder / ANNOUNCED).unlink(missing_ok=True)


def _write(settings: StudySettings, path: Path) -> None:
    document = tomlkit.document()
    document.add(tomlkit.comment("A study of Regauge. Commands find it from here or from any folder below."))
    document["format"] = FORMAT
    document["id"] = settings.study_id
    document["taxonomy"] = settings.taxonomy
    if settings.database:
        document["database"] = settings.database
    if settings.about:
        document["about"] = settings.about
    try:
        make_private(path)
        with path.open("w", encoding="utf-8") as file:
            file.write(tomlkit.dumps(document))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error


def load_settings(folder: Path) -> StudySettings:
    """What `study.toml` of the folder says.

    Raises:
        FormatError: the file is not TOML, lacks a setting, or was written by a newer Regauge.
    """
    return _read(folder / FILE_NAME)


def _read(path: Path) -> StudySettings:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(path, "there is no such file; make a study with: regauge init DIR.") from None
    except OSError as error:
        raise FormatError(path, f"the file cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FormatError(path, f"this is not TOML: {error}.") from None
    if content.get("format") != FORMAT:
        raise FormatError(path, f"format must be {FORMAT}, not {content.get('format')!r}; a newer Regauge may read it.")
    values = {name: content.get(name, "") for name in ("id", "taxonomy", "database", "about")}
    for name, value in values.items():
        if not isinstance(value, str) or (not value and name in {"id", "taxonomy"}):
            raise FormatError(path, f"{name} must be a text, not {value!r}.")
    return StudySettings(values["id"], values["taxonomy"], values["database"], values["about"])
