"""Hidden repeats, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.workflows.answer_rows import load_tasks, read_answers, read_repeats
from tests.workflows.campaign_studies import add_people, answer, get_clock, make_answer, make_pictured, take
from tests.workflows.quiz_campaigns import add_known, add_quizzed

from regauge.campaigns.repeats import MIN_APART
from regauge.records.campaigns.campaign import Assignment, CampaignEntry, Kind, NewAnswer, ResponseStatus, TaskRole
from regauge.records.campaigns.terms import Terms
from regauge.storage.campaigns.campaign import measure_progress
from regauge.storage.campaigns.extra_tasks import load_extra_tasks
from regauge.workflows.annotation.showing import view_task
from regauge.workflows.annotation.tasks import find_previous, get_seat
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study

N_IMAGES = 24


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        add_known(study, tmp_path)
        yield study


def add_repeated(study: Study, share: float = 0.5) -> CampaignEntry:
    """24 images to label, with repeats."""
    return add_quizzed(study, Terms(repeats=share), kind=Kind("classify"), n=N_IMAGES)


def label(one: Assignment, *, revision: int = 0, first: bool = True) -> NewAnswer:
    chosen = one.payload["candidates"][0 if first else 1]
    name = f"client-{one.id[:20]}-{revision}"
    return NewAnswer(name, one.id, one.annotator_id, {"selected": [chosen], "main": chosen}, 1.0, revision)


def work_through(study: Study, campaign: CampaignEntry, who: Invitation, *, at_once: int = 1) -> list[Assignment]:
    """Answer everything; what was given, in order."""
    given: list[Assignment] = []
    while taken := take(study, campaign, who, at_once):
        get_clock(study).jump(1)
        answer(study, *(label(one) for one in taken))
        given += taken
    return given


def find_repeated(study: Study, campaign: CampaignEntry, given: list[Assignment]) -> list[int]:
    """The places of the repeats among the tasks that somebody was given."""
    with study.read() as reading:
        work = load_tasks(reading, campaign)
    return [place for place, one in enumerate(given) if one.task_id not in work]


@pytest.mark.parametrize("at_once", [1, 3, 5])
def test_about_the_share_of_tasks_comes_back_and_each_once(pictured, at_once):
    campaign = add_repeated(pictured, 0.2)
    (person,) = add_people(pictured, campaign, 1)
    given = work_through(pictured, campaign, person, at_once=at_once)
    repeated = find_repeated(pictured, campaign, given)
    # After 6 tasks one in five is a repeat: of 24 + r tasks, (24 + r - 6) / 5 = r, so r = 4.5. Whoever takes five
    # tasks at once has answered few of them when the first repeat is due, and misses one.
    assert (3 if at_once == 5 else 4) <= len(repeated) <= 5
    assert len(given) == N_IMAGES + len(repeated)
    assert len({given[place].task_id for place in repeated}) == len(repeated)
    for place in repeated:
        earlier = [one.payload["image"] for one in given[:place]]
        assert place - earlier.index(given[place].payload["image"]) > MIN_APART


def test_repeats_are_kept_apart_and_nothing_counts_them(pictured):
    campaign = add_repeated(pictured)
    (person,) = add_people(pictured, campaign, 1)
    given = work_through(pictured, campaign, person)
    assert len(given) > N_IMAGES
    with pictured.read() as reading:
        progress = measure_progress(reading, campaign)
        answers = read_answers(reading, campaign.name, with_surplus=True).answers
        seat = get_seat(reading, campaign.id, annotator_id=person.annotator.id)
    assert (progress.n_tasks, progress.n_counted, progress.n_surplus) == (N_IMAGES, N_IMAGES, 0)
    assert len(answers) == N_IMAGES
    # Whoever worked sees all of it counted: else the number would tell which ones were repeats.
    assert seat.n_answered == len(given)


def test_two_answers_are_paired_and_the_last_revisions_hold(pictured):
    campaign = add_repeated(pictured)
    (person,) = add_people(pictured, campaign, 1)
    given = work_through(pictured, campaign, person)
    places = find_repeated(pictured, campaign, given)
    again = given[places[-1]]
    first = next(one for one in given if one.payload["image"] == again.payload["image"])
    (receipt,) = answer(pictured, label(again, revision=1, first=False))
    assert receipt.status is ResponseStatus.REPEAT
    with pictured.read() as reading:
        found = read_repeats(reading, campaign.name)
    assert len(found) == len(places)
    pair = next(one for one in found if one.task_id == first.task_id)
    assert pair.annotator == person.annotator.name
    assert pair.first["selected"] == [first.payload["candidates"][0]]
    assert pair.second["selected"] == [first.payload["candidates"][1]]


def test_the_mask_of_a_shuffled_grid_is_told_by_the_places_of_the_first(pictured):
    campaign = add_quizzed(pictured, Terms(repeats=0.5), quota=5)
    (person,) = add_people(pictured, campaign, 1)
    given: list[Assignment] = []
    chosen: dict[frozenset[int], int] = {}
    while taken := take(pictured, campaign, person):
        get_clock(pictured).jump(1)
        for one in taken:
            # The same image of a grid is selected both times, wherever it stands.
            images = [image for image, _ in one.payload["cells"]]
            image = chosen.setdefault(frozenset(images), images[0])
            answer(pictured, make_answer(one, f"{1 << images.index(image):x}"))
        given += taken
    places = find_repeated(pictured, campaign, given)
    with pictured.read() as reading:
        found = read_repeats(reading, campaign.name)
    assert len(found) == len(places) > 0
    assert all(pair.first["mask"] == pair.second["mask"] for pair in found)
    again = given[places[0]]
    first = next(one for one in given if sorted(one.payload["cells"]) == sorted(again.payload["cells"]))
    assert first.payload["cells"] != again.payload["cells"]


def test_a_repeat_comes_back_after_its_lease_whoever_else_has_it(pictured):
    campaign = add_repeated(pictured)
    people = add_people(pictured, campaign, 4)
    held = []
    for person in people:
        while (taken := take(pictured, campaign, person)) and not find_repeated(pictured, campaign, list(taken)):
            get_clock(pictured).jump(1)
            answer(pictured, *(label(one) for one in taken))
        held.append(taken)
    get_clock(pictured).jump(10_000)
    for person, (before,) in zip(people, held, strict=True):
        (after,) = take(pictured, campaign, person)
        assert after.id == before.id


def test_the_previous_answer_can_be_changed_when_it_was_a_repeat(pictured):
    campaign = add_repeated(pictured)
    (person,) = add_people(pictured, campaign, 1)
    while taken := take(pictured, campaign, person):
        get_clock(pictured).jump(1)
        answer(pictured, *(label(one) for one in taken))
        if find_repeated(pictured, campaign, list(taken)):
            break
    with pictured.read() as reading:
        previous = find_previous(reading, campaign.id, annotator_id=person.annotator.id)
    assert previous is not None
    assert previous.id == taken[0].id


def test_a_drop_leaves_repeats_what_they_are(pictured):
    campaign = add_repeated(pictured)
    (person,) = add_people(pictured, campaign, 1)
    work_through(pictured, campaign, person)
    for decide in (drop_annotator, restore_annotator):
        with pictured.begin() as begun:
            decide(begun, campaign.name, annotator=person.annotator.name, reason="to see")
    with pictured.read() as reading:
        assert read_repeats(reading, campaign.name)
        assert measure_progress(reading, campaign).n_counted == N_IMAGES


def test_nothing_that_a_page_gets_tells_a_repeat_from_new_work(pictured):
    campaign = add_repeated(pictured)
    (person,) = add_people(pictured, campaign, 1)
    given = work_through(pictured, campaign, person)
    place = find_repeated(pictured, campaign, given)[0]
    with pictured.read() as reading:
        new, again = (view_task(reading, given[at], campaign) for at in (0, place))
    assert new.keys() == again.keys()
    assert len(given[0].id) == len(given[place].id)


def test_repeats_are_shared_rows_and_people_get_them_at_different_places(pictured):
    campaign = add_repeated(pictured, 0.3)
    people = add_people(pictured, campaign, 2)
    places = []
    for person in people:
        given = work_through(pictured, campaign, person)
        places.append(find_repeated(pictured, campaign, given))
    assert places[0] != places[1]
    with pictured.read() as reading:
        names = {one.annotator for one in read_repeats(reading, campaign.name)}
    assert names == {person.annotator.name for person in people}


def test_several_people_at_once_get_one_row_per_repeat_and_nothing_twice(pictured):
    campaign = add_repeated(pictured, 0.3)
    people = add_people(pictured, campaign, 3)
    with ThreadPoolExecutor(3) as pool:
        given = list(pool.map(lambda person: work_through(pictured, campaign, person), people))
    with pictured.read() as reading:
        sources = [task["image"] for task in load_extra_tasks(reading, campaign, TaskRole.REPEAT).values()]
    assert len(sources) == len(set(sources)) > 0
    for tasks in given:
        assert len({one.task_id for one in tasks}) == len(tasks)


def test_without_a_share_nothing_is_repeated(pictured):
    campaign = add_repeated(pictured, 0.0)
    (person,) = add_people(pictured, campaign, 1)
    assert len(work_through(pictured, campaign, person)) == N_IMAGES
    with pictured.read() as reading:
        assert read_repeats(reading, campaign.name) == []


def test_tasks_come_back_in_the_order_in_which_they_were_given(pictured: Study) -> None:
    campaign = add_repeated(pictured)
    (who,) = add_people(pictured, campaign, 1)
    while given := take(pictured, campaign, who, 3):
        again = take(pictured, campaign, who, 3)
        assert [one.id for one in again] == [one.id for one in given]
        places = find_repeated(pictured, campaign, list(given))
        if places and places[0] < len(given) - 1:
            return
        get_clock(pictured).jump(1)
        answer(pictured, *map(label, given))
    raise AssertionError("no repeat came before the last task")
