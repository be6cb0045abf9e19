"""Names for the array types, and the one way an array enters a record: typed, and read-only from then on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

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


def freeze(values: ArrayLike, dtype: type[_Scalar]) -> NDArray[_Scalar]:
    """The values as a read-only array of that type; the caller's array is viewed, never changed."""
    array = np.asarray(values, dtype=dtype).view()
    array.flags.writeable = False
    return array


def freeze_ids(image_ids: ArrayLike, *, owner: str) -> IdArray:
    """Image ids as a read-only column of distinct, non-empty strings.

    Args:
        image_ids: one id per image, in any order.
        owner: whose ids these are, for the error message.
    """
    array = freeze(image_ids, np.str_)
    if array.ndim != 1:
        raise InputError(f"The image ids of {owner} must be one column, not an array of shape {array.shape}.")
    if (array == "").any():
        raise InputError(f"{owner} has an empty image id at position {int(np.argmax(array == ''))}.")
    repeated = find_repeated(array.tolist())
    if repeated is not None:
        raise InputError(f"{owner} lists image {repeated!r} more than once; an image id stands for one image.")
    return array


def find_repeated(texts: Iterable[str]) -> str | None:
    """The first text that occurs a second time, or None when all are distinct."""
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return text
        seen.add(text)
    return None
