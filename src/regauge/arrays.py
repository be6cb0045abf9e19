"""Names for the array types, and the one way an array enters a record: typed, and read-only from then on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable
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


@runtime_checkable
class SupportsDLPack(Protocol):
    """An array of another library that shares its memory by the DLPack protocol: PyTorch, JAX, CuPy and others."""

    def __dlpack__(self) -> Any:  # noqa: ANN401 - a capsule, which only the reader of the memory opens
        """The memory, as the protocol has it."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind of device on which the memory is, and its number."""


AnyArray: TypeAlias = ArrayLike | SupportsDLPack
"""What is taken for an array: lists of numbers or texts, and whatever has `__array__` or `__dlpack__`."""

_MAIN_MEMORY = frozenset({1, 3, 11})
"""DLPack's numbers of the devices whose memory the processor reads: its own, and what CUDA and ROCm pin there."""

_Scalar = TypeVar("_Scalar", bound=np.generic)

# Read-only columns of ids that have passed the check: handed from record to record, they are not checked again.
_checked_ids: WeakValueDictionary[int, IdArray] = WeakValueDictionary()


def read_array(values: AnyArray, *, what: str = "this") -> NDArray[Any]:
    """The values as a NumPy array, without a copy where their library allows that.

    Args:
        values: a list, or anything that has `__array__` or `__dlpack__`.
        what: what messages call it.

    Raises:
        InputError: the values are on another device, belong to a computation that records gradients, have a type that NumPy
            does not know, or are no array at all.

    >>> read_array([[0.5, 1.5], [2.0, 0.0]]).shape
    (2, 2)
    """
    if isinstance(values, np.ndarray):
        return values
    only_dlpack = isinstance(values, SupportsDLPack) and not hasattr(values, "__array__")
    try:
        array: NDArray[Any] = np.from_dlpack(values) if only_dlpack else np.asarray(values)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeError, BufferError, AttributeError) as error:
        raise InputError(_explain_unreadable(values, error, what)) from error
    if array.dtype.kind not in "biufUSO":
        raise InputError(f"NumPy cannot compute with {what} of type {array.dtype}; turn it into float32 first.")
    return array


def freeze(values: ArrayLike, dtype: type[_Scalar]) -> NDArray[_Scalar]:
    """The values as a read-only array of that type; the caller's array is viewed, never changed.

    Raises:
        InputError: whole numbers are asked for, and a value is not one or is too large for the type.
    """
    read = read_array(values)
    if issubclass(dtype, np.integer):
        _check_whole(read, dtype)
    array = np.asarray(read, dtype=dtype).view()
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


def _explain_unreadable(values: object, error: Exception, what: str) -> str:
    """Why an array of another library cannot be read, and what to call on it first."""
    kind = type(values).__name__
    if _is_elsewhere(values):
        return f"The {kind} of {what} is on a GPU or another device; bring it to main memory first, in PyTorch with .cpu()."
    if getattr(values, "requires_grad", False):
        return f"The {kind} of {what} records gradients; give it without them, in PyTorch with .detach()."
    if "bfloat16" in str(getattr(values, "dtype", "")):
        return f"The {kind} of {what} holds bfloat16, which NumPy does not know; turn it into float32, in PyTorch with .float()."
    if isinstance(values, list | tuple):
        return f"The rows of {what} have different lengths, or hold other things than numbers; an array has equal rows."
    return f"The {kind} of {what} cannot be read as an array ({error}); give a NumPy array."


def _is_elsewhere(values: object) -> bool:
    """Whether the memory of the values is one that the processor does not read."""
    if hasattr(values, "cpu") and not str(getattr(values, "device", "cpu")).startswith("cpu"):
        return True
    try:
        return isinstance(values, SupportsDLPack) and int(values.__dlpack_device__()[0]) not in _MAIN_MEMORY
    except (TypeError, ValueError, RuntimeError, BufferError, AttributeError):
        return False


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
