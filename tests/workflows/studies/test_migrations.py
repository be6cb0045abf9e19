"""Tables of an older study are brought up to date, on both databases."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Engine, insert, inspect, select, text, update
from tests.cli.command_runner import write
from tests.storage.small_studies import FILES, fill, list_computed_indexes, make_circumstances
from tests.workflows.campaign_studies import add_classify, add_contains, add_people, answer, make_pictured, take

from regauge import ShiftSettings
from regauge.records.campaigns.campaign import NewAnswer
from regauge.records.studies import Selection
from regauge.storage.arrays import store_array
from regauge.storage.database.migrate import MIGRATIONS, migrate
from regauge.storage.database.schema import HEAD, attempts, metadata, responses, tasks, test_sets
from regauge.storage.evaluation.comparisons import load_shift
from regauge.storage.settings import StudySettings, write_settings
from regauge.storage.study import StudyPaths, make_engine
from regauge.workflows.evaluation.evaluations import compare, evaluate, load_scores
from regauge.workflows.people.invitations import invite_many
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.study import Study, describe_status, init_study, open_study

REVISIONS = Path(__file__).resolve().parents[2] / "storage" / "revisions"
NEXT = "9001"
SELECTED = {"version": 1, "selected": [7, 9], "main": 7}
ADDS_A_COLUMN = f"""
from alembic import op
from sqlalchemy import Column, String
revision = "{NEXT}"
down_revision = "{HEAD}"
def upgrade():
    op.add_column("test_sets", Column("motto", String))
"""
BREAKS = ADDS_A_COLUMN + "    raise RuntimeError('half-way')\n"


def make_scripts(folder: Path, script: str) -> Path:
    """The migrations of the program and one more."""
    versions = folder / "scripts" / "versions"
    versions.mkdir(parents=True)
    for path in (MIGRATIONS / "versions").glob("*.py"):
        target = folder / "scripts" / path.relative_to(MIGRATIONS)
        target.write_text(path.read_text())
    (versions / f"{NEXT}_motto.py").write_text(script)
    return folder / "scripts"


def find_columns(study: Study) -> set[str]:
    return {column["name"] for column in inspect(study.engine).get_columns(test_sets.name)}


def test_older_tables_are_migrated_after_a_backup(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    migrate(study.engine, study.paths.folder, head=NEXT, scripts=make_scripts(tmp_path, ADDS_A_COLUMN))
    assert "motto" in find_columns(study)
    with study.read() as begun:
        assert begun.connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == NEXT
        assert begun.connection.execute(text("SELECT name, motto FROM test_sets")).all() == [("truth", None)]
    backup = next(study.paths.folder.glob(f"before-{NEXT}.*"))
    if backup.suffix == ".db":
        with closing(sqlite3.connect(backup)) as copy:
            assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
    else:
        with zipfile.ZipFile(backup) as archive:
            assert "motto" not in json.loads(archive.read("tables/test_sets.jsonl"))


def test_a_migration_that_fails_changes_nothing(study: Study, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="half-way"):
        migrate(study.engine, study.paths.folder, head=NEXT, scripts=make_scripts(tmp_path, BREAKS))
    assert "motto" not in find_columns(study)
    with study.read() as begun:
        assert begun.connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == HEAD


def test_a_migration_that_failed_can_be_tried_again(study: Study, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="half-way"):
        migrate(study.engine, study.paths.folder, head=NEXT, scripts=make_scripts(tmp_path / "broken", BREAKS))
    migrate(study.engine, study.paths.folder, head=NEXT, scripts=make_scripts(tmp_path / "mended", ADDS_A_COLUMN))
    assert "motto" in find_columns(study)
    assert len(list(study.paths.folder.glob(f"before-{NEXT}*"))) == 2


def test_tables_that_are_up_to_date_are_left_alone(study: Study) -> None:
    migrate(study.engine, study.paths.folder, head=HEAD)
    assert not list(study.paths.folder.glob("before-*"))


def test_the_last_migration_is_the_head_of_the_schema() -> None:
    assert sorted(path.name for path in (MIGRATIONS / "versions").glob("*.py"))[-1].startswith(HEAD)


def make_old_study(folder: Path, database: str) -> Path:
    """A study as the frozen revision wrote it: its tables, rows, arrays and study.toml."""
    write(folder, FILES)
    paths = StudyPaths(folder / "old")
    paths.predictions.mkdir(parents=True)
    settings = StudySettings("5f82c2d9cfeb0fa321d7d982f8bd1045", "cifar-10", database)
    write_settings(settings, paths.folder)
    engine = make_engine(paths, settings)
    script = (REVISIONS / "0001.sql").read_text()
    if not database:
        script = script.replace("SERIAL", "INTEGER").replace("DOUBLE PRECISION", "DOUBLE")
    with engine.begin() as connection:
        for statement in script.split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement)
    engine.dispose()
    ranked = (np.arange(4)[:, None] + np.arange(1, 6)) % 10
    store_array(np.arange(4, dtype=np.int32).reshape(4, 1), paths.predictions)
    store_array(ranked.astype(np.int32), paths.predictions)
    store_array(np.tile(1 - np.arange(1, 6) / 10, (4, 1)).astype(np.float32), paths.predictions)
    return paths.folder


def find_all_columns(engine: Engine) -> dict[str, list[str]]:
    """Per table its columns, but for the table of the revision."""
    tables = inspect(engine)
    names = sorted(set(tables.get_table_names()) - {"alembic_version"})
    return {name: [column["name"] for column in tables.get_columns(name)] for name in names}


def read_everything(engine: Engine, columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """All rows of the tables, so far as they have those columns."""
    queries = {name: f"SELECT {', '.join(map(quote, own))} FROM {name}" for name, own in columns.items()}  # noqa: S608
    with engine.connect() as connection:
        return {name: sorted(map(str, connection.execute(text(query)))) for name, query in queries.items()}


def quote(name: str) -> str:
    return f'"{name}"'


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_a_study_of_the_first_revision_is_brought_up_to_date(tmp_path: Path, database: str) -> None:
    folder = make_old_study(tmp_path, database)
    engine = make_engine(StudyPaths(folder), StudySettings("", "", database))
    columns = find_all_columns(engine)
    before = read_everything(engine, columns)
    engine.dispose()
    study = open_study(folder, around=make_circumstances())
    assert read_everything(study.engine, columns) == before
    assert set(find_all_columns(study.engine)) == set(metadata.tables) - {"alembic_version"}
    assert [path.name for path in folder.glob("before-*")] == [f"before-{HEAD}{'.zip' if database else '.db'}"]
    with study.read() as begun:
        assert compare_metadata(MigrationContext.configure(begun.connection), metadata) == []
        assert list_computed_indexes(begun.connection) == ["ix_tasks_campaign_id_role_panel_position"]
        assert load_scores(begun, 1).get("good", "top1").n_correct == 4
    study.close()


def test_a_study_of_the_first_revision_goes_on_as_if_it_were_new(tmp_path: Path, database: str) -> None:
    study = open_study(make_old_study(tmp_path, database), around=make_circumstances())
    with study.begin() as begun:
        add_predictions(begun, PredictionSource(tmp_path / "bad.csv"), test_set="new")
        made = compare(begun, Selection("truth"), Selection("new"), settings=ShiftSettings(n_bootstrap=100))
        assert evaluate(begun, Selection("new")).id == 2
    with study.read() as begun:
        assert load_shift(begun, made.id).models == made.shift.models
        assert [entry.id for entry in describe_status(begun).comparisons] == [made.id] == [1]
    study.close()


def test_candidates_and_answers_of_older_campaigns_are_put_in_an_order_that_tells_nothing(
    tmp_path: Path, database: str
) -> None:
    with make_pictured(tmp_path, database=database) as older:
        grids, labels = add_contains(older), add_classify(older, n_images=6)
        (person,) = add_people(older, labels, 1)
        given = take(older, labels, person, 5)
        answer(older, *(NewAnswer(f"client-{one.id[:9]}", one.id, person.annotator.id, SELECTED, 1.0) for one in given))
        with older.begin() as begun:
            before = begun.connection.execute(select(tasks.c.payload).where(tasks.c.campaign_id == grids.id)).all()
            mine = select(tasks.c.id).where(tasks.c.campaign_id == labels.id)
            for number in begun.connection.scalars(mine).all():
                payload = {"version": 1, "image": 0, "candidates": [9, 1, 7]}
                begun.connection.execute(update(tasks).where(tasks.c.id == number).values(payload=payload))
            begun.connection.execute(update(responses).values(answer={**SELECTED, "selected": [9, 7]}))
            questions = [
                {"id": "a", "task_id": 1, "answer": {**SELECTED, "selected": [9, 7]}},
                {"id": "b", "answer": None},
            ]
            begun.connection.execute(
                insert(attempts).values(
                    campaign_id=labels.id,
                    annotator_id=person.annotator.id,
                    number=1,
                    n_right=0,
                    n_asked=2,
                    questions=questions,
                    began_at="2026-01-31",
                )
            )
            with Operations.context(MigrationContext.configure(begun.connection)):
                load_migration("0008_people_and_doors")._sort_candidates()
            assert {
                tuple(task["candidates"])
                for task in begun.connection.scalars(select(tasks.c.payload).where(tasks.c.campaign_id == labels.id))
            } == {(1, 7, 9)}
            assert [one["selected"] for one in begun.connection.scalars(select(responses.c.answer))] == [[7, 9]] * 5
            (stored,) = begun.connection.scalars(select(attempts.c.questions))
            assert [one["answer"] for one in stored] == [{**SELECTED, "selected": [7, 9]}, None]
            after = begun.connection.execute(select(tasks.c.payload).where(tasks.c.campaign_id == grids.id)).all()
            assert after == before


def load_migration(name: str) -> Any:
    """One of the scripts that bring tables up to date."""
    spec = importlib.util.spec_from_file_location(name, MIGRATIONS / "versions" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_migrated_study_has_the_same_tables_as_a_new_one(tmp_path: Path) -> None:
    old = open_study(make_old_study(tmp_path, ""), around=make_circumstances())
    new = init_study(tmp_path / "new", taxonomy="cifar-10", around=make_circumstances())
    for name in metadata.tables:
        found = [
            (tables.get_columns(name), tables.get_pk_constraint(name), tables.get_foreign_keys(name))
            for tables in (inspect(old.engine), inspect(new.engine))
        ]
        assert str(found[0]) == str(found[1]), name
    old.close()
    new.close()


def test_numbers_in_names_that_were_given_before_are_not_given_again(tmp_path: Path) -> None:
    """Of revision 0007: annotator-0004 and another were erased, and what they were called is not known any more."""
    kept = Path(__file__).parents[2] / "studies" / "0.1.0" / "study.zip"
    with zipfile.ZipFile(kept) as archive:
        archive.extractall(tmp_path)
    (database,) = tmp_path.rglob("study.db")
    with closing(sqlite3.connect(database)) as connection, connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone()[0] < "0008"
        rows = [("annotator-0701", None), ("annotator-0703", None), ("erased-0701", "x"), ("erased-0702", "x")]
        connection.executemany(
            "INSERT INTO annotators (name, role, created_at, erased_at) VALUES (?, 'annotator', 'x', ?)", rows
        )
        n_erased = connection.execute("SELECT count(*) FROM annotators WHERE erased_at IS NOT NULL").fetchone()[0]
    study = open_study(database.parent, around=make_circumstances())
    with study.begin() as begun:
        (made,) = invite_many(begun, 1)
    study.close()
    assert made.annotator.name == f"annotator-{703 + n_erased + 1:04d}"
