"""What could not be shown is not an answer: cells that were not shown are left out everywhere, and reports count for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.answer_rows import read_answers
from tests.workflows.campaign_studies import (
    add_classify,
    add_contains,
    add_people,
    answer,
    make_answer,
    make_pictured,
    take,
)

from regauge.errors import InputError
from regauge.kinds.registry import KINDS
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.campaigns.campaign import Assignment, Kind, NewAnswer, Payload, Receipt, ResponseStatus
from regauge.records.responses.answers import Control
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.screening import screen
from regauge.storage.campaigns.campaign import measure_progress
from regauge.workflows.annotation.tasks import find_previous, get_seat
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.campaigns.responses import export_answers, load_answers, to_contains_responses
from regauge.workflows.labels.aggregate_contains import aggregate_contains
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.studies.study import Study

GRID = KINDS[Kind("contains")].task
TASK: Payload = {"class": 3, "cells": [[0, 0], [1, 0], [2, 1], [3, 2]]}
REPORT = {"version": 2, "not_shown": True}


@pytest.fixture
def study(tmp_path: Path, database: str) -> Iterator[Study]:
    """A study of small pictures."""
    with make_pictured(tmp_path, database=database) as made:
        yield made


def send(study: Study, one: Assignment, reply: Payload, *, revision: int = 0) -> Receipt:
    name = f"client-{one.id}-{revision}"
    (receipt,) = answer(study, NewAnswer(name, one.id, one.annotator_id, reply, 5.0, revision))
    return receipt


def test_a_cell_that_was_not_shown_is_in_the_answer_which_has_a_version_of_its_own():
    assert GRID.parse(TASK, {"mask": "2", "not_shown": "5"}) == {"version": 2, "mask": "2", "not_shown": "5"}
    assert GRID.parse(TASK, {"mask": "2", "not_shown": "0"}) == {"version": 1, "mask": "2"}
    assert GRID.parse(TASK, {"mask": "2"}) == {"version": 1, "mask": "2"}
    assert GRID.find_not_shown(TASK, {"version": 2, "mask": "2", "not_shown": "5"}) == [0, 2]


def test_a_grid_of_which_nothing_was_shown_is_a_report():
    assert GRID.parse(TASK, {"mask": "0", "not_shown": "f"}) == REPORT
    assert GRID.parse(TASK, {"not_shown": True}) == REPORT
    assert KINDS[Kind("classify")].task.parse({"image": 7, "candidates": [1, 2]}, {"not_shown": True}) == REPORT
    assert GRID.find_not_shown(TASK, REPORT) == [0, 1, 2, 3]
    # The question of a quiz shows one image, whose answer is known.
    assert GRID.parse({"class": 3, "cells": [[9, 1]]}, {"mask": "0", "not_shown": "1"}) == REPORT


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ({"mask": "3", "not_shown": "1"}, "was not shown cannot be selected"),
        ({"mask": "0", "not_shown": "10"}, "beyond the 4"),
        ({"mask": "0", "not_shown": "x"}, "hexadecimal"),
        ({"mask": "0", "not_shown": 1}, "hexadecimal"),
        ({"mask": "0", "not_shown": False}, "hexadecimal"),
        ({"not_shown": "1"}, "hexadecimal"),
    ],
)
def test_the_server_refuses_what_cannot_be(reply, words):
    with pytest.raises(InputError, match=words):
        GRID.parse(TASK, reply)


def test_a_cell_that_was_not_shown_is_in_no_export_and_no_count(study, tmp_path):
    campaign = add_contains(study, quota=1)
    (who,) = add_people(study, campaign, 1)
    (one,) = take(study, campaign, who)
    cells = one.payload["cells"]
    asked = next(place for place, (_, control) in enumerate(cells) if control == Control.NONE)
    reply = {"mask": f"{(1 << len(cells)) - 1 & ~(1 << asked):x}", "not_shown": f"{1 << asked:x}"}
    assert send(study, one, reply).status is ResponseStatus.COUNTED
    with study.read() as reading:
        found = load_answers(reading, "grids")
        image_id = found.held.image_ids[cells[asked][0]]
        export_answers(reading, "grids", tmp_path / "answers.csv")
        counts = count_selections(to_contains_responses(found), screen(to_contains_responses(found), None)).counts
        shown = live = LiveCampaigns().image(reading, campaign, number=cells[asked][0])
    lines = (tmp_path / "answers.csv").read_text().splitlines()
    assert len(lines) == len(cells)
    assert not any(f",{image_id}," in line for line in lines)
    assert counts.n_shown[counts.image_ids[counts.images] == image_id].sum() == 0
    assert counts.n_shown.sum() == len(cells) - 1
    assert not live.answers
    assert all(each.selected.n == 0 for each in shown.classes)
    again = aggregate_contains(tmp_path / "answers.csv", taxonomy=study.taxonomy)
    assert again.counts.n_shown.sum() == len(cells) - 1


def test_a_control_that_was_not_shown_is_not_failed(study):
    campaign = add_contains(study, quota=1)
    (who,) = add_people(study, campaign, 1)
    for one in take(study, campaign, who, n=5):
        controls = [control for _, control in one.payload["cells"]]
        missing = sum(1 << place for place, control in enumerate(controls) if control == Control.POSITIVE)
        send(study, one, {"mask": "0", "not_shown": f"{missing:x}"})
    with study.read() as reading:
        responses = to_contains_responses(load_answers(reading, "grids"))
        (row,) = LiveCampaigns().annotators(reading, campaign).rows
    screening = screen(responses, ScreeningRules())
    assert screening.is_accepted.all()
    assert not screening.is_dropped.any()
    assert (row.positive.n, row.negative.n > 0, row.suggestion) == (0, True, None)


@pytest.mark.parametrize("add", [add_contains, add_classify])
def test_a_task_that_could_not_be_shown_is_not_counted_and_goes_to_somebody_else(study, add):
    campaign = add(study, quota=1)
    first, second = add_people(study, campaign, 2)
    (one,) = take(study, campaign, first)
    assert send(study, one, {"not_shown": True}).status is ResponseStatus.NOT_SHOWN
    with study.read() as reading:
        progress = measure_progress(reading, campaign)
        seat = get_seat(reading, campaign.id, annotator_id=first.annotator.id)
        answers = read_answers(reading, campaign.name, with_surplus=True, with_dropped=True).answers
        rows = LiveCampaigns().annotators(reading, campaign).rows
        previous = find_previous(reading, campaign.id, annotator_id=first.annotator.id)
    assert (progress.n_counted, progress.n_done, progress.n_annotators, seat.n_answered) == (0, 0, 0, 0)
    assert (answers, rows, previous) == ((), (), None)
    assert one.task_id not in {own.task_id for own in take(study, campaign, first, n=5)}
    others = take(study, campaign, second, n=5)
    assert one.task_id in {own.task_id for own in others}


def test_an_answer_that_is_about_controls_only_is_not_counted_and_its_task_goes_to_somebody_else(study):
    campaign = add_contains(study, quota=1)
    first, second = add_people(study, campaign, 2)
    (one,) = take(study, campaign, first)
    asked = sum(1 << cell for cell, (_, control) in enumerate(one.payload["cells"]) if control == Control.NONE)
    reply = {"mask": "0", "not_shown": f"{asked:x}"}
    assert send(study, one, reply).status is ResponseStatus.UNSEEN
    assert send(study, one, {"mask": "0"}, revision=1).status is ResponseStatus.UNSEEN
    for decide in (drop_annotator, restore_annotator):
        with study.begin() as begun:
            decide(begun, campaign.id, annotator=first.annotator.name, reason="chance")
    with study.read() as reading:
        progress = measure_progress(reading, campaign)
        answers = read_answers(reading, campaign.name, with_surplus=True, with_dropped=True).answers
        (row,) = LiveCampaigns().annotators(reading, campaign).rows
    assert (progress.n_counted, progress.n_done, answers) == (0, 0, ())
    # They have worked, and what is known of controls is known of them.
    assert (row.n_answers, row.positive.n > 0) == (1, True)
    assert one.task_id in {own.task_id for own in take(study, campaign, second, n=5)}


def test_a_report_cannot_become_an_answer_nor_an_answer_a_report(study):
    campaign = add_contains(study)
    (who,) = add_people(study, campaign, 1)
    one, other = take(study, campaign, who, n=2)
    send(study, one, {"not_shown": True})
    assert "given to somebody else" in send(study, one, {"mask": "1"}, revision=1).refusal
    answer(study, make_answer(other, "1"))
    assert "was answered before" in send(study, other, {"not_shown": True}, revision=1).refusal
    assert send(study, one, {"not_shown": True}, revision=2).status is ResponseStatus.NOT_SHOWN


def test_dropping_and_taking_back_leave_reports_as_they_are(study):
    campaign = add_contains(study)
    (who,) = add_people(study, campaign, 1)
    one, other = take(study, campaign, who, n=2)
    send(study, one, {"not_shown": True})
    answer(study, make_answer(other, "1"))
    for decide in (drop_annotator, restore_annotator):
        with study.begin() as begun:
            decide(begun, campaign.id, annotator=who.annotator.name, reason="chance")
    with study.read() as reading:
        assert measure_progress(reading, campaign).n_counted == 1
        assert np.array_equal([own.task_id for own in read_answers(reading, "grids").answers], [other.task_id])
