"""Intervals and how numbers are written."""

from __future__ import annotations

import re

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.records.estimates import Interval, check_level, format_estimate, format_percent


def test_an_interval_holds_its_ends_and_what_lies_between() -> None:
    interval = Interval(0.25, 0.5, 0.95, "clopper-pearson")
    assert [value in interval for value in (0.24, 0.25, 0.3, 0.5, 0.51)] == [False, True, True, True, False]


def test_an_interval_may_be_a_single_point() -> None:
    assert 0.5 in Interval(0.5, 0.5, 0.95, "paired bootstrap")


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.4), (np.nan, 0.4), (0.5, np.nan)])
def test_an_interval_that_ends_before_it_starts_is_refused(low: float, high: float) -> None:
    message = f"An interval must not end before it starts: [{low}, {high}]."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Interval(low, high, 0.95, "clopper-pearson")


@pytest.mark.parametrize("level", [0.001, 0.5, 0.95, 0.999])
def test_a_level_between_0_and_1_comes_back(level: float) -> None:
    assert check_level(level) == level


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, np.nan])
def test_a_level_that_is_no_coverage_is_refused(level: float) -> None:
    message = f"A confidence level lies strictly between 0 and 1, such as 0.95, not {level}."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        check_level(level)


def test_percentages_have_one_decimal_and_a_missing_value_is_a_dash() -> None:
    assert format_percent(0.83349) == "83.3%"
    assert format_percent(0.0) == "0.0%"
    assert format_percent(1) == "100.0%"
    assert format_percent(None) == "–"


def test_an_estimate_is_written_with_its_interval_where_it_has_one() -> None:
    assert format_estimate(0.8334, low=0.8289, high=0.8361) == "83.3% [82.9, 83.6]"
    assert format_estimate(None, low=None, high=None) == "–"
    assert format_estimate(0.5, low=None, high=None) == "50.0%"
    assert format_estimate(None, low=0.1, high=0.2) == "–"
