"""A campaign in the demo that is under way: simulated people have worked on it for some hours, and two of them do not look."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, Kind, NewAnswer
from regauge.records.campaigns.terms import Pay, Terms
from regauge.records.responses.answers import GridShape
from regauge.storage.study import Study
from regauge.workflows.annotation.choosing import ChooserMemory, take_tasks
from regauge.workflows.annotation.renditions import list_campaign_images
from regauge.workflows.annotation.submissions import submit_answers
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.demo.campaigns import ContainsQuestions, create_contains
from regauge.workflows.demo.crowd import DemoCollections, set_clock
from regauge.workflows.people.invitations import invite
from regauge.world.annotators import Annotator, Profile

RUNNING = "simulated-running"
"""The campaign; every page of a task shows the name."""
N_ANNOTATORS = 5
HOURS = 7.0
"""So long ago the first of them came."""
LAST_CAME = 0.4
"""Hours ago the last of them came, who is still at it."""
PAUSE = timedelta(seconds=6)
SHARE_DONE = 0.6
TERMS = Terms(pay=Pay(0.3, "USD", minimum_hourly=12.0), break_minutes=30)
PROFILES = (*[Profile.CAREFUL] * 7, Profile.HURRIED, Profile.SPAMMER, Profile.IDLER)


@dataclass(frozen=True, slots=True, order=True)
class _Turn:
    """When somebody takes their next task."""

    moment: datetime
    annotator_id: int


def begin_running(
    study: Study, scene: DemoCollections, *, test_set: str, controls: str, shape: GridShape
) -> CampaignEntry:
    """Make a campaign of all images of a test set, and let people do some of it in the hours before now."""
    plan = CampaignPlan(RUNNING, Kind("contains"), N_ANNOTATORS, settings={"simulated": True}, terms=TERMS)
    begun = set_clock(study, study.around.clock() - timedelta(hours=HOURS))
    create_contains(begun, plan, ContainsQuestions(test_set, controls=controls, shape=shape, seed=0))
    campaign = open_campaign(begun, RUNNING)
    _let_work(begun, campaign, scene, until=study.around.clock())
    return campaign


def _let_work(study: Study, campaign: CampaignEntry, scene: DemoCollections, *, until: datetime) -> None:
    people = _hire(study, campaign)
    images = list_campaign_images(study, campaign.id)
    share = ceil(SHARE_DONE * campaign.n_tasks * N_ANNOTATORS / len(people))
    left, known = dict.fromkeys(people, share), ChooserMemory()
    apart = timedelta(hours=(HOURS - LAST_CAME) / (len(people) - 1))
    turns = [_Turn(study.around.clock() + place * apart, annotator_id) for place, annotator_id in enumerate(people)]
    for turn in _take_turns(turns, until=until):
        begun = set_clock(study, turn.moment)
        taken = take_tasks(begun, campaign.id, annotator_id=turn.annotator_id, known=known)
        if not taken:
            continue
        answer, seconds = scene.answer(people[turn.annotator_id], taken[0].payload, images=images)
        done = turn.moment + timedelta(seconds=seconds)
        if done < until:
            given = NewAnswer(f"simulated-{taken[0].id}", taken[0].id, turn.annotator_id, answer, seconds)
            submit_answers(set_clock(study, done), [given])
        left[turn.annotator_id] -= 1
        if left[turn.annotator_id]:
            heapq.heappush(turns, _Turn(done + PAUSE, turn.annotator_id))


def _take_turns(turns: list[_Turn], *, until: datetime) -> Iterator[_Turn]:
    """The turns in the order of their moments, those that are added meanwhile too."""
    while turns:
        turn = heapq.heappop(turns)
        if turn.moment < until:
            yield turn


def _hire(study: Study, campaign: CampaignEntry) -> dict[int, Annotator]:
    """People by their number in the study; who does not look is not called so."""
    order = study.around.rng.permutation(len(PROFILES)).tolist()
    seeds = study.around.rng.integers(0, 2**63, len(PROFILES)).tolist()
    names = [f"{campaign.name}-{number:02d}" for number in range(1, len(PROFILES) + 1)]
    hired = [Annotator(name, PROFILES[place], seed) for name, place, seed in zip(names, order, seeds, strict=True)]
    people = dict(zip((one.annotator.id for one in invite(study, names)), hired, strict=True))
    for annotator_id in people:
        consent(study, campaign.id, annotator_id=annotator_id, version=campaign.plan.texts.version)
    return people
