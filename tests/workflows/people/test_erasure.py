"""Erasure: after it the name is nowhere, not even in the bytes of the files; the record says why, and labels are made anew."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.workflows.answer_rows import read_answers
from tests.workflows.campaign_studies import (
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)
from tests.workflows.labels.test_campaign_labels import FEW, answer_all, list_counts

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, Platform, Role
from regauge.records.campaigns.visits import Arrival
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.campaigns.decisions import list_decisions
from regauge.storage.database.schema import assignments, attempts, consents, responses
from regauge.storage.events import add_event, list_events
from regauge.storage.labels.evidence import find_frequencies
from regauge.storage.labels.label_set import list_label_sets
from regauge.storage.people.annotators import find_annotator, insert_annotator
from regauge.storage.people.erasure import scrub
from regauge.storage.people.visits import insert_visit, list_visits
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.campaigns.responses import export_answers
from regauge.workflows.labels.campaign_labels import build_labels, list_campaign_labels, rebuild_labels
from regauge.workflows.labels.label_set import merge_label_sets
from regauge.workflows.people.access import end_sessions, find_ended_sessions, renew_access
from regauge.workflows.people.erasure import ask_for_erasure, erase_annotator, foresee_erasure
from regauge.workflows.people.identities import hash_reference, list_identities, make_pseudonym, note_identity
from regauge.workflows.people.invitations import Invitation, come_in, invite
from regauge.workflows.studies.backups import back_up
from regauge.workflows.studies.bundles import export_bundle
from regauge.workflows.studies.study import Study

NAME = "Zoë O'Brien"


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study of small pictures."""
    with make_pictured(tmp_path, database=database) as made:
        yield made


def add_zoe(study: Study, campaign: CampaignEntry, *, n_answers: int = 2) -> Invitation:
    """Somebody by name, who agrees and answers, and about whom things are noted down."""
    with study.begin() as begun:
        (who,) = invite(begun, [NAME])
        consent(begun, campaign.id, annotator_id=who.annotator.id, version=campaign.plan.texts.version)
    for _ in range(n_answers):
        (task,) = take(study, campaign, who)
        answer(study, make_answer(task, "3"))
    with study.begin() as begun:
        quoted = replace(begun, around=replace(begun.around, command=f"regauge annotators renew {NAME!r}", who=NAME))
        add_event(quoted, "link renew", {"annotator": NAME, "list": [{"of": NAME}, f"and {NAME}, too"]})
        drop_annotator(begun, campaign.name, annotator=NAME, reason=f"I know {NAME.upper()}; they are a friend")
    return who


def find_traces(content: bytes) -> list[str]:
    """Which spellings of the name are in some bytes: as text, as JSON, and its parts."""
    spellings = (NAME, NAME.upper(), json.dumps(NAME)[1:-1], json.dumps(NAME.upper())[1:-1], "Brien", "BRIEN")
    return [one for one in spellings if one.encode() in content]


def unpack(path: Path) -> bytes:
    """What is in a bundle, or in a file of another kind."""
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as bundle:
        return b"".join(bundle.read(name) for name in bundle.namelist())


def test_the_name_is_in_no_byte_of_the_database_a_bundle_a_backup_or_an_export(study, tmp_path):
    campaign = add_contains(study)
    add_zoe(study, campaign)
    with study.begin() as begun:
        done = erase_annotator(begun, NAME, reason=f"{NAME} asked for it")
    assert scrub(study)
    assert done.annotator == "erased-0001"
    if study.engine.dialect.name == "sqlite":
        files = [path for path in study.paths.folder.iterdir() if path.name.startswith("study.db")]
        assert find_traces(b"".join(path.read_bytes() for path in files)) == []
    with study.read() as reading:
        export_answers(reading, "grids", tmp_path / "answers.csv", with_surplus=True)
        assert find_traces(repr(list_events(reading)).encode()) == []
    assert find_traces((tmp_path / "answers.csv").read_bytes()) == []
    with study.read() as reading:
        export_bundle(reading, tmp_path / "bundle.zip")
    for path in (tmp_path / "bundle.zip", back_up(study, tmp_path / "backup")):
        assert find_traces(unpack(path)) == []


def test_the_traces_are_there_before(study, tmp_path):
    """What the test above looks for can be found."""
    add_zoe(study, add_contains(study))
    with study.read() as reading:
        assert find_traces(repr(list_events(reading)).encode()) != []
    if study.engine.dialect.name == "sqlite":
        files = [path for path in study.paths.folder.iterdir() if path.name.startswith("study.db")]
        assert len(find_traces(b"".join(path.read_bytes() for path in files))) >= 4
    assert len(find_traces(unpack(back_up(study, tmp_path / "backup")))) >= 2


def test_link_and_sessions_end_while_answers_stay_under_another_name(study):
    campaign = add_contains(study)
    who = add_zoe(study, campaign)
    with study.begin() as begun:
        done = erase_annotator(begun, who.annotator.id, reason="asked")
        assert come_in(begun, who.token) is None
        assert who.annotator.id in find_ended_sessions(begun).starts
        assert find_annotator(begun, NAME) is None
        found = find_annotator(begun, who.annotator.id)
        stored = begun.connection.scalar(select(func.count()).select_from(responses))
        (decision,) = list_decisions(begun, campaign)
    assert found is not None
    assert (found.name, found.erased_at) == ("erased-0001", "2026-01-31T12:00:00.000Z")
    assert done.n_answers == 0
    assert stored == 2
    assert decision.reason == "I know erased-0001; they are a friend"


def test_the_record_says_when_by_whom_why_and_how_many_but_not_who(study):
    add_zoe(study, add_contains(study))
    with study.begin() as begun:
        erase_annotator(begun, NAME, reason=f"{NAME} asked", with_answers=True)
        last = list_events(begun)[-1]
    assert (last.what, last.who, last.at) == ("annotator erase", "tester", "2026-01-31T12:00:00.000Z")
    assert last.parameters["reason"] == "erased-0001 asked"
    assert last.parameters["n_answers"] == 2
    assert last.command == ""


def test_with_answers_nothing_that_they_did_is_left_but_their_consent(study):
    campaign = add_contains(study)
    who = add_zoe(study, campaign)
    get_clock(study).jump(3_600)
    with study.begin() as begun:
        done = erase_annotator(begun, NAME, reason="asked", with_answers=True)
        for table in (responses, attempts):
            mine = table.c.annotator_id == who.annotator.id
            assert begun.connection.scalar(select(func.count()).select_from(table).where(mine)) == 0
        given = begun.connection.scalars(select(assignments.c.leased_at)).all()
        assert begun.connection.scalar(select(func.count()).select_from(consents)) == 1
    assert done.n_answers == 2
    assert given == ["2026-01-31T13:00:00.000Z"] * 2


def test_tasks_that_lack_answers_are_open_again_and_surplus_counts(study):
    campaign = add_contains(study, quota=1)
    first, second = add_people(study, campaign, 2)
    tasks = take(study, campaign, first, n=5)
    answer(study, *(make_answer(one) for one in tasks))
    with study.begin() as begun:
        before = measure_progress(begun, campaign)
        erase_annotator(begun, first.annotator.id, reason="asked", with_answers=True)
        after = measure_progress(begun, campaign)
    assert (before.n_done, after.n_done, after.n_counted) == (5, 0, 0)
    assert {one.task_id for one in take(study, campaign, second, n=5)} == {one.task_id for one in tasks}


def test_labels_are_made_anew_without_their_answers_and_old_versions_are_marked(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        build_labels(begun, "grids", name="crowd", settings=replace(FEW, keep_annotators=("annotator-0001",)))
        build_labels(begun, "grids", name="other", settings=FEW)
        merge_label_sets(begun, ["crowd", "other"], name="both")
        plan = foresee_erasure(begun, "annotator-0001")
        done = erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
        entries = {entry.full_name: entry for entry in list_label_sets(begun)}
        direct = build_labels(begun, "grids", name="direct", settings=FEW)
        expected, found = (find_frequencies(begun, one) for one in (direct, entries["crowd@2"]))
    assert plan.labels == ("crowd@1", "other@1")
    assert [one.after.full_name for one in done.rebuilt if one.after] == ["crowd@2", "other@2"]
    assert done.stale == ("both@1",)
    marks = {name: entry.provenance.get("superseded") for name, entry in entries.items()}
    assert marks["crowd@1"] == {"at": "2026-01-31T12:00:00.000Z", "by": "crowd@2", "why": "erasure"}
    assert (marks["both@1"] or {})["by"] is None
    assert marks["crowd@2"] is marks["other@2"] is None
    assert expected is not None
    assert found is not None
    assert list_counts(found) == list_counts(expected)
    assert "annotator-0001" not in repr(entries)


def test_labels_of_which_nothing_is_left_are_marked_and_reported(study):
    campaign = add_contains(study)
    answer_all(study, campaign, n_people=1)
    with study.begin() as begun:
        build_labels(begun, "grids", name="crowd", settings=FEW)
        done = erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
        (entry,) = list_label_sets(begun)
    assert done.rebuilt[0].after is None
    assert entry.provenance["superseded"]["by"] is None


def test_who_they_are_on_their_platform_is_forgotten(study):
    campaign = add_contains(study)
    people = [Arrival(Platform.PROLIFIC, f"5f012345678901234567890{digit}", f"visit-{digit}") for digit in "ab"]
    with study.begin() as begun:
        names = [make_pseudonym(begun, one.platform, one.person) for one in people]
        for one, name in zip(people, names, strict=True):
            note_identity(begun, one)
            person = insert_annotator(begun, name, platform=Platform.PROLIFIC)
            reference = hash_reference(study, one.platform, one.reference)
            insert_visit(begun, campaign, annotator_id=person.id, platform=Platform.PROLIFIC, reference=reference)
    with study.begin() as begun:
        erase_annotator(begun, names[0], reason="asked")
        first, second = list_visits(begun, campaign)
    assert [one.annotator for one in list_identities(study)] == [names[1]]
    assert people[0].person not in (study.paths.folder / "identities.csv").read_text(encoding="utf-8")
    assert (first.reference, bool(second.reference)) == ("", True)


def test_others_are_left_alone(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        before = [one for one in read_answers(begun, "grids").answers if one.annotator == "annotator-0002"]
        erase_annotator(begun, "annotator-0001", reason="asked", with_answers=True)
        after = read_answers(begun, "grids").answers
    assert list(after) == before != []


def test_a_name_that_is_part_of_another_is_not_touched(study):
    with study.begin() as begun:
        invite(begun, ["ann", "ann-marie"])
        add_event(begun, "note", {"text": "ann-marie and Ann and annual"})
        erase_annotator(begun, "ann", reason="asked")
        notes = [event.parameters["text"] for event in list_events(begun) if event.what == "note"]
        assert find_annotator(begun, "ann-marie") is not None
    assert notes == ["ann-marie and erased-0001 and annual"]


def test_somebody_who_is_called_as_something_else_takes_only_their_own_name_along(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        invite(begun, ["campaign", "grids", "frequency", "Ann"])
        # Earlier versions let names in that differ by case alone.
        insert_annotator(begun, "ann")
        build_labels(begun, "grids", name="crowd", settings=FEW)
        drop_annotator(begun, "grids", annotator="Ann", reason="knows ann")
        for name in ("campaign", "grids", "frequency", "ann"):
            erase_annotator(begun, name, reason="asked")
        made = list_campaign_labels(begun, "grids")
        drop = next(event.parameters for event in list_events(begun) if event.what == "annotator drop")
        rebuilt = rebuild_labels(begun, "grids")
    assert [entry.full_name for entry in made] == ["crowd@1"]
    assert drop == {"campaign": "grids", "annotator": "Ann", "reason": "knows erased-0004"}
    assert [one.after.full_name for one in rebuilt if one.after] == ["crowd@2"]


def test_a_page_that_is_still_open_stores_nothing_after_its_annotator_was_erased(study):
    campaign = add_contains(study)
    (who,) = add_people(study, campaign, 1)
    done, late = take(study, campaign, who, n=2)
    answer(study, make_answer(done))
    with study.begin() as begun:
        erase_annotator(begun, who.annotator.id, reason="asked", with_answers=True)
    (receipt,) = answer(study, make_answer(late))
    assert (receipt.status, receipt.refusal) == (None, "You were erased from this study, so nothing more is stored.")
    with study.read() as reading:
        assert reading.connection.scalar(select(func.count()).select_from(responses)) == 0


def test_erased_people_are_counted_up_and_answers_can_be_erased_later(study):
    campaign = add_contains(study)
    answer_all(study, campaign)
    with study.begin() as begun:
        assert erase_annotator(begun, "annotator-0001", reason="asked").annotator == "erased-0001"
        assert erase_annotator(begun, "annotator-0002", reason="asked").annotator == "erased-0002"
        with pytest.raises(InputError, match="erased already"):
            erase_annotator(begun, "erased-0001", reason="again")
        later = erase_annotator(begun, "erased-0001", reason="again", with_answers=True)
        with pytest.raises(InputError, match="nothing left"):
            erase_annotator(begun, "erased-0001", reason="again", with_answers=True)
    assert (later.annotator, later.n_answers) == ("erased-0001", 8)


def test_older_backups_and_reports_with_the_name_are_named(study):
    add_zoe(study, add_contains(study))
    backup = back_up(study)
    study.paths.reports.mkdir(exist_ok=True)
    (study.paths.reports / "with.html").write_text(f"by {NAME}", encoding="utf-8")
    (study.paths.reports / "without.html").write_text("by nobody", encoding="utf-8")
    with study.begin() as begun:
        done = erase_annotator(begun, NAME, reason="asked")
    assert done.remaining == (f"backups/{backup.name}", "reports/with.html")


@pytest.mark.same_sql
@pytest.mark.parametrize("reason", ["", "  ", "x" * 1_001])
def test_a_reason_is_needed(study, reason):
    with study.begin() as begun:
        invite(begun, ["ann"])
        with pytest.raises(InputError, match="Say why"):
            erase_annotator(begun, "ann", reason=reason)


def test_managers_and_strangers_cannot_be_erased(study):
    with study.begin() as begun:
        insert_annotator(begun, "boss", role=Role.MANAGER)
        with pytest.raises(InputError, match="manager"):
            erase_annotator(begun, "boss", reason="asked")
        with pytest.raises(InputError, match="no annotator"):
            erase_annotator(begun, "nobody", reason="asked")


def test_asking_to_be_erased_is_on_record_under_their_name(study):
    (who,) = add_people(study, None, 1)
    with study.begin() as begun:
        ask_for_erasure(begun, who.annotator.id, with_answers=True)
        last = list_events(begun)[-1]
    assert (last.what, last.who) == ("erasure asked", "annotator-0001")
    assert last.parameters == {"annotator": "annotator-0001", "with_answers": True}


def test_a_new_link_ends_the_old_one_and_the_sessions(study):
    (who,) = add_people(study, None, 1)
    with study.begin() as begun:
        made = renew_access(begun, "annotator-0001")
        assert come_in(begun, who.token) is None
        assert come_in(begun, made.token) == who.annotator
        assert find_ended_sessions(begun).starts == {who.annotator.id: study.around.clock().timestamp()}


def test_the_manager_gets_a_link_whether_or_not_there_is_one_yet(study):
    with study.begin() as begun:
        first, second = renew_access(begun, "manager"), renew_access(begun, "manager")
        assert come_in(begun, first.token) is None
        found = come_in(begun, second.token)
    assert found is not None
    assert found.role is Role.MANAGER


def test_people_from_platforms_and_erased_ones_get_no_link(study):
    with study.begin() as begun:
        insert_annotator(begun, "prolific-1", platform=Platform.PROLIFIC)
        invite(begun, ["ann"])
        erase_annotator(begun, "ann", reason="asked")
        with pytest.raises(InputError, match="no personal link"):
            renew_access(begun, "prolific-1")
        with pytest.raises(InputError, match="cannot come back"):
            renew_access(begun, "erased-0001")


def test_ending_sessions_keeps_the_link(study):
    (who,) = add_people(study, None, 1)
    with study.begin() as begun:
        assert find_ended_sessions(begun).starts == {}
        end_sessions(begun, "annotator-0001")
        assert come_in(begun, who.token) == who.annotator
        assert list(find_ended_sessions(begun).starts) == [who.annotator.id]
        assert list_events(begun)[-1].what == "sessions end"


@pytest.mark.parametrize("alike", ["ann lee", "ANN LEE", "\uff21nn Lee", "Ann Lee"])
def test_a_name_that_looks_like_one_that_was_erased_is_not_given_again(study, alike):
    with study.begin() as begun:
        invite(begun, ["Ann Lee"])
        erase_annotator(begun, "Ann Lee", reason="asked")
    with study.begin() as begun, pytest.raises(InputError, match="names are not used again"):
        invite(begun, [alike])
    with study.begin() as begun:
        assert invite(begun, ["Ann Leeds"])
