"""Counts as shares with their limits."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from regauge.arrays import CountArray
from regauge.estimates import Share, make_share
from regauge.stats.counts import check_counts
from regauge.stats.intervals import Limits, clopper_pearson, wilson


def make_shares(n_right: ArrayLike, n: ArrayLike) -> tuple[Share[float | None], ...]:
    """One share per pair of counts with exact limits, as accuracies have them; no value where n is 0.

    Returns:
        Shares with Clopper–Pearson limits at 95%.

    >>> [str(share) for share in make_shares([9, 0], [10, 0])]
    ['90.0% [55.5, 99.7]', '–']
    """
    return _make(n_right, n, clopper_pearson, "clopper-pearson")


def make_frequencies(n_selected: ArrayLike, n_shown: ArrayLike) -> tuple[Share[float | None], ...]:
    """One selection frequency per pair of counts, with the limits that `aggregate contains` gives it; no value where n is 0.

    Returns:
        Shares with Wilson limits at 95%.

    >>> [str(share) for share in make_frequencies([9, 0], [10, 0])]
    ['90.0% [59.6, 98.2]', '–']
    """
    return _make(n_selected, n_shown, wilson, "wilson")


def _make(
    n_right: ArrayLike, n: ArrayLike, limit: Callable[[CountArray, CountArray], Limits], method: str
) -> tuple[Share[float | None], ...]:
    part, whole = check_counts(n_correct=n_right, n=n)
    columns = (part, whole, *limit(part, whole))
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return tuple(make_share(k, size, limits=(low, high), method=method) for k, size, low, high in rows)
