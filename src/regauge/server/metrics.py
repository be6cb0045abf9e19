"""What a server process counts while it runs, in the text format of Prometheus: no names, no ids, no paths with ids."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

Labels: TypeAlias = Mapping[str, str]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REFUSED = "refused"
"""What an answer is counted under that was not stored."""


@dataclass(slots=True, eq=False)
class Histogram:
    """How often a quantity was at most as large as each bound, and its sum."""

    bounds: Sequence[float]
    counts: list[int] = field(init=False)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


@dataclass(slots=True, eq=False)
class Metrics:
    """Counts since the process began.

    Batches are counted by the writer's thread and requests by the event loop's, each in fields of its own: no lock is needed,
    and a reader sees numbers that are at most one event apart.
    """

    answers: Counter[str] = field(default_factory=Counter)
    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    batch_sizes: Histogram = field(default_factory=lambda: Histogram(SIZES))
    commit_seconds: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    request_seconds: Histogram = field(default_factory=lambda: Histogram(SECONDS))

    def count_batch(self, outcomes: Iterable[str], *, n: int, seconds: float) -> None:
        """Count a batch of n pieces of work in one transaction: what became of the answers in it, and how long it took."""
        self.answers.update(outcomes)
        self.batch_sizes.observe(n)
        self.commit_seconds.observe(seconds)

    def count_request(self, method: str, route: str, *, status: int, seconds: float) -> None:
        """Count a request by the template of its address."""
        self.requests[(method if method in METHODS else "OTHER", route, status)] += 1
        self.request_seconds.observe(seconds)

    def write(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it as text, with gauges that are measured at this moment, each with what it means."""
        lines = [*self._write_counters(), *self._write_histograms()]
        for name, (meaning, value) in gauges.items():
            lines += _write_metric(name, "gauge", meaning, [({}, value)])
        return "\n".join(lines) + "\n"

    def _write_counters(self) -> Iterator[str]:
        answers = [({"outcome": outcome}, n) for outcome, n in sorted(self.answers.items())]
        meaning = "Answers acknowledged or refused; one that is sent again is counted again."
        yield from _write_metric("regauge_answers_total", "counter", meaning, answers)
        requests = [
            ({"method": method, "route": route, "status": str(status)}, n)
            for (method, route, status), n in sorted(self.requests.items())
        ]
        yield from _write_metric("regauge_http_requests_total", "counter", "Requests by route and status.", requests)

    def _write_histograms(self) -> Iterator[str]:
        for name, meaning, one in (
            ("regauge_batch_size", "Requests that shared a transaction.", self.batch_sizes),
            ("regauge_commit_seconds", "Time that a batch took to be on disk.", self.commit_seconds),
            ("regauge_http_request_seconds", "Time that a request took.", self.request_seconds),
        ):
            yield from _write_histogram(name, meaning, one)


def measure_memory() -> int:
    """Bytes of memory that the process has at this moment; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _write_histogram(name: str, meaning: str, one: Histogram) -> Iterator[str]:
    counts = list(accumulate(one.counts))
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} histogram"
    for bound, n in zip([*(f"{bound:g}" for bound in one.bounds), "+Inf"], counts, strict=True):
        yield _write_sample(f"{name}_bucket", {"le": bound}, n)
    yield _write_sample(f"{name}_sum", {}, one.total)
    yield _write_sample(f"{name}_count", {}, counts[-1])


def _write_metric(name: str, kind: str, meaning: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        yield _write_sample(name, labels, value)


def _write_sample(name: str, labels: Labels, value: float) -> str:
    # Several processes share a port, and each counts for itself: without this a scrape would mix them up.
    everything = {**labels, "process": str(os.getpid())}
    inside = ",".join(f'{label}="{_escape(text)}"' for label, text in everything.items())
    return f"{name}{{{inside}}} {value:.17g}"


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
