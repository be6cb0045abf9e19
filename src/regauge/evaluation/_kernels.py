"""Compiled loops of the evaluation: one pass over the answers, one over the outcomes.

Outcomes are int8 codes, see `regauge.evaluation.outcomes.Outcome`: 0 wrong, 1 right, 2 unjudged, 3 not counted.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

WRONG, RIGHT, UNJUDGED, NOT_COUNTED = 0, 1, 2, 3


@numba.njit(cache=True, nogil=True)
def judge_first(classes: NDArray[np.int32], labels: NDArray[np.int32], outcomes: NDArray[np.int8]) -> None:
    """Right where the first answer is the label; not counted without a label or an answer."""
    for i in range(len(labels)):
        is_counted = (labels[i] >= 0) & (classes[i, 0] >= 0)
        outcomes[i] = np.int8(classes[i, 0] == labels[i]) if is_counted else np.int8(NOT_COUNTED)


@numba.njit(cache=True, nogil=True)
def judge_five(classes: NDArray[np.int32], labels: NDArray[np.int32], outcomes: NDArray[np.int8]) -> None:
    """Right where one of the first five answers is the label; written out, as a loop over five takes twice as long."""
    for i in range(len(labels)):
        label = labels[i]
        is_hit = (
            (classes[i, 0] == label)
            | (classes[i, 1] == label)
            | (classes[i, 2] == label)
            | (classes[i, 3] == label)
            | (classes[i, 4] == label)
        )
        is_counted = (label >= 0) & (classes[i, 0] >= 0)
        outcomes[i] = np.int8(is_hit) if is_counted else np.int8(NOT_COUNTED)


@numba.njit(cache=True, nogil=True)
def judge_verdicts(
    classes: NDArray[np.int32],
    first_listed: NDArray[np.int32],
    first_outcomes: NDArray[np.int8],
    more_rows: NDArray[np.int32],
    more_listed: NDArray[np.int32],
    more_outcomes: NDArray[np.int8],
    unlisted_outcomes: NDArray[np.int8],
    outcomes: NDArray[np.int8],
) -> None:
    """The outcome listed for the first answer, or else the image's own outcome for classes that it does not list.

    Most images list one class. These are compared side by side; the few further entries follow as one column. A loop over
    the entries of each image would have to guess where every list ends, and mostly guess wrong.
    """
    for i in range(len(outcomes)):
        answer = classes[i, 0]
        # All ones where the condition holds, else all zeros: choosing by bits leaves nothing to guess. NOT_COUNTED has
        # both bits of an outcome set, so that it wins over any other.
        is_first = -np.int8(first_listed[i] == answer)
        is_missing = -np.int8(answer < 0)
        chosen = (first_outcomes[i] & is_first) | (unlisted_outcomes[i] & ~is_first)
        outcomes[i] = chosen | (is_missing & np.int8(NOT_COUNTED))
    for j in range(len(more_rows)):
        row = np.uint32(more_rows[j])
        is_listed = -np.int8(more_listed[j] == classes[row, 0])
        outcomes[row] = (more_outcomes[j] & is_listed) | (outcomes[row] & ~is_listed)


@numba.njit(cache=True, nogil=True)
def count_by_stratum(codes: NDArray[np.int8], strata: NDArray[np.int32], counts: NDArray[np.int32]) -> None:
    """Add every image to `counts[4 * stratum + code]`; a stratum of −1 is the last one.

    Indices are unsigned, or each one would be checked for counting from the end.
    """
    last = np.uint32(len(counts) // 4 - 1)
    for i in range(len(codes)):
        stratum = np.uint32(strata[i]) if strata[i] >= 0 else last
        counts[np.uint32(4) * stratum + np.uint32(codes[i])] += np.int32(1)
