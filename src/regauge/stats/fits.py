"""Lines through points by least squares, and how far they move when the points, or whole families of points, are redrawn."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import CountArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.stats.bands import find_height_limits
from regauge.stats.intervals import Limits
from regauge.stats.resampling import percentile_limits

DEFAULT_FIT_RESAMPLES = 100_000

# How many threads share large work; the bits do not depend on it. A thread may wait some milliseconds for its first turn,
# in which millions of draws are done.
_N_THREADS = 2
_MIN_DRAWS_FOR_THREADS = 2**24


class Line(NamedTuple):
    """y = slope·x + offset."""

    slope: float
    offset: float

    def at(self, x: ArrayLike) -> FloatArray:
        """The heights of the line."""
        return self.slope * np.asarray(x, np.float64) + self.offset


class LineReplicates(NamedTuple):
    """The lines of bootstrap samples.

    Attributes:
        slopes: one per replicate; NaN where the replicate has no line because all its x are equal.
        offsets: likewise.
    """

    slopes: FloatArray
    offsets: FloatArray

    @property
    def n_degenerate(self) -> int:
        """How many replicates have no line; they are left out of all limits."""
        return int(np.count_nonzero(np.isnan(self.slopes)))

    def drop_degenerate(self) -> LineReplicates:
        """The replicates that have a line."""
        present = ~np.isnan(self.slopes)
        return self if present.all() else LineReplicates(self.slopes[present], self.offsets[present])


class LineLimits(NamedTuple):
    """The limits of the slope and of the offset."""

    slope: Limits
    offset: Limits


def fit_line(x: ArrayLike, y: ArrayLike) -> Line:
    """The line with the least sum of squared vertical distances from the points.

    Raises:
        InputError: there are fewer than two points, all x are equal, or a value is missing or infinite.

    >>> fit_line([0, 1, 2], [1, 3, 5])
    Line(slope=2.0, offset=1.0)
    """
    a, b = _check_points(x, y)
    deviations = a - a.mean()
    slope = float(deviations @ (b - b.mean()) / (deviations @ deviations))
    return Line(slope, float(b.mean() - slope * a.mean()))


def leverages(x: ArrayLike) -> FloatArray:
    """The weight of each point's own y in the height of the line above it: 1/n + (x − x̄)²/Σ(x − x̄)².

    They lie between 1/n and 1 and add up to 2. A point with a leverage near 1 draws the line through itself, whatever
    the others say; twice the mean, 4/n, is the usual mark for a second look.

    Raises:
        InputError: there are fewer than two points, all x are equal, or a value is missing or infinite.

    Reference:
        Hoaglin, Welsch (1978), The hat matrix in regression and ANOVA.

    >>> leverages([0, 1, 2, 3]).round(6)
    array([0.7, 0.3, 0.3, 0.7])
    """
    a, _ = _check_points(x, x)
    deviations = a - a.mean()
    return np.asarray(1 / a.size + deviations**2 / (deviations @ deviations), np.float64)


def bootstrap_lines(
    x: ArrayLike,
    y: ArrayLike,
    *,
    seed: int,
    n_resamples: int = DEFAULT_FIT_RESAMPLES,
    groups: ArrayLike | None = None,
) -> LineReplicates:
    """The least-squares lines of samples drawn from the points with replacement.

    Pairs (x, y) are drawn, not residuals, so the spread may differ along the line. Points of one group, such as models of
    one family, err together; drawn one by one they look more independent than they are. With groups, as many groups are
    drawn as there are, each with all its points, so that the samples vary in size.

    Args:
        x: one number per point.
        y: likewise.
        seed: a whole number from 0 to 2⁶⁴ − 1. Replicate r depends on the seed and r alone, so the bits are the same for any
            number of threads, and more replicates begin with the same ones.
        n_resamples: how many replicates.
        groups: one name or number per point; None draws the points one by one.

    Raises:
        InputError: the points have no line (see `fit_line`), there is one group only, or an argument does not fit.

    Reference:
        Freedman (1981), Bootstrapping regression models; Davison, Hinkley (1997), Bootstrap Methods and their Application,
        §3.8 on groups.
    """
    a, b = _check_points(x, y)
    points = _prepare_groups(a - a.mean(), b - b.mean(), groups)
    replicates = LineReplicates(*_make_columns(n_resamples))
    own_seed = check_seed(seed)

    def fill(part: slice) -> None:
        _resample(points, own_seed, part=part, replicates=replicates)

    _map_parts(fill, n_resamples, n_draws=n_resamples * a.size)
    # The kernel works on deviations from the means, which lose no digits to a large common part.
    replicates.offsets[:] += b.mean() - replicates.slopes * a.mean()
    return replicates


def line_limits(replicates: LineReplicates, *, level: float = DEFAULT_LEVEL) -> LineLimits:
    """Percentile limits of the slope and of the offset; NaN when no replicate has a line."""
    kept = replicates.drop_degenerate()
    return LineLimits(percentile_limits(kept.slopes, level=level), percentile_limits(kept.offsets, level=level))


def line_band(replicates: LineReplicates, at: ArrayLike, *, level: float = DEFAULT_LEVEL) -> Limits:
    """Percentile limits of the line's height at each x, for the shaded band around a fit.

    The limits hold at each x by itself; the whole line lies inside the band less often than the level says.

    Returns:
        Limits in the shape of `at`; NaN when no replicate has a line.
    """
    kept = replicates.drop_degenerate()
    places = np.asarray(at, np.float64)
    low, high = find_height_limits(kept.slopes, kept.offsets, at=places.ravel(), level=level).T
    return Limits(low.reshape(places.shape), high.reshape(places.shape))


def check_seed(seed: int) -> np.uint64:
    """The seed as 64 bits."""
    if not 0 <= seed < 2**64:
        raise InputError(f"A seed is a whole number from 0 to 2**64 - 1, not {seed}.")
    return np.uint64(seed)


class _Points(NamedTuple):
    """Points in the order of their groups, with what a sample of groups adds up.

    Attributes:
        x: deviations from the mean.
        y: likewise.
        starts: where each group starts, and where the last one ends.
        sums: [groups, 4], the sums of x, y, x², xy of each group.
    """

    x: FloatArray
    y: FloatArray
    starts: CountArray
    sums: FloatArray


def _check_points(x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(f"A line is fitted to two columns of one length, not to arrays {a.shape} and {b.shape}.")
    if a.size < 2:
        raise InputError(f"A line needs at least two points; there {'is one' if a.size else 'are none'}.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        position = int(np.argmin(np.isfinite(a) & np.isfinite(b)))
        raise InputError(f"A line is fitted to finite numbers; point {position} is ({a[position]}, {b[position]}).")
    if (a == a[0]).all():
        raise InputError(f"No line can be fitted: all {a.size} points have the same x, {a[0]:g}.")
    return a, b


def _prepare_groups(x: FloatArray, y: FloatArray, groups: ArrayLike | None) -> _Points:
    names = np.arange(x.size) if groups is None else np.asarray(groups)
    if names.shape != x.shape:
        raise InputError(f"Groups are {x.size} names, one per point, not an array of shape {names.shape}.")
    _, group, sizes = np.unique(names, return_inverse=True, return_counts=True)
    if sizes.size < 2:
        raise InputError("Drawing groups needs at least two of them; all points are of one group.")
    order = np.argsort(group, kind="stable")
    x, y = x[order], y[order]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    columns = np.stack([x, y, x * x, x * y], axis=1)
    return _Points(x, y, starts, np.add.reduceat(columns, starts[:-1]))


def _make_columns(n_resamples: int) -> tuple[FloatArray, FloatArray]:
    if n_resamples < 1:
        raise InputError(f"A bootstrap needs at least one resample, not {n_resamples}.")
    return np.empty(n_resamples), np.empty(n_resamples)


def _resample(points: _Points, seed: np.uint64, *, part: slice, replicates: LineReplicates) -> None:
    """Fill a part of the replicates."""
    from regauge.stats._kernels import resample_lines

    resample_lines(*points, seed, part.start, replicates.slopes[part], replicates.offsets[part])


def _map_parts(fill: Callable[[slice], None], n_resamples: int, *, n_draws: int) -> None:
    """Fill all replicates, in one part per thread when they take many draws."""
    n_parts = _N_THREADS if n_draws >= _MIN_DRAWS_FOR_THREADS else 1
    borders = np.linspace(0, n_resamples, n_parts + 1).astype(int).tolist()
    parts = [slice(start, stop) for start, stop in pairwise(borders)]
    if n_parts == 1:
        fill(parts[0])
        return
    with ThreadPoolExecutor(n_parts) as pool:
        list(pool.map(fill, parts))
