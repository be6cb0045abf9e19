"""Labels that annotators kept apart → groups that mean one object each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from regauge.errors import InputError
from regauge.records.arrays import CountArray

MAX_LABELS = 8
"""Labels at most in an exhaustive search: eight have 4,140 partitions, twelve more than four million."""


@dataclass(frozen=True, slots=True)
class Partition:
    """The division of labels into groups with the heaviest cut.

    Attributes:
        groups: per label its group, numbered from 0 in the order in which they first occur.
        cut_weight: how often annotators kept two labels apart that lie in different groups.
        n_best: how many partitions into that many groups have this weight; the division is certain where it is 1.
    """

    groups: tuple[int, ...]
    cut_weight: int
    n_best: int

    @property
    def is_unique(self) -> bool:
        """Whether no other partition has the same weight."""
        return self.n_best == 1


def find_best_partition(weights: ArrayLike, n_groups: int) -> Partition:
    """The partition of labels into exactly n_groups groups with the heaviest cut, by comparing all of them.

    An annotator who selects two labels says that they are two objects, as one object gets one label. The heaviest cut
    contradicts the fewest such pairs: it is the division of Tsipras et al. (2020), section 3.2.

    Among equal cuts the later ones in the given order of labels are preferred that keep earlier labels apart: at the first label
    that two partitions place differently, the one that places it in the later group wins. With the most selected labels first,
    these then name different objects. The rule does not depend on the order of the annotators.

    Args:
        weights: symmetric, [n, n]: how many annotators selected both labels; the diagonal is not looked at.
        n_groups: how many groups, none of them empty.

    Raises:
        InputError: there are more than eight labels, fewer than groups, or the weights are not such counts.

    >>> # Ball and two breeds of terrier: each annotator chose the ball and one breed.
    >>> find_best_partition([[0, 5, 4], [5, 0, 0], [4, 0, 0]], 2)
    Partition(groups=(0, 1, 1), cut_weight=9, n_best=1)
    """
    from regauge.labels.objects._kernels import make_scratch, search_partitions

    matrix = _check_weights(weights, n_groups)
    code = np.zeros(MAX_LABELS, np.int32)
    inside, n_best = search_partitions(matrix, len(matrix), n_groups, code, *make_scratch())
    total = int(np.triu(matrix, 1).sum())
    return Partition(tuple(code[: len(matrix)].tolist()), total - int(inside), int(n_best))


def _check_weights(weights: ArrayLike, n_groups: int) -> CountArray:
    matrix = np.ascontiguousarray(weights, np.int64)
    n = len(matrix)
    if matrix.shape != (n, n) or (matrix != matrix.T).any() or matrix.min(initial=0) < 0:
        raise InputError("Weights between labels are a symmetric table of counts from 0 up, one row per label.")
    if n > MAX_LABELS:
        raise InputError(f"All partitions are compared for up to {MAX_LABELS} labels, not for {n}.")
    if not 1 <= n_groups <= n:
        raise InputError(f"{n} labels can be divided into 1 to {n} groups, not into {n_groups}.")
    return matrix
