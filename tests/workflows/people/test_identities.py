"""A platform's ids: in one private file, and nowhere else."""

from __future__ import annotations

import logging
import stat
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import make_pictured
from tests.workflows.platform_visitors import (
    ASSIGNMENT,
    OTHER_PID,
    PID,
    SESSION,
    WORKER,
    add_recruiting,
    come,
    finish,
    work,
)

from regauge.errors import FormatError, InputError, StorageError
from regauge.records.campaigns.campaign import Platform
from regauge.records.campaigns.visits import Arrival, Identity
from regauge.storage.events import list_events
from regauge.storage.people.identities import FILE_NAME, KEY_NAME, append_identity, load_identities
from regauge.workflows.campaigns.responses import export_answers
from regauge.workflows.people.identities import (
    forget_identity,
    hash_reference,
    list_identities,
    make_pseudonym,
    write_identities,
)
from regauge.workflows.people.visits import describe_visits
from regauge.workflows.studies.backups import back_up
from regauge.workflows.studies.bundles import export_bundle
from regauge.workflows.studies.study import Study

SECRETS = (PID, SESSION, WORKER, ASSIGNMENT)


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def recruit(study: Study) -> str:
    """Somebody from each platform comes, works and goes; gives the name of the first."""
    campaign = add_recruiting(study)
    first = come(study, campaign)
    worker = come(study, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    for who in (first, worker):
        work(study, who, 2)
        finish(study, who)
    return first.annotator.name


def test_no_id_of_a_platform_is_in_database_events_logs_answers_bundle_or_backup(pictured, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    recruit(pictured)
    with pictured.read() as reading:
        export_answers(reading, "grids", tmp_path / "answers.csv")
        export_bundle(reading, tmp_path / "bundle.zip")
        events = repr(list_events(reading))
    back_up(pictured, tmp_path / "backup")
    private = {FILE_NAME}
    looked_at = 0
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name not in private:
            content = _read(path)
            looked_at += 1
            assert not [one for one in SECRETS if one.encode() in content], path
    assert looked_at > 30
    assert not [one for one in SECRETS if one in events + caplog.text]
    content = (pictured.paths.folder / FILE_NAME).read_bytes()
    assert all(one.encode() in content for one in SECRETS)


def _read(path: Path) -> bytes:
    """All of a file, the members of an archive unpacked."""
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert not {FILE_NAME, KEY_NAME} & {Path(name).name for name in names}
        return b"".join(archive.read(name) for name in names)


def test_key_and_list_are_for_the_owner_only(pictured):
    recruit(pictured)
    for name in (FILE_NAME, KEY_NAME):
        assert stat.S_IMODE((pictured.paths.folder / name).stat().st_mode) == 0o600


def test_another_study_has_other_names_for_the_same_people(pictured, tmp_path):
    (tmp_path / "other").mkdir()
    with make_pictured(tmp_path / "other") as other:
        with pictured.begin() as one, other.begin() as two:
            names = {make_pseudonym(study, Platform.PROLIFIC, PID) for study in (one, two)}
        references = {hash_reference(study, Platform.PROLIFIC, SESSION) for study in (pictured, other)}
    assert len(names) == len(references) == 2


def test_the_manager_can_look_everybody_up(pictured, tmp_path):
    name = recruit(pictured)
    path = tmp_path / "list.csv"
    with pictured.begin() as begun:
        assert write_identities(begun, path) == 2
        (event,) = [one for one in list_events(begun) if one.what == "identities"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = path.read_text().splitlines()
    assert lines[0] == "platform,id,annotator,reference,at"
    assert lines[1].startswith(f"prolific,{PID},{name},{SESSION},")
    assert event.parameters["n"] == 2
    with pictured.begin() as begun, pytest.raises(InputError, match="exists"):
        write_identities(begun, path)


def test_whoever_is_forgotten_is_in_no_file_and_their_visits_lead_nowhere(pictured):
    name = recruit(pictured)
    with pictured.begin() as begun:
        assert forget_identity(begun, name) == 1
        assert forget_identity(begun, name) == 0
    (left,) = list_identities(pictured)
    assert left.id == WORKER
    for path in pictured.paths.folder.iterdir():
        assert not path.is_file() or PID.encode() not in path.read_bytes()
    with pictured.read() as reading:
        references = {one.annotator: one.reference for one in describe_visits(reading, "grids")}
    assert references.pop(name) == ""
    assert all(references.values())
    assert stat.S_IMODE((pictured.paths.folder / FILE_NAME).stat().st_mode) == 0o600


def test_a_line_that_was_written_twice_is_read_once(tmp_path):
    for at in ("1", "1", "2"):
        append_identity(tmp_path, Identity(Platform.PROLIFIC, PID, "prolific-1", SESSION, at))
    assert [one.at for one in load_identities(tmp_path)] == ["1", "2"]


def test_people_who_come_at_once_all_get_a_line(tmp_path):
    def add(number: int) -> None:
        append_identity(tmp_path, Identity(Platform.PROLIFIC, f"{number}", "prolific-1", "", ""))

    threads = [threading.Thread(target=add, args=[number]) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.id for one in load_identities(tmp_path)} == {str(number) for number in range(24)}


def test_a_list_that_somebody_spoilt_is_refused_with_the_line(tmp_path):
    (tmp_path / FILE_NAME).write_text("platform,id,annotator,reference,at\nnowhere,1,2,3,4\n")
    with pytest.raises(FormatError, match="line 2"):
        load_identities(tmp_path)


def test_a_list_that_cannot_be_written_is_said_so(tmp_path):
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(StorageError, match="cannot be written"):
        append_identity(tmp_path, Identity(Platform.PROLIFIC, OTHER_PID, "prolific-1", "", ""))


def test_an_arrival_does_not_show_who_it_is():
    assert PID not in repr(Arrival(Platform.PROLIFIC, PID, SESSION))
