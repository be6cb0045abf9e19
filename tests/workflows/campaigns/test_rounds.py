"""A campaign that asks more people only where the decision is open, from its first grid to the last, on both databases."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.workflows.answer_rows import Read, load_tasks, read_answers, read_repeats
from tests.workflows.campaign_studies import (
    LEASE,
    N_IMAGES,
    add_people,
    answer,
    make_answer,
    make_pictured,
    take,
    write_pictures,
)

from regauge.campaigns.eligibility import AFTER
from regauge.errors import InputError
from regauge.records.campaigns.campaign import Assignment, CampaignEntry, CampaignPlan, CampaignTexts, Kind, TaskRole
from regauge.records.campaigns.redundancy import PairState, RedundancyRule, Round
from regauge.records.campaigns.terms import Terms
from regauge.records.responses.answers import Control, GridShape
from regauge.records.testsets.sampling import SamplingPlan, Strategy
from regauge.storage.campaigns.campaign import get_campaign, measure_progress
from regauge.storage.campaigns.extra_tasks import insert_extra_tasks, load_extra_tasks
from regauge.storage.events import list_events
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.campaigns.rounds import decide_campaign, extend_campaign, find_rule
from regauge.workflows.demo.campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.test_set import add_test_set

QUOTA = 3
N_MOST = 9
RULE = RedundancyRule(SamplingPlan(Strategy.THRESHOLD, threshold=0.7), max_annotators=N_MOST, doubt=0.05)
SHAPE = GridShape(10, n_positive=2, n_negative=2)
TRUE = np.linspace(0.02, 0.98, N_IMAGES)
"""The share of an endless crowd that would select each picture."""


@pytest.fixture
def pictured(tmp_path: Path, database: str) -> Iterator[Study]:
    with make_pictured(tmp_path, database=database) as study:
        with study.begin() as begun:
            add_test_set(begun, write_pictures(tmp_path / "known", prefix="k"), name="known")
        yield study


def add_grids(study: Study, *, terms: Terms | None = None) -> CampaignEntry:
    """24 pictures with their labels in grids of up to six, and four controls of another set each."""
    with study.begin() as begun:
        plan = CampaignPlan(
            "grids", Kind("contains"), QUOTA, LEASE, CampaignTexts("Look.", "Agree?"), terms=terms or Terms()
        )
        create_contains(begun, plan, ContainsQuestions("pictures", controls="known", shape=SHAPE, seed=0))
        return open_campaign(begun, "grids")


def look(one: Assignment, image_ids: tuple[str, ...]) -> str:
    """The cells that somebody selects; the same person says the same of the same picture."""
    mask = 0
    for cell, (number, control) in enumerate(one.payload["cells"]):
        image_id = image_ids[number]
        draw = np.random.default_rng([one.annotator_id, number]).random()
        is_in = draw < TRUE[int(image_id[1:])] if Control(control) is Control.NONE else control == Control.POSITIVE
        mask |= int(is_in) << cell
    return f"{mask:x}"


def work(study: Study, campaign: CampaignEntry, people: tuple[Invitation, ...]) -> None:
    """Let everybody work until there is nothing left for anybody."""
    with study.read() as reading:
        image_ids = read_answers(reading, campaign.name).image_ids
    busy = True
    while busy:
        busy = False
        for who in people:
            given = take(study, campaign, who, n=2)
            answer(study, *(make_answer(one, look(one, image_ids)) for one in given))
            busy = busy or bool(given)


def extend(study: Study, rule: RedundancyRule | None = RULE, *, is_trial: bool = False) -> Round:
    with study.begin() as begun:
        return extend_campaign(begun, "grids", rule, is_trial=is_trial, seed=0)


def read(study: Study) -> Read:
    with study.read() as reading:
        return read_answers(reading, "grids")


def count_votes(found: Read) -> Counter[tuple[int, int]]:
    """Per pair of image and class that is asked about, how many people judged it; nobody may judge it twice."""
    judges: dict[tuple[int, int], list[str]] = defaultdict(list)
    for one in found.answers:
        task = found.tasks[one.task_id]
        for number, control in task["cells"]:
            if Control(control) is Control.NONE:
                judges[number, task["class"]].append(one.annotator)
    assert all(len(set(names)) == len(names) for names in judges.values())
    return Counter({pair: len(names) for pair, names in judges.items()})


def test_rounds_go_on_until_all_is_decided_and_ask_nobody_twice_and_nothing_too_often(pictured: Study) -> None:
    campaign = add_grids(pictured)
    people = add_people(pictured, campaign, 14)
    work(pictured, campaign, people)
    rounds = []
    while (made := extend(pictured)).n_tasks:
        settled = {
            pair: n for pair, n in count_votes(read(pictured)).items() if not is_asked(read(pictured), pair, made)
        }
        rounds.append(made)
        work(pictured, campaign, people)
        votes = count_votes(read(pictured))
        # What was settled was not asked about again, and whatever was open got one more round of votes.
        assert all(votes[pair] == n for pair, n in settled.items())
    votes = count_votes(read(pictured))
    assert len(votes) == N_IMAGES
    assert set(votes.values()) <= {QUOTA, 2 * QUOTA, N_MOST}
    assert len(set(votes.values())) > 1
    assert made.states["open"] == 0
    assert [one.number for one in rounds] == [2, 3][: len(rounds)]
    assert [one.n_asked for one in rounds] == sorted([one.n_asked for one in rounds], reverse=True)
    with pictured.read() as reading:
        progress = measure_progress(reading, get_campaign(reading, "grids"))
        whats = [event.what for event in list_events(reading)]
    assert progress.n_done == progress.n_tasks
    assert whats.count("campaign extend") == len(rounds)


def is_asked(found: Read, pair: tuple[int, int], made: Round) -> bool:
    """Whether one of the last tasks, those of the round, shows the pair."""
    new = list(found.tasks.values())[-made.n_tasks :]
    return any([pair[0], int(Control.NONE)] in task["cells"] and task["class"] == pair[1] for task in new)


def test_a_round_has_small_grids_with_controls_of_their_own(pictured: Study) -> None:
    campaign = add_grids(pictured)
    work(pictured, campaign, add_people(pictured, campaign, 4))
    made = extend(pictured)
    new = list(read(pictured).tasks.values())[-made.n_tasks :]
    shown = Counter((number, task["class"]) for task in new for number, control in task["cells"] if not control)
    assert sum(shown.values()) == len(shown) == made.n_asked
    for task in new:
        controls = Counter(Control(control) for _, control in task["cells"])
        assert controls[Control.POSITIVE] == controls[Control.NEGATIVE] == 2
        assert task[AFTER]
    assert made.n_cells == made.n_asked + 4 * made.n_tasks
    assert made.n_answers == made.n_tasks * QUOTA


def test_who_has_judged_a_pair_gets_no_grid_with_it_however_long_it_waits(pictured: Study) -> None:
    campaign = add_grids(pictured)
    people = add_people(pictured, campaign, QUOTA)
    work(pictured, campaign, people)
    made = extend(pictured)
    # All three have judged everything.
    assert (made.n_people, made.n_allowed) == (QUOTA, 0)
    assert not any(take(pictured, campaign, who) for who in people)
    assert all(take(pictured, campaign, who) for who in add_people(pictured, campaign, QUOTA))


def test_pairs_of_tasks_that_lack_answers_wait(pictured: Study) -> None:
    campaign = add_grids(pictured)
    work(pictured, campaign, add_people(pictured, campaign, QUOTA - 1))
    made = extend(pictured)
    assert (made.n_tasks, made.n_asked, made.n_allowed) == (0, 0, None)
    assert made.n_pending == made.states["open"] > 0


def test_a_trial_changes_nothing(pictured: Study) -> None:
    campaign = add_grids(pictured)
    work(pictured, campaign, add_people(pictured, campaign, QUOTA))
    before = read(pictured)
    made = extend(pictured, is_trial=True)
    assert made.n_tasks > 0
    assert read(pictured).tasks == before.tasks
    assert made == extend(pictured)


def test_the_rule_of_the_last_round_holds_until_another_is_given(pictured: Study) -> None:
    campaign = add_grids(pictured)
    work(pictured, campaign, add_people(pictured, campaign, QUOTA))
    assert find_rule(pictured, campaign) == RedundancyRule()
    extend(pictured)
    with pictured.read() as reading:
        assert find_rule(reading, get_campaign(reading, "grids")) == RULE
        assert decide_campaign(reading, "grids").rule == RULE


def test_thresholds_of_single_classes_are_kept_with_the_round(pictured: Study) -> None:
    campaign = add_grids(pictured)
    work(pictured, campaign, add_people(pictured, campaign, QUOTA))
    rule = replace(RULE, plan=replace(RULE.plan, class_thresholds={0: 0.4, 7: 0.9}))
    with pictured.read() as reading:
        expected = decide_campaign(reading, "grids", rule)
    assert extend(pictured, rule).n_tasks
    with pictured.read() as reading:
        found = decide_campaign(reading, "grids")
        assert (events := list_events(reading))[-1].what == "campaign extend"
    assert found.rule == rule
    assert found.choices.tolist() == expected.choices.tolist()
    assert events[-1].parameters["rule"]["plan"]["class_thresholds"] == {"0": 0.4, "7": 0.9}


def test_examples_and_repeats_stay_what_they_are(pictured: Study) -> None:
    campaign = add_grids(pictured, terms=Terms(repeats=0.5))
    example = {"version": 1, "image": 0, "class": 0, "shows": True}
    with pictured.begin() as begun:
        insert_extra_tasks(begun, campaign, role=TaskRole.EXAMPLE, payloads=[example])
    people = add_people(pictured, campaign, 14)
    work(pictured, campaign, people)
    with pictured.read() as reading:
        before = load_extra_tasks(reading, campaign, TaskRole.REPEAT)
    extend(pictured)
    work(pictured, campaign, people)
    with pictured.read() as reading:
        now = get_campaign(reading, "grids")
        after = load_extra_tasks(reading, now, TaskRole.REPEAT)
        work_ids = set(load_tasks(reading, now))
        examples = list(load_extra_tasks(reading, now, TaskRole.EXAMPLE).values())
        sources = {one.task_id for one in read_repeats(reading, "grids")}
    assert examples == [example]
    assert before.items() <= after.items()
    assert not after.keys() & work_ids
    assert sources <= work_ids
    count_votes(read(pictured))


def test_decisions_name_every_pair_and_what_is_not_seen_is_open(pictured: Study) -> None:
    campaign = add_grids(pictured)
    for who in add_people(pictured, campaign, 2):
        given = take(pictured, campaign, who)
        answer(pictured, *(make_answer(one, look(one, read(pictured).image_ids)) for one in given))
    with pictured.read() as reading:
        decisions = decide_campaign(reading, "grids", RULE)
    assert len(decisions) == N_IMAGES
    unseen = decisions.counts.n_shown == 0
    assert unseen.any()
    assert (decisions.states[unseen] == PairState.OPEN).all()
    assert (decisions.choices[unseen] == -1).all()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (RedundancyRule(max_annotators=2), "more than the 2 who may be asked"),
        (RULE, "no answers that count yet"),
    ],
)
def test_what_cannot_be_extended_is_refused(pictured: Study, rule: RedundancyRule, words: str) -> None:
    add_grids(pictured)
    with pytest.raises(InputError, match=words):
        extend(pictured, rule)


def test_only_contains_campaigns_have_rounds(pictured: Study) -> None:
    with pictured.begin() as begun:
        plan = CampaignPlan("labels", Kind("classify"), 2, LEASE, CampaignTexts("Look.", "Agree?"))
        create_classify(begun, plan, ClassifyQuestions({"i0": [0, 7]}, "pictures", seed=0))
    with pytest.raises(InputError, match="of the kind classify"), pictured.begin() as begun:
        extend_campaign(begun, "labels", seed=0)
