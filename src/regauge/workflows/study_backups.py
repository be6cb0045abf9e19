"""A copy of a study while others go on working, and a study again from such a copy."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from regauge.errors import InputError, StorageError
from regauge.formats.taxonomies import PACKAGED
from regauge.storage.backups import copy_sqlite, write_backup
from regauge.storage.bundles import find_arrays
from regauge.storage.events import add_event
from regauge.storage.files import make_private, make_private_folder
from regauge.storage.settings import FILE_NAME, StudySettings, load_settings, write_settings
from regauge.storage.study import Circumstances, Study, StudyPaths
from regauge.workflows.studies import TAXONOMY_FILE, make_folder, open_study
from regauge.workflows.study_bundles import (
    ImportedStudy,
    find_absent_images,
    find_topmost_missing,
    import_study,
    leaving_nothing,
)

__all__ = ["back_up", "restore_study"]

SQLITE_MAGIC = b"SQLite format 3\0"


def back_up(study: Study, path: str | Path | None = None, *, as_bundle: bool = False) -> Path:
    """Copy the database, as it is at one moment, to a file that only its owner can read.

    Whatever was committed before is in it, and nothing half done. Of SQLite this is a database again, and the folder
    `predictions`, whose arrays never change, belongs to it; of PostgreSQL, or if asked for, it is a bundle, which holds the
    arrays too. `restore_study` makes the study again from either. Images, the keys of the server and of pseudonyms, and the
    list of who people are on their platforms are in neither.

    Args:
        study: the study.
        path: the new file; unless given, `study-DATE-TIME.db` (a bundle: `.zip`) in the study's folder `backups`.
        as_bundle: whether to write a bundle of SQLite, too.

    Raises:
        InputError: the file exists.
        StorageError: it cannot be written.
    """
    as_bundle = as_bundle or study.engine.dialect.name != "sqlite"
    if path is None:
        folder = study.paths.folder / "backups"
        make_private_folder(folder)
        path = folder / f"study-{study.around.clock():%Y%m%d-%H%M%S}{'.zip' if as_bundle else '.db'}"
    write_backup(study.engine, Path(path), folder=study.paths.folder, as_bundle=as_bundle)
    Path(path).chmod(0o600)
    return Path(path)


def restore_study(
    path: str | Path,
    folder: str | Path,
    *,
    source: str | Path | None = None,
    database: str = "",
    around: Circumstances,
) -> ImportedStudy:
    """Make the study again that a backup holds, in a folder that is new or empty, and open it.

    Personal links go on working. Sessions end, because the key of the server is not in a backup: people open their links again.

    Args:
        path: the backup, a bundle or a copy of a SQLite database.
        folder: where; made if it is not there.
        source: for a copy of a database: the folder of the study that it was made of, which has its settings, taxonomy and
            arrays; unless given, the one in whose folder `backups` it lies.
        database: for a bundle: the address of an empty PostgreSQL database; unless given, a SQLite file in the folder.
        around: clock, random generator and who is at work.

    Raises:
        InputError: the folder holds something, or there is no such source.
        FormatError: the file is no backup.
        StorageError: something cannot be read or written.
    """
    backup = Path(path)
    if not _is_sqlite(backup):
        return import_study(backup, folder, database=database, around=around)
    if database:
        raise InputError(f"{backup} is a copy of a SQLite database and cannot be put into PostgreSQL; a bundle can.")
    origin = StudyPaths(_find_source(backup, source))
    settings = replace(load_settings(origin.folder), database="")
    paths = StudyPaths(Path(folder).resolve())
    missing = find_topmost_missing(paths.folder)
    make_folder(paths)
    with leaving_nothing(missing, paths.folder):
        return _restore(backup, origin, paths=paths, settings=settings, around=around)


def _restore(
    backup: Path, origin: StudyPaths, *, paths: StudyPaths, settings: StudySettings, around: Circumstances
) -> ImportedStudy:
    copy_sqlite(backup, paths.database)
    if settings.taxonomy not in PACKAGED:
        make_private(paths.folder / TAXONOMY_FILE)
        shutil.copyfile(origin.folder / settings.taxonomy, paths.folder / TAXONOMY_FILE)
        settings = replace(settings, taxonomy=TAXONOMY_FILE)
    write_settings(settings, paths.folder)
    study = open_study(paths.folder, around=around)
    try:
        with study.begin() as begun:
            _copy_arrays(begun, origin)
            notes = tuple(find_absent_images(begun))
            add_event(begun, "restore", {"backup": backup.name})
    except BaseException:
        study.close()
        raise
    return ImportedStudy(study, "", notes)


def _copy_arrays(study: Study, origin: StudyPaths) -> None:
    for sha256 in find_arrays(study.connection):
        name = f"{sha256}.npy"
        try:
            make_private(study.paths.predictions / name)
            shutil.copyfile(origin.predictions / name, study.paths.predictions / name)
        except OSError as error:
            raise StorageError(
                f"{origin.predictions / name}, which belongs to the backup, cannot be copied: {error.strerror}."
            ) from error


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _find_source(backup: Path, source: str | Path | None) -> Path:
    folder = backup.resolve().parent.parent if source is None else Path(source)
    if not (folder / FILE_NAME).is_file():
        raise InputError(
            f"{backup} holds tables alone; name the study that it was made of, which has the rest, with --study. {folder} is "
            "none."
        )
    return folder
