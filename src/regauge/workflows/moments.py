"""Moments as the tables have them ↔ milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_moment(text: str) -> int:
    """Milliseconds since 1970.

    >>> parse_moment("1970-01-01T00:00:01.500Z")
    1500
    """
    return round(datetime.fromisoformat(text).timestamp() * 1_000)


def format_moment(milliseconds: float) -> str:
    """The moment as a text.

    >>> format_moment(1500)
    '1970-01-01T00:00:01.500Z'
    """
    moment = datetime.fromtimestamp(milliseconds / 1_000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
