"""How long it was from an image being shown to the answer: what a page says of it, and what is odd about that."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class TimeFlag(StrEnum):
    """What is odd about the seconds from an image being shown to its answer; they are kept all the same."""

    ASLEEP = "asleep"
    """The page stood still meanwhile: the computer slept, or the browser had put the page away."""
    CLOCK = "clock"
    """A clock was set, so that the seconds are those of a clock that cannot be."""
    AGAIN = "again"
    """The image was shown before, by a page that is gone: what was between the two is among the seconds."""
    IMPOSSIBLE = "impossible"
    """The page said more than there can have been."""
    UNREPORTED = "unreported"
    """The server was not told when the image was shown, and has only what the page says."""


FLAGS: tuple[TimeFlag, ...] = tuple(TimeFlag)


@dataclass(frozen=True, slots=True)
class ShownTime:
    """What a page says of the time from an image being shown to its answer.

    Attributes:
        seconds: by the clock that people see, which goes on while a computer sleeps and can be set.
        steady: by a clock that cannot be set, and that may stand still while a computer sleeps.
        asleep: of these, so many in which the page stood still.
        is_again: whether an earlier page had shown the image.
    """

    seconds: float
    steady: float
    asleep: float = 0.0
    is_again: bool = False

    @property
    def is_known(self) -> bool:
        """Whether these are numbers at all."""
        return all(map(math.isfinite, (self.seconds, self.steady, self.asleep)))


def write_flags(flags: Iterable[TimeFlag]) -> str | None:
    """Flags as a row has them; None for none.

    >>> write_flags([TimeFlag.AGAIN, TimeFlag.ASLEEP])
    'asleep,again'
    """
    found = set(flags)
    return ",".join(one.value for one in FLAGS if one in found) or None


def code_flags(text: str | None) -> int:
    """Flags of a row as bits; those of a later version are left out.

    >>> code_flags("asleep,again"), code_flags(None)
    (5, 0)
    """
    words = set((text or "").split(","))
    return sum(1 << place for place, one in enumerate(FLAGS) if one.value in words)


def read_flags(code: int) -> tuple[TimeFlag, ...]:
    """The flags of some bits.

    >>> read_flags(5)
    (<TimeFlag.ASLEEP: 'asleep'>, <TimeFlag.AGAIN: 'again'>)
    """
    return tuple(one for place, one in enumerate(FLAGS) if code >> place & 1)
