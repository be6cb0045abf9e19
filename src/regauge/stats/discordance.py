"""Every pair of participants on the same images: on how many only one of the two is right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.errors import InputError
from regauge.records.arrays import CountArray

# Floats of 32 bits add whole numbers exactly as long as the sums stay below this.
_MAX_EXACT = 2**24


class DiscordantPairs(NamedTuple):
    """The images on which two participants differ, for every pair of them.

    Attributes:
        n_only_first: [participants, participants]; at [i, j] the images that i gets right and j does not.
        n_only_second: at [i, j] those that j gets right and i does not.
    """

    n_only_first: CountArray
    n_only_second: CountArray


def count_discordant_pairs(right: ArrayLike) -> DiscordantPairs:
    """What `paired.exact_mcnemar` needs, for all pairs at once: one product of matrices counts what both get right.

    Args:
        right: bool [participants, images], whether the participant is right.

    Returns:
        Counts for every ordered pair; 0 on the diagonal, and everywhere when there are no images.

    >>> count_discordant_pairs([[True, True, False], [False, True, False]]).n_only_first
    array([[0, 1],
           [0, 0]])
    """
    flags = np.asarray(right)
    if flags.ndim != 2 or flags.dtype != np.bool_:
        raise InputError(f"Answers are right or wrong: bool [participants, images], not {flags.dtype} {flags.shape}.")
    numbers: NDArray[Any] = flags.astype(np.float32 if flags.shape[1] < _MAX_EXACT else np.float64)
    n_both = (numbers @ numbers.T).astype(np.int64)
    n_only_first = np.count_nonzero(flags, axis=1)[:, np.newaxis] - n_both
    return DiscordantPairs(n_only_first, n_only_first.T)
