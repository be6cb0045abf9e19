"""What earlier versions read back from the log has rows of its own once their studies are opened, imported or restored."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select
from tests.storage.small_studies import NOW, make_circumstances
from tests.storage.tampered_bundles import Members, edit_rows, meddle

from regauge.errors import FormatError, StorageError
from regauge.storage.bundles.bundle import read_settings
from regauge.storage.bundles.files import open_bundle
from regauge.storage.bundles.tables import load_table, make_tables, set_sequences
from regauge.storage.campaigns.campaign import get_campaign, measure_progress
from regauge.storage.campaigns.extra_tasks import list_rounds_behind
from regauge.storage.database.schema import class_reviews, metadata, revisions
from regauge.storage.events import count_events
from regauge.storage.labels.label_set import get_label_set
from regauge.storage.people.hits import list_batches
from regauge.storage.settings import write_settings
from regauge.storage.study import StudyPaths, make_engine
from regauge.workflows.people.erasure import ask_for_erasure, erase_annotator, list_pending_erasures
from regauge.workflows.people.own_data import describe_own_data, take_own_data
from regauge.workflows.people.publication import find_unfinished_batches, list_hits
from regauge.workflows.studies.audit import act_for
from regauge.workflows.studies.backups import Origin, restore_study
from regauge.workflows.studies.bundles import import_study
from regauge.workflows.studies.study import Study, open_study
from regauge.workflows.testsets.draw_reviews import mark_reviewed, open_review

KEPT = Path(__file__).resolve().parents[2] / "storage" / "revisions" / "0007"
"""A study of revision 0007. Three people asked to be erased, one of whom was; 200 clicks of the first came after those of the
others, so that the version which made it showed two of them. `grids` had two rounds. Class 3 of `drawn` was reviewed twice. One
batch of HITs is made and one begun on Mechanical Turk, and one begun in its sandbox. Two people took
two tasks of `more` each under leases of thirty days and were dropped; one of them was taken back."""


def open_old(folder: Path, database: str) -> Study:
    """The tables as the old version had them, opened by this one."""
    paths = StudyPaths(folder / "study")
    paths.predictions.mkdir(parents=True)
    with open_bundle(KEPT / "bundle.zip") as bundle:
        settings = replace(read_settings(bundle), database=database)
        tables = make_tables(bundle.manifest.tables)
        engine = make_engine(paths, settings)
        with engine.begin() as connection:
            tables.create_all(connection)
            for table in tables.sorted_tables:
                load_table(connection, table, lines=bundle.read_lines(f"tables/{table.name}.jsonl"))
            set_sequences(connection, tables.sorted_tables)
            revisions.create(connection)
            connection.execute(insert(revisions).values(version_num=bundle.manifest.schema_revision))
    engine.dispose()
    write_settings(settings, paths.folder)
    return open_study(paths.folder, around=make_circumstances())


def import_old(folder: Path, database: str) -> Study:
    return import_study(KEPT / "bundle.zip", folder / "study", database=database, around=make_circumstances()).study


def restore_old(folder: Path, database: str) -> Study:
    """A backup in the database's own form is SQLite's; of PostgreSQL it is a bundle."""
    if database:
        return restore_study(
            KEPT / "bundle.zip", folder / "study", database=database, around=make_circumstances()
        ).study
    backup = folder / "backup.db"
    backup.write_bytes(gzip.decompress((KEPT / "backup.db.gz").read_bytes()))
    origin = import_study(KEPT / "bundle.zip", folder / "origin", keeps_access=True, around=make_circumstances()).study
    origin.close()
    return restore_study(backup, folder / "study", origin=Origin(folder / "origin"), around=make_circumstances()).study


@pytest.fixture(params=[open_old, import_old, restore_old])
def old(request: pytest.FixtureRequest, tmp_path: Path, database: str) -> Iterator[Study]:
    make: Callable[[Path, str], Study] = request.param
    study = make(tmp_path, database)
    yield study
    study.close()


def list_waiting(study: Study) -> list[tuple[str, bool, str]]:
    with study.read() as reading:
        return [(one.annotator.name, one.with_answers, one.at[11:13]) for one in list_pending_erasures(reading)]


def test_everybody_who_asked_to_be_erased_still_waits_however_often_others_clicked(old: Study) -> None:
    assert list_waiting(old) == [
        ("annotator-0004", False, "17"),
        ("annotator-0002", True, "19"),
        ("annotator-0001", True, "22"),
    ]


def test_rounds_reviews_and_batches_are_what_they_were(old: Study) -> None:
    with old.read() as reading:
        assert [len(list_rounds_behind(reading, get_label_set(reading, f"crowd@{version}"))) for version in (1, 2)] == [
            0,
            1,
        ]
        assert [one.is_reviewed for one in open_review(reading, "drawn").classes] == [False, True]
        assert list_hits(reading, "grids", is_production=True) == ("3ONE", "3TWO")
        batches = list_batches(reading, get_campaign(reading, "grids"), is_production=True)
        assert [(one.plan["reward"], one.made_at is None) for one in batches] == [("0.50", False), ("0.60", True)]
        unfinished = find_unfinished_batches(reading, "grids", is_production=True)
        assert [one.token for one in unfinished] == [batches[1].token]
        assert len(find_unfinished_batches(reading, "grids", is_production=False)) == 1


def test_a_class_is_reviewed_once_by_each(old: Study) -> None:
    with old.begin() as begun:
        for _ in range(2):
            mark_reviewed(act_for(begun, "annotator-0005"), "drawn", class_index=3)
        mark_reviewed(act_for(begun, "manager"), "drawn", class_index=0)
        assert open_review(begun, "drawn").n_reviewed == 2
        assert begun.connection.scalars(select(class_reviews.c.who).order_by(class_reviews.c.id)).all() == [
            "manager",
            "annotator-0005",
            "manager",
        ]


def test_asking_the_same_again_leaves_one_row_and_one_entry_in_the_log(old: Study) -> None:
    with old.begin() as begun:
        n = count_events(begun, what="erasure asked")
        for _ in range(250):
            ask_for_erasure(begun, 5, with_answers=False)
        assert count_events(begun, what="erasure asked") == n + 1
        ask_for_erasure(begun, 5, with_answers=True)
        assert count_events(begun, what="erasure asked") == n + 2
        assert len(list_pending_erasures(begun)) == 4
        asked = describe_own_data(begun, 5).asked_at
        assert take_own_data(begun, 5)["erasure_asked"] == {"with_answers": True, "at": asked}


def test_an_erasure_takes_the_request_and_the_name_under_a_review_along(old: Study) -> None:
    with old.begin() as begun:
        mark_reviewed(act_for(begun, "annotator-0001"), "drawn", class_index=0)
        erase_annotator(begun, "annotator-0001", reason="asked")
        assert set(begun.connection.scalars(select(class_reviews.c.who))) == {"manager", "erased-0002"}
    assert [name for name, *_ in list_waiting(old)] == ["annotator-0004", "annotator-0002"]


def test_whoever_was_dropped_keeps_no_task(tmp_path: Path, database: str) -> None:
    old = open_old(tmp_path, database)
    with replace(old, around=replace(old.around, clock=lambda: NOW + timedelta(days=1))).read() as reading:
        assert measure_progress(reading, get_campaign(reading, "more")).n_leased == 2
    old.close()


def test_nobody_keeps_a_task_in_a_copy(tmp_path: Path, database: str) -> None:
    copy = import_old(tmp_path, database)
    with replace(copy, around=replace(copy.around, clock=lambda: NOW + timedelta(days=1))).read() as reading:
        assert measure_progress(reading, get_campaign(reading, "more")).n_leased == 0
    copy.close()


ODD: tuple[object, ...] = (
    [],
    {},
    "x",
    5,
    True,
    [[]],
    [None],
    [{}],
    [{"answer": 5}],
    [{"answer": {"selected": [1, "b"]}}],
    {"candidates": 5},
)
ODD_TASKS: tuple[object, ...] = (*ODD, {"candidates": [1, "a"]}, {"candidates": None}, {"candidates": [2, True]})
ODD_ANSWERS: tuple[object, ...] = (*ODD, {"selected": [None, 3]}, {"selected": None}, {"selected": [1, {}]})
ODD_EVENTS: tuple[object, ...] = (
    *ODD,
    {"name": "drawn", "class": 10**30},
    {"name": "drawn", "class": 2**31},
    {"name": [], "class": -1},
    {"campaign": "grids", "batch": "token", "hits": 5, "plan": None, "is_production": "yes"},
    {"campaign": {}, "batch": []},
)
ATTEMPT = {"campaign_id": 1, "annotator_id": 1, "n_right": 0, "n_asked": 2, "began_at": "x"}


@pytest.mark.parametrize(
    ("table", "column", "odd"),
    [
        ("tasks", "payload", ODD_TASKS),
        ("responses", "answer", ODD_ANSWERS),
        ("attempts", "questions", ODD_ANSWERS),
        ("events", "parameters", ODD_EVENTS),
    ],
)
def test_what_no_version_has_written_into_a_bundle_is_refused_or_stays_as_it_is(
    tmp_path: Path, database: str, table: str, column: str, odd: tuple[object, ...]
) -> None:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        names = [one["name"] for one in manifest["tables"][table]["columns"]]
        if table != "events":
            edit_rows(members, "campaigns", lambda rows: [row.update(kind="classify") for row in rows])
        edit_rows(members, table, lambda rows: spread(rows, names))

    def spread(rows: list[dict[str, Any]], names: list[str]) -> None:
        if table == "attempts":
            rows[:] = [
                {**dict.fromkeys(names), **ATTEMPT, "id": number, "number": number} for number in range(1, len(odd) + 1)
            ]
        whats = ("testset review", "mturk begin", "mturk publish", "campaign extend", "erasure asked")
        assert len(rows) >= (len(odd) * len(whats) if table == "events" else len(odd))
        for place, row in enumerate(rows):
            row[column] = odd[place % len(odd)]
            if table == "events":
                row["what"] = whats[place // len(odd) % len(whats)]

    path = meddle(KEPT / "bundle.zip", tmp_path / "odd.zip", change)
    if table != "events":
        # What people are shown and what they said is read before it becomes a study.
        with pytest.raises(FormatError):
            import_study(path, tmp_path / "study", database=database, around=make_circumstances())
        assert not (tmp_path / "study").exists()
        return
    study = import_study(path, tmp_path / "study", database=database, around=make_circumstances()).study
    query = select(metadata.tables[table].c[column]).order_by(metadata.tables[table].c.id).limit(len(odd))
    with study.read() as reading:
        assert reading.connection.scalars(query).all() == list(odd)
    study.close()


def test_a_bundle_whose_people_have_no_names_is_refused(tmp_path: Path) -> None:
    def change(members: Members, manifest: dict[str, Any]) -> None:
        edit_rows(members, "annotators", lambda rows: rows[0].update(name=None))
        (column,) = [one for one in manifest["tables"]["annotators"]["columns"] if one["name"] == "name"]
        column["nullable"] = True

    path = meddle(KEPT / "bundle.zip", tmp_path / "odd.zip", change)
    with pytest.raises(FormatError, match="hold what is not understood"):
        import_study(path, tmp_path / "study", around=make_circumstances())


def test_a_backup_whose_rows_are_no_json_is_refused_by_a_sentence(tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    backup.write_bytes(gzip.decompress((KEPT / "backup.db.gz").read_bytes()))
    with closing(sqlite3.connect(backup)) as connection, connection:
        connection.execute("UPDATE events SET parameters = '{' WHERE what = 'erasure asked'")
    origin = import_study(
        KEPT / "bundle.zip", tmp_path / "origin", keeps_access=True, around=make_circumstances()
    ).study
    origin.close()
    with pytest.raises(StorageError, match="hold what is not understood"):
        restore_study(backup, tmp_path / "study", origin=Origin(tmp_path / "origin"), around=make_circumstances())
    assert not (tmp_path / "study").exists()
