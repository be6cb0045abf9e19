"""Make, find and open a study, and say what it holds."""

from __future__ import annotations

import getpass
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from regauge.errors import InputError
from regauge.formats.exports.taxonomies import write_taxonomy
from regauge.formats.taxonomies import PACKAGED, load_taxonomy
from regauge.records.studies import StudyStatus
from regauge.records.taxonomy import Taxonomy
from regauge.storage.database.engine import parse_url
from regauge.storage.evaluation.comparison_entries import list_comparisons
from regauge.storage.evaluation.evaluations import list_evaluations
from regauge.storage.evaluation.two_samples import list_two_samples
from regauge.storage.events import add_event
from regauge.storage.files import make_private
from regauge.storage.keys import load_key
from regauge.storage.labels.label_set import list_label_sets
from regauge.storage.locks import take_server_lock
from regauge.storage.mistakes.codings import list_codings
from regauge.storage.predictions import list_predictions
from regauge.storage.pulse import count_leased, leave_mark, ping
from regauge.storage.settings import (
    FILE_NAME,
    StudySettings,
    announce_settings,
    find_announced,
    load_settings,
    write_settings,
)
from regauge.storage.slices.slices import list_slices
from regauge.storage.study import (
    Circumstances,
    Study,
    StudyPaths,
    closing_on_failure,
    create_tables,
    make_database_file,
    make_engine,
    prepare,
)
from regauge.storage.testsets.pool import list_pools
from regauge.storage.testsets.test_set import list_test_sets
from regauge.workflows.studies.folders import TAXONOMY_FILE, load_study_taxonomy, make_folder
from regauge.workflows.studies.next_steps import find_study_steps

__all__ = [
    "Circumstances",
    "Study",
    "count_leased",
    "describe_exposure",
    "describe_status",
    "find_study",
    "init_study",
    "leave_mark",
    "load_key",
    "open_study",
    "ping",
]


def init_study(
    folder: str | Path,
    *,
    taxonomy: Taxonomy | str | Path | None,
    database: str = "",
    about: str = "",
    around: Circumstances | None = None,
) -> Study:
    """Make a study in a folder that is new or empty, and open it.

    A taxonomy that is not a packaged one is copied into the study: what its class numbers mean must not change later.

    Args:
        folder: where; made if it is not there.
        taxonomy: the classes, by name, file or record.
        database: the address of an empty PostgreSQL database; by default a SQLite file in the folder.
        about: what the study is, in a sentence or two; reports and the pages of annotators begin with it.
        around: clock, random generator and who is at work; by default those of this machine.

    Raises:
        InputError: the folder holds something else, or the address is not a database.
        StorageError: the folder or the database cannot be written.
    """
    around = around or make_circumstances()
    classes = load_taxonomy(taxonomy) if isinstance(taxonomy, str | Path) else taxonomy
    if classes is None:
        raise InputError("A study needs a taxonomy: name one, or give a file of classes.")
    paths = StudyPaths(Path(folder).resolve())
    if database:
        parse_url(database)
    is_packaged = isinstance(taxonomy, str) and taxonomy in PACKAGED
    name = classes.name if is_packaged else TAXONOMY_FILE
    make_folder(paths)
    settings = StudySettings(around.rng.bytes(16).hex(), name, database, about)
    stopped = find_announced(paths.folder)
    was_stopped = stopped is not None and stopped.database == database
    if stopped is not None and was_stopped:
        # Its tables may be there; by its id they can be told from those of other studies.
        settings = replace(settings, study_id=stopped.study_id)
    else:
        announce_settings(settings, paths.folder)
    if not is_packaged:
        make_private(paths.folder / TAXONOMY_FILE)
        write_taxonomy(classes, paths.folder / TAXONOMY_FILE)
    make_database_file(paths, settings)
    with closing_on_failure(make_engine(paths, settings)) as engine:
        create_tables(engine, settings, at=around.now(), anew=was_stopped)
        study = Study(paths, engine, classes, around, about, settings.study_id)
        with study.begin() as begun:
            add_event(begun, "init", {"taxonomy": classes.name, "n_classes": len(classes)})
        # Only now is the folder a study: one that was stopped half-way is made anew.
        write_settings(settings, paths.folder)
        return study


def find_study(folder: str | Path | None = None) -> Path:
    """The folder of the study: the one given, or else the nearest at or above the current one that has a study.toml.

    Raises:
        InputError: no folder there has a study.toml.
    """
    if folder is not None:
        if not (Path(folder) / FILE_NAME).is_file():
            raise InputError(
                f"{folder} is not a study: it has no {FILE_NAME}. Make one with: regauge init {folder} --taxonomy NAME."
            )
        return Path(folder)
    here = Path.cwd()
    for candidate in (here, *here.parents):
        if (candidate / FILE_NAME).is_file():
            return candidate
    raise InputError(
        f"There is no study here: neither {here} nor a folder above has a {FILE_NAME}. Name one with `folder=…`, or make one "
        "with: regauge init DIR --taxonomy NAME."
    )


def make_circumstances() -> Circumstances:
    """What a study takes from outside where nobody says otherwise: the clock, chance, and the name of who is logged in."""
    try:
        who = getpass.getuser()
    except (KeyError, OSError, ImportError):
        # No name, as in some containers.
        who = ""
    return Circumstances(clock=lambda: datetime.now(UTC), rng=np.random.default_rng(), who=who)


def open_study(folder: str | Path, *, around: Circumstances | None = None) -> Study:
    """Open the study in a folder; tables of an older version are brought up to date after a backup.

    A study is closed at the end of its block: `with regauge.open_study("study") as study, study.read() as begun:`.

    Args:
        folder: where it is.
        around: clock, random generator and who is at work; by default those of this machine.

    Raises:
        FormatError: the study.toml or the taxonomy of the study cannot be read.
        StorageError: the database cannot be used or belongs to another study.
    """
    paths = StudyPaths(Path(folder).resolve())
    settings = load_settings(paths.folder)
    with closing_on_failure(make_engine(paths, settings)) as engine:
        prepare(paths, engine, settings=settings)
        taxonomy = load_study_taxonomy(paths, settings)
        return Study(paths, engine, taxonomy, around or make_circumstances(), settings.about, settings.study_id)


@contextmanager
def reserve_serving(study: Study) -> Iterator[None]:
    """Be the one process that serves a study on SQLite; on PostgreSQL several may.

    Raises:
        StorageError: another process serves the study.
    """
    with take_server_lock(study.paths.folder) if study.engine.dialect.name == "sqlite" else nullcontext():
        yield


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
        comparisons=list_comparisons(study),
        next_steps=(),
        pools=list_pools(study),
        two_samples=list_two_samples(study),
        codings=list_codings(study),
        slices=list_slices(study),
    )
    return replace(status, next_steps=tuple(find_study_steps(study, status)))


def describe_exposure(study: Study) -> str:
    """A sentence if others on this machine can look into the study's folder, which earlier versions made for everybody."""
    if not study.paths.folder.stat().st_mode & 0o077:
        return ""
    folder = shlex.quote(str(study.paths.folder))
    return f"Others on this machine can look into the study's folder; to keep them out: chmod -R go= {folder}"
