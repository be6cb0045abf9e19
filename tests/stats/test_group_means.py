"""Limits of means of groups: those of one group at a time, and how often they cover where a bootstrap does not."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.stats.frequency_means import GroupedValues, find_information, limit_group_means, limit_mean_frequency
from regauge.stats.redraws import redraw_groups
from regauge.stats.resampling import percentile_limits


@pytest.mark.parametrize("spread", [None, AnnotatorSpread(15, 12.0, 0.4)])
def test_every_group_has_the_limits_that_it_has_alone(rng: np.random.Generator, spread: AnnotatorSpread | None):
    groups = np.repeat(np.arange(4), (10, 3, 2, 1))
    shown = rng.integers(5, 12, size=16)
    selected = rng.binomial(shown, 0.8)
    grouped = GroupedValues(selected / shown, groups, 5)
    found = limit_group_means(grouped, information=find_information(selected, shown), spread=spread)
    assert grouped.n.tolist() == [10, 3, 2, 1, 0]
    for group in range(3):
        own = groups == group
        alone = limit_mean_frequency(selected[own], shown[own], spread=spread)
        assert (found.low[group], found.high[group]) == pytest.approx((float(alone.low), float(alone.high)))
    assert np.isnan(found.low[3:]).all()
    assert np.isnan(grouped.means[4])


def test_ten_images_are_covered_where_a_bootstrap_of_them_is_too_short(rng: np.random.Generator):
    # 2,000 classes of ten images, whose frequencies vary from image to image around the mean of their class.
    n_groups = 2_000
    truth = rng.beta(8, 2, size=(n_groups, 10))
    shown = np.full((n_groups, 10), 9)
    values = (rng.binomial(shown, truth) / shown).ravel()
    groups = np.repeat(np.arange(n_groups, dtype=np.int32), 10)
    limits = limit_group_means(GroupedValues(values, groups, n_groups))
    covered = ((limits.low <= 0.8) & (limits.high >= 0.8)).mean()
    redrawn = redraw_groups(values[:, np.newaxis], groups, n_groups=n_groups, rng=rng, n_resamples=200)[0]
    low, high = percentile_limits(redrawn)
    by_bootstrap = ((low <= 0.8) & (high >= 0.8)).mean()
    assert covered > 0.95
    assert by_bootstrap < 0.92
