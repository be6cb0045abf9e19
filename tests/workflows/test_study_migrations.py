"""Tables of an older study are brought up to date, on both databases."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import inspect, text
from tests.storage.making import fill

from regauge.storage.migrate import MIGRATIONS, migrate
from regauge.storage.schema import HEAD, test_sets
from regauge.workflows.studies import Study

ADDS_A_COLUMN = """
from alembic import op
from sqlalchemy import Column, String
revision = "0002"
down_revision = "0001"
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
    (versions / "0002_motto.py").write_text(script)
    return folder / "scripts"


def find_columns(study: Study) -> set[str]:
    return {column["name"] for column in inspect(study.engine).get_columns(test_sets.name)}


def test_older_tables_are_migrated_after_a_backup(study: Study, tmp_path: Path) -> None:
    fill(study, tmp_path)
    migrate(study.engine, study.paths.folder, head="0002", scripts=make_scripts(tmp_path, ADDS_A_COLUMN))
    assert "motto" in find_columns(study)
    with study.read() as begun:
        assert begun.connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "0002"
        assert begun.connection.execute(text("SELECT name, motto FROM test_sets")).all() == [("truth", None)]
    backup = next(study.paths.folder.glob("before-0002.*"))
    if backup.suffix == ".db":
        with closing(sqlite3.connect(backup)) as copy:
            assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
    else:
        with zipfile.ZipFile(backup) as archive:
            assert "motto" not in json.loads(archive.read("test_sets.jsonl"))


def test_a_migration_that_fails_changes_nothing(study: Study, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="half-way"):
        migrate(study.engine, study.paths.folder, head="0002", scripts=make_scripts(tmp_path, BREAKS))
    assert "motto" not in find_columns(study)
    with study.read() as begun:
        assert begun.connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == HEAD


def test_tables_that_are_up_to_date_are_left_alone(study: Study) -> None:
    migrate(study.engine, study.paths.folder, head=HEAD)
    assert not list(study.paths.folder.glob("before-*"))


def test_the_last_migration_is_the_head_of_the_schema() -> None:
    assert sorted(path.name for path in (MIGRATIONS / "versions").glob("*.py"))[-1].startswith(HEAD)
