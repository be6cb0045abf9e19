"""Names for the array types, and the one way an array enters a record: typed, and read-only from then on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.errors import InputError

IdArray: TypeAlias = NDArray[np.str_]
IntArray: TypeAlias = NDArray[np.int32]
CountArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
ScoreArray: TypeAlias = NDArray[np.float32]
BoolArray: TypeAlias = NDArray[np.bool_]

NO_CLASS = -1
"""Stands in a class column where an image has no label, or where a participant gave no further answer."""

_Scalar = TypeVar("_Scalar", bound=np.generic)

# Read-only columns of ids that have passed the check: handed from record to record, they are not checked again.
_checked_ids: WeakValueDictionary[int, IdArray] = WeakValueDictionary()


def freeze(values: ArrayLike, dtype: type[_Scalar]) -> NDArray[_Scalar]:
    """The values as a read-only array of that type; the caller's array is viewed, never changed.

    Raises:
        InputError: whole numbers are asked for, and a value is not one or is too large for the type.
    """
    if issubclass(dtype, np.integer):
        _check_whole(np.asarray(values), dtype)
    array = np.asarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array


def freeze_ids(image_ids: ArrayLike, *, owner: str) -> IdArray:
    """Image ids as a read-only column of distinct, non-empty strings.

    Args:
        image_ids: one id per image, in any order.
        owner: whose ids these are, for the error message.
    """
    known = _checked_ids.get(id(image_ids))
    if known is not None and known is image_ids and not known.flags.writeable:
        return known
    array = freeze(image_ids, np.str_)
    if array.ndim != 1:
        raise InputError(f"The image ids of {owner} must be one column, not an array of shape {array.shape}.")
    if (array == "").any():
        raise InputError(f"{owner} has an empty image id at position {int(np.argmax(array == ''))}.")
    repeated = find_repeated(array.tolist())
    if repeated is not None:
        raise InputError(f"{owner} lists image {repeated!r} more than once; an image id stands for one image.")
    _checked_ids[id(array)] = array
    return array


def divide(parts: ArrayLike, wholes: ArrayLike) -> FloatArray:
    """Each part by its whole; NaN where the whole is 0, for what is missing is never 0.

    >>> divide([1, 0, 0], [4, 4, 0]).tolist()
    [0.25, 0.0, nan]
    """
    whole = np.asarray(wholes)
    shape = np.broadcast_shapes(np.shape(parts), whole.shape)
    shares: FloatArray = np.divide(parts, whole, out=np.full(shape, np.nan), where=whole > 0)
    return shares


def _check_whole(array: NDArray[Any], dtype: type[np.integer[Any]]) -> None:
    """Refuse what a cast would silently turn into another number: 1.7 into 1, 2³² into 0."""
    if array.dtype == dtype or not array.size:
        return
    if array.dtype.kind not in "biuf":
        raise InputError(f"Class indices and counts are whole numbers, not values of type {array.dtype}.")
    with np.errstate(invalid="ignore"):
        changed = array.astype(dtype) != array
    if changed.any():
        bits = 8 * np.dtype(dtype).itemsize
        raise InputError(
            f"Class indices and counts are whole numbers of at most {bits} bits, not {array[changed].flat[0]}."
        )


def find_repeated(texts: Iterable[str]) -> str | None:
    """The first text that occurs a second time, or None when all are distinct."""
    listed = list(texts)
    if len(set(listed)) == len(listed):
        return None
    seen: set[str] = set()
    for text in listed:
        if text in seen:
            return text
        seen.add(text)
    return None
