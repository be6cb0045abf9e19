"""Different questions about one image go to different people, across campaigns too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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

from regauge.records.campaigns.campaign import Assignment, CampaignEntry, CampaignPlan, CampaignTexts, Kind, NewAnswer
from regauge.records.campaigns.terms import Newness, Terms
from regauge.storage.campaigns.campaign import load_campaign_images
from regauge.workflows.annotation.choosing import ChooserMemory, take_tasks
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ClassifyQuestions, create_classify
from regauge.workflows.exposure.memories import SeenImages
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def add_strict(study: Study, *, n_images: int) -> CampaignEntry:
    candidates = {f"i{number}": [number % 4, 7, 9] for number in range(n_images)}
    with study.begin() as begun:
        plan = CampaignPlan(
            "strict", Kind("classify"), 2, 600, CampaignTexts("Look.", "Agree?"), terms=Terms(newness=Newness.REQUIRED)
        )
        create_classify(begun, plan, ClassifyQuestions(candidates, seed=0))
        return open_campaign(begun, "strict")


def agree(study: Study, campaign: CampaignEntry, person: Invitation) -> None:
    with study.begin() as begun:
        consent(begun, campaign.id, annotator_id=person.annotator.id, version=1)


def list_rows(study: Study, campaign: CampaignEntry, numbers: list[int]) -> set[int]:
    with study.read() as reading:
        album = load_campaign_images(reading, campaign.id)
    return {album[number].row for number in numbers}


def make_choice(task: Assignment) -> NewAnswer:
    """An answer that none of the candidates is right."""
    return replace(make_answer(task), answer={"selected": [], "main": None})


def show_grid(study: Study, grids: CampaignEntry, person: Invitation) -> set[int]:
    """Give somebody a grid; the rows of its images."""
    (grid,) = take(study, grids, person)
    return list_rows(study, grids, [number for number, _ in grid.payload["cells"]])


def test_images_that_nobody_showed_somebody_come_first(pictured):
    grids, labels = add_contains(pictured), add_classify(pictured, n_images=24)
    (person,) = add_people(pictured, grids, 1)
    agree(pictured, labels, person)
    shown = show_grid(pictured, grids, person)
    for _ in range(3):
        taken = take(pictured, labels, person, n=5)
        assert not shown & list_rows(pictured, labels, [task.payload["image"] for task in taken])


def test_where_newness_is_required_nobody_is_asked_about_an_image_they_judged_elsewhere(pictured):
    grids, strict = add_contains(pictured), add_strict(pictured, n_images=24)
    (person,) = add_people(pictured, grids, 1)
    agree(pictured, strict, person)
    shown = show_grid(pictured, grids, person)
    asked: set[int] = set()
    known = ChooserMemory(seen=SeenImages())
    for _ in range(20):
        with pictured.begin() as begun:
            taken = take_tasks(begun, strict.id, annotator_id=person.annotator.id, n=5, known=known)
        asked |= list_rows(pictured, strict, [task.payload["image"] for task in taken])
        answer(pictured, *(make_choice(task) for task in taken))
    assert asked == set(range(24)) - shown


def test_what_another_process_gave_out_is_known_too(pictured):
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    seen = SeenImages()
    with pictured.read() as reading:
        seen.refresh(reading, person.annotator.id)
    (grid,) = take(pictured, grids, person)
    with pictured.read() as reading:
        assert seen.count_seen(reading, grid.payload, campaign=grids, annotator_id=person.annotator.id) == 0
        seen.refresh(reading, person.annotator.id)
        assert seen.count_seen(reading, grid.payload, campaign=grids, annotator_id=person.annotator.id) == 8


def test_a_clock_that_was_set_back_hides_nothing(pictured):
    grids = add_contains(pictured)
    (person,) = add_people(pictured, grids, 1)
    seen = SeenImages()
    take(pictured, grids, person)
    with pictured.read() as reading:
        seen.refresh(reading, person.annotator.id)
    get_clock(pictured).jump(-3_600)
    second = take(pictured, grids, person, n=2)[-1]
    with pictured.read() as reading:
        seen.refresh(reading, person.annotator.id)
        assert seen.count_seen(reading, second.payload, campaign=grids, annotator_id=person.annotator.id) == 8
