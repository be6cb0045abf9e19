"""Images that people report and managers take out, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import (
    add_classify,
    add_contains,
    add_people,
    answer,
    get_clock,
    make_answer,
    make_pictured,
    take,
)

from regauge.errors import InputError
from regauge.records.campaigns.campaign import Assignment, NewAnswer
from regauge.records.campaigns.image_reports import TAKEN_OUT, ImageProblem
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images
from regauge.workflows.annotation.showing import list_shown
from regauge.workflows.campaigns.image_failures import describe_failures
from regauge.workflows.campaigns.image_reports import (
    find_number,
    list_reports,
    report_image,
    take_out_image,
)
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.own_data import take_own_data
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def report(study: Study, one: Assignment, place: int, problem: ImageProblem, words: str = "") -> None:
    with study.begin() as begun:
        report_image(begun, one.id, annotator_id=one.annotator_id, place=place, said=(problem, words))


def test_a_report_is_kept_once_however_often_it_comes_and_the_last_one_holds(pictured):
    campaign = add_contains(pictured)
    (person,) = add_people(pictured, campaign, 1)
    (task,) = take(pictured, campaign, person)
    for _ in range(2):
        report(pictured, task, 3, ImageProblem.BROKEN)
    get_clock(pictured).jump(1)
    report(pictured, task, 3, ImageProblem.OTHER, "  It shows a person's address. ")
    report(pictured, task, 0, ImageProblem.UPSETTING)
    with pictured.read() as reading:
        found = list_reports(reading, campaign)
        own = take_own_data(reading, person.annotator.id)["image_reports"]
    numbers = {task.payload["cells"][place][0]: place for place in (0, 3)}
    assert {numbers[one.number]: (one.problem, one.words) for one in found} == {
        0: ("upsetting", ""),
        3: ("other", "It shows a person's address."),
    }
    assert {one.annotator for one in found} == {person.annotator.name}
    assert sorted((one["campaign"], one["problem"]) for one in own) == [("grids", "other"), ("grids", "upsetting")]


def test_only_images_of_ones_own_tasks_can_be_reported_and_something_must_be_said(pictured):
    campaign = add_contains(pictured)
    first, second = add_people(pictured, campaign, 2)
    (task,) = take(pictured, campaign, first)
    with pictured.begin() as begun, pytest.raises(InputError, match="no such assignment of yours"):
        report_image(begun, task.id, annotator_id=second.annotator.id, place=0, said=(ImageProblem.BROKEN, ""))
    with pytest.raises(InputError, match="none at place 8"):
        report(pictured, task, 8, ImageProblem.BROKEN)
    with pytest.raises(InputError, match="Say what is wrong"):
        report(pictured, task, 0, ImageProblem.OTHER, "  ")


def test_what_was_reported_is_not_said_not_to_have_come(pictured):
    campaign = add_contains(pictured)
    (person,) = add_people(pictured, campaign, 1)
    (task,) = take(pictured, campaign, person)
    report(pictured, task, 0, ImageProblem.UPSETTING)
    said = {"mask": "2", "not_shown": "1"}
    answer(pictured, NewAnswer("client-report", task.id, task.annotator_id, said, 2.0))
    with pictured.read() as reading:
        failures = describe_failures(reading, campaign)
    # It is listed as not shown, for nothing of it counts, but nobody is sent to look for a reason.
    assert [one.number for one in failures.images] == [task.payload["cells"][0][0]]
    assert failures.sentences == ()
    answer(pictured, make_answer(take(pictured, campaign, person)[0]))
    with pictured.begin() as begun:
        erase_annotator(begun, person.annotator.name, with_answers=True, reason="They asked.")
        assert list_reports(begun, campaign) == ()


def test_an_image_that_is_taken_out_is_shown_to_nobody_any_more(pictured):
    campaign = add_contains(pictured, quota=2)
    first, second = add_people(pictured, campaign, 2)
    (task,) = take(pictured, campaign, first)
    number = task.payload["cells"][1][0]
    with pictured.read() as reading:
        album = load_campaign_images(reading, campaign.id)
    with pictured.begin() as begun:
        take_out_image(begun, campaign.id, number=number, reason="It upsets people.")
    with pictured.begin() as begun:
        changed = get_campaign(begun, campaign.id)
        assert changed.plan.settings[TAKEN_OUT] == {str(number): "It upsets people."}
        with pytest.raises(InputError, match="taken out before"):
            take_out_image(begun, campaign.id, number=number, reason="Again.")
        with pytest.raises(InputError, match="has no image 9999"):
            take_out_image(begun, campaign.id, number=9999, reason="Why not.")
        with pytest.raises(InputError, match="Say why"):
            take_out_image(begun, campaign.id, number=0, reason=" ")
    # The task that somebody has keeps its places; others are without the image.
    shown = list_shown(pictured, changed, task=task.payload, album=album)
    assert [place for place, one in enumerate(shown) if one is None] == [1]
    given = take(pictured, campaign, second, 5)
    with_image = [one for one in given if number in [cell[0] for cell in one.payload["cells"]]]
    assert {one.task_id for one in with_image} <= {task.task_id}


def test_a_task_of_which_nothing_is_left_is_given_to_nobody(pictured):
    campaign = add_classify(pictured, quota=1, n_images=3)
    (person,) = add_people(pictured, campaign, 1)
    with pictured.begin() as begun:
        assert take_out_image(begun, campaign.id, number=find_number(begun, campaign, "i1"), reason="Blood.") == 1
    assert len(take(pictured, campaign, person, 5)) == 2
    with pictured.read() as reading, pytest.raises(InputError, match="has no image 'nobody'"):
        find_number(reading, campaign, "nobody")


def test_reports_stay_without_the_name_of_whoever_is_erased_and_so_do_reasons_for_taking_out(pictured):
    campaign = add_contains(pictured)
    named, other = add_people(pictured, campaign, 2)
    (task,) = take(pictured, campaign, other)
    report(pictured, task, 0, ImageProblem.OTHER, f"It shows {named.annotator.name} at home.")
    with pictured.begin() as begun:
        (found,) = list_reports(begun, campaign)
        take_out_image(begun, campaign.id, number=found.number, reason=found.words)
    with pictured.begin() as begun:
        erase_annotator(begun, named.annotator.id, reason="asked")
        (kept,) = list_reports(begun, campaign)
        settings = get_campaign(begun, campaign.id).plan.settings
    assert (kept.annotator, kept.words) == (other.annotator.name, "It shows erased-0001 at home.")
    assert settings["taken_out"] == {str(found.number): "It shows erased-0001 at home."}
    with pictured.begin() as begun:
        erase_annotator(begun, other.annotator.id, reason="asked")
        (kept,) = list_reports(begun, campaign)
    assert (kept.annotator, kept.words) == ("erased-0002", "It shows erased-0001 at home.")
