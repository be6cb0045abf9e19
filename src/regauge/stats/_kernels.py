"""The compiled loops of resampling: draws keyed by seed and replicate, counts of draws, and lines through points.

A replicate has a stream of its own: splitmix64 started from a hash of (seed, stream, replicate). So no replicate depends on
those before it, and neither threads nor the size of a batch can change a bit. There is no fastmath: sums stay in their order.

References:
    Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators: the generator.
    Lemire (2019), Fast random integer generation in an interval: draws without division and without bias.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from regauge.arrays import CountArray, FloatArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(0xFFFFFFFF)
_HALF_BITS = np.uint64(32)

# So many pairs of draws are computed side by side: enough for vectors, few enough to stay in the first cache.
_N_AT_ONCE = 1_024

MASK_BLOCK = 4_096
"""Masks are as long as a whole number of these; so many places of all models stay in the cache while replicates pass."""

# Where the spread of x in a replicate is this small beside its distance from the centre, digits have cancelled.
_CANCELLED = 1e-6


@njit(cache=True, nogil=True)
def _mix(bits: np.uint64) -> np.uint64:
    """The output function of splitmix64, a bijection that scatters its input."""
    bits = (bits ^ (bits >> np.uint64(30))) * _FIRST_FACTOR
    bits = (bits ^ (bits >> np.uint64(27))) * _SECOND_FACTOR
    return bits ^ (bits >> np.uint64(31))


@njit(cache=True, nogil=True)
def _start(seed: np.uint64, stream: int, replicate: int) -> np.uint64:
    """The state from which a replicate draws."""
    key = _mix(_mix(seed + _GOLDEN) + np.uint64(stream) * _GOLDEN)
    return _mix(key + np.uint64(replicate) * _GOLDEN)


@njit(cache=True, nogil=True)
def _sample_two(state: np.uint64, n: np.uint64, n_refused: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Two numbers below n, each of them equally likely, from the halves of one output; and the state after them.

    A half h gives h·n / 2³². Products whose lower half is below n_refused = 2³² mod n would make some numbers likelier, so
    they are drawn again: at n = 50,000 fewer than one in 80,000.
    """
    state += _GOLDEN
    bits = _mix(state)
    first = (bits & _HALF) * n
    second = (bits >> _HALF_BITS) * n
    while (first & _HALF) < n_refused:
        state += _GOLDEN
        first = (_mix(state) & _HALF) * n
    while (second & _HALF) < n_refused:
        state += _GOLDEN
        second = (_mix(state) & _HALF) * n
    return first >> _HALF_BITS, second >> _HALF_BITS, state


@njit(cache=True, nogil=True)
def _sample_many(state: np.uint64, n: np.uint64, firsts: NDArray[np.uint32], seconds: NDArray[np.uint32]) -> np.uint64:
    """Fill both columns with what `_sample_two` would give, row by row; the state after them.

    The states are known beforehand unless a product is refused. So all are computed side by side, in vectors, as if none
    were; in the rare case that one is, they are computed again one by one.
    """
    n_refused = np.uint64(2**32) % n
    smallest = np.uint32(0xFFFFFFFF)
    for row in range(firsts.size):
        bits = _mix(state + np.uint64(row + 1) * _GOLDEN)
        first = (bits & _HALF) * n
        second = (bits >> _HALF_BITS) * n
        firsts[row] = np.uint32(first >> _HALF_BITS)
        seconds[row] = np.uint32(second >> _HALF_BITS)
        smallest = min(smallest, np.uint32(first & _HALF), np.uint32(second & _HALF))
    if smallest >= n_refused:
        return state + np.uint64(firsts.size) * _GOLDEN
    for row in range(firsts.size):
        firsts[row], seconds[row], state = _sample_two(state, n, n_refused)
    return state


@njit(cache=True, nogil=True)
def _fit_points(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Slope and offset of the least-squares line; NaN where all x are equal or a value is missing.

    Deviations are taken from the first point, which makes those of equal x exactly 0, and then from their mean.
    """
    x_mean = 0.0
    y_mean = 0.0
    for i in range(x.size):
        x_mean += x[i] - x[0]
        y_mean += y[i] - y[0]
    x_mean /= x.size
    y_mean /= x.size
    xx = 0.0
    xy = 0.0
    for i in range(x.size):
        dx = (x[i] - x[0]) - x_mean
        xx += dx * dx
        xy += dx * ((y[i] - y[0]) - y_mean)
    if not xx > 0:
        return np.nan, np.nan
    slope = xy / xx
    return slope, (y[0] + y_mean) - slope * (x[0] + x_mean)


@njit(cache=True, nogil=True)
def resample_lines(
    x: FloatArray,
    y: FloatArray,
    starts: CountArray,
    sums: FloatArray,
    seed: np.uint64,
    first: int,
    slopes: FloatArray,
    offsets: FloatArray,
) -> None:
    """Fill the slopes and offsets of replicates first, first + 1, …, each of as many groups as there are.

    Args:
        x: deviations from the mean, group after group.
        y: the same points' deviations.
        starts: where each group starts, and where the last one ends.
        sums: [groups, 4], the sums of x, y, x², xy of each group.
        seed: see `_start`.
        first: the number of the first replicate.
        slopes: filled; NaN where all x of a replicate are equal.
        offsets: filled, in deviations like y.
    """
    n_groups = starts.size - 1
    firsts = np.empty((n_groups + 1) // 2, np.uint32)
    seconds = np.empty((n_groups + 1) // 2, np.uint32)
    sizes = np.diff(starts)
    some_x = np.empty(sizes.max() * n_groups)
    some_y = np.empty(sizes.max() * n_groups)
    for replicate in range(slopes.size):
        _sample_many(_start(seed, 0, first + replicate), np.uint64(n_groups), firsts, seconds)
        # Two sets of sums, so that an addition need not wait for the one before it.
        n_a = n_b = 0
        x_a = y_a = xx_a = xy_a = 0.0
        x_b = y_b = xx_b = xy_b = 0.0
        for row in range(n_groups // 2):
            one = firsts[row]
            n_a += sizes[one]
            x_a += sums[one, 0]
            y_a += sums[one, 1]
            xx_a += sums[one, 2]
            xy_a += sums[one, 3]
            other = seconds[row]
            n_b += sizes[other]
            x_b += sums[other, 0]
            y_b += sums[other, 1]
            xx_b += sums[other, 2]
            xy_b += sums[other, 3]
        if n_groups % 2:
            one = firsts[n_groups // 2]
            n_a += sizes[one]
            x_a += sums[one, 0]
            y_a += sums[one, 1]
            xx_a += sums[one, 2]
            xy_a += sums[one, 3]
        n, sum_x, sum_y, sum_xx, sum_xy = n_a + n_b, x_a + x_b, y_a + y_b, xx_a + xx_b, xy_a + xy_b
        spread = sum_xx - sum_x * sum_x / n
        if spread > _CANCELLED * sum_xx:
            slope = (sum_xy - sum_x * sum_y / n) / spread
            slopes[replicate] = slope
            offsets[replicate] = (sum_y - slope * sum_x) / n
        else:
            # All x are equal, or nearly so: only the points themselves can tell.
            size = 0
            for place in range(n_groups):
                group = seconds[place // 2] if place % 2 else firsts[place // 2]
                for i in range(starts[group], starts[group + 1]):
                    some_x[size] = x[i]
                    some_y[size] = y[i]
                    size += 1
            slopes[replicate], offsets[replicate] = _fit_points(some_x[:size], some_y[:size])


@njit(cache=True, nogil=True)
def fit_rows(x: FloatArray, y: FloatArray, slopes: FloatArray, offsets: FloatArray) -> None:
    """Fill the slope and offset of every row of points [rows, points]."""
    for row in range(slopes.size):
        slopes[row], offsets[row] = _fit_points(x[row], y[row])


@njit(cache=True, nogil=True)
def _count_samples(state: np.uint64, n: int, counts: NDArray[np.uint8]) -> None:
    """Fill with how often each of the first n places comes up in n draws; the places after them stay empty."""
    counts[:] = 0
    firsts = np.empty(_N_AT_ONCE, np.uint32)
    seconds = np.empty(_N_AT_ONCE, np.uint32)
    n_pairs = n // 2
    for start in range(0, n_pairs, _N_AT_ONCE):
        size = min(_N_AT_ONCE, n_pairs - start)
        state = _sample_many(state, np.uint64(n), firsts[:size], seconds[:size])
        for row in range(size):
            counts[firsts[row]] += np.uint8(1)
            counts[seconds[row]] += np.uint8(1)
    if n % 2:
        _sample_many(state, np.uint64(n), firsts[:1], seconds[:1])
        counts[firsts[0]] += np.uint8(1)


@njit(cache=True, nogil=True)
def _add_masked(counts: NDArray[np.uint8], masks: NDArray[np.uint8], totals: CountArray) -> None:
    """Add to totals [rows, models] the counts [rows, places] where the model's mask [models, places] is 255 and not 0.

    Bytes are added four at a time before they are widened, and each mask is read once for two rows; so a vector holds 32 or
    64 places, where a product of matrices of floats holds 16. A count above 63 would not fit. The chance of one in n draws is
    below n/64!, which is less than 10⁻⁷⁵ for any n that fits in memory.
    """
    part = MASK_BLOCK // 4
    for a in range(0, counts.shape[1], MASK_BLOCK):
        b, c, d, end = a + part, a + 2 * part, a + 3 * part, a + MASK_BLOCK
        for row in range(0, counts.shape[0], 2):
            even, odd = counts[row], counts[row + 1]
            even_a, even_b, even_c, even_d = even[a:b], even[b:c], even[c:d], even[d:end]
            odd_a, odd_b, odd_c, odd_d = odd[a:b], odd[b:c], odd[c:d], odd[d:end]
            for model in range(masks.shape[0]):
                mask = masks[model]
                mask_a, mask_b, mask_c, mask_d = mask[a:b], mask[b:c], mask[c:d], mask[d:end]
                even_total = np.uint16(0)
                odd_total = np.uint16(0)
                for i in range(part):
                    one = np.uint8(np.uint8(even_a[i] & mask_a[i]) + np.uint8(even_b[i] & mask_b[i]))
                    two = np.uint8(np.uint8(even_c[i] & mask_c[i]) + np.uint8(even_d[i] & mask_d[i]))
                    even_total = np.uint16(even_total + np.uint16(np.uint8(one + two)))
                    one = np.uint8(np.uint8(odd_a[i] & mask_a[i]) + np.uint8(odd_b[i] & mask_b[i]))
                    two = np.uint8(np.uint8(odd_c[i] & mask_c[i]) + np.uint8(odd_d[i] & mask_d[i]))
                    odd_total = np.uint16(odd_total + np.uint16(np.uint8(one + two)))
                totals[row, model] += even_total
                totals[row + 1, model] += odd_total


@njit(cache=True, nogil=True)
def resample_totals(
    masks: NDArray[np.uint8],
    n: int,
    seed: np.uint64,
    stream: int,
    first: int,
    counts: NDArray[np.uint8],
    totals: CountArray,
) -> None:
    """Fill the right answers of every model in replicates first, first + 1, … of n images.

    Args:
        masks: [models, places], 255 where the model is right; places are n rounded up to whole blocks, the rest 0.
        n: the number of images, and of draws.
        seed: see `_start`.
        stream: tells test sets with the same seed apart.
        first: the number of the first replicate.
        counts: [rows, places], overwritten; an even number of rows.
        totals: [rows, models], filled.
    """
    totals[:] = 0
    for row in range(counts.shape[0]):
        _count_samples(_start(seed, stream, first + row), n, counts[row])
    _add_masked(counts, masks, totals)
