"""What a study notes down of its HITs, and what our records say of what workers handed in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from tests.workflows.answer_rows import load_tasks
from tests.workflows.campaign_studies import add_classify, add_contains, answer, make_answer, make_pictured
from tests.workflows.fake_mturk import make_answer_xml, make_assignment
from tests.workflows.platform_visitors import (
    ASSIGNMENT,
    WORKER,
    add_recruiting,
    change_terms,
    come,
    finish,
    take_share,
    work,
)

from regauge.errors import InputError
from regauge.kinds.contains.task import list_controls
from regauge.records.campaigns.campaign import CampaignEntry, Payload, Platform
from regauge.records.campaigns.hits import HitAction, HitPlan
from regauge.records.campaigns.terms import Prolific
from regauge.records.campaigns.visits import VisitState
from regauge.records.responses.answers import Control
from regauge.recruitment.rules import judge
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.events import list_events
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.people.erasure import erase_annotator
from regauge.workflows.people.publication import (
    begin_batch,
    compare_with_records,
    find_unfinished_batches,
    list_hits,
    note_batch,
    note_decisions,
    publish_on_prolific,
)
from regauge.workflows.studies.study import Study

PLAN = HitPlan("Label images", "Label images", Decimal("0.50"), 2, 3, 4, "https://labels.example")


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


@pytest.fixture
def campaign(pictured: Study) -> CampaignEntry:
    return add_recruiting(pictured)


def begin(study: Study, plan: HitPlan = PLAN, *, is_production: bool = False):
    with study.begin() as begun:
        return begin_batch(begun, "grids", plan, is_production=is_production)


def test_a_batch_that_was_stopped_is_gone_on_with_and_a_new_one_is_another(pictured, campaign):
    first, again = begin(pictured), begin(pictured)
    assert not first.is_resumed
    assert (again.token, again.is_resumed) == (first.token, True)
    assert first.campaign.plan.terms.mturk_tasks == 4
    with pictured.begin() as begun:
        note_batch(begun, first, ["3ONE", "3TWO"], is_production=False)
        assert list_hits(begun, "grids", is_production=False) == ("3ONE", "3TWO")
        assert find_unfinished_batches(begun, "grids", is_production=False) == ()
    second = begin(pictured)
    assert second.token != first.token
    assert not second.is_resumed


def test_a_batch_that_was_stopped_must_be_finished_before_another_is_begun(pictured, campaign):
    begin(pictured)
    with pytest.raises(InputError, match="campaign mturk end grids"):
        begin(pictured, replace(PLAN, reward=Decimal("0.60")))


def test_the_share_of_hits_that_are_out_does_not_change(pictured, campaign):
    first = begin(pictured)
    with pictured.begin() as begun:
        note_batch(begun, first, ["3ONE", "3TWO"], is_production=False)
    with pytest.raises(InputError, match="give `tasks=4`"):
        begin(pictured, replace(PLAN, n_tasks=5))


def test_sandbox_and_production_do_not_mix(pictured, campaign):
    real = begin(pictured, is_production=True)
    assert not begin(pictured).is_resumed
    with pictured.begin() as begun:
        note_batch(begun, real, ["3REAL"], is_production=True)
        assert list_hits(begun, "grids", is_production=True) == ("3REAL",)
        with pytest.raises(InputError, match="no HITs on the sandbox"):
            list_hits(begun, "grids", is_production=False)


def test_a_campaign_that_is_not_open_is_not_published(pictured):
    add_contains(pictured, is_open=False)
    with pytest.raises(InputError, match="open it first"):
        begin(pictured)


def test_a_plan_that_cannot_be_sent_leaves_no_trace(pictured, campaign):
    with pytest.raises(InputError, match="A qualification is written"):
        begin(pictured, replace(PLAN, qualifications=("good",)))
    with pictured.read() as reading:
        assert find_unfinished_batches(reading, "grids", is_production=False) == ()


def test_what_was_handed_in_is_compared_with_what_was_done_here(pictured, campaign):
    good = come(pictured, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    lazy = come(pictured, campaign, "A2LAZY", reference="3LAZY", platform=Platform.MTURK)
    work(pictured, lazy, 1)
    n_controls = 0
    while given := take_share(pictured, good, 1):
        mask = find_right_mask(given[0].payload)
        answer(pictured, make_answer(given[0], f"{mask:x}"))
        n_controls += sum(control != Control.NONE for control in list_controls(given[0].payload))
    receipt = finish(pictured, good).code
    with pictured.begin() as begun:
        drop_annotator(begun, "grids", annotator=lazy.annotator.id, reason="clicked through")
    submitted = [
        make_assignment(WORKER, ASSIGNMENT, answer=make_answer_xml(receipt)),
        make_assignment("A2LAZY", "3LAZY", answer=make_answer_xml(receipt)),
        make_assignment("A3NOBODY", "3NOBODY", answer=make_answer_xml("1.2.forged")),
    ]
    with pictured.read() as reading:
        first, second, third = compare_with_records(reading, "grids", submitted)
    assert (first.annotator, first.state, first.n_done) == (good.annotator.name, VisitState.COMPLETED, 2)
    assert first.has_receipt
    assert (first.n_controls, first.n_controls_right) == (n_controls, n_controls)
    assert (second.state, second.n_done, second.is_dropped, second.has_receipt) == (VisitState.STARTED, 1, True, False)
    assert second.n_controls_right < second.n_controls
    assert (third.annotator, third.state, third.has_receipt) == ("", None, False)


def test_a_worker_who_was_erased_since_is_known_by_their_receipt_alone(pictured, campaign):
    who = come(pictured, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    work(pictured, who, 2)
    receipt = finish(pictured, who).code
    with pictured.begin() as begun:
        erase_annotator(begun, who.annotator.id, reason="asked", with_answers=True)
    handed_in = (make_answer_xml(receipt), make_answer_xml(receipt[:-1] + "x"), "")
    with pictured.read() as reading:
        found = compare_with_records(
            reading, "grids", [make_assignment(WORKER, ASSIGNMENT, answer=one) for one in handed_in]
        )
    assert [(one.annotator, one.state, one.n_done) for one in found] == [
        ("erased-0001", VisitState.COMPLETED, 2),
        ("", None, 0),
        ("", None, 0),
    ]
    assert judge(found, rejects=True)[0].action is HitAction.APPROVE


def test_a_receipt_of_somebody_else_says_nothing(pictured, campaign):
    who = come(pictured, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    work(pictured, who, 2)
    receipt = finish(pictured, who).code
    with pictured.read() as reading:
        copied = make_assignment("A2LAZY", "3LAZY", answer=make_answer_xml(receipt))
        (found,) = compare_with_records(reading, "grids", [copied])
    assert (found.annotator, found.state) == ("", None)


def test_hidden_repeats_are_paid_and_do_not_count_as_controls_twice(pictured, campaign):
    campaign = change_terms(pictured, campaign, repeats=0.5, mturk_tasks=12)
    who = come(pictured, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    n_answered = work(pictured, who, 12)
    assert n_answered > campaign.n_tasks, "there was no repeat"
    assert finish(pictured, who).n_done == n_answered
    with pictured.read() as reading:
        (found,) = compare_with_records(reading, "grids", [make_assignment(WORKER, ASSIGNMENT)])
    # Two positive and two negative controls at least on every grid, each answered once for all that counts.
    tasks = find_work(pictured, campaign)
    assert found.n_controls == sum(control != Control.NONE for task in tasks for control in list_controls(task))


def find_work(study: Study, campaign: CampaignEntry) -> list[Payload]:
    """The tasks that the campaign is there for."""
    with study.read() as reading:
        return list(load_tasks(reading, campaign).values())


def find_right_mask(task) -> int:
    """Every positive control selected and no negative one."""
    controls = list_controls(task)
    return sum(1 << place for place, control in enumerate(controls) if control == Control.POSITIVE)


def test_a_campaign_without_controls_has_none(pictured):
    campaign = add_classify(pictured)
    with pictured.read() as reading:
        (found,) = compare_with_records(reading, campaign.name, [make_assignment(WORKER, ASSIGNMENT)])
    assert found.n_controls == 0


def test_events_name_hits_and_numbers_and_nobody(pictured, campaign):
    come(pictured, campaign, WORKER, reference=ASSIGNMENT, platform=Platform.MTURK)
    batch = begin(pictured)
    with pictured.begin() as begun:
        note_batch(begun, batch, ["3ONE"], is_production=False)
        note_decisions(begun, "grids", "approve", n_approve=3)
        events = list_events(begun)
    assert {"mturk begin", "mturk publish", "mturk approve"} <= {event.what for event in events}
    assert WORKER not in repr(events)
    assert ASSIGNMENT not in repr(events)


def test_prolific_is_let_in_with_its_codes(pictured):
    add_contains(pictured)
    with pictured.begin() as begun:
        with pytest.raises(InputError, match="which study on Prolific"):
            publish_on_prolific(begun, "grids", Prolific("DONE1", "OUT1", 5))
        terms = Prolific("DONE1", "OUT1", 5, study_id="64b7f0c2a91e5d3f8c6b2a10")
        publish_on_prolific(begun, "grids", terms)
        assert get_campaign(begun, "grids").plan.terms.prolific == terms
        assert [one.what for one in list_events(begun)][-1] == "prolific publish"
