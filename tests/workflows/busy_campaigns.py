"""Campaigns full of life for tests: people who answer, revise, repeat themselves, are dropped and taken back, by chance."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from sqlalchemy import insert, select
from tests.workflows.campaign_studies import add_people, answer, get_clock, take

from regauge.errors import StorageError
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import Assignment, CampaignEntry, Kind, NewAnswer, Payload, TaskRole
from regauge.records.responses.quality import AnnotatorList, ImageOrder
from regauge.storage.campaigns.assignments import insert_assignments
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.database.schema import tasks
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.invitations import Invitation
from regauge.workflows.studies.study import Study

AFTER_FLAGS = 20
"""Seconds after which flags are looked for anew."""


@dataclass(slots=True, eq=False)
class Crowd:
    """People who do something at random, step by step."""

    study: Study
    campaign: CampaignEntry
    people: tuple[Invitation, ...]
    rng: np.random.Generator
    given: list[tuple[Invitation, Assignment]] = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)
    n_answers: int = 0

    def step(self) -> None:
        """One of the things that happen."""
        actions = (self.work, self.work, self.work, self.revise, self.hold, self.decide, self.repeat)
        actions[self.rng.integers(len(actions))]()
        get_clock(self.study).jump(float(self.rng.uniform(AFTER_FLAGS, 3_000)))

    def work(self) -> None:
        """Somebody takes tasks and answers them."""
        who = self._choose()
        for one in take(self.study, self.campaign, who, n=int(self.rng.integers(1, 4))):
            self.given.append((who, one))
            self._send(one)

    def hold(self) -> None:
        """Somebody takes tasks and keeps them too long, so that others answer and theirs is surplus."""
        who = self._choose()
        for one in take(self.study, self.campaign, who, n=2):
            self.given.append((who, one))

    def revise(self) -> None:
        """Somebody answers, or changes an answer, whatever the order in which revisions arrive."""
        if self.given:
            _, one = self.given[self.rng.integers(len(self.given))]
            self._send(one, revision=int(self.rng.integers(0, 4)))

    def decide(self) -> None:
        """The manager drops somebody, or takes them back."""
        who = self._choose().annotator.name
        decide = restore_annotator if who in self.dropped else drop_annotator
        with self.study.begin() as begun:
            decide(begun, self.campaign.id, annotator=who, reason="chance")
        self.dropped ^= {who}

    def repeat(self) -> None:
        """Somebody answers again what they have answered before, the items in another order."""
        if self.given:
            who, one = self.given[self.rng.integers(len(self.given))]
            ask_again(self.study, self.campaign, one, self._make(_reverse(self.campaign.kind, one.payload)), who)

    def _choose(self) -> Invitation:
        return self.people[self.rng.integers(len(self.people))]

    def _send(self, one: Assignment, *, revision: int = 0) -> None:
        self.n_answers += 1
        seconds = None if self.rng.random() < 0.2 else float(self.rng.uniform(1, 90))
        name = f"crowd-{self.n_answers:06d}"
        answer(self.study, NewAnswer(name, one.id, one.annotator_id, self._make(one.payload), seconds, revision))

    def _make(self, task: Payload) -> Payload:
        """An answer to a task: often what is plausible, else anything; now and then something could not be shown."""
        if self.rng.random() < 0.1:
            return {"not_shown": True}
        if self.campaign.kind == Kind("contains"):
            bits = [control == 1 or (control == 0 and self.rng.random() < 0.5) for _, control in task["cells"]]
            noise = self.rng.random(len(bits)) < self.rng.choice([0.1, 0.5])
            mask = sum(int(bit) << place for place, bit in enumerate(bits ^ noise))
            missing = sum(int(self.rng.random() < 0.2) << place for place in range(len(bits)))
            missing *= int(self.rng.random() < 0.3)
            return {"mask": f"{mask & ~missing:x}", "not_shown": f"{missing:x}"}
        chosen = [one for one in task["candidates"] if self.rng.random() < 0.5]
        return {"selected": chosen, "main": chosen[self.rng.integers(len(chosen))] if chosen else None}


def make_crowd(study: Study, campaign: CampaignEntry, *, n_people: int = 5, seed: int = 0) -> Crowd:
    """People who have agreed."""
    return Crowd(study, campaign, add_people(study, campaign, n_people), np.random.default_rng(seed))


def ask_again(study: Study, campaign: CampaignEntry, one: Assignment, reply: Payload, who: Invitation) -> None:
    """Store a hidden repeat of a task for somebody, and their answer to it."""
    payload = _reverse(campaign.kind, one.payload)
    with study.begin() as begun:
        found = select(tasks.c.id).where(tasks.c.source_id == one.task_id)
        task_id = begun.connection.scalar(found)
        if task_id is None:
            last = begun.connection.scalar(select(tasks.c.position).order_by(tasks.c.position.desc()).limit(1))
            row = {
                "campaign_id": campaign.id,
                "position": (last or 0) + 1,
                "payload": payload,
                "role": TaskRole.REPEAT.value,
                "source_id": one.task_id,
            }
            task_id = begun.connection.execute(insert(tasks).returning(tasks.c.id), row).scalar_one()
        try:
            with begun.attempt():
                (assignment_id,) = insert_assignments(
                    begun, [task_id], annotator_id=who.annotator.id, expires_at=begun.around.now()
                )
        except StorageError:
            # Nobody is asked the same a third time.
            return
    get_clock(study).jump(3)
    answer(
        study,
        NewAnswer(
            f"again-{assignment_id}",
            assignment_id,
            who.annotator.id,
            KINDS[campaign.kind].task.parse(payload, reply),
            3.0,
        ),
    )


def look(study: Study, live: LiveCampaigns, name: str) -> dict[str, object]:
    """Everything that can be seen of a campaign."""
    with study.read() as reading:
        campaign = get_campaign(reading, name)
        found: AnnotatorList = live.annotators(reading, campaign)
        images = live.images(reading, campaign, order=ImageOrder.DISAGREEMENT)
        return {
            "pulse": live.pulse(reading, campaign),
            "annotators": found,
            "images": images,
            "image": [live.image(reading, campaign, number=number) for number in range(3)],
        }


def _reverse(kind: Kind, task: Payload) -> Payload:
    items = "cells" if kind == Kind("contains") else "candidates"
    return {**task, items: task[items][::-1]}
