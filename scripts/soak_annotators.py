"""Annotators for `soak_server.py`: they lose connections, repeat themselves, and remember what they were promised."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from regauge.records.responses.submissions import MAX_REVISIONS

TIMEOUT = 10.0
N_HELD = 3
N_CLASSES = 10
"""Of the taxonomy; reviewers may name any."""
VERDICTS = ("correct", "unclear", "wrong")
RETRY = frozenset({408, 429, 503})
"""Replies after which the same request is sent again; anything else but success is a failure of the server."""


RECEIPT = {"status": "stored"}
"""What every answer is acknowledged by."""


class BrokenPromiseError(Exception):
    """The server did what it must never do."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer as an annotator made it."""

    client_id: str
    assignment_id: str
    answer: dict[str, Any]
    seconds: float
    revision: int

    def to_json(self) -> bytes:
        """The body of the request."""
        return json.dumps(
            {
                "client_id": self.client_id,
                "assignment_id": self.assignment_id,
                "answer": self.answer,
                "seconds": self.seconds,
                "revision": self.revision,
            }
        ).encode()


def make_answer(task: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Any answer to a task: cells of a grid, or verdicts on most labels and at times a class that was not asked about."""
    if task["kind"] == "contains":
        return {"mask": f"{chance.getrandbits(len(task['images'])):x}"}
    keys = [item["key"] for item in task["view"]["items"]]
    said = {key: chance.choice(VERDICTS) for key in keys if chance.random() < 0.9}
    answer: dict[str, Any] = {"verdicts": said or {keys[0]: chance.choice(VERDICTS)}}
    others = [index for index in range(N_CLASSES) if str(index) not in keys]
    if task["view"]["target"] is None and others and chance.random() < 0.2:
        answer["more"] = [chance.choice(others)]
    return answer


@dataclass(slots=True, eq=False)
class Annotator:
    """One person with a browser that loses connections, and a notebook.

    Attributes:
        name: as the server calls them.
        token: of their personal link.
        port: where the server listens.
        campaigns: the numbers of the campaigns.
        chance: decides what they do.
        sent: every answer they ever made, by its id.
        promised: the ids of those that the server said are on disk.
        counts: what happened, by kind.
        heard: set whenever a promise comes in; who kills the server may wait for that very moment.
    """

    name: str
    token: str
    port: int
    campaigns: Sequence[int]
    chance: random.Random
    sent: dict[str, Sent] = field(default_factory=dict)
    promised: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    is_careful: bool = False
    _headers: str = ""
    _held: dict[str, dict[str, Any]] = field(default_factory=dict)
    _answered: dict[str, dict[str, Any]] = field(default_factory=dict)
    _outbox: list[Sent] = field(default_factory=list)
    _stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def work(self, stop: asyncio.Event) -> None:
        """Work until told to stop, then hand in what is left."""
        await self._come_in()
        while not stop.is_set():
            await self._act()
            await asyncio.sleep(self.chance.expovariate(20))
        self.is_careful = True
        while self._outbox:
            await self._hand_in(0)
        self._hang_up()

    async def _act(self) -> None:
        kind = self.chance.random()
        if len(self._held) < N_HELD and kind < 0.5:
            await self._take()
        elif kind < 0.7 and self._held:
            self._answer(self.chance.choice(list(self._held)))
        elif kind < 0.75 and self._answered:
            self._revise(self.chance.choice(list(self._answered)))
        elif kind < 0.76:
            # Long enough for a lease to end.
            await asyncio.sleep(2)
        if self._outbox and self.chance.random() < 0.8:
            await self._hand_in(self.chance.randrange(len(self._outbox)))

    def _answer(self, assignment_id: str) -> None:
        self._answered[assignment_id] = self._held.pop(assignment_id)
        self._write(assignment_id, 0)

    def _revise(self, assignment_id: str) -> None:
        n_earlier = sum(one.assignment_id == assignment_id for one in self.sent.values())
        if n_earlier <= MAX_REVISIONS:
            # One change more would be refused, as it should be.
            self._write(assignment_id, n_earlier)

    def _write(self, assignment_id: str, revision: int) -> None:
        answer = make_answer(self._answered[assignment_id], self.chance)
        one = Sent(uuid.uuid4().hex, assignment_id, answer, self.chance.random() * 100, revision)
        self.sent[one.client_id] = one
        self._outbox.append(one)

    async def _hand_in(self, place: int) -> None:
        one = self._outbox[place]
        body = one.to_json()
        if self.chance.random() < 0.1:
            self.counts["twice at once"] += 1
            replies = list(await asyncio.gather(self._ask("POST", "/api/answers", body), self._ask_anew(body)))
        else:
            replies = [await self._ask("POST", "/api/answers", body)]
        for reply in replies:
            if reply is not None:
                self._note(one, reply)
        if one.client_id in self.promised and self.chance.random() < 0.9:
            # Else it is sent again some time, though the server has it.
            self._outbox.remove(one)

    def _note(self, one: Sent, reply: object) -> None:
        if reply != RECEIPT:
            raise BrokenPromiseError(f"{one.client_id} was acknowledged by {reply}, not by {RECEIPT}.")
        self.promised.add(one.client_id)
        self.counts["acknowledgements"] += 1
        self.heard.set()

    async def _take(self) -> None:
        campaign = self.chance.choice(self.campaigns)
        found = await self._ask("POST", f"/api/campaigns/{campaign}/tasks", json.dumps({"n": N_HELD}).encode())
        for task in found or []:
            if task["id"] not in self._answered:
                self._held.setdefault(task["id"], task)

    async def _come_in(self) -> None:
        body = json.dumps({"token": self.token}).encode()
        while (found := await self._exchange("POST", "/api/session", body)) is None:
            await asyncio.sleep(0.2)
        head, session = found
        cookie = next(line for line in head.split("\r\n") if line.lower().startswith("set-cookie: "))
        self._headers = f"Cookie: {cookie[12:].split(';')[0]}\r\nX-CSRF-Token: {session['csrf']}\r\n"
        for campaign in self.campaigns:
            while await self._ask("POST", f"/api/campaigns/{campaign}/consent", b'{"version": 1}') is None:
                await asyncio.sleep(0.2)

    async def _ask_anew(self, body: bytes) -> Any:  # noqa: ANN401 - JSON
        """The same answer on a connection of its own, at the same moment."""
        other = Annotator(self.name, self.token, self.port, self.campaigns, self.chance)
        other._headers = self._headers
        reply = await other._ask("POST", "/api/answers", body)
        other._hang_up()
        return reply

    async def _ask(self, method: str, path: str, body: bytes) -> Any:  # noqa: ANN401 - JSON
        found = await self._exchange(method, path, body)
        return None if found is None else found[1]

    async def _exchange(self, method: str, path: str, body: bytes) -> tuple[str, Any] | None:
        """The head and the content of a reply; None where none came, or the server is not able at the moment."""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        message = f"{head}{self._headers}Content-Length: {len(body)}\r\n\r\n".encode() + body
        try:
            async with asyncio.timeout(TIMEOUT):
                found = await self._transmit(message)
        except (OSError, EOFError, TimeoutError):
            self.counts["lost connections"] += 1
            self._hang_up()
            return None
        if found is None:
            return None
        status, reply_head, content = found
        if status in RETRY:
            self.counts[f"replies {status}"] += 1
            return None
        if status not in {200, 204}:
            raise BrokenPromiseError(f"{method} {path} gave {status}: {content!r}")
        return reply_head, json.loads(content) if content else True

    async def _transmit(self, message: bytes) -> tuple[int, str, bytes] | None:
        if self._stream is None:
            self._stream = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._stream
        fault = 1.0 if self.is_careful else self.chance.random()
        if fault < 0.04:
            self.counts["cut while sending"] += 1
            writer.write(message[: self.chance.randrange(len(message))])
            await writer.drain()
            self._hang_up()
            return None
        writer.write(message)
        await writer.drain()
        if fault < 0.1:
            self.counts["gone before the reply"] += 1
            await asyncio.sleep(self.chance.choice((0, 0.002, 0.02)))
            self._hang_up()
            return None
        return await _read_reply(reader)

    def _hang_up(self) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self._stream[1].close()
            self._stream = None


async def _read_reply(reader: asyncio.StreamReader) -> tuple[int, str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lengths = [line[15:] for line in head.lower().split("\r\n") if line.startswith("content-length:")]
    content = await reader.readexactly(int(lengths[0])) if lengths else b""
    return int(head.split(" ", 2)[1]), head, content
