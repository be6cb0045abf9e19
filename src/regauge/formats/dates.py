"""Dates as tables and search engines write them → ISO 8601."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from regauge.errors import InputError

_SECONDS = re.compile(r"\d{9,10}(\.\d+)?")
_UNKNOWN = re.compile(r"0000-00-00([ T]00:00:00)?")


def read_moment(value: object) -> str:
    """A day such as 2014-07-31, or a moment in UTC such as 2014-07-31T12:00:00.000Z; empty where none is known.

    A time without a zone becomes its day: cameras do not know where they are. Nine or ten digits are seconds since 1970,
    as Flickr has them.

    >>> read_moment("2014-07-31 12:00:00"), read_moment("2014-07-31T12:00:00+02:00"), read_moment(1406800800)
    ('2014-07-31', '2014-07-31T10:00:00.000Z', '2014-07-31T10:00:00.000Z')

    Raises:
        InputError: the text is not a date.
    """
    if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return _refuse_unless_empty(value)
    text = str(value).strip()
    if not text or _UNKNOWN.fullmatch(text):
        return ""
    try:
        if _SECONDS.fullmatch(text):
            return _write(datetime.fromtimestamp(float(text), UTC))
        return _read_iso(text)
    except (ValueError, OverflowError, OSError):
        raise _make_error(text) from None


def read_day(text: str) -> str:
    """A day such as 2014-07-31.

    Raises:
        InputError: the text is not a day.
    """
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise _make_error(text) from None


def _read_iso(text: str) -> str:
    moment = datetime.fromisoformat(text)
    return _write(moment) if moment.tzinfo is not None else moment.date().isoformat()


def _write(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refuse_unless_empty(value: object) -> str:
    if value is None:
        return ""
    raise _make_error(value)


def _make_error(value: object) -> InputError:
    return InputError(
        f"{str(value)[:40]!r} is not a date; write it as 2014-07-31, as 2014-07-31T12:00:00Z or in seconds since 1970."
    )
