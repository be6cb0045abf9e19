"""Panelists vote and argue, chairs lock and unlock, and the server is killed: nothing is lost, doubled or decided otherwise."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.browser.server_process import Served, make_served_study, open_served

from regauge.campaigns.discussions.outcomes import decide_item
from regauge.records.campaigns.campaign import CampaignPlan, Kind
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.discussions.entries import list_entries, load_cast, load_items
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.campaigns.campaign import Questions, create_campaign
from regauge.workflows.campaigns.openings import open_campaign
from regauge.workflows.discussions.standing import load_standing
from regauge.workflows.labels.label_set import add_labels

NAME, N_ITEMS, N_PEOPLE, N_KILLS = "mistakes", 12, 5, 3
WORDS = ("correct", "unclear", "wrong")
CHANCE = random.Random(0)  # noqa: S311 - nothing is kept secret by it


@dataclass(slots=True)
class Person:
    """A panelist whose program asks again until the server has answered, whatever happens to it meanwhile."""

    served: Served
    name: str
    token: str
    campaign: int
    acknowledged: dict[str, dict[str, Any]] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    revisions: Counter[str] = field(default_factory=Counter)

    def ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        while True:
            try:
                if not self.headers:
                    self._come_in()
                reply = httpx.request(
                    method, f"{self.served.address}{path}", json=body, headers=self.headers, timeout=10, trust_env=False
                )
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            if reply.status_code in {429, 500, 502, 503}:
                time.sleep(0.1)
                continue
            return reply

    def _come_in(self) -> None:
        reply = httpx.post(
            f"{self.served.address}/api/session", json={"token": self.token}, timeout=10, trust_env=False
        )
        cookie = reply.headers["set-cookie"].split(";")[0]
        self.headers = {"Cookie": cookie, "X-CSRF-Token": reply.json()["csrf"]}

    @property
    def address(self) -> str:
        return f"/api/campaigns/{self.campaign}"

    def answer(self, task: dict[str, Any], vote: str, argument: str = "") -> None:
        """Send a vote until the server has it, now and then twice."""
        client_id = f"{self.name}-{task['id'][:12]}-{self.revisions[task['id']]}"
        said: dict[str, Any] = {"verdicts": {one["key"]: vote for one in task["view"]["items"]}}
        answer = {**said, **({"argument": argument} if argument else {})}
        revision = self.revisions[task["id"]]
        body = {
            "client_id": client_id,
            "assignment_id": task["id"],
            "answer": answer,
            "seconds": 1.0,
            "revision": revision,
        }
        for _ in range(CHANCE.choice((1, 1, 2))):
            reply = self.ask("POST", "/api/answers", body)
            assert reply.status_code == 200, reply.text
        self.acknowledged[client_id] = answer
        self.revisions[task["id"]] += 1


@pytest.fixture
def soaked(tmp_path: Path) -> Iterator[tuple[Served, list[Person]]]:
    served = Served(make_served_study(tmp_path))
    invited = [served.invite() for _ in range(N_PEOPLE)]
    with open_served(served.folder) as study, study.begin() as begun:
        images = load_test_set(begun, get_test_set(begun, "new")).image_ids[:N_ITEMS].tolist()
        add_labels(begun, Truth(label_sets=(LabelSet.from_lists("known", images, correct=[[2]] * N_ITEMS),)))
        names = [name for name, _ in invited]
        settings = {"panelists": names, "chairs": names[:2], "labels": "known"}
        questions = Questions("new", [(one, 3) for one in images], settings=settings, seed=0)
        campaign = create_campaign(begun, CampaignPlan(NAME, Kind("panel"), N_PEOPLE), questions)
        open_campaign(begun, NAME)
    served.start()
    yield served, [Person(served, name, link.split("#")[1], campaign.id) for name, link in invited]
    served.end(signal.SIGKILL)


def vote_alone(person: Person) -> None:
    person.ask("POST", f"{person.address}/consent", {"version": 1})
    while tasks := person.ask("POST", f"{person.address}/tasks", {"n": 5}).json():
        for task in tasks:
            person.answer(task, CHANCE.choice(WORDS))


def discuss(person: Person, is_over: threading.Event) -> None:
    """Go to items at random and change the vote, whether they are locked or not."""
    while not is_over.is_set():
        item = CHANCE.choice(person.ask("GET", f"{person.address}/discussion").json()["items"])
        task = person.ask("GET", f"{person.address}/discussion/items/{item['task']}").json()
        person.answer(task, CHANCE.choice(WORDS), "because")
        time.sleep(0.02)


def chair(person: Person, is_over: threading.Event, told: Counter[str]) -> None:
    """Lock what is there, and now and then unlock something."""
    while not is_over.is_set():
        items = person.ask("GET", f"{person.address}/discussion").json()["items"]
        chosen = CHANCE.sample(items, 3)
        is_locked = chosen[0]["is_locked"]
        body: dict[str, Any] = (
            {"task": chosen[0]["task"], "reason": "once more"}
            if is_locked
            else {"items": [{"task": one["task"], "version": one["version"]} for one in chosen if not one["is_locked"]]}
        )
        reply = person.ask("POST", f"{person.address}/discussion/{'unlock' if is_locked else 'lock'}", body)
        told[f"{'unlock' if is_locked else 'lock'} {reply.status_code}"] += 1
        assert reply.status_code in {200, 409}, reply.text
        time.sleep(0.03)


def run_all(served: Served, threads: list[threading.Thread], is_over: threading.Event, *, seconds: float) -> None:
    """Let all of them go on while the server is killed and started again."""
    for thread in threads:
        thread.start()
    for _ in range(N_KILLS):
        time.sleep(seconds)
        served.end(signal.SIGKILL)
        served.start()
    time.sleep(seconds)
    is_over.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_nothing_is_lost_or_doubled_and_outcomes_are_those_of_the_votes(soaked: tuple[Served, list[Person]]) -> None:
    served, people = soaked
    alone = [threading.Thread(target=vote_alone, args=(one,)) for one in people]
    for thread in alone:
        thread.start()
    for thread in alone:
        thread.join(60)
    assert people[0].ask("POST", f"{people[0].address}/discussion/close").json()["round"] == 2
    is_over, told = threading.Event(), Counter[str]()
    threads = [threading.Thread(target=discuss, args=(one, is_over)) for one in people[2:]]
    threads += [threading.Thread(target=chair, args=(one, is_over, told)) for one in people[:2]]
    run_all(served, threads, is_over, seconds=2.0)
    assert told["lock 200"]
    assert told["unlock 200"]
    check(served, people)


def check(served: Served, people: list[Person]) -> None:
    with open_served(served.folder) as study, study.read() as reading:
        campaign = get_campaign(reading, NAME)
        cast, entries = load_cast(reading, campaign), list_entries(reading, campaign.id)
        standing = load_standing(reading, campaign)
        tasks = load_items(reading, campaign)
        stored = [one.answer for one in cast]
    acknowledged = [one for person in people for one in person.acknowledged.values()]
    assert len(acknowledged) > N_ITEMS * N_PEOPLE + 10
    # None is lost, and none is there twice.
    assert len(stored) == len(acknowledged)
    # Each item is locked and unlocked in turn, whoever does it.
    for task_id in tasks:
        acts = [one.act.value for one in entries if one.task_id == task_id]
        assert acts == [("lock", "unlock")[place % 2] for place in range(len(acts))]
    # Outcomes are those of the last votes before the lock, counted otherwise.
    for item in standing.items:
        until = item.lock.until if item.lock else max(one.id for one in cast)
        votes: dict[int, str] = {}
        for one in sorted(cast, key=lambda vote: (vote.revision, vote.id)):
            if one.task_id == item.task_id and one.id <= until:
                votes[one.annotator_id] = one.answer["verdicts"]["3"]
        ranked = Counter(votes.values()).most_common()
        is_shared = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
        assert len(votes) == N_PEOPLE
        assert decide_item(item)["3"].vote == ("unclear" if is_shared else ranked[0][0])
