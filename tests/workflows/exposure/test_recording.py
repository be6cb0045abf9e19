"""What people were shown is kept: what was sent, what was answered, and nothing that a page says it did not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.workflows.campaign_studies import (
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
    write_pictures,
)

from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.campaigns.evaluations import BLIND
from regauge.records.exposure.exposures import ExposureRole, NewExposure
from regauge.storage.campaigns.campaign import load_campaign_images, set_settings
from regauge.storage.database.schema import images, studies
from regauge.storage.exposure.exposures import list_exposures
from regauge.storage.exposure.shown_tasks import ALL_GIVEN
from regauge.workflows.exposure.recording import has_unlearned, learn_exposures, record_exposures
from regauge.workflows.exposure.seen import list_set_exposure
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def learn(study: Study) -> None:
    with study.begin() as begun:
        learn_exposures(begun)


def count_rows(study: Study) -> Counter[tuple[int, ExposureRole]]:
    with study.read() as reading:
        return Counter((one.annotator_id, one.role) for one in list_exposures(reading))


def send(study: Study, annotator_id: int, *rows: int, role: ExposureRole = ExposureRole.CARD) -> None:
    with study.begin() as begun:
        at = begun.around.now()
        record_exposures(begun, [NewExposure(annotator_id, 1, row, role, 0, at) for row in rows])


def test_an_image_that_was_sent_twice_is_one_row_with_the_first_and_the_last_time(pictured):
    (person,) = add_people(pictured, None, 1)
    send(pictured, person.annotator.id, 3, 3, 4)
    get_clock(pictured).jump(3_600)
    send(pictured, person.annotator.id, 3)
    with pictured.read() as reading:
        found = {one.row: (one.first_at[11:16], one.last_at[11:16]) for one in list_exposures(reading)}
    first, last = found[3]
    assert last > first
    assert found[4] == (first, first)


def test_a_clock_that_was_set_back_moves_the_first_time_and_not_the_last(pictured):
    (person,) = add_people(pictured, None, 1)
    send(pictured, person.annotator.id, 3)
    get_clock(pictured).jump(-3_600)
    send(pictured, person.annotator.id, 3)
    with pictured.read() as reading:
        (one,) = list_exposures(reading)
    assert one.first_at < one.last_at


def test_answers_that_came_without_a_server_are_learned_once(pictured):
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    answer(pictured, *(make_answer(one) for one in take(pictured, grids, person, 1)))
    assert count_rows(pictured) == {}
    learn(pictured)
    assert count_rows(pictured) == {(person.annotator.id, ExposureRole.ANNOTATOR): 8}
    with pictured.read() as reading:
        assert not has_unlearned(reading)
    learn(pictured)
    assert count_rows(pictured) == {(person.annotator.id, ExposureRole.ANNOTATOR): 8}


def test_what_is_only_given_is_not_learned_in_a_study_that_notes_what_it_sends(pictured):
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    take(pictured, grids, person, 2)
    learn(pictured)
    assert count_rows(pictured) == {}


def test_a_study_of_an_earlier_version_learns_from_all_that_was_given(pictured):
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    first, _ = take(pictured, grids, person, 2)
    answer(pictured, make_answer(first))
    with pictured.begin() as begun:
        begun.connection.execute(update(studies).values(exposed_until=ALL_GIVEN))
    learn(pictured)
    # Two grids of eight cells, of which none shows an image of the other.
    assert count_rows(pictured)[person.annotator.id, ExposureRole.ANNOTATOR] > 8


def test_an_image_that_the_page_says_was_not_shown_is_none_that_was_seen(pictured):
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    (task,) = take(pictured, grids, person)
    with pictured.read() as reading:
        album = load_campaign_images(reading, grids.id)
    places = [album[number] for number, _ in task.payload["cells"]]
    with pictured.begin() as begun:
        at = begun.around.now()
        record_exposures(
            begun,
            [
                NewExposure(person.annotator.id, one.test_set_id, one.row, ExposureRole.ANNOTATOR, grids.id, at)
                for one in places
            ],
        )
    answer(pictured, replace(make_answer(task), answer={"mask": "0", "not_shown": "3"}))
    learn(pictured)
    with pictured.read() as reading:
        kept = {CampaignImage(one.test_set_id, one.row) for one in list_exposures(reading)}
    assert kept == set(places[2:])


def test_an_image_seen_before_stays_seen_when_a_later_task_could_not_show_it(pictured):
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    with pictured.read() as reading:
        album = load_campaign_images(reading, grids.id)
    send(pictured, person.annotator.id, *(one.row for one in album), role=ExposureRole.CARD)
    get_clock(pictured).jump(60)
    (task,) = take(pictured, grids, person)
    answer(pictured, replace(make_answer(task), answer={"mask": "0", "not_shown": "ff"}))
    assert count_rows(pictured) == {(person.annotator.id, ExposureRole.CARD): 24}


def test_what_a_campaign_shows_depends_on_what_it_is_for(pictured):
    labels = add_classify(pictured, n_images=5)
    one, other = add_people(pictured, labels, 2)
    answer_all(pictured, labels, one)
    learn(pictured)
    with pictured.begin() as begun:
        set_settings(begun, labels, {**labels.plan.settings, BLIND: True})
    answer_all(pictured, labels, other)
    learn(pictured)
    found = count_rows(pictured)
    assert found[one.annotator.id, ExposureRole.ANNOTATOR] == 1
    assert found[other.annotator.id, ExposureRole.LABELER] == 1


def answer_all(study: Study, campaign, person) -> None:
    tasks = take(study, campaign, person)
    answer(study, *(replace(make_answer(one), answer={"selected": [], "main": None}) for one in tasks))


def test_erasing_somebody_removes_what_they_were_shown_and_nothing_brings_it_back(pictured):
    grids = add_contains(pictured)
    one, other = add_people(pictured, grids, 2)
    for person in (one, other):
        answer(pictured, *(make_answer(task) for task in take(pictured, grids, person)))
    learn(pictured)
    with pictured.begin() as begun:
        erase_annotator(begun, one.annotator.id, reason="asked")
    with pictured.begin() as begun:
        begun.connection.execute(update(studies).values(exposed_until=ALL_GIVEN))
    learn(pictured)
    assert {who for who, _ in count_rows(pictured)} == {other.annotator.id}


def test_what_waits_to_be_noted_of_somebody_who_was_erased_meanwhile_is_left_out(pictured):
    (person,) = add_people(pictured, None, 1)
    with pictured.begin() as begun:
        erase_annotator(begun, person.annotator.id, reason="asked")
    send(pictured, person.annotator.id, 1, 2)
    assert count_rows(pictured) == {}


def test_answers_after_an_erasure_are_learned_whatever_numbers_they_get(pictured):
    grids = add_contains(pictured)
    one, other = add_people(pictured, grids, 2)
    answer(pictured, *(make_answer(task) for task in take(pictured, grids, one, 2)))
    learn(pictured)
    with pictured.begin() as begun:
        erase_annotator(begun, one.annotator.id, reason="asked", with_answers=True)
    # SQLite gives the numbers of the answers that are gone to these.
    answer(pictured, *(make_answer(task) for task in take(pictured, grids, other, 2)))
    learn(pictured)
    assert {who for who, _ in count_rows(pictured)} == {other.annotator.id}


def test_exact_copies_in_another_set_are_seen_with_the_image(pictured, tmp_path):
    # Opened, a campaign has read the images that it shows; their checksums were not asked for when the set was added.
    add_contains(pictured)
    with pictured.begin() as begun:
        write_pictures(tmp_path / "copies", n_images=10, prefix="copy")
        write_pictures(tmp_path / "others", n_images=10, prefix="other", first=500)
        for name in ("copies", "others"):
            add_test_set(begun, tmp_path / name / "set.csv", name=name, checksums=True)
    (person,) = add_people(pictured, None, 1)
    send(pictured, person.annotator.id, 0, 1, 2, 20)
    with pictured.read() as reading:
        assert [list_set_exposure(reading, name).n_seen for name in ("pictures", "copies", "others")] == [4, 3, 0]
        (row,) = list_set_exposure(reading, "copies").rows
    assert (row.person, row.role, row.n_images, row.campaign) == (person.annotator.name, ExposureRole.CARD, 3, "")


def test_images_of_which_no_checksum_is_known_meet_by_their_file(pictured):
    table = pictured.paths.folder.parent / "pictures" / "set.csv"
    with pictured.begin() as begun:
        add_test_set(begun, table, name="again")
        begun.connection.execute(update(images).values(sha256=None))
    (person,) = add_people(pictured, None, 1)
    send(pictured, person.annotator.id, 5)
    with pictured.read() as reading:
        assert list_set_exposure(reading, "again").n_seen == 1


def test_many_answers_are_learned_in_parts(pictured, monkeypatch):
    monkeypatch.setattr("regauge.workflows.exposure.recording.N_AT_ONCE", 1)
    monkeypatch.setattr("regauge.workflows.exposure.recording.BATCH", 3)
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    answer(pictured, *(make_answer(task) for task in take(pictured, grids, person, 3)))
    learn(pictured)
    whole = count_rows(pictured)
    with pictured.begin() as begun:
        begun.connection.execute(update(studies).values(exposed_until=0))
    monkeypatch.undo()
    learn(pictured)
    assert count_rows(pictured) == whole
    assert sum(whole.values()) > 8
