"""Campaigns are made of pairs or candidates, opened, closed and reworded, on both databases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflows.answer_rows import load_tasks
from tests.workflows.campaign_studies import (
    LEASE,
    N_CLASSES,
    N_IMAGES,
    SHAPE,
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

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignPlan, CampaignState, Kind
from regauge.records.responses.answers import Control, GridShape
from regauge.storage.campaigns.campaign import get_campaign, load_campaign_images
from regauge.storage.events import list_events
from regauge.workflows.campaigns.campaign import describe_progress
from regauge.workflows.campaigns.openings import close_campaign, open_campaign
from regauge.workflows.campaigns.texts import revise_texts
from regauge.workflows.demo.campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

PLAN = CampaignPlan("new", Kind("contains"), 2)


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        yield study


def test_every_image_is_asked_for_its_label_unless_pairs_are_given(pictured: Study) -> None:
    entry = add_contains(pictured)
    with pictured.read() as reading:
        tasks = load_tasks(reading, entry)
        images = load_campaign_images(reading, entry.id)
    asked = Counter(
        (images[number].row, task["class"])
        for task in tasks.values()
        for number, control in task["cells"]
        if control == Control.NONE
    )
    assert set(asked) == {(row, row % N_CLASSES) for row in range(N_IMAGES)}
    # Six images of each class, four to a grid: two grids, the rests filled up with two repeats.
    assert len(tasks) == entry.n_tasks == 2 * N_CLASSES
    assert sum(asked.values()) == N_IMAGES + 2 * N_CLASSES


def test_controls_show_the_class_or_another(pictured: Study) -> None:
    entry = add_contains(pictured)
    with pictured.read() as reading:
        images = load_campaign_images(reading, entry.id)
        for task in load_tasks(reading, entry).values():
            labels = {
                control: {images[n].row % N_CLASSES for n, c in task["cells"] if c == control} for control in (1, 2)
            }
            assert labels[1] == {task["class"]}
            assert len(labels[2]) == 1
            assert labels[2] != labels[1]


def test_controls_can_come_from_another_test_set(pictured: Study, tmp_path: Path) -> None:
    with pictured.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "known", prefix="k"), name="known")
        questions = ContainsQuestions("pictures", controls="known", shape=SHAPE, seed=0)
        entry = create_contains(begun, PLAN, questions)
        images = load_campaign_images(begun, entry.id)
        cells = [cell for task in load_tasks(begun, entry).values() for cell in task["cells"]]
    sets = {control: {images[n].test_set_id for n, c in cells if c == control} for control in (0, 1, 2)}
    assert len(sets[0]) == 1
    assert sets[1] == sets[2] != sets[0]
    assert entry.plan.settings["controls"] == "known"


def test_two_sets_can_be_asked_about_in_the_same_grids(pictured: Study, tmp_path: Path) -> None:
    with pictured.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "known", prefix="k"), name="known")
        entry = create_contains(begun, PLAN, ContainsQuestions("pictures", shape=SHAPE, also=["known"], seed=0))
        images = load_campaign_images(begun, entry.id)
        tasks = [
            [images[n].test_set_id for n, c in task["cells"] if c == 0] for task in load_tasks(begun, entry).values()
        ]
        some = ContainsQuestions("pictures", [("i0", 0), ("k1", 1), ("k5", 1)], shape=SHAPE, also=["known"], seed=0)
        few = create_contains(begun, replace(PLAN, name="few"), some)
    asked = Counter(test_set_id for cells in tasks for test_set_id in cells)
    assert len(asked) == 2
    assert len(set(asked.values())) == 1
    assert any(len(set(cells)) == 2 for cells in tasks), "they are mixed, so that nobody can tell them apart"
    assert (entry.plan.settings["test_set"], entry.plan.settings["also"]) == ("pictures", ["known"])
    assert few.plan.settings["n_pairs"] == 3


def test_two_sets_that_share_ids_are_not_asked_about_together(pictured: Study, tmp_path: Path) -> None:
    with pictured.begin() as begun:
        add_test_set(begun, write_pictures(tmp_path / "again"), name="again")
    with pytest.raises(InputError, match="'i0' is in pictures and in again"), pictured.begin() as begun:
        create_contains(begun, PLAN, ContainsQuestions("pictures", also=["again"], seed=0))


def test_pairs_can_be_given(pictured: Study) -> None:
    with pictured.begin() as begun:
        shape = GridShape(6, n_positive=1, n_negative=1)
        entry = create_contains(begun, PLAN, ContainsQuestions(pairs=[("i0", 1), ("i0", 2)], shape=shape, seed=0))
    assert entry.n_tasks == 2
    assert entry.state is CampaignState.DRAFT


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("questions", "words"),
    [
        (
            ContainsQuestions(pairs=[("nobody", 1)], seed=0),
            "no image 'nobody'; name the test set or pool that has it with `also=…`",
        ),
        (ContainsQuestions(pairs=[("i0", 10)], seed=0), "Class 10 is none of the 10 classes"),
        (ContainsQuestions(pairs=[("i0", 1), ("i0", 1)], seed=0), "listed twice"),
        (
            ContainsQuestions(pairs=[("i0", 9)], seed=0),
            "Positive controls: .* truck has images for 0",
        ),
        (ContainsQuestions(pairs=[], seed=0), "no pairs"),
        (ContainsQuestions(test_set="other", seed=0), "other"),
    ],
)
def test_questions_that_cannot_be_asked_are_refused(pictured: Study, questions: ContainsQuestions, words: str) -> None:
    with pytest.raises(InputError, match=words), pictured.begin() as begun:
        create_contains(begun, PLAN, questions)
    with pictured.read() as reading:
        assert describe_progress(reading) == []


def test_images_that_are_not_at_hand_cannot_be_asked_about(pictured: Study, tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("image_id,label\na,0\nb,1\n")
    with pictured.begin() as begun:
        add_test_set(begun, tmp_path / "bare.csv", name="bare")
    with pytest.raises(InputError, match="not at hand"), pictured.begin() as begun:
        create_contains(begun, PLAN, ContainsQuestions("bare", seed=0))


def test_a_name_is_taken_once(pictured: Study) -> None:
    add_contains(pictured)
    with pytest.raises(InputError, match="already has a campaign 'grids'"):
        add_contains(pictured)


@pytest.mark.same_sql
@pytest.mark.parametrize(
    ("candidates", "words"),
    [
        ({}, "no images to ask about"),
        ({"nobody": [1]}, "no image 'nobody'"),
        ({"i0": [1, 99]}, "Class 99"),
        ({"i0": [1], "i1": []}, "Image 'i1' has no candidates"),
        ({"i0": [1, 1]}, "listed twice"),
    ],
)
def test_candidates_that_cannot_be_asked_about_are_refused(
    pictured: Study, candidates: dict[str, list[int]], words: str
) -> None:
    with pytest.raises(InputError, match=words), pictured.begin() as begun:
        create_classify(begun, CampaignPlan("new", Kind("classify"), 2), ClassifyQuestions(candidates, seed=0))


def test_a_classify_campaign_has_one_task_per_image_in_random_order(pictured: Study) -> None:
    entry = add_classify(pictured, n_images=20)
    with pictured.read() as reading:
        images = load_campaign_images(reading, entry.id)
        rows = [images[task["image"]].row for task in load_tasks(reading, entry).values()]
    assert sorted(rows) == list(range(20))
    assert rows != sorted(rows)


def test_opening_and_closing_are_noted_and_refused_twice(pictured: Study) -> None:
    entry = add_contains(pictured, is_open=False)
    with pictured.begin() as begun:
        opened = open_campaign(begun, "grids")
        assert (opened.state, opened.opened_at is not None) == (CampaignState.OPEN, True)
        with pytest.raises(InputError, match="open already"):
            open_campaign(begun, "grids")
        closed = close_campaign(begun, "grids")
        assert (closed.state, closed.closed_at is not None) == (CampaignState.CLOSED, True)
        assert open_campaign(begun, "grids").state is CampaignState.OPEN
        whats = [event.what for event in list_events(begun) if event.what.startswith("campaign")]
    assert whats == ["campaign create", "campaign open", "campaign closed", "campaign open"]
    assert entry.state is CampaignState.DRAFT


def test_a_new_text_is_a_new_version_and_the_old_one_stays(pictured: Study) -> None:
    add_contains(pictured)
    with pictured.begin() as begun:
        revised = revise_texts(begun, "grids", consent="Agree anew?")
    assert (revised.plan.texts.version, revised.plan.texts.consent) == (2, "Agree anew?")
    assert revised.plan.texts.instructions == "Look."


def test_an_unknown_campaign_is_refused_by_name_with_the_others_and_by_number_without(pictured: Study) -> None:
    add_contains(pictured, name="secret draft", is_open=False)
    with pictured.read() as reading:
        with pytest.raises(InputError, match="it has: secret draft"):
            get_campaign(reading, "other")
        for number in (0, -1, 99, 2**31, 2**63, 10**30):
            with pytest.raises(InputError, match=r"^There is no such campaign\.$"):
                get_campaign(reading, number)


def test_progress_counts_answers_people_and_leases(pictured: Study) -> None:
    entry = add_contains(pictured)
    first, second, third = add_people(pictured, entry, 3)
    for who in (first, second):
        (one,) = take(pictured, entry, who)
        answer(pictured, make_answer(one))
    take(pictured, entry, third, 2)
    with pictured.read() as reading:
        ((_, progress),) = describe_progress(reading)
    assert (progress.n_tasks, progress.n_needed) == (8, 16)
    assert (progress.n_counted, progress.n_surplus, progress.n_leased, progress.n_annotators) == (2, 0, 2, 2)
    get_clock(pictured).jump(LEASE + 1)
    with pictured.read() as reading:
        ((_, later),) = describe_progress(reading)
    assert later.n_leased == 0


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"name": " a"}, {"n_annotators": 0}, {"n_annotators": 1001}, {"lease_seconds": 0}]
)
def test_a_plan_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        CampaignPlan(**{"name": "a", "kind": Kind("contains"), "n_annotators": 1, **wrong})  # type: ignore[arg-type]


def test_a_seed_that_is_not_given_is_drawn_and_kept(pictured: Study) -> None:
    seeds = {ContainsQuestions().seed for _ in range(3)} | {ClassifyQuestions({}).seed for _ in range(3)}
    assert len(seeds) == 6
    questions = ContainsQuestions(shape=SHAPE)
    with pictured.begin() as begun:
        made = create_contains(begun, PLAN, questions)
        again = create_contains(begun, replace(PLAN, name="again"), replace(questions, pairs=None))
        tasks = [list(load_tasks(begun, one).values()) for one in (made, again)]
    assert made.plan.settings["seed"] == questions.seed
    assert tasks[0] == tasks[1]
