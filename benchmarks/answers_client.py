"""Many annotators who hand in answers as fast as they are acknowledged: how many, and how long each took."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import uvloop


@dataclass(frozen=True, slots=True)
class Rate:
    """What a run gave.

    Attributes:
        n: acknowledged answers.
        per_second: how many in a second.
        p50: seconds that the middle one took.
        p99: seconds that all but one in a hundred took at most.
    """

    n: int
    per_second: float
    p50: float
    p99: float


@dataclass(slots=True, eq=False)
class Load:
    """What is sent, and what came of it."""

    port: int
    path: str
    seconds: float
    end: float = 0.0
    latencies: list[float] = field(default_factory=list)


class _Connection(asyncio.Protocol):
    """One annotator: sends an answer, waits for the reply, sends the next."""

    def __init__(self, load: Load, head: bytes, bodies: Iterator[bytes], done: asyncio.Future[None]) -> None:
        self._load, self._head, self._bodies, self._done = load, head, bodies, done
        self._buffer = b""
        self._sent_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._send()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, blank, content = self._buffer.partition(b"\r\n\r\n")
        if not blank or len(content) < _find_length(head):
            return
        if not self._buffer.startswith(b"HTTP/1.1 200"):
            self._done.set_exception(RuntimeError(f"The server answered: {self._buffer!r}"))
            return
        self._buffer = b""
        self._load.latencies.append(time.perf_counter() - self._sent_at)
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(exc or RuntimeError("The server hung up."))

    def _send(self) -> None:
        body = next(self._bodies, None)
        self._sent_at = time.perf_counter()
        if body is None or self._sent_at > self._load.end:
            self._done.set_result(None)
            self._transport.close()
            return
        self._transport.write(self._head + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def _find_length(head: bytes) -> int:
    _, _, rest = head.lower().partition(b"content-length: ")
    return int(rest.partition(b"\r\n")[0])


def measure(load: Load, headers: Sequence[str], bodies: Sequence[Sequence[bytes]]) -> Rate:
    """Send for a while, with one connection per header; each has answers of its own."""
    return uvloop.run(_measure(load, headers, bodies))


async def _measure(load: Load, headers: Sequence[str], bodies: Sequence[Sequence[bytes]]) -> Rate:
    loop = asyncio.get_running_loop()
    start = time.perf_counter()
    load.end = start + load.seconds
    waiting = []
    for header, own in zip(headers, bodies, strict=True):
        head = f"POST {load.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{header}".encode()
        done = loop.create_future()
        waiting.append(done)
        make = partial(_Connection, load, head, iter(own), done)
        await loop.create_connection(make, "127.0.0.1", load.port)
    await asyncio.gather(*waiting)
    seconds = time.perf_counter() - start
    ordered = sorted(load.latencies)
    return Rate(
        len(ordered), len(ordered) / seconds, ordered[len(ordered) // 2], ordered[int(0.99 * (len(ordered) - 1))]
    )


def make_bodies(ids: Sequence[str], *, client_ids: Iterator[str]) -> list[bytes]:
    """An answer to every assignment."""
    return [
        json.dumps(
            {
                "client_id": next(client_ids),
                "assignment_id": one,
                "answer": {"mask": "f0f0f0f0f0f0"},
                "seconds": 12.5,
                "revision": 0,
            }
        ).encode()
        for one in ids
    ]
