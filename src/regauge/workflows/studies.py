"""Make, find and open a study, and say what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from regauge.errors import InputError, StorageError
from regauge.formats.taxonomies import PACKAGED
from regauge.formats.writers import write_taxonomy
from regauge.records.studies import StudyStatus
from regauge.records.taxonomy import Taxonomy
from regauge.storage.engine import parse_url
from regauge.storage.evaluations import list_evaluations
from regauge.storage.events import add_event
from regauge.storage.labels import list_label_sets
from regauge.storage.predictions import list_predictions
from regauge.storage.settings import FILE_NAME, StudySettings, load_settings, write_settings
from regauge.storage.study import (
    Circumstances,
    Study,
    StudyPaths,
    closing_on_failure,
    create_tables,
    make_engine,
    prepare,
)
from regauge.storage.testsets import list_test_sets
from regauge.workflows.inputs import TaxonomyLike, open_taxonomy

__all__ = ["Circumstances", "Study", "describe_status", "find_study", "init_study", "open_study"]

TAXONOMY_FILE = "taxonomy.json"
LEFTOVERS = frozenset(
    {"study.db", "study.db-wal", "study.db-shm", "study.lock", "predictions", "cache", "reports", TAXONOMY_FILE}
    | {f"{FILE_NAME}.partial"}
)
"""What a command that was stopped while it made a study may leave behind."""


def init_study(folder: str | Path, *, taxonomy: TaxonomyLike, database: str = "", around: Circumstances) -> Study:
    """Make a study in a folder that is new or empty, and open it.

    A taxonomy that is not a packaged one is copied into the study: what its class numbers mean must not change later.

    Args:
        folder: where; made if it is not there.
        taxonomy: the classes, by name, file or record.
        database: the address of an empty PostgreSQL database; unless given, a SQLite file in the folder.
        around: clock, random generator and who is at work.

    Raises:
        InputError: the folder holds something else, or the address is no database.
        StorageError: the folder or the database cannot be written.
    """
    classes = open_taxonomy(taxonomy)
    if classes is None:
        raise InputError("A study needs a taxonomy: name one, or give a file of classes.")
    paths = StudyPaths(Path(folder).resolve())
    if database:
        parse_url(database)
    is_packaged = isinstance(taxonomy, str) and taxonomy in PACKAGED
    name = classes.name if is_packaged else TAXONOMY_FILE
    settings = StudySettings(study_id=around.rng.bytes(16).hex(), taxonomy=name, database=database)
    _make_folder(paths)
    if not is_packaged:
        write_taxonomy(classes, paths.folder / TAXONOMY_FILE)
    with closing_on_failure(make_engine(paths, settings)) as engine:
        create_tables(engine, settings, at=around.now())
        study = Study(paths, engine, classes, around)
        with study.begin() as begun:
            add_event(begun, "init", {"taxonomy": classes.name, "n_classes": len(classes)})
        # Only now is the folder a study: one that was stopped half-way is made anew.
        write_settings(settings, paths.folder)
        return study


def find_study(folder: str | Path | None = None) -> Path:
    """The folder of the study: the one given, or else the nearest at or above the current one that has a study.toml.

    Raises:
        InputError: there is none.
    """
    if folder is not None:
        if not (Path(folder) / FILE_NAME).is_file():
            raise InputError(
                f"{folder} is no study: it has no {FILE_NAME}. Make one with: regauge init {folder} --taxonomy NAME."
            )
        return Path(folder)
    here = Path.cwd()
    for candidate in (here, *here.parents):
        if (candidate / FILE_NAME).is_file():
            return candidate
    raise InputError(
        f"There is no study here: neither {here} nor a folder above has a {FILE_NAME}. Name one with --study, or make one with: "
        "regauge init DIR --taxonomy NAME."
    )


def open_study(folder: str | Path, *, around: Circumstances) -> Study:
    """Open the study in a folder; tables of an older version are brought up to date after a backup.

    Raises:
        FormatError: its study.toml or its taxonomy cannot be read.
        StorageError: its database cannot be used or belongs to another study.
    """
    paths = StudyPaths(Path(folder).resolve())
    settings = load_settings(paths.folder)
    with closing_on_failure(make_engine(paths, settings)) as engine:
        prepare(paths, engine, settings=settings)
        return Study(paths, engine, _load_taxonomy(paths, settings), around)


def describe_status(study: Study) -> StudyStatus:
    """What the study holds, and what it lacks for the next step."""
    status = StudyStatus(
        folder=str(study.paths.folder),
        database=study.database,
        taxonomy=study.taxonomy.name,
        n_classes=len(study.taxonomy),
        test_sets=list_test_sets(study),
        predictions=list_predictions(study),
        label_sets=list_label_sets(study),
        evaluations=list_evaluations(study),
        next_steps=(),
    )
    return replace(status, next_steps=tuple(_find_next_steps(status)))


def _find_next_steps(status: StudyStatus) -> Iterator[str]:
    if not status.test_sets:
        yield "Add a test set: regauge testset add PATH"
        return
    for test_set in status.test_sets:
        answered = {(one.participant, one.sha256) for one in status.predictions if one.test_set == test_set.name}
        evaluations = [one for one in status.evaluations if one.test_set == test_set.name]
        n_new = len(answered - {pair for one in evaluations for pair in one.predictions.items()})
        if not answered:
            yield f"Add predictions on {test_set.name}: regauge predictions add FILE… --test-set {test_set.name}"
        elif n_new:
            yield f"Evaluate {n_new:,} new predictions: regauge evaluate --test-set {test_set.name}"
    if not status.label_sets:
        yield "Add what people found in the images, if you have it: regauge labels add FILE"


def _make_folder(paths: StudyPaths) -> None:
    """An empty folder with the study's own folders; what a stopped command left of a study is removed."""
    folder = paths.folder
    if (folder / FILE_NAME).exists():
        raise InputError(f"{folder} already holds a study.")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = sorted(entry.name for entry in folder.iterdir() if entry.name not in LEFTOVERS)
        if others:
            raise InputError(f"{folder} holds {others[0]!r} already; a study needs a folder that is new or empty.")
        for name in ("study.db", "study.db-wal", "study.db-shm"):
            (folder / name).unlink(missing_ok=True)
        for own in (paths.predictions, paths.cache, paths.reports):
            own.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(f"A study cannot be made in {folder}: {error.strerror}.") from error


def _load_taxonomy(paths: StudyPaths, settings: StudySettings) -> Taxonomy:
    is_packaged = settings.taxonomy in PACKAGED
    taxonomy = open_taxonomy(settings.taxonomy if is_packaged else paths.folder / settings.taxonomy)
    if taxonomy is None:
        raise InputError(f"{paths.folder / FILE_NAME} names no taxonomy.")
    return taxonomy
