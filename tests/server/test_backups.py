"""A backup while people answer holds all that was acknowledged before it began, and what is restored goes on."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.answer_load import list_stored, put_to_work
from tests.server.served_study import Visitor, listen, make_body
from tests.workflows.campaign_studies import add_contains, add_people, make_pictured
from tests.workflows.conftest import database, postgres, postgres_database  # noqa: F401 - fixtures

from regauge.errors import InputError, StorageError
from regauge.server.app import create_app
from regauge.storage.events import list_events
from regauge.workflows.studies.backups import Origin, back_up, restore_study
from regauge.workflows.studies.study import Study

N_PEOPLE = 8


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:  # noqa: F811
    with make_pictured(tmp_path, database=database) as made:
        yield made


@pytest.mark.parametrize("as_bundle", [False, True])
def test_a_backup_under_load_holds_what_was_acknowledged_and_goes_on(
    study: Study, tmp_path: Path, as_bundle: bool
) -> None:
    campaign = add_contains(study, quota=2 * N_PEOPLE)
    *people, late = add_people(study, campaign, N_PEOPLE + 1)
    with listen(create_app(study)) as address, put_to_work(address, campaign, people) as load:
        load.wait(50)
        before = list(load.acknowledged)
        path = back_up(study, as_bundle=as_bundle)
        load.wait(len(before) + 50)
    assert load.failures == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    made = restore_study(path, tmp_path / "restored", around=study.around)
    try:
        assert made.study.engine.dialect.name == "sqlite"
        stored = list_stored(made.study)
        assert set(before) <= stored <= list_stored(study)
        with TestClient(create_app(made.study)) as client:
            reply = client.post("/api/session", json={"token": late.token})
            cookie = reply.headers["set-cookie"].split(";")[0]
            visitor = Visitor(client, {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]})
            (task,) = visitor.take(campaign)
            assert visitor.get(task["images"][0]).status_code == 200
            assert visitor.post("/api/answers", make_body(task)).json() == {"status": "stored"}
        with made.study.read() as reading:
            assert list_events(reading)[-1].what in {"restore", "import"}
    finally:
        made.study.close()


def test_secrets_and_identities_are_in_no_backup(study: Study, tmp_path: Path) -> None:
    create_app(study)
    secret = (study.paths.folder / "server.secret").read_bytes()
    (study.paths.folder / "identities.csv").write_text("platform,id\nprolific,5f0123456789abcdef012345\n")
    (study.paths.folder / "identities.key").write_bytes(b"k" * 32)
    made = restore_study(back_up(study), tmp_path / "restored", around=study.around)
    made.study.close()
    names = {path.name for path in made.study.paths.folder.rglob("*")}
    assert not names & {"server.secret", "identities.csv", "identities.key"}
    content = back_up(study, tmp_path / "copy").read_bytes()
    assert secret not in content
    assert b"5f0123456789abcdef012345" not in content


def test_a_copy_of_a_database_needs_the_study_that_it_was_made_of(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        path = back_up(study, tmp_path / "copy.db")
        with pytest.raises(InputError, match="`study=…`"):
            restore_study(path, tmp_path / "restored", around=study.around)
        assert not (tmp_path / "restored").exists()
        made = restore_study(path, tmp_path / "restored", origin=Origin(study.paths.folder), around=study.around)
        made.study.close()
        with pytest.raises(InputError, match="already holds a study"):
            restore_study(path, tmp_path / "restored", origin=Origin(study.paths.folder), around=study.around)
        with pytest.raises(InputError, match="a bundle can"):
            restore_study(path, tmp_path / "other", database="postgresql://x/y", around=study.around)


def test_a_backup_of_another_study_leaves_nothing_behind(tmp_path: Path) -> None:
    with make_pictured(tmp_path / "a") as first, make_pictured(tmp_path / "b") as second:
        # Two studies of these tests have the same id unless one has drawn before.
        assert first.paths.folder != second.paths.folder
        path = back_up(first, tmp_path / "copy.db")
        second_settings = second.paths.folder / "study.toml"
        second_settings.write_text(second_settings.read_text().replace('id = "', 'id = "0', 1))
        with pytest.raises(StorageError):
            restore_study(path, tmp_path / "restored", origin=Origin(second.paths.folder), around=first.around)
        assert not (tmp_path / "restored").exists()


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    with make_pictured(tmp_path) as study:
        (tmp_path / "no.db").write_bytes(b"nothing")
        for name in ("no.db", "absent.db"):
            with pytest.raises(InputError):
                restore_study(tmp_path / name, tmp_path / "restored", around=study.around)
