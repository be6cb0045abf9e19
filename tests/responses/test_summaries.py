"""The answers to a campaign in a few numbers: medians with limits that need no distribution, alpha, and frequencies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.report.small_reports import make_campaign

from regauge.estimates import Share
from regauge.records.responses.figures import ImageCounts
from regauge.responses.live.shares import make_shares
from regauge.responses.summaries import find_median_share, summarise_answers
from regauge.stats.agreement.coefficients import measure_agreement
from regauge.stats.agreement.tables import count_answers
from regauge.stats.intervals import clopper_pearson


def make_counts(n_selected: list[int], n_shown: list[int], *, controls: tuple[int, ...] = ()) -> ImageCounts:
    n = len(n_shown)
    is_control = np.isin(np.arange(n), controls)
    columns: Any = (np.arange(n), np.zeros(n, np.int32), np.array(n_shown), np.array(n_selected), is_control)
    return ImageCounts(*columns)


def share(value: float) -> Share[float | None]:
    return Share(value, 0.0, 1.0, n=100, k=round(100 * value))


def test_the_limits_of_a_median_are_shares_of_annotators() -> None:
    # Of 9 annotators the median lies between the 2nd and the 8th with 1 − 2 · 10/512 = 96.1%.
    found = find_median_share([share(place / 10) for place in range(9, 0, -1)])
    assert found is not None
    assert (found.median.value, found.median.low, found.median.high, found.median.n) == (0.5, 0.2, 0.8, 9)
    assert (found.lowest, found.highest, found.n_judged) == (0.1, 0.9, 900)


def test_few_annotators_have_no_limits_and_none_have_no_median() -> None:
    found = find_median_share([share(0.5)] * 5)
    assert found is not None
    assert (found.median.value, found.median.low) == (0.5, None)
    nothing = make_shares([0], [0])[0]
    assert find_median_share([nothing, nothing]) is None
    counted = find_median_share([nothing, share(0.25)])
    assert counted is not None
    assert (counted.median.value, counted.median.n) == (0.25, 1)


@pytest.mark.parametrize("n", [6, 7, 12, 25])
def test_the_limits_of_a_median_cover_it(n: int) -> None:
    # A skewed distribution with median 0.5 ** 0.5.
    draws = np.random.default_rng(n).random((2_000, n)) ** 0.5
    n_covered = 0
    for row in draws:
        found = find_median_share([Share(float(one), 0.0, 1.0, n=1, k=1) for one in row])
        assert found is not None
        n_covered += (found.median.low or 0) <= 0.5**0.5 <= (found.median.high or 0)
    assert clopper_pearson(n_covered, 2_000).high >= 0.95


def test_alpha_frequencies_and_divided_pairs_leave_controls_out() -> None:
    counts = make_counts([10, 5, 0, 8, 10, 0], [10, 10, 10, 10, 10, 0], controls=(4,))
    found = summarise_answers((), counts, has_pairs=True)
    votes = np.concatenate([np.repeat([1, 0], [k, 10 - k]) for k in (10, 5, 0, 8)])
    alpha = measure_agreement(count_answers(np.repeat(range(4), 10), votes)).alpha
    assert found.alpha is not None
    assert found.alpha.value == pytest.approx(float(alpha))
    assert found.alpha.n == 4
    assert [one.n for one in found.bins] == [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
    # 5 of 10 is divided, 8 of 10 is not.
    assert found.divided is not None
    assert (found.divided.k, found.divided.n) == (1, 4)
    assert (found.controls, found.agreement) == (None, None)


def test_kinds_without_pairs_and_campaigns_without_answers_have_no_frequencies() -> None:
    counts = make_counts([1, 2], [2, 2])
    for found in (
        summarise_answers((), counts, has_pairs=False),
        summarise_answers((), make_counts([0], [0]), has_pairs=True),
    ):
        assert (found.alpha, found.bins, found.divided) == (None, (), None)
    # All votes alike: alpha is not defined, frequencies are.
    alike = summarise_answers((), make_counts([2, 2], [2, 2]), has_pairs=True)
    assert alike.alpha is None
    assert [one.n for one in alike.bins][-1] == 2


def test_who_is_dropped_does_not_count() -> None:
    people = make_campaign().annotators
    worse = [replace(people[0], controls=share(0.0), is_dropped=True), *people[1:]]
    found = summarise_answers(worse, make_counts([1], [2]), has_pairs=True)
    assert found.controls is not None
    assert (found.controls.lowest, found.controls.median.n) == (0.9, 7)
