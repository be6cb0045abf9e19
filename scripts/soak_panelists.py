"""Panelists for `soak_panel.py`: their programs ask again until the server has answered, and remember what they were promised."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from scripts.soak_annotators import RETRY, BrokenPromiseError
from scripts.soak_topics import Topic

from regauge.records.responses.submissions import MAX_REVISIONS

N_CHOSEN = 3
"""Items that a chair locks at a time."""


@dataclass(frozen=True, slots=True)
class LockAttempt:
    """An item that a chair asked to lock, as they saw it: its version, and how many gave which vote."""

    task_id: int
    version: int
    counts: tuple[tuple[str, int], ...]


@dataclass(slots=True, eq=False)
class Panelist:
    """Somebody on the panel.

    Attributes:
        name: as the server calls them.
        token: of their personal link.
        address: of the server.
        campaign: the number of the campaign.
        question: what the page calls the question that is looked at.
        topic: what is discussed.
        chance: decides what they do.
        sent: every answer they ever made, by its id.
        promised: the ids of those that the server said are on disk.
        attempts: what they asked to lock, if they are a chair.
        counts: what happened, by kind.
    """

    name: str
    token: str
    address: str
    campaign: int
    question: str
    topic: Topic
    chance: random.Random
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    promised: set[str] = field(default_factory=set)
    attempts: list[LockAttempt] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    _headers: dict[str, str] = field(default_factory=dict)
    _revisions: Counter[str] = field(default_factory=Counter)

    def vote_alone(self) -> None:
        """Vote on everything in round 1, now and then twice."""
        self._ask("POST", "consent", {"version": 1})
        while tasks := self._ask("POST", "tasks", {"n": 5}).json():
            for task in tasks:
                self._answer(task, "")
                if self.chance.random() < 0.2:
                    self._answer(task, "")

    def discuss(self, is_over: threading.Event) -> None:
        """Go to items at random and change the vote, whether they are locked or not."""
        while not is_over.is_set():
            item = self.chance.choice(self._look())
            task = self._ask("GET", f"discussion/items/{item['task']}").json()
            if self._revisions[task["id"]] <= MAX_REVISIONS:
                self._answer(task, "because")
            time.sleep(self.chance.expovariate(30))

    def close(self, is_over: threading.Event) -> None:  # noqa: ARG002 - as the others are called
        """Close round 1, unless the other chair does."""
        reply = self._ask("POST", "discussion/close")
        self._expect(reply, 200, 409)
        self.counts[f"close {reply.status_code}"] += 1

    def chair(self, is_over: threading.Event) -> None:
        """Lock what is there, and now and then unlock something."""
        while not is_over.is_set():
            chosen = self.chance.sample(self._look(), N_CHOSEN)
            if chosen[0]["is_locked"]:
                act, body = "unlock", {"task": chosen[0]["task"], "reason": "once more"}
            else:
                act, body = "lock", {"items": list(self._choose(chosen))}
            reply = self._ask("POST", f"discussion/{act}", body)
            # To unlock what the other chair has just unlocked is refused in so many words.
            self._expect(reply, 200, 409, *((422,) if act == "unlock" else ()))
            self.counts[f"{act} {reply.status_code}"] += 1
            time.sleep(self.chance.expovariate(20))

    def _choose(self, items: list[dict[str, Any]]) -> Iterator[dict[str, int]]:
        for one in items:
            if not one["is_locked"]:
                counts = tuple(sorted(one["counts"][self.question].items()))
                self.attempts.append(LockAttempt(one["task"], one["version"], counts))
                yield {"task": one["task"], "version": one["version"]}

    def _look(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("GET", "discussion").json()["items"]
        return found

    def _answer(self, task: dict[str, Any], argument: str) -> None:
        """Send a vote until the server has it, now and then once more."""
        revision = self._revisions[task["id"]]
        client_id = f"{self.name}-{task['id'][:12]}-{revision}"
        answer = {**self.topic.say(task, self.chance), **({"argument": argument} if argument else {})}
        body = {"client_id": client_id, "assignment_id": task["id"], "answer": answer, "seconds": 1.0}
        self.sent[client_id] = answer
        for _ in range(self.chance.choice((1, 1, 2))):
            self._expect(self._ask("POST", "/api/answers", {**body, "revision": revision}), 200)
        self.promised.add(client_id)
        self._revisions[task["id"]] += 1

    def _expect(self, reply: httpx.Response, *statuses: int) -> None:
        if reply.status_code not in statuses:
            raise BrokenPromiseError(f"{reply.request.url} gave {reply.status_code}: {reply.text[:500]}")

    def _ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        whole = path if path.startswith("/") else f"/api/campaigns/{self.campaign}/{path}"
        while True:
            try:
                self._headers = self._headers or self._come_in()
                reply = httpx.request(
                    method, f"{self.address}{whole}", json=body, headers=self._headers, timeout=10, trust_env=False
                )
            except httpx.HTTPError:
                self.counts["lost connections"] += 1
                time.sleep(0.05)
                continue
            if reply.status_code not in RETRY:
                return reply
            self.counts[f"replies {reply.status_code}"] += 1
            time.sleep(0.1)

    def _come_in(self) -> dict[str, str]:
        reply = httpx.post(f"{self.address}/api/session", json={"token": self.token}, timeout=10, trust_env=False)
        if reply.status_code in RETRY:
            raise httpx.TransportError("not at the moment")
        return {"Cookie": reply.headers["set-cookie"].split(";")[0], "X-CSRF-Token": reply.json()["csrf"]}


@contextmanager
def let_all(
    people: list[Panelist], what: Callable[[Panelist], Callable[[threading.Event], None]]
) -> Iterator[list[threading.Thread]]:
    """Let people do something at the same time; at the end they are told that it is over, and waited for.

    Raises:
        BrokenPromiseError: something happened to one of them that must never happen.
    """
    is_over, failures = threading.Event(), list[Exception]()

    def run(person: Panelist) -> None:
        try:
            what(person)(is_over)
        except Exception as error:  # noqa: BLE001 - told below, in the thread that waits
            failures.append(error)

    threads = [threading.Thread(target=run, args=(one,), daemon=True) for one in people]
    for thread in threads:
        thread.start()
    yield threads
    is_over.set()
    for thread in threads:
        thread.join(60)
    if failures:
        raise BrokenPromiseError(f"{failures[0]}") from failures[0]
    if any(thread.is_alive() for thread in threads):
        raise BrokenPromiseError("Somebody still waits for the server.")
