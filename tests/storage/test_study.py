"""The handle of a study: durable transactions, locks, and tables that are brought up to date."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert
from sqlalchemy.exc import OperationalError
from tests.storage.small_studies import make_circumstances, make_study

from regauge.errors import StorageError
from regauge.storage.database import engine as engine_module
from regauge.storage.database.schema import metadata
from regauge.storage.events import list_events
from regauge.storage.locks import share_lock, take_lock, try_lock
from regauge.storage.study import Study
from regauge.workflows.studies.study import open_study


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with make_study(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 30_000)]
)
def test_sqlite_is_set_to_lose_nothing(study: Study, pragma: str, value: object) -> None:
    with study.read() as begun:
        assert begun.connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() == value


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_the_tables_on_disk_are_those_of_the_schema(study: Study) -> None:
    with study.read() as begun:
        assert compare_metadata(MigrationContext.configure(begun.connection), metadata) == []


def test_a_row_that_refers_to_nothing_is_refused(study: Study) -> None:
    row = {"test_set_id": 7, "row": 0, "image_id": "a", "label": 0, "path": ""}
    with pytest.raises(StorageError, match="FOREIGN KEY"), study.begin() as begun:
        begun.connection.execute(insert(metadata.tables["images"]), row)


def test_a_second_writer_waits_and_then_says_so(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "BUSY_SECONDS", 0.1)
    other = open_study(tmp_path / "study", around=make_circumstances())
    with study.begin() as first, other.begin() as second:
        # Nobody is kept before the first use of the connection.
        assert first.connection is not None
        with pytest.raises(OperationalError, match="database is locked"):
            _ = second.connection
    with (
        study.begin() as first,
        pytest.raises(StorageError, match="in use by another command"),
        other.begin() as second,
    ):
        assert first.connection is not second.connection
    with other.begin() as second:
        assert second.connection is not None
    other.close()


def test_a_block_that_raises_is_rolled_back_and_one_that_ends_is_kept(study: Study) -> None:
    row = {"what": "x", "who": "", "at": "", "parameters": {}, "code_version": ""}
    with pytest.raises(StorageError, match="UNIQUE"), study.begin() as begun:
        begun.connection.execute(insert(metadata.tables["events"]), [{"id": 7, **row}, {"id": 7, **row}])
    with study.read() as begun:
        assert [event.what for event in list_events(begun)] == ["init"]
    with study.begin() as begun:
        begun.connection.execute(insert(metadata.tables["events"]), row)
    with study.read() as begun:
        assert [event.what for event in list_events(begun)] == ["init", "x"]


def test_the_lock_is_shared_by_transactions_and_alone_for_cleaning(tmp_path: Path) -> None:
    with share_lock(tmp_path), share_lock(tmp_path), try_lock(tmp_path) as is_alone:
        assert not is_alone
    with take_lock(tmp_path), try_lock(tmp_path) as is_alone:
        assert not is_alone
    with try_lock(tmp_path) as is_alone:
        assert is_alone


def test_a_folder_without_a_place_for_the_lock_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"study\.lock cannot be opened"), share_lock(tmp_path / "nowhere"):
        pytest.fail("there is no such folder")


def test_opening_an_up_to_date_study_does_not_load_alembic(study: Study) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom tests.storage.small_studies import make_circumstances\n"
        "from regauge.workflows.studies.study import open_study\n"
        f"open_study(Path({str(study.paths.folder)!r}), around=make_circumstances()).close()\n"
        "print('alembic' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
