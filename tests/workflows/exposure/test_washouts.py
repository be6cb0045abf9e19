"""Whoever has seen an image within a washout is not given it, or the manager is told; and what is kept back from whom."""

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
    write_pictures,
)
from tests.workflows.quiz_campaigns import QUIZ, add_known, add_quizzed

from regauge.campaigns.eligibility import PANEL
from regauge.errors import InputError
from regauge.records.campaigns.campaign import (
    Assignment,
    CampaignEntry,
    CampaignPlan,
    CampaignState,
    CampaignTexts,
    Kind,
)
from regauge.records.campaigns.evaluations import BLIND, TRAINS
from regauge.records.campaigns.terms import Terms
from regauge.records.exposure.exposures import ExposureRole, NewExposure
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images, set_settings, set_state, set_terms
from regauge.workflows.annotation.choosing import ChooserMemory, take_tasks
from regauge.workflows.annotation.quizzes import begin_attempt, list_examples
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.demo.campaigns import ClassifyQuestions, create_classify
from regauge.workflows.exposure.recording import record_exposures
from regauge.workflows.exposure.saying import declare_exposure, declare_same, retract_declaration
from regauge.workflows.exposure.washouts import find_campaign_exposure, tell_exposure
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

DAY = 86_400


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def set_washout(study: Study, campaign: CampaignEntry, days: int, *, warns: bool = False) -> None:
    with study.begin() as begun:
        found = get_campaign(begun, campaign.id)
        set_terms(begun, found, replace(found.plan.terms, washout_days=days, washout_warns=warns))


def agree(study: Study, campaign: CampaignEntry, *people: Invitation) -> None:
    with study.begin() as begun:
        for one in people:
            consent(begun, campaign.id, annotator_id=one.annotator.id, version=1)


def change(study: Study, campaign: CampaignEntry, **settings: object) -> None:
    with study.begin() as begun:
        found = get_campaign(begun, campaign.id)
        set_settings(begun, found, {**found.plan.settings, **settings})


def send(study: Study, who: Invitation, *rows: int, role: ExposureRole = ExposureRole.CARD, campaign: int = 0) -> None:
    with study.begin() as begun:
        at = begun.around.now()
        record_exposures(begun, [NewExposure(who.annotator.id, 1, row, role, campaign, at) for row in rows])


def find_row(study: Study, campaign: CampaignEntry, task: Assignment) -> int:
    with study.read() as reading:
        return load_campaign_images(reading, campaign.id)[task.payload["image"]].row


def take_all(study: Study, campaign: CampaignEntry, who: Invitation, known: ChooserMemory | None = None) -> set[int]:
    """The rows of all images that somebody is given before nothing is left for them."""
    with study.read() as reading:
        album = load_campaign_images(reading, campaign.id)
    rows: set[int] = set()
    known = known or ChooserMemory()
    while True:
        with study.begin() as begun:
            taken = take_tasks(begun, campaign.id, annotator_id=who.annotator.id, n=5, known=known)
        if not taken:
            return rows
        rows |= {album[one.payload["image"]].row for one in taken}
        answer(study, *(replace(make_answer(one), answer={"selected": [], "main": None}) for one in taken))


def test_an_image_that_somebody_saw_on_a_card_is_not_given_to_them_within_the_washout(pictured):
    labels = add_classify(pictured, n_images=12, quota=3)
    one, other = add_people(pictured, labels, 2)
    send(pictured, one, 0, 1, 2)
    set_washout(pictured, labels, 180)
    assert take_all(pictured, labels, one) == set(range(3, 12))
    assert take_all(pictured, labels, other) == set(range(12))


def test_after_the_washout_it_is_given_to_them(pictured):
    labels = add_classify(pictured, n_images=12, quota=3)
    (one,) = add_people(pictured, labels, 1)
    send(pictured, one, 0, 1, 2)
    set_washout(pictured, labels, 180)
    known = ChooserMemory()
    get_clock(pictured).jump(179 * DAY)
    assert take_all(pictured, labels, one, known) == set(range(3, 12))
    get_clock(pictured).jump(2 * DAY)
    assert take_all(pictured, labels, one, known) == {0, 1, 2}


def test_a_washout_that_only_warns_keeps_nobody_out(pictured):
    labels = add_classify(pictured, n_images=6)
    (one,) = add_people(pictured, labels, 1)
    send(pictured, one, 0, 1, 2)
    set_washout(pictured, labels, 180, warns=True)
    assert take_all(pictured, labels, one) == set(range(6))


def test_what_is_seen_while_the_campaign_runs_counts_from_the_next_task_on(pictured):
    labels = add_classify(pictured, n_images=12)
    (one,) = add_people(pictured, labels, 1)
    set_washout(pictured, labels, 180)
    known = ChooserMemory()
    with pictured.begin() as begun:
        (first,) = take_tasks(begun, labels.id, annotator_id=one.annotator.id, n=1, known=known)
    others = sorted(set(range(12)) - {find_row(pictured, labels, first)})
    send(pictured, one, *others[1:], role=ExposureRole.GUIDE, campaign=labels.id)
    answer(pictured, replace(make_answer(first), answer={"selected": [], "main": None}))
    assert take_all(pictured, labels, one, known) == {others[0]}


def test_tasks_of_other_campaigns_count_and_own_tasks_do_not(pictured):
    grids, labels = add_contains(pictured), add_classify(pictured, n_images=24)
    (one,) = add_people(pictured, grids, 1)
    agree(pictured, labels, one)
    (grid,) = take(pictured, grids, one)
    with pictured.read() as reading:
        album = load_campaign_images(reading, grids.id)
    shown = {album[number].row for number, _ in grid.payload["cells"]}
    set_washout(pictured, labels, 30)
    # As the server would note: the campaign's own tasks.
    send(pictured, one, *range(24), role=ExposureRole.ANNOTATOR, campaign=labels.id)
    assert take_all(pictured, labels, one) == set(range(24)) - shown


def test_exact_copies_in_another_set_count(pictured, tmp_path):
    labels = add_classify(pictured, n_images=12)
    (one,) = add_people(pictured, labels, 1)
    with pictured.begin() as begun:
        table = write_pictures(tmp_path / "copies", n_images=5, prefix="c")
        add_test_set(begun, table, name="copies", checksums=True)
        at = begun.around.now()
        record_exposures(begun, [NewExposure(one.annotator.id, 2, 4, ExposureRole.CARD, 0, at)])
    set_washout(pictured, labels, 180)
    assert take_all(pictured, labels, one) == set(range(12)) - {4}


def test_what_somebody_saw_under_another_name_counts(pictured):
    labels = add_classify(pictured, n_images=12)
    one, other = add_people(pictured, labels, 2)
    send(pictured, other, 0, 1)
    set_washout(pictured, labels, 180)
    known = ChooserMemory()
    with pictured.begin() as begun:
        (first,) = take_tasks(begun, labels.id, annotator_id=one.annotator.id, n=1, known=known)
        declare_same(begun, one.annotator.name, other=other.annotator.name)
    # The first was given before the two were known to be one.
    assert take_all(pictured, labels, one, known) == {find_row(pictured, labels, first), *range(2, 12)}


def test_a_declared_exposure_keeps_its_person_out_until_it_is_taken_back(pictured):
    labels = add_classify(pictured, n_images=4)
    (one,) = add_people(pictured, labels, 1)
    set_washout(pictured, labels, 180)
    known = ChooserMemory()
    with pictured.begin() as begun:
        made = declare_exposure(
            begun, one.annotator.name, test_set="pictures", days=("2020-01-01", None), why="made the set"
        )
    assert take_all(pictured, labels, one, known) == set()
    with pictured.begin() as begun:
        retract_declaration(begun, made.id)
    assert take_all(pictured, labels, one, known) == set(range(4))


def test_a_declared_exposure_that_ended_before_the_washout_keeps_nobody_out(pictured):
    labels = add_classify(pictured, n_images=4)
    (one,) = add_people(pictured, labels, 1)
    set_washout(pictured, labels, 180)
    with pictured.begin() as begun:
        declare_exposure(begun, one.annotator.name, days=("2000-01-01", "2001-01-01"), why="saw it at school")
    assert take_all(pictured, labels, one) == set(range(4))


def test_who_has_seen_what_is_told_before_an_evaluation_and_of_whom_nothing_is_known(pictured):
    labels = add_classify(pictured, n_images=12)
    one, other = add_people(pictured, labels, 2)
    send(pictured, one, 0, 1, 2, 20)
    change(pictured, labels, **{BLIND: True})
    with pictured.begin() as begun:
        found = find_campaign_exposure(begun, labels.id)
        told = tell_exposure(begun, labels.id)
    (seen,) = found.people
    assert (seen.person, seen.n_images, seen.n_recent, found.n_images, found.n_people) == (
        one.annotator.name,
        3,
        3,
        12,
        2,
    )
    assert seen.roles == ("class card",)
    assert told[0].startswith(f"{one.annotator.name} has seen 3 of the 12 images of labels, last on ")
    assert "Nothing keeps these images from them" in told[1]
    assert other.annotator.name not in " ".join(told)


def test_a_panel_is_all_who_are_told_of(pictured):
    labels = add_classify(pictured, n_images=12)
    one, other = add_people(pictured, labels, 2)
    send(pictured, one, 0, 1, 2)
    change(pictured, labels, **{BLIND: True}, **{PANEL: [other.annotator.id]})
    with pictured.begin() as begun:
        assert tell_exposure(begun, labels.id) == (
            "No image of labels was seen before by the 1 person who may take part.",
        )


def test_an_ordinary_campaign_without_a_washout_tells_nothing(pictured):
    labels = add_classify(pictured)
    (one,) = add_people(pictured, labels, 1)
    send(pictured, one, 0)
    with pictured.begin() as begun:
        assert tell_exposure(begun, labels.id) == ()


def test_what_lies_before_the_washout_is_counted_and_not_told(pictured):
    labels = add_classify(pictured, n_images=12)
    (one,) = add_people(pictured, labels, 1)
    send(pictured, one, 0, 1, 2)
    get_clock(pictured).jump(200 * DAY)
    send(pictured, one, 3)
    set_washout(pictured, labels, 180)
    with pictured.begin() as begun:
        (seen,) = find_campaign_exposure(begun, labels.id).people
        told = tell_exposure(begun, labels.id)
    assert (seen.n_images, seen.n_recent) == (4, 1)
    assert told[-1] == "The washout of 180 days keeps these images from them."
    assert "1 of the 12 images" in told[0]


def test_what_was_seen_long_before_an_evaluation_is_not_denied(pictured):
    labels = add_classify(pictured, n_images=12)
    (one,) = add_people(pictured, labels, 1)
    send(pictured, one, 0, 1)
    get_clock(pictured).jump(200 * DAY)
    set_washout(pictured, labels, 180)
    change(pictured, labels, **{BLIND: True})
    with pictured.begin() as begun:
        assert tell_exposure(begun, labels.id) == (
            "All that 1 person saw of the images of labels was before its washout of 180 days.",
        )


def add_evaluation(study: Study, *numbers: int, panel: list[int] | None = None) -> CampaignEntry:
    """A planned evaluation of some of the pictures."""
    with study.begin() as begun:
        plan = CampaignPlan("exam", Kind("classify"), 1, 600, CampaignTexts("Look.", "Agree?"))
        candidates = {f"i{number}": [number % 4, 7] for number in numbers}
        exam = create_classify(begun, plan, ClassifyQuestions(candidates, "pictures", 0))
        settings = {**exam.plan.settings, BLIND: True, **({} if panel is None else {PANEL: panel})}
        set_settings(begun, exam, settings)
        return get_campaign(begun, exam.id)


def test_a_training_gives_its_labelers_no_image_of_an_evaluation_that_is_planned_or_open(pictured):
    training = add_classify(pictured, n_images=12, quota=3)
    one, other = add_people(pictured, training, 2)
    change(pictured, training, **{TRAINS: True})
    exam = add_evaluation(pictured, 0, 1, 2, panel=[one.annotator.id])
    assert take_all(pictured, training, one) == set(range(3, 12))
    assert take_all(pictured, training, other) == set(range(12))
    with pictured.begin() as begun:
        set_state(begun, exam, CampaignState.CLOSED)
    assert take_all(pictured, training, one) == {0, 1, 2}


def test_examples_and_the_quiz_show_nobody_what_they_will_be_measured_by(pictured, tmp_path):
    add_known(pictured, tmp_path)
    quizzed = add_quizzed(pictured, Terms(quiz=QUIZ), n=5)
    one, other = add_people(pictured, quizzed, 2)
    with pictured.begin() as begun:
        plan = CampaignPlan("exam", Kind("classify"), 1, 600, CampaignTexts("Look.", "Agree?"))
        candidates = {f"k{number}": [number % 4, 7] for number in range(20)}
        exam = create_classify(begun, plan, ClassifyQuestions(candidates, "known", 0))
        set_settings(begun, exam, {**exam.plan.settings, BLIND: True, PANEL: [one.annotator.id]})

    def list_shown(study: Study, who: Invitation) -> set[int]:
        album = load_campaign_images(study, quizzed.id)
        _, examples = list_examples(study, quizzed.id, annotator_id=who.annotator.id)
        return {album[number].row for example in examples for number, *_ in example.task["cells"]}

    with pictured.read() as reading:
        assert not list_shown(reading, one) & set(range(20))
        assert list_shown(reading, other) & set(range(20))


def test_a_quiz_that_has_too_few_images_left_says_so(pictured, tmp_path):
    add_known(pictured, tmp_path)
    quizzed = add_quizzed(pictured, Terms(quiz=QUIZ))
    (one,) = add_people(pictured, quizzed, 1)
    with pictured.begin() as begun:
        plan = CampaignPlan("exam", Kind("classify"), 1, 600, CampaignTexts("Look.", "Agree?"))
        candidates = {f"k{number}": [number % 4, 7] for number in range(32)}
        exam = create_classify(begun, plan, ClassifyQuestions(candidates, "known", 0))
        set_settings(begun, exam, {**exam.plan.settings, BLIND: True})
    with pictured.begin() as begun, pytest.raises(InputError, match="kept for an evaluation that you take part in"):
        begin_attempt(begun, quizzed.id, annotator_id=one.annotator.id, number=1)
