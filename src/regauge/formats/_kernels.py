"""The compiled loop that numbers texts by first appearance."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, IntArray


@njit(cache=True, nogil=True)
def number_hashes(hashes: NDArray[np.uint64], codes: IntArray, first: CountArray) -> int:
    """Fill for every hash the number of its value in order of first appearance, and where each first appears.

    An open-addressing table of the numbers, grown as they come; it holds half as many as it has places at most.

    Returns:
        How many different values there are.
    """
    size = 1_024
    table = np.full(size, -1, np.int32)
    n_distinct = 0
    for row in range(hashes.size):
        if 2 * n_distinct >= size:
            size *= 4
            table = np.full(size, -1, np.int32)
            for code in range(n_distinct):
                place = hashes[first[code]] & np.uint64(size - 1)
                while table[place] >= 0:
                    place = (place + np.uint64(1)) & np.uint64(size - 1)
                table[place] = code
        place = hashes[row] & np.uint64(size - 1)
        while table[place] >= 0 and hashes[first[table[place]]] != hashes[row]:
            place = (place + np.uint64(1)) & np.uint64(size - 1)
        if table[place] < 0:
            table[place] = n_distinct
            first[n_distinct] = row
            n_distinct += 1
        codes[row] = table[place]
    return n_distinct
