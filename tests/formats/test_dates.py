"""Dates as tables and search engines write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.formats.dates import read_day, read_moment


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2014-07-31", "2014-07-31"),
        ("20140731", "2014-07-31"),
        (" 2014-07-31 12:34:56 ", "2014-07-31"),
        ("2014-07-31T12:34:56Z", "2014-07-31T12:34:56.000Z"),
        ("2014-07-31T23:30:00-02:00", "2014-08-01T01:30:00.000Z"),
        ("1406810096", "2014-07-31T12:34:56.000Z"),
        (1406810096, "2014-07-31T12:34:56.000Z"),
        (1406810096.5, "2014-07-31T12:34:56.500Z"),
        ("0000-00-00 00:00:00", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_a_date_becomes_a_day_or_a_moment_in_utc(written: object, read: str) -> None:
    assert read_moment(written) == read


@pytest.mark.parametrize(
    "written",
    ["yesterday", "2014", "2014-13-01", "31.07.2014", "2014-07-00 00:00:00", True, [2014], 10**30, "9" * 11, "nan"],
)
def test_what_is_no_date_is_refused(written: object) -> None:
    with pytest.raises(InputError, match="is not a date; write it as 2014-07-31"):
        read_moment(written)


@given(st.datetimes(datetime(1980, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)))
def test_a_moment_reads_back_as_itself(moment: datetime) -> None:
    once = read_moment(moment.isoformat())
    assert read_moment(once) == once
    assert abs((datetime.fromisoformat(once) - moment).total_seconds()) < 0.001


def test_a_day_has_no_time() -> None:
    assert read_day(" 2014-07-31 ") == "2014-07-31"
    with pytest.raises(InputError, match="is not a date"):
        read_day("2014-07-31T12:00:00")
