"""The band around a line: quantiles of the heights of many lines at many places, exact and without sorting them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.estimates import check_level

# So many neighbouring places share one choice of lines.
_N_NEAR = 12

# Every so many lines are sorted to guess where a quantile lies.
_STRIDE = 64

# Heights are rounded; one this close to a mark, in units of the largest height there can be, may be on either side of it.
_ROUNDING = 1e-14


class _Lines(NamedTuple):
    """Lines that hold every height of a range, all lines or those of a tail.

    Attributes:
        slopes: one per line.
        offsets: likewise.
        n_before: how many other lines are lower all along.
        lowest: where the range of heights begins, at the first and at the last place of a run; straight in between.
        highest: where it ends.
    """

    slopes: FloatArray
    offsets: FloatArray
    n_before: int
    lowest: FloatArray
    highest: FloatArray


def find_height_limits(slopes: FloatArray, offsets: FloatArray, *, at: FloatArray, level: float) -> FloatArray:
    """The (1 − level)/2 and (1 + level)/2 quantiles of slope·x + offset over all lines, at each x.

    They are bit for bit those of np.quantile, which would rearrange all lines for each x. Here a dozen places are taken
    at a time, and only the lines are looked at that are low, or high, at the first or the last of them. The others never
    come into question: a line that is above two marks at the ends is above the straight line between the marks all the way.
    So a height below that line has the same rank among the few as among all. Where the rank sought is not found below it,
    all lines are searched.

    Args:
        slopes: one per line, none missing.
        offsets: likewise.
        at: one column of places, in any order.
        level: the share of the lines between the two quantiles.

    Returns:
        [places, 2], linear between neighbouring heights; NaN when there are no lines.
    """
    tail = (1 - check_level(level)) / 2
    limits = np.full((at.size, 2), np.nan)
    if not slopes.size or not at.size:
        return limits
    everyone = _Lines(slopes, offsets, 0, np.full(2, -np.inf), np.full(2, np.inf))
    slack = _ROUNDING * float(np.abs(slopes).max() * np.abs(at).max() + np.abs(offsets).max())
    order = np.argsort(at)
    ends = np.empty((2, slopes.size))
    for start in range(0, at.size, _N_NEAR):
        run = order[start : start + _N_NEAR]
        np.multiply.outer(at[run[[0, -1]]], slopes, out=ends)
        ends += offsets
        lowest, highest = _cut_tails(everyone, ends, share=tail, slack=slack)
        limits[run, 0] = _find_quantiles(at[run], tail, lines=lowest, everyone=everyone)
        limits[run, 1] = _find_quantiles(at[run], 1 - tail, lines=highest, everyone=everyone)
    return limits


def _cut_tails(everyone: _Lines, ends: FloatArray, *, share: float, slack: float) -> tuple[_Lines, _Lines]:
    """The lines that are low at either end of a run, and those that are high; ends holds the heights, [2, lines]."""
    some = np.sort(ends[:, ::_STRIDE], axis=1)
    # Four standard deviations of a binomial count beyond its mean: the sample hardly ever misleads.
    expected = share * some.shape[1]
    mark = min(int(expected + 4 * np.sqrt(expected)) + 1, some.shape[1] - 1)
    low, high = some[:, mark], some[:, -1 - mark]
    is_low = np.flatnonzero((ends[0] <= low[0]) | (ends[1] <= low[1]))
    is_high = np.flatnonzero((ends[0] >= high[0]) | (ends[1] >= high[1]))
    slopes, offsets, _, bottom, top = everyone
    return (
        _Lines(slopes[is_low], offsets[is_low], 0, bottom, low - slack),
        _Lines(slopes[is_high], offsets[is_high], slopes.size - is_high.size, high + slack, top),
    )


def _find_quantiles(places: FloatArray, share: float, *, lines: _Lines, everyone: _Lines) -> list[float]:
    """The quantile at each place of a run, from some lines where they surely hold it, else from everyone."""
    position = share * (everyone.slopes.size - 1)
    below = int(position)
    above = min(below + 1, everyone.slopes.size - 1)
    ends = places[[0, -1]]
    ranges = np.stack([_span(places, ends, lines.lowest), _span(places, ends, lines.highest)], axis=1)
    quantiles = []
    for place, (lowest, highest) in zip(places.tolist(), ranges.tolist(), strict=True):
        left, right = _select(lines, place, below=below, above=above)
        if not (lowest < left and right < highest):
            left, right = _select(everyone, place, below=below, above=above)
        quantiles.append(_interpolate(left, right, weight=position - below))
    return quantiles


def _span(places: FloatArray, ends: FloatArray, marks: FloatArray) -> FloatArray:
    """The straight line between two marks; infinite where they are."""
    if np.isinf(marks).any():
        return np.full(places.size, marks[0])
    return np.interp(places, ends, marks)


def _select(lines: _Lines, place: float, *, below: int, above: int) -> tuple[float, float]:
    """The heights of two neighbouring ranks; NaN when they are not among these lines."""
    first, last = below - lines.n_before, above - lines.n_before
    if first < 0 or last >= lines.slopes.size:
        return np.nan, np.nan
    heights = lines.slopes * place + lines.offsets
    heights.partition(last)
    # What stands before the later rank is not larger, and the largest of it has the rank before.
    right = float(heights[last])
    return (float(heights[:last].max()) if first < last else right), right


def _interpolate(left: float, right: float, *, weight: float) -> float:
    # As np.quantile does it: from the nearer neighbour, so that no rounding carries the result past it.
    step = right - left
    return left + step * weight if weight < 0.5 else right - step * (1 - weight)
