"""Votes → verdicts by plurality: most votes, and a shared first place is unclear (Vasudevan et al. 2022, section 3)."""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray, IntArray
from regauge.records.labels.label_set import VerdictArray
from regauge.records.labels.verdicts import Verdict


def count_pair_votes(pairs: IntArray | CountArray, verdicts: IntArray | VerdictArray, *, n_pairs: int) -> CountArray:
    """Per pair, the votes for each verdict [pairs, 3], in the order of `Verdict`."""
    table = np.zeros((n_pairs, len(Verdict)), np.int64)
    np.add.at(table, (pairs, verdicts.astype(np.int64)), 1)
    return table


def find_shared(n_votes: CountArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Per pair, whether several verdicts share the first place; of no votes all do."""
    return np.asarray((n_votes == n_votes.max(axis=1, keepdims=True, initial=0)).sum(axis=1) > 1, np.bool_)


def decide_plurality(n_votes: CountArray) -> VerdictArray:
    """Per pair the verdict with the most votes; unclear where several have them.

    >>> decide_plurality(np.array([[0, 1, 2], [1, 0, 1]])).tolist()
    [2, 1]
    """
    return np.where(find_shared(n_votes), Verdict.UNCLEAR, n_votes.argmax(axis=1)).astype(np.int8)
