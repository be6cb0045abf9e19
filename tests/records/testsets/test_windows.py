"""Windows of time are closed below and open above."""

from __future__ import annotations

import pytest

from regauge.errors import InputError
from regauge.records.testsets.windows import Window


@pytest.mark.parametrize(
    ("window", "inside", "outside"),
    [
        (Window("2012-07-11", "2013-07-11"), ["2012-07-11", "2013-07-10T23:59:59.999Z"], ["2012-07-10", "2013-07-11"]),
        (Window("2012-07-11"), ["2012-07-11T00:00:00.000Z", "2030-01-01"], ["2012-07-10T23:59:59.999Z"]),
        (Window(end="2013-07-11"), ["0999-01-01"], ["2013-07-11T00:00:00.000Z"]),
    ],
)
def test_the_first_day_is_inside_and_the_last_is_not(window: Window, inside: list[str], outside: list[str]) -> None:
    assert all(map(window.holds, inside))
    assert not any(map(window.holds, outside))


@pytest.mark.parametrize(
    ("days", "problem"),
    [
        (("", ""), "needs a first day, a last one, or both"),
        (("2013-07-11", "2013-07-11"), "holds no day"),
        (("2013-07-11", "2012-07-11"), "holds no day"),
        (("11.07.2013", ""), "runs between days such as"),
    ],
)
def test_a_window_that_holds_nothing_is_refused(days: tuple[str, str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Window(*days)
