"""Numbers with what they rest on, and how they are written for people and for programs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.estimates import (
    Estimate,
    Share,
    check_level,
    format_estimate,
    format_limits,
    format_p,
    format_p_phrase,
    format_percent,
    format_plain,
    format_points,
    from_fields,
    make_share,
    to_fields,
    to_share_fields,
    typeset,
    typeset_number,
)

NOTHING: Estimate[float | None] = Estimate(None, None, None)
finite = st.floats(-1e6, 1e6)


# What is refused


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.4), (np.nan, 0.4), (0.5, np.nan)])
def test_an_interval_that_ends_before_it_starts_is_refused(low: float, high: float) -> None:
    message = f"An interval must not end before it starts: [{low}, {high}]."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Estimate(0.45, low, high)


@pytest.mark.parametrize(("low", "high"), [(None, 0.4), (0.5, None)])
def test_an_interval_with_one_end_is_refused(low: float | None, high: float | None) -> None:
    with pytest.raises(InputError, match="two limits or none"):
        Estimate(0.45, low, high)


def test_an_interval_may_be_a_single_point_and_need_not_hold_its_value() -> None:
    assert Estimate(0.5, 0.5, 0.5).low == 0.5
    assert Estimate(0.6, 0.1, 0.5).value == 0.6


@pytest.mark.parametrize(("k", "n", "low"), [(3, 2, 0.1), (-1, 2, 0.1), (1, 2, None), (0, 0, 0.1)])
def test_a_share_that_makes_no_sense_is_refused(k: int, n: int, low: float | None) -> None:
    with pytest.raises(InputError, match="share"):
        Share(low, low, low, n=n, k=k)


def test_a_share_of_nothing_has_no_value_and_one_of_something_has() -> None:
    nothing = make_share(0, 0, limits=(np.nan, np.nan), method="wilson")
    assert (nothing.value, nothing.low, nothing.high, nothing.n, nothing.method) == (None, None, None, 0, "wilson")
    some = make_share(1, 4, limits=(0.1, 0.8), method="wilson")
    assert (some.value, some.low, some.high, some.k, some.n) == (0.25, 0.1, 0.8, 1, 4)


@pytest.mark.parametrize("level", [0.001, 0.5, 0.95, 0.999])
def test_a_level_between_0_and_1_comes_back(level: float) -> None:
    assert check_level(level) == level


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, np.nan])
def test_a_level_that_is_no_coverage_is_refused(level: float) -> None:
    message = f"A confidence level lies strictly between 0 and 1, such as 0.95, not {level}."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        check_level(level)


# For people


def test_percentages_have_one_decimal_and_a_missing_value_is_a_dash() -> None:
    assert format_percent(0.83349) == "83.3%"
    assert format_percent(0.0) == "0.0%"
    assert format_percent(1) == "100.0%"
    assert format_percent(None) == "–"


def test_an_estimate_is_written_with_its_interval_where_it_has_one() -> None:
    assert format_estimate(Estimate(0.8334, 0.8289, 0.8361)) == "83.3% [82.9, 83.6]"
    assert format_estimate(Estimate(0.5, None, None)) == "50.0%"
    assert format_estimate(Estimate(None, 0.1, 0.2)) == "–"
    assert str(Share(0.5, 0.25, 0.75, n=4, k=2)) == "50.0% [25.0, 75.0]"


def test_points_have_a_sign_where_it_is_asked_for() -> None:
    assert format_points(Estimate(0.0123, -0.02, 0.04)) == "1.2 [-2.0, 4.0]"
    assert format_points(Estimate(0.0123, -0.02, 0.04), sign=True) == "+1.2 [-2.0, 4.0]"
    assert format_points(Estimate(-0.0123, None, None), sign=True) == "-1.2"


def test_plain_numbers_have_the_decimals_and_the_scale_that_are_asked_for() -> None:
    assert format_plain(Estimate(1.1098, 1.078, 1.188), decimals=3) == "1.110 [1.078, 1.188]"
    assert format_plain(Estimate(0.0111, 0.01, 0.0123), scale=100, decimals=2) == "1.11 [1.00, 1.23]"
    assert format_limits(Estimate(1.1098, 1.078, 1.188), decimals=2) == "[1.08, 1.19]"
    assert format_limits(Estimate(1.1098, None, None)) == "–"


@pytest.mark.parametrize(
    "text",
    [
        *(
            write(none)
            for none in (None, NOTHING)
            for write in (format_estimate, format_points, format_limits, typeset)
        ),
        *(format_plain(none, decimals=2) for none in (None, NOTHING)),
    ],
)
def test_what_is_missing_is_a_dash_and_never_0(text: str) -> None:
    assert text == "–"


@pytest.mark.parametrize(
    ("p", "cell", "phrase"),
    [
        (1.0, "1.0000", "p = 1.0000"),
        (0.0001, "0.0001", "p = 0.0001"),
        (0.00009, "< 0.0001", "p < 0.0001"),
        (0.0, "< 0.0001", "p < 0.0001"),
    ],
)
def test_a_p_value_has_four_decimals_and_none_is_0(p: float, cell: str, phrase: str) -> None:
    assert (format_p(p), format_p_phrase(p)) == (cell, phrase)


def test_a_p_value_that_is_missing_is_a_dash_or_nothing() -> None:
    assert (format_p(None), format_p(None, missing="")) == ("–", "")


# For documents


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
    assert typeset_number(value, **options) == text  # type: ignore[arg-type]


@given(finite, st.integers(0, 4), st.booleans())
def test_a_text_stands_for_the_number_it_was_made_of(value: float, decimals: int, sign: bool) -> None:
    text = typeset_number(value, decimals=decimals, sign=sign)
    assert "-" not in text
    assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.5 * 10**-decimals + 1e-9)


def test_limits_follow_in_brackets_and_are_left_out_where_there_are_none() -> None:
    assert typeset(Estimate(-0.0184, -0.049, 0.0021), decimals=2, sign=True) == "−0.02 [−0.05, 0.00]"
    assert typeset(Estimate(-0.0184, -0.049, 0.0021), scale=100) == "−1.8 [−4.9, 0.2]"
    assert typeset(Estimate(1.0, None, None)) == "1.0"


# For programs


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ({}, ["value", "low", "high"]),
        ({"prefix": "gap"}, ["gap", "gap_low", "gap_high"]),
        ({"value": "share"}, ["share", "low", "high"]),
        (
            {"prefix": "observed", "value": "observed_frequency"},
            ["observed_frequency", "observed_low", "observed_high"],
        ),
    ],
)
def test_fields_have_the_names_of_the_output_and_come_back(words: dict[str, Any], names: list[str]) -> None:
    estimate = Estimate(0.2, 0.1, 0.3)
    assert to_fields(estimate, **words) == dict(zip(names, (0.2, 0.1, 0.3), strict=True))
    assert to_fields(None, **words) == dict.fromkeys(names)
    assert from_fields(to_fields(estimate, **words), **words) == estimate


def test_a_share_has_its_counts_among_its_fields() -> None:
    assert list(to_share_fields(make_share(1, 4, limits=(0.1, 0.8), method="wilson"), "controls").values()) == [
        *(1, 4),
        *(0.25, 0.1, 0.8),
    ]
