"""Who can come into a study that was made of a file: nobody who could come into the original, unless that was asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.storage.small_studies import make_circumstances
from tests.storage.tampered_bundles import edit_rows, meddle
from tests.workflows.campaign_studies import add_contains, add_people, make_pictured
from tests.workflows.conftest import database, postgres, postgres_database  # noqa: F401 - fixtures
from tests.workflows.platform_visitors import add_recruiting, come, take_share

from regauge.errors import FormatError
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Role
from regauge.server.app import create_app
from regauge.storage.bundles.backups import is_own_backup
from regauge.storage.people.annotators import hash_token, list_annotators
from regauge.storage.pulse import count_leased
from regauge.workflows.people.invitations import Invitation, invite, renew_link
from regauge.workflows.studies.backups import Origin, back_up, restore_study
from regauge.workflows.studies.bundles import export_bundle, import_study
from regauge.workflows.studies.copies import ImportedStudy
from regauge.workflows.studies.study import Study

N_PEOPLE = 3
FORGED = "a link that somebody made up"
SESSION = {"role": "manager", "token_sha256": hash_token(FORGED), "sessions_from": None, "erased_at": None}


@pytest.fixture
def original(tmp_path: Path, database: str) -> Iterator[Study]:  # noqa: F811
    with make_pictured(tmp_path / "original", database=database) as made:
        yield made


@pytest.fixture
def people(original: Study) -> tuple[Invitation, ...]:
    """Three annotators, the manager, and a second manager."""
    annotators_ = add_people(original, add_contains(original), N_PEOPLE)
    with original.begin() as begun:
        manager = renew_link(begun, "manager", role=Role.MANAGER)
        return (*annotators_, manager, *invite(begun, ["deputy"], role=Role.MANAGER))


def write(study: Study, path: Path) -> Path:
    with study.read() as reading:
        return export_bundle(reading, path)


@contextmanager
def serve(made: ImportedStudy) -> Iterator[TestClient]:
    try:
        with TestClient(create_app(made.study)) as client:
            yield client
    finally:
        made.study.close()


def knock(client: TestClient, token: str) -> int:
    status: int = client.post("/api/session", json={"token": token}).status_code
    client.cookies.clear()
    return status


def list_people(study: Study) -> dict[str, AnnotatorEntry]:
    with study.read() as reading:
        return {one.name: one for one in list_annotators(reading)}


def find_counts(made: ImportedStudy) -> tuple[int, int, int]:
    assert made.voided is not None
    return made.voided.n_links, made.voided.n_people, made.voided.n_roles


def test_nobody_of_the_original_comes_into_an_import(
    original: Study, people: tuple[Invitation, ...], tmp_path: Path
) -> None:
    made = import_study(write(original, tmp_path / "x.zip"), tmp_path / "copy", around=make_circumstances())
    assert find_counts(made) == (5, 5, 2)
    assert "5 personal links, the sessions of 5 people and 2 roles of manager are void here" in made.notes[0]
    assert "`keeps_access=True`" in made.notes[0]
    with serve(made) as client:
        assert [knock(client, one.token) for one in people] == [403] * 5
        found = list_people(made.study)
        assert [one.name for one in found.values() if one.role is not Role.ANNOTATOR] == ["manager"]
        assert found.keys() == list_people(original).keys()
        with made.study.begin() as begun:
            link = renew_link(begun, "manager", role=Role.MANAGER)
        assert knock(client, link.token) == 200


def find_door(client: TestClient, campaign: CampaignEntry) -> list[int]:
    """What the doors of both platforms say to somebody whom the original never knew."""
    addresses = {
        "p": {"PROLIFIC_PID": "f" * 24, "SESSION_ID": "s"},
        "m": {"workerId": "A1", "assignmentId": "A2", "turkSubmitTo": "https://www.mturk.com"},
    }
    said = []
    for door, sent in addresses.items():
        said.append(client.get(f"/{door}/{campaign.id}", params=sent, follow_redirects=False).status_code)
        client.cookies.clear()
    return said


@pytest.mark.parametrize("keeps_access", [False, True])
def test_no_platform_leads_into_an_import_and_no_task_is_kept(
    original: Study, tmp_path: Path, keeps_access: bool
) -> None:
    campaign = add_recruiting(original, quota=1)
    who = come(original, campaign)
    assert len(take_share(original, who)) == 2
    path = write(original, tmp_path / "x.zip")
    made = import_study(path, tmp_path / "copy", keeps_access=keeps_access, around=make_circumstances())
    said = " ".join(made.notes)
    assert ("1 campaign of the original took people from Prolific or Mechanical Turk" in said) is not keeps_access
    with made.study.read() as reading:
        assert count_leased(reading) == (2 if keeps_access else 0)
    with serve(made) as client:
        assert find_door(client, campaign) == ([303, 200] if keeps_access else [400, 400])


def test_access_is_kept_where_that_is_asked_for(
    original: Study, people: tuple[Invitation, ...], tmp_path: Path
) -> None:
    path = write(original, tmp_path / "x.zip")
    made = import_study(path, tmp_path / "copy", keeps_access=True, around=make_circumstances())
    assert made.voided is None
    with serve(made) as client:
        assert [knock(client, one.token) for one in people] == [200] * 5
    assert list_people(made.study) == list_people(original)


def forge(rows: list[dict[str, Any]]) -> None:
    rows.append({**rows[0], "id": 900, "name": "nobody", "platform": "link", **SESSION})


def usurp(rows: list[dict[str, Any]]) -> None:
    """The seat of the manager, taken by somebody who would keep the importer out of it."""
    seat = next(row for row in rows if row["name"] == "manager")
    seat |= {"role": "annotator", "platform": "prolific", "erased_at": "2020-01-01T00:00:00.000Z"}
    seat |= {"sessions_from": "9999-01-01T00:00:00.000Z", "token_sha256": hash_token(FORGED)}


@pytest.mark.parametrize("change", [forge, usurp])
def test_a_row_that_was_made_up_lets_nobody_in(
    original: Study, people: tuple[Invitation, ...], tmp_path: Path, change: Callable[[list[dict[str, Any]]], None]
) -> None:
    assert people
    path = meddle(
        write(original, tmp_path / "x.zip"),
        tmp_path / "forged.zip",
        lambda members, _: edit_rows(members, "annotators", change),
    )
    made = import_study(path, tmp_path / "copy", around=make_circumstances())
    with made.study.begin() as begun:
        link = renew_link(begun, "manager", role=Role.MANAGER, ends_sessions=False)
    with serve(made) as client:
        assert knock(client, FORGED) == 403
        reply = client.post("/api/session", json={"token": link.token})
        assert reply.json()["role"] == "manager"
        assert client.get("/manage").status_code == 200


def test_a_role_that_there_is_not_is_refused(original: Study, people: tuple[Invitation, ...], tmp_path: Path) -> None:
    assert people
    path = meddle(
        write(original, tmp_path / "x.zip"),
        tmp_path / "forged.zip",
        lambda members, _: edit_rows(members, "annotators", lambda rows: rows[0].update(role="emperor")),
    )
    with pytest.raises(FormatError, match="emperor"):
        import_study(path, tmp_path / "copy", keeps_access=True, around=make_circumstances())
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("terms", [{"evil": 1}, {"mturk_tasks": "9"}, {"prolific": {"code": 1}}, {"quiz": {}}])
def test_a_campaign_on_terms_that_there_are_not_is_refused(tmp_path: Path, terms: dict[str, Any]) -> None:
    with make_pictured(tmp_path / "original") as original:
        add_contains(original)
        path = meddle(
            write(original, tmp_path / "x.zip"),
            tmp_path / "forged.zip",
            lambda members, _: edit_rows(members, "campaigns", lambda rows: rows[0].update(terms=terms)),
        )
    with pytest.raises(FormatError):
        import_study(path, tmp_path / "copy", around=make_circumstances())
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("as_bundle", [False, True])
def test_a_backup_of_this_installation_keeps_access_wherever_it_lies(
    original: Study, people: tuple[Invitation, ...], tmp_path: Path, as_bundle: bool
) -> None:
    path = back_up(original, as_bundle=as_bundle).rename(tmp_path / "moved")
    origin = Origin(original.paths.folder)
    for name in ("first", "second"):
        made = restore_study(path, tmp_path / name, origin=origin, around=make_circumstances())
        assert made.voided is None
        with serve(made) as client:
            assert [knock(client, one.token) for one in people] == [200] * 5
        assert list_people(made.study) == list_people(original)


@pytest.mark.parametrize("as_bundle", [False, True])
def test_nobody_comes_into_what_was_restored_from_a_backup_of_another_installation(
    original: Study,
    people: tuple[Invitation, ...],
    tmp_path: Path,
    as_bundle: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = back_up(original, as_bundle=as_bundle)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    made = restore_study(path, tmp_path / "copy", around=make_circumstances())
    assert find_counts(made) == (5, 5, 2)
    assert made.study.id != original.id
    with serve(made) as client:
        assert [knock(client, one.token) for one in people] == [403] * 5
    origin = Origin(keeps_access=True)
    made = restore_study(path, tmp_path / "kept", origin=origin, around=make_circumstances())
    assert made.study.id == original.id
    with serve(made) as client:
        assert [knock(client, one.token) for one in people] == [200] * 5


def test_a_backup_that_was_changed_is_nobodys_of_this_installation(tmp_path: Path) -> None:
    with make_pictured(tmp_path / "original") as original:
        add_people(original, add_contains(original), N_PEOPLE)
        path = back_up(original)
        assert is_own_backup(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                "UPDATE annotators SET role = 'manager', token_sha256 = ? WHERE id = 1", [hash_token(FORGED)]
            )
        assert not is_own_backup(path)
        made = restore_study(path, tmp_path / "copy", around=make_circumstances())
        assert find_counts(made) == (3, 3, 1)
        with serve(made) as client:
            assert knock(client, FORGED) == 403


def test_a_log_beside_a_backup_of_ones_own_is_not_believed(tmp_path: Path) -> None:
    with make_pictured(tmp_path / "original") as original:
        path = back_up(original)
    path.with_name(f"{path.name}-wal").write_bytes(b"what SQLite would read along")
    assert not is_own_backup(path)


def test_a_list_that_others_can_write_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with make_pictured(tmp_path / "original") as original:
        path = back_up(original)
    record = tmp_path / "state" / "regauge" / "backups.sha256"
    assert (record.stat().st_mode & 0o777, record.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert is_own_backup(path)
    record.chmod(0o620)
    assert not is_own_backup(path)


def test_a_backup_is_made_where_nothing_can_be_noted_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with make_pictured(tmp_path / "original") as original:
        path = back_up(original)
    assert path.is_file()
    assert not is_own_backup(path)


def test_a_database_that_does_something_by_itself_is_refused(tmp_path: Path) -> None:
    with make_pictured(tmp_path / "original") as original:
        add_people(original, add_contains(original), N_PEOPLE)
        path = back_up(original)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TRIGGER again AFTER UPDATE ON annotators BEGIN "
            "UPDATE annotators SET role = 'manager', token_sha256 = 'x' WHERE id = 1; END"
        )
    with pytest.raises(FormatError, match="trigger 'again'"):
        restore_study(path, tmp_path / "copy", around=make_circumstances())
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("how", ["NOT NULL ON CONFLICT IGNORE", "NOT NULL ON/**/Conflict REPLACE DEFAULT 'x'"])
def test_a_table_that_passes_over_changes_is_refused(tmp_path: Path, how: str) -> None:
    with make_pictured(tmp_path / "original") as original:
        add_people(original, add_contains(original), N_PEOPLE)
        path = back_up(original)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE annotators SET role = 'manager', token_sha256 = ?||id", [hash_token(FORGED)[:63]])
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'token_sha256 VARCHAR(64)', ?) WHERE name = 'annotators'",
            [f"token_sha256 VARCHAR(64) {how}"],
        )
    with pytest.raises(FormatError, match="table 'annotators'"):
        restore_study(path, tmp_path / "copy", around=make_circumstances())
    assert not (tmp_path / "copy").exists()
