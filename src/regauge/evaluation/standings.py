"""Who can be told apart: every pair of participants on the images that both answered.

Every pair is compared by McNemar's exact test, and all pairs together are one family by Holm's rule, so that the chance of
telling any pair apart wrongly is bounded. Where answers are unjudged, a pair is told apart only if it would be whatever they
turn out to be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.estimates import DEFAULT_LEVEL
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.records.evaluation.details import Standings, TurnedPairs
from regauge.stats.multiplicity import holm
from regauge.stats.paired import exact_mcnemar


def find_standings(names: Sequence[str], outcomes: OutcomeArray, *, level: float = DEFAULT_LEVEL) -> Standings:
    """Which participants are clearly better than which others.

    Args:
        names: the participants.
        outcomes: `Outcome` [participants, images].
        level: 1 − the chance that any pair at all is told apart wrongly.

    >>> right, wrong = [Outcome.RIGHT] * 10, [Outcome.WRONG] * 10
    >>> find_standings(["a", "b"], np.array([right, wrong], np.int8)).order.tolist()
    [[0, 1], [-1, 0]]
    """
    right, is_counted = outcomes == Outcome.RIGHT, outcomes != Outcome.NOT_COUNTED
    maybe = right | (outcomes == Outcome.UNJUDGED)
    n = _count_both(is_counted, is_counted)
    # At the lower end every unjudged answer of the first is wrong and every one of the second right; the upper end mirrors it.
    n_first = _count_both(right, is_counted) - _count_both(right, maybe)
    n_second = _count_both(is_counted, maybe) - _count_both(right, maybe)
    low, high = n_first - n_second, (n_second - n_first).T
    p = np.maximum(exact_mcnemar(n_first, n_second), exact_mcnemar(n_second.T, n_first.T))
    is_clear = _adjust(np.where((low < 0) & (high > 0), 1.0, p)) <= 1 - level
    order = np.where(is_clear & (low > 0), 1, np.where(is_clear & (high < 0), -1, 0)).astype(np.int8)
    apart = n[~np.eye(len(names), dtype=np.bool_)]
    return Standings(tuple(names), order, int(apart.min()) if apart.size else int(n.sum()), level)


def compare_standings(first: Standings, second: Standings) -> TurnedPairs:
    """Which pairs that can be told apart in both are ordered the other way round in the second."""
    place_of = {name: place for place, name in enumerate(second.names)}
    common = [name for name in first.names if name in place_of]
    rows = [place for place, name in enumerate(first.names) if name in place_of]
    columns = [place_of[name] for name in common]
    before, after = first.order[np.ix_(rows, rows)], second.order[np.ix_(columns, columns)]
    places = np.argwhere((before > 0) & (after < 0))
    turned = tuple((common[better], common[worse]) for better, worse in places.tolist())
    n_clear = int(np.count_nonzero(before.astype(np.int16) * after)) // 2
    return TurnedPairs(len(common) * (len(common) - 1) // 2, n_clear, turned)


def _count_both(first: BoolArray, second: BoolArray) -> CountArray:
    """For every pair of rows, the images that are in both: a product of matrices, exact below 2⁵³."""
    return np.rint(first.astype(np.float64) @ second.astype(np.float64).T).astype(np.int64)


def _adjust(p: FloatArray) -> FloatArray:
    """The p-values of all pairs, each pair once, adjusted by Holm's rule."""
    rows, columns = np.triu_indices(len(p), 1)
    adjusted = np.ones(p.shape)
    adjusted[rows, columns] = adjusted[columns, rows] = holm(p[rows, columns])
    return adjusted
