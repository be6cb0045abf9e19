"""Numbers in documents: a true minus sign, limits in brackets, and never a minus before a zero."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.report.numbers import format_limits, format_number

finite = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (1.25, {}, "1.2"),
        (-1.84, {}, "−1.8"),
        (-0.04, {}, "0.0"),
        (-0.04, {"sign": True}, "0.0"),
        (0.05, {"decimals": 2, "sign": True}, "+0.05"),
        (3.0, {"decimals": 0, "sign": True}, "+3"),
        (-0.4, {"decimals": 0}, "0"),
    ],
)
def test_a_number_reads_as_expected(value: float, options: dict[str, int], text: str) -> None:
    assert format_number(value, **options) == text  # type: ignore[arg-type]


@given(finite, st.integers(0, 4), st.booleans())
def test_a_text_stands_for_the_number_it_was_made_of(value: float, decimals: int, sign: bool) -> None:
    text = format_number(value, decimals=decimals, sign=sign)
    assert "-" not in text
    assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.5 * 10**-decimals + 1e-9)


def test_limits_follow_in_brackets_and_are_left_out_where_there_are_none() -> None:
    assert format_limits(-0.0184, (-0.049, 0.0021), decimals=2, sign=True) == "−0.02 [−0.05, 0.00]"
    assert format_limits(-0.0184, (-0.049, 0.0021), scale=100) == "−1.8 [−4.9, 0.2]"
    assert format_limits(1.0, (None, 2.0)) == "1.0"
    assert format_limits(1.0, (0.5, None)) == "1.0"
