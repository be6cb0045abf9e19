"""Windows of time: from a day up to, but not including, another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from regauge.errors import InputError

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Window:
    """The days from `start` up to, but not including, `end`; an empty text leaves that side open.

    >>> Window("2012-07-11", "2013-07-11").holds("2013-07-10T23:59:59.000Z")
    True
    >>> Window("2012-07-11", "2013-07-11").holds("2013-07-11")
    False
    """

    start: str = ""
    end: str = ""

    def __post_init__(self) -> None:
        for day in (self.start, self.end):
            if day and not _DAY.fullmatch(day):
                raise InputError(f"A window of time runs between days such as 2013-07-11, not {day!r}.")
        if not (self.start or self.end):
            raise InputError("A window of time needs a first day, a last one, or both: FROM..TO.")
        if self.start and self.end and self.start >= self.end:
            raise InputError(f"The window {self.start}..{self.end} holds no day; the second is the first day after it.")

    def holds(self, moment: str) -> bool:
        """Whether a day, or a moment in UTC, lies in it."""
        # Days that are written so sort as they follow each other.
        day = moment[:10]
        return (not self.start or day >= self.start) and (not self.end or day < self.end)

    def __str__(self) -> str:
        return f"{self.start}..{self.end}"
