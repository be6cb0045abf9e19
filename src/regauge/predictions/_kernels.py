"""The compiled loop that ranks logits.

A row is read once from memory, in strips of 64 values; the p-th value of every strip belongs to lane p. The best value of
each lane is kept by comparing integers, which LLVM turns into vector instructions; comparing floats it would not, because of
NaN. The lanes fall into 16 groups. The k-th best of the group maxima cannot exceed the k-th best value of the row, because k
groups each hold a value at least as good; so only lanes that reach it are read again, about k of the 64, and few values
are ever sorted. For more than 16 answers the bound says nothing and every value is sorted in: right, but slower.

The loop is written once; Numba compiles it for 16, 32 and 64 bits when they are first needed.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, IntArray

BitArray: TypeAlias = NDArray[np.int16] | IntArray | CountArray
"""Floats of 16, 32 or 64 bits, seen as integers of that width."""

_N_LANES = 64
_N_GROUPS = 16


@njit(cache=True, nogil=True)
def _order(bits: int, infinity: int, magnitude: int) -> int:
    """An integer that orders floats as their values do: −0 equals 0, and NaN of either sign is above infinity.

    IEEE 754 stores sign and magnitude, and magnitudes compare as integers do; those above that of infinity are NaN.
    """
    size = bits & magnitude
    if size > infinity:
        return magnitude
    return size if bits >= 0 else -size


@njit(cache=True, nogil=True)
def rank_rows(bits: BitArray, infinity: int, magnitude: int, classes: IntArray, best_bits: BitArray) -> int:
    """Fill the k best columns of every row and what stands there, best first, equal values by column.

    Args:
        bits: the logits seen as integers, [n, n_classes], C-ordered.
        infinity: the bits of infinity.
        magnitude: all bits but the sign.
        classes: [n, k], filled; k is at most n_classes.
        best_bits: [n, k], filled, of the type of bits.

    Returns:
        The first row without an order, at which the loop stops, or −1: one that holds NaN, several +∞, or no finite value.
    """
    n_rows, n_classes = bits.shape
    k = classes.shape[1]
    # Numba widens integer arithmetic to 64 bits; narrowing every result again lets a vector hold 2 or 4 times as many.
    narrow = bits.dtype.type
    lowest = narrow(-magnitude)
    n_used = min(_N_LANES, n_classes)
    lanes = np.full(_N_LANES, lowest, bits.dtype)
    groups = np.empty(_N_GROUPS, bits.dtype)
    # A place is written before it is known to count, so each list has one to spare; unsigned indices spare the test for < 0.
    kept_lanes = np.empty(_N_LANES + 1, np.uint64)
    kept_columns = np.empty(n_classes + 1, np.int32)
    kept_keys = np.empty(n_classes + 1, bits.dtype)
    best_keys = np.empty(k, bits.dtype)
    best_columns = np.empty(k, np.int32)

    for i in range(n_rows):
        row = bits[i]
        for lane in range(n_used):
            lanes[lane] = narrow(_order(row[lane], infinity, magnitude))
        start = _N_LANES
        while start + _N_LANES <= n_classes:
            strip = row[start : start + _N_LANES]
            for lane in range(_N_LANES):
                lanes[lane] = max(lanes[lane], narrow(_order(strip[lane], infinity, magnitude)))
            start += _N_LANES
        for lane in range(n_classes - start):
            lanes[lane] = max(lanes[lane], narrow(_order(row[start + lane], infinity, magnitude)))

        for group in range(_N_GROUPS):
            groups[group] = max(lanes[group], lanes[group + 16], lanes[group + 32], lanes[group + 48])
        bound = lowest
        highest = lowest
        for group in range(_N_GROUPS):
            key = groups[group]
            highest = max(highest, key)
            n_as_good = 0
            for other in range(_N_GROUPS):
                n_as_good += groups[other] >= key
            if n_as_good >= k:
                bound = max(bound, key)
        # Only rows with such a highest value are read once more, so all others pay for two comparisons.
        if highest >= infinity or highest == -infinity:
            n_finite = 0
            n_highest = 0
            for column in range(n_classes):
                key = _order(row[column], infinity, magnitude)
                n_finite += abs(key) < infinity
                n_highest += key >= infinity
            if highest > infinity or n_highest > 1 or n_finite == 0:
                return i

        # Lists grow by 0 or 1 instead of by a branch: which values are good cannot be predicted, and a wrong guess costs more.
        n_lanes = np.uint64(0)
        for lane in range(n_used):
            kept_lanes[n_lanes] = lane
            n_lanes += np.uint64(lanes[lane] >= bound)
        n_kept = np.uint64(0)
        for place in range(n_lanes):
            for column in range(kept_lanes[place], np.uint64(n_classes), np.uint64(_N_LANES)):
                key = narrow(_order(row[column], infinity, magnitude))
                kept_columns[n_kept] = column
                kept_keys[n_kept] = key
                n_kept += np.uint64(key >= bound)

        n_best = 0
        for place in range(n_kept):
            key = kept_keys[place]
            column = kept_columns[place]
            if n_best < k:
                j = n_best
                n_best += 1
            elif key > best_keys[k - 1] or (key == best_keys[k - 1] and column < best_columns[k - 1]):
                j = k - 1
            else:
                continue
            while j > 0 and (best_keys[j - 1] < key or (best_keys[j - 1] == key and best_columns[j - 1] > column)):
                best_keys[j] = best_keys[j - 1]
                best_columns[j] = best_columns[j - 1]
                j -= 1
            best_keys[j] = key
            best_columns[j] = column
        for j in range(k):
            classes[i, j] = best_columns[j]
            best_bits[i, j] = row[best_columns[j]]
    return -1
