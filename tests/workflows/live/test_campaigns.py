"""The ledger of a running campaign: brought up to date it is what it would be if it were read whole, on both databases."""

from __future__ import annotations

import statistics
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import delete
from tests.workflows.answer_rows import read_answers, read_repeats
from tests.workflows.busy_campaigns import look, make_crowd
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

from regauge.errors import InputError, StorageError
from regauge.kinds.contains.task import read_not_shown
from regauge.kinds.registry import KINDS
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.campaigns.campaign import Assignment, CampaignEntry, Kind, NewAnswer, Payload, ResponseStatus
from regauge.records.responses.quality import ImageOrder, ListPage
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.annotators import describe_annotators
from regauge.responses.classify_annotators import describe_annotators as describe_classify
from regauge.responses.classify_screening import accept_all, screen_responses
from regauge.responses.flags import find_flags
from regauge.responses.screening import screen
from regauge.storage.campaigns.campaign import count_up_generation, measure_progress
from regauge.storage.database.schema import responses
from regauge.workflows.annotation.showing import view_task
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.responses import load_answers, to_contains_responses
from regauge.workflows.demo.campaigns import to_classify_responses
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study

N_STEPS = 25
ADD: dict[Kind, Callable[[Study], CampaignEntry]] = {
    Kind("contains"): lambda study: add_contains(study, "one", quota=3),
    Kind("classify"): lambda study: add_classify(study, "one", quota=3, n_images=8),
}
of_each_kind = pytest.mark.parametrize("kind", ["contains", "classify"])


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


@of_each_kind
@pytest.mark.parametrize("seed", [1, 2])
def test_a_ledger_that_is_kept_up_to_date_shows_what_one_that_is_read_whole_shows(pictured, kind, seed):
    ADD[Kind("contains") if kind == Kind("classify") else Kind("classify")](pictured) if seed == 1 else None
    campaign = (
        add_contains(pictured, "live", quota=3)
        if kind == Kind("contains")
        else add_classify(pictured, "live", quota=3, n_images=8)
    )
    crowd = make_crowd(pictured, campaign, seed=seed)
    live = LiveCampaigns()
    for _ in range(N_STEPS):
        crowd.step()
        assert look(pictured, live, "live") == look(pictured, LiveCampaigns(), "live")
    assert crowd.n_answers > 10


@of_each_kind
def test_the_progress_is_that_of_the_database(pictured, kind):
    campaign = ADD[kind](pictured)
    crowd, live = make_crowd(pictured, campaign, seed=3), LiveCampaigns()
    for _ in range(N_STEPS):
        crowd.step()
        with pictured.read() as reading:
            assert live.pulse(reading, campaign).progress == measure_progress(reading, campaign)


def test_figures_about_grids_are_those_of_the_finished_campaign(pictured):
    campaign = ADD[Kind("contains")](pictured)
    crowd, live = make_crowd(pictured, campaign, seed=4), LiveCampaigns()
    for _ in range(40):
        crowd.step()
    with pictured.read() as reading:
        found = to_contains_responses(load_answers(reading, "one", with_surplus=True, with_dropped=True))
        rows = {row.name: row for row in live.annotators(reading, campaign).rows}
    screening = screen(found, ScreeningRules())
    nothing = np.zeros(len(found.annotator_ids), np.int64)
    table = describe_annotators(found, screening, flags=find_flags(found), repeats=(nothing, nothing)).to_frame()
    assert len(table) == len(rows)
    for told in table.to_dicts():
        row = rows[told["annotator_id"]]
        assert (row.positive.k, row.positive.n) == (told["n_positive_right"], told["n_positive"])
        assert (row.negative.k, row.negative.n) == (told["n_negative_right"], told["n_negative"])
        assert row.positive.low == pytest.approx(told["positive_low"])
        assert row.controls.n == row.positive.n + row.negative.n
        assert row.n_answers == told["n_tasks"]
        assert row.median_seconds == told["median_seconds"]
        expected = None if row.is_dropped or not told["dropped"] else told["reason"]
        assert (row.suggestion or "").lower().rstrip(".") == (expected or "")
        flags = {flag.name for flag in row.flags} - {
            "disagrees",
            "inconsistent",
            "negative-controls",
            "impossible-times",
        }
        assert flags == set(told["flags"].split("|")) - {""}


def test_who_takes_what_stands_first_on_every_page_is_flagged(pictured):
    campaign = add_classify(pictured, "one", n_images=12)
    (who,) = add_people(pictured, campaign, 1)
    n = 0
    while given := take(pictured, campaign, who):
        with pictured.read() as reading:
            shown = [view_task(reading, one, campaign)["candidates"][0]["class"] for one in given]
        for one, label in zip(given, shown, strict=True):
            n += 1
            get_clock(pictured).jump(9)
            answer(pictured, NewAnswer(f"client-{n:08d}", one.id, one.annotator_id, make_label(label), 9.0))
    with pictured.read() as reading:
        (row,) = LiveCampaigns().annotators(reading, campaign).rows
    assert [flag.name for flag in row.flags] == ["same-position"]
    assert row.flags[0].sentence.startswith(
        "Names the label at position 1 as the main one in 12 of the latest 12 answers "
    )


def make_label(label: int) -> Payload:
    return {"version": 1, "selected": [label], "main": label}


def test_figures_about_labels_are_those_of_the_finished_campaign(pictured):
    campaign = ADD[Kind("classify")](pictured)
    crowd, live = make_crowd(pictured, campaign, seed=5), LiveCampaigns()
    for _ in range(40):
        crowd.step()
    with pictured.read() as reading:
        counted = to_classify_responses(load_answers(reading, "one"))
        everything = to_classify_responses(load_answers(reading, "one", with_surplus=True, with_dropped=True))
        rows = {row.name: row for row in live.annotators(reading, campaign).rows}
    ignored = screen_responses(everything).is_ignored
    for name, is_ignored in zip(everything.annotator_ids.tolist(), ignored.tolist(), strict=True):
        assert (rows[name].suggestion is not None) == (is_ignored and not rows[name].is_dropped)
    for told in describe_classify(counted, accept_all(counted)).to_frame().to_dicts():
        row = rows[told["annotator_id"]]
        if row.n_counted == row.n_answers:
            assert (row.agreement.k, row.agreement.n) == (told["n_alike"], told["n_compared"])
            assert row.agreement.high == pytest.approx(told["main_agreement_high"], nan_ok=True)


def test_agreement_on_cells_is_with_the_majority_of_the_others_who_count(pictured):
    campaign = ADD[Kind("contains")](pictured)
    crowd, live = make_crowd(pictured, campaign, seed=6), LiveCampaigns()
    for _ in range(40):
        crowd.step()
    with pictured.read() as reading:
        found = read_answers(reading, "one", with_surplus=True, with_dropped=True)
        rows = {row.name: row for row in live.annotators(reading, campaign).rows}
    expected = {name: [0, 0] for name in rows}
    for own in found.answers:
        others = [
            one.answer
            for one in found.answers
            if one.task_id == own.task_id and one.annotator != own.annotator and one.status is ResponseStatus.COUNTED
        ]
        for cell, (_, control) in enumerate(found.tasks[own.task_id]["cells"]):
            votes = [int(one["mask"], 16) >> cell & 1 for one in others if not read_not_shown(one) >> cell & 1]
            if control or 2 * sum(votes) == len(votes) or read_not_shown(own.answer) >> cell & 1:
                continue
            vote = int(own.answer["mask"], 16) >> cell & 1
            expected[own.annotator][0] += vote == (2 * sum(votes) > len(votes))
            expected[own.annotator][1] += 1
    assert sum(n for _, n in expected.values()) > 20
    for name, (n_right, n) in expected.items():
        assert (rows[name].agreement.k, rows[name].agreement.n) == (n_right, n)


@of_each_kind
def test_consistency_is_that_of_the_pairs_of_answers(pictured, kind):
    campaign = ADD[kind](pictured)
    crowd, live = make_crowd(pictured, campaign, seed=10), LiveCampaigns()
    for _ in range(60):
        crowd.step()
    with pictured.read() as reading:
        pairs = read_repeats(reading, "one")
        rows = {row.name: row.consistency for row in live.annotators(reading, campaign).rows}
    expected = {name: [0, 0] for name in rows}
    for pair in pairs:
        if kind == Kind("contains"):
            missing = read_not_shown(pair.first) | read_not_shown(pair.second)
            n = len(pair.task["cells"]) - missing.bit_count()
            differing = (int(pair.first["mask"], 16) ^ int(pair.second["mask"], 16)) & ~missing
            n_alike = n - differing.bit_count()
        else:
            n, n_alike = 1, int(pair.first["main"] == pair.second["main"])
        expected[pair.annotator][0] += n_alike
        expected[pair.annotator][1] += n
    assert len(pairs) > 2
    assert {name: [share.k, share.n] for name, share in rows.items()} == expected


def test_frequencies_of_an_image_are_those_of_the_finished_campaign(pictured):
    campaign = ADD[Kind("contains")](pictured)
    crowd, live = make_crowd(pictured, campaign, seed=7), LiveCampaigns()
    for _ in range(30):
        crowd.step()
    with pictured.read() as reading:
        found = to_contains_responses(load_answers(reading, "one"))
        counts = count_selections(found, screen(found, None)).counts
        places = zip(counts.images.tolist(), counts.classes.tolist(), strict=True)
        expected = {
            (str(counts.image_ids[image]), one): (int(n_selected), int(n_shown))
            for (image, one), n_selected, n_shown in zip(places, counts.n_selected, counts.n_shown, strict=True)
        }
        images = [live.image(reading, campaign, number=number) for number in range(24)]
        listed = live.images(reading, campaign, order=ImageOrder.NUMBER, page=ListPage(limit=1_000))
    told = {(one.image_id, each.class_index): each.selected for one in images for each in one.classes}
    assert {key: (share.k, share.n) for key, share in told.items()} == expected
    shown = {(row.image_id, row.class_index): (row.frequency.k, row.frequency.n) for row in listed.rows}
    assert shown == expected
    # Every image is asked about under its own label, and is a control of other classes alone.
    labels = {one.image_id: one.dataset_label for one in images}
    assert {row.is_control for row in listed.rows if row.class_index == labels[row.image_id]} == {False}
    assert {row.is_control for row in listed.rows if row.class_index != labels[row.image_id]} == {True}
    assert all(one.dataset_label == int(one.image_id.removeprefix("i")) % 4 for one in images)


def test_median_seconds_leave_out_those_who_were_dropped(pictured):
    campaign = ADD[Kind("contains")](pictured)
    crowd, live = make_crowd(pictured, campaign, seed=8), LiveCampaigns()
    for _ in range(60):
        crowd.step()
    with pictured.read() as reading:
        found = read_answers(reading, "one", with_surplus=True, with_dropped=True)
        pulse = live.pulse(reading, campaign)
    is_dropped = ResponseStatus.DROPPED
    seconds = [one.seconds for one in found.answers if one.seconds is not None and one.status is not is_dropped]
    # Answers to hidden repeats, which are not among the answers above, took three seconds each; some are of the dropped.
    n_repeats = pulse.n_timed - len(seconds)
    assert 0 < n_repeats < pulse.n_repeats
    assert pulse.median_seconds == pytest.approx(statistics.median([*seconds, *[3.0] * n_repeats]))


@of_each_kind
def test_before_the_first_answer_nothing_is_known_and_nothing_is_zero(pictured, kind):
    campaign, live = ADD[kind](pictured), LiveCampaigns()
    with pictured.read() as reading:
        pulse = live.pulse(reading, campaign)
        everybody = live.annotators(reading, campaign)
        image = live.image(reading, campaign, number=0)
        rows = live.images(reading, campaign, order=ImageOrder.DISAGREEMENT).rows
    assert (pulse.median_seconds, pulse.hourly_pay, pulse.cost_so_far, pulse.expected_end) == (None,) * 4
    assert "too few" in pulse.expectation
    assert (everybody.rows, everybody.n, everybody.n_all) == ((), 0, 0)
    assert image.answers == ()
    assert image.classes
    assert all(one.selected.value is None for one in image.classes)
    assert rows
    assert all(row.frequency.value is None and row.disagreement is None for row in rows)


@pytest.mark.same_sql
@pytest.mark.parametrize("number", [-1, 999, 2**70])
def test_an_image_that_is_not_there_is_refused(pictured, number):
    campaign = ADD[Kind("contains")](pictured)
    with pictured.read() as reading, pytest.raises(InputError, match=f"no image {number}"):
        LiveCampaigns().image(reading, campaign, number=number)


def test_a_ledger_that_could_not_be_read_to_its_end_is_read_anew(pictured, monkeypatch):
    campaign, live = ADD[Kind("contains")](pictured), LiveCampaigns()
    (person,) = add_people(pictured, campaign, 1)
    for one in take(pictured, campaign, person, n=3):
        answer(pictured, make_answer(one))
    with monkeypatch.context() as patch:
        patch.setattr("regauge.workflows.campaigns.responses.load_answer_columns", fail)
        with pytest.raises(StorageError, match="gone"):
            look(pictured, live, "one")
    assert look(pictured, live, "one") == look(pictured, LiveCampaigns(), "one")


def fail(*_arguments: object, **_named: object) -> None:
    raise StorageError("The database is gone.")


def test_answers_that_were_erased_are_forgotten(pictured):
    campaign, live = ADD[Kind("contains")](pictured), LiveCampaigns()
    first, second = add_people(pictured, campaign, 2)
    for person in (first, second):
        for one in take(pictured, campaign, person, n=3):
            answer(pictured, make_answer(one))
    assert look(pictured, live, "one")["annotators"].n == 2  # type: ignore[attr-defined]
    with pictured.begin() as begun:
        begun.connection.execute(delete(responses).where(responses.c.annotator_id == first.annotator.id))
        count_up_generation(begun, campaign)
    assert look(pictured, live, "one") == look(pictured, LiveCampaigns(), "one")
    assert look(pictured, live, "one")["annotators"].n == 1  # type: ignore[attr-defined]


def take_a_while(study: Study, campaign: CampaignEntry, person: Invitation, *, n: int) -> tuple[Assignment, ...]:
    """Tasks that somebody has had for long enough to have spent the time that they claim."""
    taken = take(study, campaign, person, n=n)
    get_clock(study).jump(60)
    return taken


def test_answers_that_got_the_numbers_of_erased_ones_are_not_missed(pictured):
    campaign, other = ADD[Kind("contains")](pictured), add_contains(pictured, "other")
    first, second = add_people(pictured, campaign, 2)
    with pictured.begin() as begun:
        consent(begun, other.id, annotator_id=second.annotator.id, version=other.plan.texts.version)
    live = LiveCampaigns()
    for one in take_a_while(pictured, campaign, first, n=2):
        answer(pictured, make_answer(one))
    for one in take_a_while(pictured, other, second, n=4):
        answer(pictured, make_answer(one))
    look(pictured, live, "one")
    with pictured.begin() as begun:
        begun.connection.execute(delete(responses).where(responses.c.annotator_id == second.annotator.id))
        count_up_generation(begun, other)
    for one in take_a_while(pictured, campaign, second, n=2):
        answer(pictured, make_answer(one))
    assert look(pictured, live, "one") == look(pictured, LiveCampaigns(), "one")
    assert look(pictured, live, "one")["annotators"].n == 2  # type: ignore[attr-defined]


def test_many_threads_see_the_same(pictured):
    campaign, live = ADD[Kind("classify")](pictured), LiveCampaigns()
    crowd = make_crowd(pictured, campaign, seed=9)
    for _ in range(10):
        crowd.step()
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.append(look(pictured, live, "one"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6
    assert all(one == seen[0] for one in seen)


@of_each_kind
def test_who_looks_at_an_older_moment_may_find_somebody_new(pictured, kind):
    campaign, live = ADD[kind](pictured), LiveCampaigns()
    (first,) = add_people(pictured, campaign, 1)
    answer_one(pictured, campaign, first)
    with pictured.read() as earlier:
        assert measure_progress(earlier, campaign).n_annotators == 1
        (second,) = add_people(pictured, campaign, 1)
        image = answer_one(pictured, campaign, second)
        with pictured.read() as later:
            live.pulse(later, campaign)
        assert [row.name for row in live.annotators(earlier, campaign).rows] == [first.annotator.name, "somebody new"]
        answers = live.image(earlier, campaign, number=image).answers
    assert {one.annotator for one in answers} == {first.annotator.name, "somebody new"}


def answer_one(study: Study, campaign: CampaignEntry, who: Invitation) -> int:
    """Somebody answers the first task; says which image it shows."""
    (one,) = take(study, campaign, who)
    (image, *_) = KINDS[campaign.kind].task.list_images(one.payload)
    given = {"mask": "3"} if campaign.kind == Kind("contains") else {"selected": [7], "main": 7}
    answer(study, replace(make_answer(one), answer=given))
    return image
