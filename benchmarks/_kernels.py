"""The floor under everything that reads logits: one pass over the bytes."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


def _sum_once(values: NDArray[np.float32]) -> float:
    flat = values.reshape(-1)
    total = np.float32(0)
    for i in range(flat.size):
        total += flat[i]
    return float(total)


# Additions may be reordered, so that they run in vectors and the memory is what the loop waits for.
sum_once = njit(cache=True, nogil=True, fastmath=True)(_sum_once)
