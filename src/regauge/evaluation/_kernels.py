"""Compiled loops of the evaluation: one pass over the answers, one over the outcomes.

Outcomes are int8 codes, see `regauge.evaluation.metrics.Outcome`: 0 wrong, 1 right, 2 unjudged, 3 not counted.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

WRONG, RIGHT, UNJUDGED, NOT_COUNTED = 0, 1, 2, 3


@numba.njit(cache=True, nogil=True)
def judge_hits(
    classes: NDArray[np.int32], labels: NDArray[np.int32], n_answers: int, outcomes: NDArray[np.int8]
) -> None:
    """Right where one of the first `n_answers` answers is the label; not counted without a label or an answer."""
    for i in range(len(labels)):
        if labels[i] < 0 or classes[i, 0] < 0:
            outcomes[i] = NOT_COUNTED
            continue
        hit = WRONG
        for j in range(n_answers):
            if classes[i, j] == labels[i]:
                hit = RIGHT
        outcomes[i] = hit


@numba.njit(cache=True, nogil=True)
def judge_verdicts(
    classes: NDArray[np.int32],
    starts: NDArray[np.int64],
    listed: NDArray[np.int32],
    outcome_of_verdict: NDArray[np.int8],
    verdicts: NDArray[np.int8],
    is_counted: NDArray[np.bool_],
    unlisted_outcome: int,
    outcomes: NDArray[np.int8],
) -> None:
    """The outcome of the verdict on the first answer; `unlisted_outcome` where the image does not list the class."""
    for i in range(len(is_counted)):
        if not is_counted[i] or classes[i, 0] < 0:
            outcomes[i] = NOT_COUNTED
            continue
        outcome = unlisted_outcome
        for j in range(starts[i], starts[i + 1]):
            if listed[j] == classes[i, 0]:
                outcome = outcome_of_verdict[verdicts[j]]
        outcomes[i] = outcome


@numba.njit(cache=True, nogil=True)
def count_by_stratum(outcomes: NDArray[np.int8], strata: NDArray[np.int32], counts: NDArray[np.int64]) -> None:
    """Add every image to `counts[stratum, outcome]`; a stratum below 0 goes into the last row."""
    last = counts.shape[0] - 1
    for i in range(len(outcomes)):
        stratum = strata[i]
        if stratum < 0:
            stratum = last
        counts[stratum, outcomes[i]] += 1
