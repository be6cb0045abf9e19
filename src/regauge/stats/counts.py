"""Counts enter the statistics here: whole numbers, of one shape, no part larger than its whole."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import BoolArray, CountArray
from regauge.errors import InputError

MAX_COUNT = 2**31 - 1
"""Beyond this, the product of two counts may no longer fit into 64 bits."""


def check_counts(*, n: ArrayLike | None = None, **parts: ArrayLike) -> tuple[CountArray, ...]:
    """The counts as int64 arrays of one shape: the parts in the given order, then n if there is one.

    Args:
        n: the whole; the parts together must not exceed it. None when the parts have no whole.
        **parts: counts by the name that an error message calls them.

    Raises:
        InputError: a count is negative, not a whole number, larger than `MAX_COUNT`, or the parts exceed n; the
            message shows the first such item.
    """
    named = _broadcast(parts if n is None else {**parts, "n": n})
    columns = list(named.values())
    valid = reduce(np.logical_and, map(_is_count, columns))
    if n is not None:
        valid = valid & (reduce(np.add, columns[:-1]) <= columns[-1])
    if not valid.all():
        raise InputError(_describe_first_bad(named, valid))
    return tuple(column.astype(np.int64, copy=False) for column in columns)


def _broadcast(named: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    columns = [_read_numbers(name, values) for name, values in named.items()]
    try:
        return dict(zip(named, np.broadcast_arrays(*columns), strict=True))
    except ValueError:
        shapes = ", ".join(f"{name} {column.shape}" for name, column in zip(named, columns, strict=True))
        raise InputError(f"Counts must have one shape or shapes that broadcast, not {shapes}.") from None


def _read_numbers(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind not in "biu":
        raise InputError(f"Counts are whole numbers; {name} holds values of type {array.dtype}.")
    # Narrow integers would wrap around when they are added.
    return array.astype(np.int64, copy=False)


def _is_count(column: NDArray[Any]) -> BoolArray:
    in_range: BoolArray = (column >= 0) & (column <= MAX_COUNT)
    return in_range if column.dtype.kind == "i" else in_range & (column == np.floor(column))


def _describe_first_bad(named: Mapping[str, NDArray[Any]], valid: BoolArray) -> str:
    position = int(np.argmin(valid))
    item = ", ".join(f"{name} = {column.ravel()[position]}" for name, column in named.items())
    rule = f"whole numbers from 0 to {MAX_COUNT:,}"
    if "n" in named:
        rule += ", and the parts of n do not exceed it"
    return f"Counts are {rule}; item {position} has {item}."
