"""A copy of a study while others go on working, and a study again from such a copy."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from regauge.errors import InputError, StorageError
from regauge.formats.taxonomies import PACKAGED
from regauge.storage.bundles.backups import copy_sqlite, is_own_backup, refuse_programs, write_backup
from regauge.storage.bundles.bundle import find_arrays, name_study
from regauge.storage.events import add_event
from regauge.storage.files import make_private, make_private_folder
from regauge.storage.settings import FILE_NAME, load_settings, write_settings
from regauge.storage.study import Circumstances, Study, StudyPaths, closing_on_failure, make_engine, prepare
from regauge.workflows.studies.bundles import import_study
from regauge.workflows.studies.copies import ImportedStudy, find_absent_images, list_voided, name_copy, void_access
from regauge.workflows.studies.folders import (
    TAXONOMY_FILE,
    find_topmost_missing,
    leaving_nothing,
    load_study_taxonomy,
    make_folder,
)

__all__ = ["Origin", "back_up", "is_own_backup", "restore_study"]

SQLITE_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Origin:
    """What whoever restores a backup knows of where it comes from.

    Attributes:
        folder: for a copy of a database: the folder of the study that it was made of, which has its settings, taxonomy and
            arrays; by default the one in whose folder `backups` it lies.
        keeps_access: whether links and roles go on working although this installation did not make the backup.
    """

    folder: str | Path | None = None
    keeps_access: bool = False


_UNKNOWN = Origin()


def back_up(study: Study, path: str | Path | None = None, *, as_bundle: bool = False) -> Path:
    """Copy the database, as it is at one moment, to a file that only its owner can read.

    Whatever was committed before is in it, and nothing half done. Of SQLite this is a database again, and the folder
    `predictions`, whose arrays never change, belongs to it; of PostgreSQL, or if asked for, it is a bundle, which holds the
    arrays too. `restore_study` makes the study again from either. Images, the keys of the server and of pseudonyms, and the
    list of who people are on their platforms are in neither.

    Args:
        study: the study.
        path: the new file; by default `study-DATE-TIME.db` (a bundle: `.zip`) in the study's folder `backups`.
        as_bundle: whether to write a bundle of SQLite, too.

    Raises:
        InputError: the file exists.
        StorageError: the file cannot be written.
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
    origin: Origin = _UNKNOWN,
    database: str = "",
    around: Circumstances,
) -> ImportedStudy:
    """Make the study again that a backup holds, in a folder that is new or empty, and open it.

    Personal links and roles go on working if this installation made the backup; from any other, nobody can come in unless that is
    asked for, and the study has an id of its own. Sessions end, because the key of the server is not in a backup: people open
    their links again.

    Args:
        path: the backup, a bundle or a copy of a SQLite database.
        folder: where; made if it is not there.
        origin: what is known of where it comes from.
        database: for a bundle: the address of an empty PostgreSQL database; by default a SQLite file in the folder.
        around: clock, random generator and who is at work.

    Raises:
        InputError: the folder holds something, or there is no such source.
        FormatError: the file is not a backup.
        StorageError: the backup cannot be read, or the study cannot be written.
    """
    backup = Path(path)
    is_sqlite = _is_sqlite(backup)
    keeps_access = origin.keeps_access or is_own_backup(backup)
    if not is_sqlite:
        return import_study(backup, folder, database=database, keeps_access=keeps_access, around=around)
    if database:
        raise InputError(f"{backup} is a copy of a SQLite database and cannot be put into PostgreSQL; a bundle can.")
    source = StudyPaths(_find_source(backup, origin.folder))
    paths = StudyPaths(Path(folder).resolve())
    missing = find_topmost_missing(paths.folder)
    make_folder(paths)
    with leaving_nothing(missing, paths.folder):
        return _restore(backup, source, paths=paths, keeps_access=keeps_access, around=around)


def _restore(
    backup: Path, source: StudyPaths, *, paths: StudyPaths, keeps_access: bool, around: Circumstances
) -> ImportedStudy:
    copy_sqlite(backup, paths.database)
    refuse_programs(backup)
    settings = replace(load_settings(source.folder), database="")
    if settings.taxonomy not in PACKAGED:
        make_private(paths.folder / TAXONOMY_FILE)
        shutil.copyfile(source.folder / settings.taxonomy, paths.folder / TAXONOMY_FILE)
        settings = replace(settings, taxonomy=TAXONOMY_FILE)
    with closing_on_failure(make_engine(paths, settings)) as engine:
        prepare(paths, engine, settings=settings, is_copy=True)
        original, settings = settings.study_id, settings if keeps_access else name_copy(settings, around)
        study = Study(paths, engine, load_study_taxonomy(paths, settings), around, settings.about, settings.study_id)
        with study.begin() as begun:
            _copy_arrays(begun, source)
            name_study(begun.connection, settings.study_id)
            voided = None if keeps_access else void_access(begun)
            notes = (*list_voided(voided), *find_absent_images(begun))
            parameters = {"backup": backup.name, "keeps_access": keeps_access, "study_id": original}
            add_event(begun, "restore", parameters)
        # Only now is the folder a study: who can come into it is settled.
        write_settings(settings, paths.folder)
        return ImportedStudy(study, "", notes, voided)


def _copy_arrays(study: Study, source: StudyPaths) -> None:
    for sha256 in find_arrays(study.connection):
        name = f"{sha256}.npy"
        try:
            make_private(study.paths.predictions / name)
            shutil.copyfile(source.predictions / name, study.paths.predictions / name)
        except OSError as error:
            raise StorageError(
                f"{source.predictions / name}, which belongs to the backup, cannot be copied: {error.strerror}."
            ) from error


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def _find_source(backup: Path, named: str | Path | None) -> Path:
    folder = backup.resolve().parent.parent if named is None else Path(named)
    if not (folder / FILE_NAME).is_file():
        raise InputError(
            f"{backup} holds tables alone; name the study that it was made of, which has the rest, with `study=…`. {folder} is "
            "none."
        )
    return folder
