"""A study ↔ one file that holds all of it but the images: settings, taxonomy, every table and every prediction array."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType

from sqlalchemy import Connection, MetaData, insert, inspect, select, update
from sqlalchemy.exc import SQLAlchemyError

import regauge
from regauge.errors import FormatError, InputError, StorageError
from regauge.records.progress import Track, track_silently
from regauge.storage.arrays import SUFFIX
from regauge.storage.bundles.files import CHUNK_BYTES, SETTINGS, TAXONOMY, Bundle, BundleWriter, make_bundle
from regauge.storage.bundles.tables import (
    add_computed_indexes,
    check_tables,
    describe_table,
    dump_table,
    find_tables,
    load_table,
    make_tables,
    set_sequences,
)
from regauge.storage.database.schema import ARRAY_COLUMNS, HEAD, events, metadata, predictions, revisions, studies
from regauge.storage.files import make_private, sync_folder, write_whole
from regauge.storage.settings import StudySettings, load_settings
from regauge.storage.study import describe_database

ARRAYS = "predictions"
_STUDY_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
"""Pages and cookies are named after it."""
IMPORT = "import"
"""What the event is called with which a study begins again."""


def write_bundle(connection: Connection, folder: Path, *, path: Path, track: Track = track_silently) -> None:
    """Write everything that the study holds, as the open transaction sees it; the file appears whole or not at all.

    Arrays never change, so they are those of that moment as long as the caller has the study's lock, shared or alone.

    Raises:
        InputError: the file exists.
        StorageError: the bundle cannot be written, or an array of the study is gone or damaged.
    """
    settings = load_settings(folder)
    revision = str(connection.scalar(select(revisions.c.version_num)))
    tables = find_tables(connection, revision)
    with write_whole(path) as partial, make_bundle(partial) as writer:
        _add_settings(writer, settings, folder)
        for table in tables:
            writer.add(f"tables/{table.name}.jsonl", dump_table(connection, table))
        for sha256 in track(find_arrays(connection), "Writing predictions"):
            _add_array(writer, sha256, folder / ARRAYS)
        writer.add_manifest(
            regauge_version=regauge.__version__,
            study_id=settings.study_id,
            schema_revision=revision,
            tables={table.name: describe_table(table) for table in tables},
        )


def read_settings(bundle: Bundle) -> StudySettings:
    """What the study's `study.toml` said, without the address of its database.

    Raises:
        FormatError: the settings cannot be read, or are those of another study.
    """
    try:
        content = json.loads(bundle.read_small(SETTINGS))
        settings = StudySettings(**{name: str(content[name]) for name in _find_setting_names() if name in content})
    except (ValueError, RecursionError, TypeError):
        raise FormatError(bundle.path, f"{SETTINGS} does not say what it must.") from None
    if not _STUDY_ID.fullmatch(settings.study_id):
        raise FormatError(bundle.path, f"{settings.study_id!r:.80} is not what a study has for an id.")
    if settings.study_id != bundle.manifest.study_id or not settings.taxonomy:
        raise FormatError(bundle.path, f"{SETTINGS} is that of another study.")
    return settings


def check_revision(bundle: Bundle) -> None:
    """Refuse tables that this version does not know.

    Raises:
        FormatError: the tables are of a newer version, or differ from what their revision has.
    """
    revision, described = bundle.manifest.schema_revision, bundle.manifest.tables
    if revision != HEAD:
        if not _get_migrations().is_known(revision):
            raise FormatError(
                bundle.path,
                f"its tables are of revision {revision!r}, which this version of Regauge does not know; install a newer one.",
            )
        return
    ours = {table.name: describe_table(table) for table in metadata.sorted_tables if table.name != revisions.name}
    for name in ours.keys() | described.keys():
        if _find_columns(ours, name) != _find_columns(described, name):
            raise FormatError(bundle.path, f"its table {name!r:.80} is not what revision {revision} has.")


def load_tables(connection: Connection, bundle: Bundle, *, anew: bool = False) -> None:
    """Make the tables of the bundle's revision in an empty database, fill them, and bring them up to date.

    Args:
        connection: the open transaction.
        bundle: the bundle, whose revision is known.
        anew: whether tables that were made of this very bundle, and have not been used, are replaced: its import was stopped.

    Raises:
        StorageError: the database holds a study or tables of our names.
        FormatError: the rows are not those of a study.
    """
    revision = bundle.manifest.schema_revision
    _clear(connection, bundle, anew=anew)
    try:
        tables = metadata if revision == HEAD else make_tables(bundle.manifest.tables)
        _fill_tables(connection, bundle, tables)
        if revision != HEAD:
            _bring_up_to_date(connection)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(bundle.path, str(error)) from error
    if connection.scalars(select(studies.c.id)).all() != [bundle.manifest.study_id]:
        raise FormatError(bundle.path, "its tables are those of another study.")


def name_study(connection: Connection, study_id: str) -> None:
    """Give the study in the tables an id; no other row refers to it."""
    connection.execute(update(studies).values(id=study_id))


def copy_arrays(bundle: Bundle, folder: Path) -> set[str]:
    """Write every array to the folder; returns their checksums. On return they are on disk.

    Raises:
        FormatError: an array is not the one that its name says.
        StorageError: the folder cannot be written.
    """
    found = set()
    for name, member in bundle.manifest.members.items():
        if name.startswith(f"{ARRAYS}/"):
            sha256 = Path(name).stem
            if member.sha256 != sha256:
                raise FormatError(bundle.path, f"{name} does not have the checksum that is its name.")
            _copy_array(bundle, name, folder / f"{sha256}{SUFFIX}")
            found.add(sha256)
    sync_folder(folder)
    return found


def check_space(bundle: Bundle, folder: Path) -> None:
    """Refuse a bundle that says it holds more than the folder's disk has room for.

    Raises:
        StorageError: there is not enough room.
    """
    n_needed = sum(member.n_bytes for member in bundle.manifest.members.values())
    n_free = shutil.disk_usage(folder).free
    if n_needed > n_free:
        raise StorageError(
            f"{bundle.path} holds {n_needed / 1e9:,.1f} GB, and {folder} has room for {n_free / 1e9:,.1f} GB; make room first."
        )


def find_arrays(connection: Connection) -> list[str]:
    """The checksums of all arrays that the tables refer to; an earlier revision, of which a backup is made, has fewer."""
    there = {str(column["name"]) for column in inspect(connection).get_columns(predictions.name)}
    rows = connection.execute(select(*(predictions.c[name] for name in ARRAY_COLUMNS if name in there)))
    return sorted({sha256 for row in rows for sha256 in row if sha256 is not None})


def _add_settings(writer: BundleWriter, settings: StudySettings, folder: Path) -> None:
    """The settings; and the taxonomy, where it is a file of the study and not one that comes with Regauge."""
    taxonomy = folder / settings.taxonomy
    if taxonomy.is_file() and settings.taxonomy != TAXONOMY:
        raise StorageError(
            f"A bundle takes a study's own taxonomy as {TAXONOMY}; rename {taxonomy} and say so in study.toml."
        )
    content = {name: getattr(settings, name) for name in _find_setting_names()}
    writer.add(SETTINGS, [json.dumps(content, indent=1).encode()])
    if taxonomy.is_file():
        writer.add(TAXONOMY, [taxonomy.read_bytes()])


def _find_setting_names() -> list[str]:
    """All settings but the database, which is where a study happens to be."""
    return [one.name for one in fields(StudySettings) if one.name != "database"]


def _add_array(writer: BundleWriter, sha256: str, folder: Path) -> None:
    path = folder / f"{sha256}{SUFFIX}"
    member = writer.add(f"{ARRAYS}/{path.name}", _read_chunks(path), deflated=False)
    if member.sha256 != sha256:
        raise StorageError(f"{path} is damaged; add these predictions again with `replace=True`.")


def _read_chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    except OSError:
        raise StorageError(f"{path} is missing; add these predictions again with `replace=True`.") from None


def _fill_tables(connection: Connection, bundle: Bundle, tables: MetaData) -> None:
    tables.create_all(connection)
    revisions.create(connection, checkfirst=True)
    connection.execute(insert(revisions).values(version_num=bundle.manifest.schema_revision))
    filled = [table for table in tables.sorted_tables if table.name != revisions.name]
    for table in filled:
        load_table(connection, table, lines=bundle.read_lines(f"tables/{table.name}.jsonl"))
    set_sequences(connection, filled)


def _clear(connection: Connection, bundle: Bundle, *, anew: bool) -> None:
    taken = set(inspect(connection).get_table_names()) & {*metadata.tables, *bundle.manifest.tables}
    if not taken:
        return
    if not (anew and taken >= set(metadata.tables) and _is_of(connection, bundle)):
        held = "a study" if studies.name in taken else f"a table {min(taken)!r}"
        raise StorageError(f"{describe_database(connection.engine)} already holds {held}; name an empty database.")
    metadata.drop_all(connection)


def _is_of(connection: Connection, bundle: Bundle) -> bool:
    """Whether the import of this very bundle is the last thing that happened in the database."""
    last = connection.execute(select(events.c.what, events.c.parameters).order_by(events.c.id.desc())).first()
    return last is not None and last.what == IMPORT and last.parameters.get("sha256") == bundle.sha256


def _bring_up_to_date(connection: Connection) -> None:
    migrations = _get_migrations()
    try:
        migrations.upgrade(connection, head=HEAD)
        check_tables(connection)
        add_computed_indexes(connection)
    except migrations.NOT_UNDERSTOOD as error:
        raise InputError(
            f"its tables hold what is not understood and cannot be brought up to date ({error})."
        ) from error
    except SQLAlchemyError as error:
        first = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise InputError(f"its tables cannot be brought up to date: {first.rstrip('.')}.") from error


def _copy_array(bundle: Bundle, name: str, path: Path) -> None:
    partial = path.with_name(f"{path.stem}.{os.getpid()}.partial")
    try:
        make_private(partial)
        with partial.open("wb") as file:
            for chunk in bundle.read_chunks(name):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error


def _find_columns(described: object, name: str) -> object:
    """The columns of a description that may be anything."""
    table = described.get(name) if isinstance(described, dict) else None
    return table.get("columns") if isinstance(table, dict) else None


def _get_migrations() -> ModuleType:
    # Alembic takes long to load and is needed for tables of another revision only.
    return importlib.import_module("regauge.storage.database.migrate")
