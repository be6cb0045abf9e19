"""How long a washout lasts, as people write it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from regauge.errors import InputError
from regauge.records.exposure.exposures import WASHOUT_DAYS

_UNITS: Mapping[str, int] = {"d": 1, "w": 7, "m": 30, "y": 365}
_DURATION = re.compile(r"(\d{1,5})\s*(d|days?|w|weeks?|m|months?|y|years?)", re.ASCII | re.IGNORECASE)


def parse_washout(text: str) -> int:
    """The days that a text says: 180d, 26w, 6m, where a month has 30 days, or 1y, with 365; 0 for none.

    Raises:
        InputError: the text says no such time.

    >>> parse_washout("180d"), parse_washout("26w"), parse_washout("6 months"), parse_washout("")
    (180, 182, 180, 0)
    """
    typed = text.strip()
    if typed in {"", "0"}:
        return 0
    found = _DURATION.fullmatch(typed)
    days = int(found[1]) * _UNITS[found[2][0].lower()] if found else -1
    if days not in WASHOUT_DAYS:
        raise InputError(
            f"A washout is a number of days, weeks, months or years such as 180d, 26w, 6m or 1y, up to {WASHOUT_DAYS.high:,} "
            f"days, not {typed[:40]!r}."
        )
    return days
