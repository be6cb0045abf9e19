"""How fast answers come in, and when the last one will. Moments are milliseconds since 1970."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import CountArray

HOUR = 3_600_000
N_HOURS = 24
WINDOWS = (1, 6, 24)
"""Hours back that a pace is measured over: the first that holds enough answers."""
MIN_ANSWERS = 20
"""Answers that are enough for a pace over less than the longest window."""
FEWEST = 5
"""Fewer than these within the longest window tell nothing."""


@dataclass(frozen=True, slots=True)
class Pace:
    """So many answers came within the last so many hours."""

    n: int
    hours: float

    @property
    def per_hour(self) -> float:
        """Answers per hour."""
        return self.n / self.hours


def count_hours(received: CountArray, now: int) -> tuple[tuple[int, int], ...]:
    """The last 24 hours of the clock, the present one last: when each began, and how many answers came in it.

    >>> [n for _, n in count_hours(np.array([0, HOUR, HOUR + 1]), 2 * HOUR)[-3:]]
    [1, 2, 0]
    """
    first = now // HOUR - N_HOURS + 1
    recent = received[received >= first * HOUR] // HOUR - first
    counts = np.bincount(recent[recent < N_HOURS], minlength=N_HOURS)
    return tuple(((first + hour) * HOUR, n) for hour, n in enumerate(counts.tolist()))


def find_pace(received: CountArray, now: int, *, since: int) -> Pace | None:
    """How fast answers have come of late; None where too few have.

    The pace is that of the last hour where it holds enough answers, else of a longer time, since people come and go by the
    hour and by the day.

    Args:
        received: when each answer came.
        now: the moment.
        since: when the campaign was opened; no window begins before.
    """
    for hours in WINDOWS:
        start = max(now - hours * HOUR, since)
        n = int(((received >= start) & (received <= now)).sum())
        if n >= (MIN_ANSWERS if hours < WINDOWS[-1] else FEWEST) and now > start:
            return Pace(n, (now - start) / HOUR)
    return None
