"""Counts as shares."""

from __future__ import annotations

import pytest

from regauge.errors import InputError
from regauge.records.responses.quality import ListPage
from regauge.responses.live.shares import make_frequencies, make_shares
from regauge.stats.intervals import clopper_pearson, wilson


@pytest.mark.parametrize(("make", "limit"), [(make_shares, clopper_pearson), (make_frequencies, wilson)])
def test_a_share_has_the_limits_of_its_method(make, limit):
    share, nothing = make([3, 0], [4, 0])
    low, high = limit(3, 4)
    assert (share.value, share.low, share.high) == (0.75, float(low), float(high))
    assert (nothing.k, nothing.n, nothing.value, nothing.low, nothing.high, str(nothing)) == (
        0,
        0,
        None,
        None,
        None,
        "–",
    )


@pytest.mark.parametrize("fields", [(-1, 10), (0, 0), (0, 1_001)])
def test_a_page_has_bounds(fields):
    with pytest.raises(InputError, match="page"):
        ListPage(*fields)
