"""Moments: as texts in the tables, as milliseconds since 1970, and as they are in Python."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_moment(text: str) -> int:
    """Milliseconds since 1970.

    >>> parse_moment("1970-01-01T00:00:01.500Z")
    1500
    """
    return round(datetime.fromisoformat(text).timestamp() * 1_000)


def format_milliseconds(milliseconds: float) -> str:
    """The moment so many milliseconds after the beginning of 1970, as the tables have it.

    >>> format_milliseconds(1500)
    '1970-01-01T00:00:01.500Z'
    """
    return format_moment(datetime.fromtimestamp(milliseconds / 1_000, UTC))


def format_moment(moment: datetime) -> str:
    """A moment as the tables have it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
