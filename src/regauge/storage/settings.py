"""`study.toml`: what makes a folder a study, and where its tables and its taxonomy are."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from regauge.errors import FormatError

FILE_NAME = "study.toml"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What `study.toml` says.

    Attributes:
        study_id: which study this is; the database must hold the same.
        taxonomy: a packaged name, or a file inside the study's folder.
        database: the address of a PostgreSQL database; empty for the SQLite file in the folder.
    """

    study_id: str
    taxonomy: str
    database: str = ""


def write_settings(settings: StudySettings, folder: Path) -> None:
    """Write `study.toml`; it appears whole or not at all."""
    document = tomlkit.document()
    document.add(tomlkit.comment("A study of Regauge. Commands find it from here or from any folder below."))
    document["format"] = FORMAT
    document["id"] = settings.study_id
    document["taxonomy"] = settings.taxonomy
    if settings.database:
        document["database"] = settings.database
    partial = folder / f"{FILE_NAME}.partial"
    with partial.open("w", encoding="utf-8") as file:
        file.write(tomlkit.dumps(document))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / FILE_NAME)


def load_settings(folder: Path) -> StudySettings:
    """What `study.toml` of the folder says.

    Raises:
        FormatError: it is no TOML, lacks something, or was written by a newer Regauge.
    """
    path = folder / FILE_NAME
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
    values = {name: content.get(name, "") for name in ("id", "taxonomy", "database")}
    for name, value in values.items():
        if not isinstance(value, str) or (not value and name != "database"):
            raise FormatError(path, f"{name} must be a text, not {value!r}.")
    return StudySettings(study_id=values["id"], taxonomy=values["taxonomy"], database=values["database"])
