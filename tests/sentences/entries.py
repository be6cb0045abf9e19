"""What is registered for a sentence of the code: data that print it, and data that must not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Maker: TypeAlias = Callable[[Path], str | Iterable[object]]
"""Runs the code on small data, in a folder of its own if it needs one, and gives what it said."""


@dataclass(frozen=True)
class Pair:
    """A sentence that depends on the data.

    Attributes:
        says: data that print it.
        silent: data that reach the same code and must not print it.
    """

    says: Maker
    silent: Maker


@dataclass(frozen=True)
class Always:
    """A sentence that is printed whatever the data are, because it is true of all of them.

    Attributes:
        reason: why no data make it false.
        says: data that print it.
    """

    reason: str
    says: Maker


Entries: TypeAlias = Mapping[str, Pair | Always]


def read_lines(said: str | Iterable[object]) -> list[str]:
    """What was said as lines without needless spaces."""
    texts = [said] if isinstance(said, str) else [str(one) for one in said]
    return [" ".join(line.split()) for text in texts for line in text.splitlines()]
