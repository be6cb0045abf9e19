"""What the command line says comes next while people are asked, and what the manager's pages say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.campaign_studies import add_contains, add_people, answer, make_answer, make_pictured, take
from tests.workflows.pool_studies import make_pooled

from regauge import Predictions
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignProgress, CampaignState, Kind
from regauge.records.campaigns.evaluations import BLIND, PARTICIPANTS_OF, TRAINS
from regauge.records.labels.contains import ContainsSettings
from regauge.records.labels.label_set import LabelKind, Unlisted
from regauge.records.next_steps import CampaignStanding, Place, Step, StepPage
from regauge.records.studies import LabelSetEntry, StudyStatus, TestSetEntry, TestSetKind
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.server.manage.views import StepLine, make_lines
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.labels.campaign_labels import build_labels
from regauge.workflows.predictions import PredictionSource, add_predictions
from regauge.workflows.studies.next_steps import find_campaign_steps, list_page_steps, list_steps
from regauge.workflows.studies.study import Study, describe_status
from regauge.workflows.testsets.draws import draw_test_set

TEST_SET = TestSetEntry("new", TestSetKind.TABLE, "/", 10, "", "")


def make_status(*, labels: tuple[LabelSetEntry, ...] = (), steps: tuple[Step, ...] = ()) -> StudyStatus:
    return StudyStatus("", "", "cifar-10", 10, (TEST_SET,), (), labels, (), (), steps)


def stand(
    state: CampaignState,
    n_done: int = 0,
    n_annotators: int = 0,
    *,
    settings: Mapping[str, object] | None = None,
    **more: object,
) -> CampaignStanding:
    plan = CampaignPlan("grids", Kind("contains"), 3, settings=settings or {})
    entry = CampaignEntry(7, plan, state, 8, "")
    progress = CampaignProgress(8, n_done, 24, 3 * n_done, 0, 0, n_annotators)
    return CampaignStanding(entry, progress, **more)  # type: ignore[arg-type]


def list_words(status: StudyStatus, *standings: CampaignStanding) -> list[str]:
    return [step.page.words if step.page else step.what for step in list_page_steps(status, standings)]


@pytest.fixture
def pictured(tmp_path: Path) -> Iterator[Study]:
    with make_pictured(tmp_path) as study:
        yield study


def list_sentences(study: Study) -> list[str]:
    with study.read() as reading:
        return list(map(str, list_steps(reading, replace(describe_status(reading), next_steps=()))))


def test_a_campaign_is_opened_then_answered_then_made_into_labels_then_done(pictured: Study) -> None:
    campaign = add_contains(pictured, "two words", quota=1, is_open=False)
    assert list_sentences(pictured) == ["Open campaign two words: regauge campaign open 'two words'"]
    with pictured.begin() as begun:
        open_campaign(begun, campaign.plan.name)
    assert list_sentences(pictured) == ["Let people answer two words, which needs 8 more answers: regauge serve"]
    (who,) = add_people(pictured, campaign, 1)
    while given := take(pictured, campaign, who, n=8):
        answer(pictured, *map(make_answer, given))
    step = "Make labels of the answers to two words: regauge campaign labels 'two words' --name LABELS"
    assert list_sentences(pictured) == [step]
    with pictured.begin() as begun:
        build_labels(begun, campaign.plan.name, name="people", settings=ContainsSettings(rules=None))
    assert list_sentences(pictured) == []


def test_drawn_sets_are_to_be_compared_with_the_original_and_not_with_each_other(tmp_path: Path) -> None:
    plan = SamplingPlan(Strategy.TOP_IMAGES, per_class=5)
    with make_pooled(tmp_path) as pooled, pooled.study.begin() as begun:
        for name in ("one", "two"):
            draw_test_set(begun, plan, name=name, sources=pooled.sources)
        for name in ("original", "one", "two"):
            test_set = load_test_set(begun, get_test_set(begun, name))
            answers = Predictions("model", test_set.image_ids, np.roll(test_set.labels, 1))
            add_predictions(begun, PredictionSource(answers), test_set=name)
        steps = describe_status(begun).next_steps
    assert [step for step in map(str, steps) if step.startswith("Compare")] == [
        "Compare original and one: regauge compare original one",
        "Compare original and two: regauge compare original two",
    ]


def test_a_study_with_images_and_no_campaign_is_to_ask_people() -> None:
    (step,) = list_page_steps(make_status(), [])
    assert step.page is not None
    assert (step.page.place, step.page.action) == (Place.NEW, "New campaign")


def test_a_draft_is_to_be_tried_and_opened() -> None:
    (step,) = list_page_steps(make_status(), [stand(CampaignState.DRAFT)])
    words = "grids is a draft: try its tasks, then open it."
    assert step.page == StepPage(words, "Look at it", Place.CAMPAIGN, 7)


def test_an_open_campaign_without_people_needs_links() -> None:
    assert list_words(make_status(), stand(CampaignState.OPEN)) == [
        "grids is open and nobody has answered: give out links."
    ]


def test_people_who_look_odd_and_low_pay_come_to_the_managers_eyes() -> None:
    standing = stand(CampaignState.OPEN, 2, 5, n_suggested=2, pay_warning="Pay is low.")
    assert list_words(make_status(), standing) == [
        "grids: Pay is low.",
        "2 annotators of grids should be looked at.",
    ]
    assert "1 annotator of" in list_words(make_status(), stand(CampaignState.OPEN, 2, 5, n_suggested=1))[0]


def test_a_campaign_with_all_answers_is_closed_and_becomes_labels() -> None:
    assert list_words(make_status(), stand(CampaignState.OPEN, 8, 5)) == [
        "grids has all its answers: close it.",
        "Make a label set of the answers to grids.",
    ]


def test_people_who_were_tested_become_participants_and_trainees_nothing() -> None:
    tested, known, trained = (
        stand(CampaignState.CLOSED, 8, 3, settings=one)
        for one in ({BLIND: True}, {BLIND: True, PARTICIPANTS_OF: {"3": ["person-3"]}}, {TRAINS: True})
    )
    assert list_words(make_status(), tested)[0] == "Make participants of the people who were tested in grids."
    (step,) = find_campaign_steps(make_status(), [tested])
    assert str(step) == "Make participants of the people who were tested in grids: regauge campaign predictions grids"
    for other in (known, trained):
        assert list(find_campaign_steps(make_status(), [other])) == []


def test_labels_that_were_made_are_not_asked_for_again() -> None:
    made = LabelSetEntry("crowd", 1, LabelKind.MULTILABEL, Unlisted.WRONG, 1, 1, 0, None, "", {"campaign": "grids"})
    steps = list_words(make_status(labels=(made,)), stand(CampaignState.CLOSED, 8, 5))
    assert steps == ["Nothing waits for you."]


def test_people_are_said_to_work_only_while_a_campaign_is_open() -> None:
    assert list_words(make_status(), stand(CampaignState.OPEN, 2, 5)) == [
        "Nothing waits for you. People can work, and their answers come in."
    ]


def test_a_closed_campaign_without_answers_asks_for_nothing() -> None:
    wait = Step("Wait", "regauge wait")
    assert list_page_steps(make_status(steps=(wait,)), [stand(CampaignState.CLOSED)]) == [wait]


def test_a_page_gives_every_command_a_line_of_its_own() -> None:
    then = Step("draw a test set", "regauge testset sample --name NAME")
    step = Step("See what the pool still lacks", "regauge pool status", then=then)
    assert str(step) == (
        "See what the pool still lacks: regauge pool status; then draw a test set: regauge testset sample --name NAME"
    )
    assert list(make_lines(step)) == [
        StepLine("See what the pool still lacks.", command="regauge pool status"),
        StepLine("Then draw a test set.", command="regauge testset sample --name NAME"),
    ]
