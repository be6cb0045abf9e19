"""How long work tells how far it is, without knowing who listens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

T = TypeVar("T")


class Track(Protocol):
    """Gives back the items one by one and shows how many have been taken."""

    def __call__(self, items: Iterable[T], description: str, *, total: int | None = None) -> Iterator[T]:
        """The items, in order.

        Args:
            items: what the work goes through.
            description: what is being done, in a word or two.
            total: how many items there are, where they cannot say so themselves.
        """


def track_silently(items: Iterable[T], description: str, *, total: int | None = None) -> Iterator[T]:  # noqa: ARG001
    """The items, and nobody is told.

    >>> list(track_silently("abc", "Spelling"))
    ['a', 'b', 'c']
    """
    return iter(items)
