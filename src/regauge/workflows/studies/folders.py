"""The folder of a study: made, cleared of what a stopped command left, and the taxonomy that lies in it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regauge.errors import InputError, StorageError
from regauge.formats.taxonomies import PACKAGED, load_taxonomy
from regauge.records.taxonomy import Taxonomy
from regauge.storage.files import PRIVATE_FOLDER, make_private_folder
from regauge.storage.settings import ANNOUNCED, FILE_NAME, NEW, StudySettings
from regauge.storage.study import StudyPaths

TAXONOMY_FILE = "taxonomy.json"
DATABASE_FILES = ("study.db", "study.db-wal", "study.db-shm", "study.db-journal")
LEFTOVERS = frozenset({*DATABASE_FILES, "study.lock", "predictions", "cache", "reports", TAXONOMY_FILE, ANNOUNCED, NEW})
"""What a command that was stopped while it made a study may leave behind."""


def make_folder(paths: StudyPaths) -> None:
    """An empty folder with the study's own folders; what a stopped command left of a study is removed.

    Raises:
        InputError: the folder holds a study or something else.
        StorageError: the folder cannot be written.
    """
    folder = paths.folder
    if (folder / FILE_NAME).exists():
        raise InputError(f"{folder} already holds a study.")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_private_folder(folder)
        others = sorted(entry.name for entry in folder.iterdir() if not _is_leftover(entry))
        if others:
            raise InputError(f"{folder} holds {others[0]!r} already; a study needs a folder that is new or empty.")
        for name in DATABASE_FILES:
            (folder / name).unlink(missing_ok=True)
        # One that was there, and is empty, becomes the study's own; if it is somebody else's they have decided who may.
        with suppress(PermissionError):
            folder.chmod(PRIVATE_FOLDER)
        for own in (paths.predictions, paths.cache, paths.reports):
            make_private_folder(own)
    except OSError as error:
        raise StorageError(f"A study cannot be made in {folder}: {error.strerror}.") from error


def _is_leftover(entry: Path) -> bool:
    """Whether a stopped command can have left this; files that merely lie in a folder of one of our names are the user's."""
    if entry.name in {"predictions", "cache", "reports"} and entry.is_dir():
        return all(re.fullmatch(r"[0-9a-f]{64}\.(npy|\d+\.partial)", below.name) for below in entry.iterdir())
    return entry.name in LEFTOVERS


def load_study_taxonomy(paths: StudyPaths, settings: StudySettings) -> Taxonomy:
    """The classes that the settings name: packaged ones, or those in a file of the study."""
    is_packaged = settings.taxonomy in PACKAGED
    return load_taxonomy(settings.taxonomy if is_packaged else paths.folder / settings.taxonomy)


def find_topmost_missing(folder: Path) -> Path | None:
    """The topmost folder that has to be made; None where the folder is there."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    return missing[-1] if missing else None


@contextmanager
def leaving_nothing(missing: Path | None, folder: Path) -> Iterator[None]:
    """Remove what was made when the block raises: the folders that were not there, or what lies in the one that was."""
    try:
        yield
    except BaseException:
        for path in [missing] if missing is not None else [folder / name for name in sorted(LEFTOVERS)]:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        raise
