"""The draws of the compiled loops, written once more in Python's own integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from regauge.arrays import CountArray

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(bits: int) -> int:
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def draw(n: int, *, seed: int, stream: int, replicate: int) -> CountArray:
    """n numbers below n: splitmix64 from a hash, both halves of each output, Lemire's rule."""
    key = mix((mix((seed + GOLDEN) & MASK) + stream * GOLDEN) & MASK)
    state = mix((key + replicate * GOLDEN) & MASK)
    drawn: list[int] = []
    while len(drawn) < n:
        state = (state + GOLDEN) & MASK
        bits = mix(state)
        for half in (bits & 0xFFFFFFFF, bits >> 32):
            product = half * n
            while product % 2**32 < 2**32 % n:
                state = (state + GOLDEN) & MASK
                product = (mix(state) & 0xFFFFFFFF) * n
            drawn.append(product >> 32)
    return np.array(drawn[:n])


@pytest.fixture
def draw_by_hand() -> Callable[..., CountArray]:
    """The rows that a replicate draws; the generator beneath gives the outputs that are widely published for it."""
    states = [(1234567 + step * GOLDEN) & MASK for step in (1, 2, 3)]
    assert [mix(state) for state in states] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    return draw
