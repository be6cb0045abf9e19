"""Logits → the k best classes of every image, in one pass and in little memory."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import IdArray, IntArray, ScoreArray
from regauge.errors import InputError

LogitArray: TypeAlias = NDArray[np.float16] | NDArray[np.float32] | NDArray[np.float64]

DEFAULT_K = 5

# Two threads read memory about as fast as it can be read; the answers do not depend on their number.
DEFAULT_N_THREADS = 2

# Large enough for the threads to be worth waking, small enough to be forgotten before the next piece is read.
_N_BYTES_AT_ONCE = 16 * 2**20

# The modes in which the file holds what the map shows. Pages of a copy-on-write map hold changes found nowhere else.
_SHARED_MODES = frozenset({"r", "r+", "w+"})


class TopK(NamedTuple):
    """The best classes of every image.

    Attributes:
        classes: int32 [n, k], best first.
        scores: float32 [n, k], their logits.
    """

    classes: IntArray
    scores: ScoreArray


def find_top_k(
    logits: LogitArray,
    *,
    k: int = DEFAULT_K,
    n_threads: int = DEFAULT_N_THREADS,
    image_ids: Sequence[str] | IdArray | None = None,
) -> TopK:
    """The k classes with the highest logits of every image, best first; of equal logits the lower class index comes first.

    Values are compared in the precision they come in: float64 logits that round to the same float32 score keep their
    order, and −0 equals 0. A class may be ruled out by −∞, and a single +∞ beside finite values is the best; several +∞, or
    no finite value at all, are no order, and to break the tie by index would make an answer up. With fewer than k classes all
    are ranked; no images give no rows. A memory-mapped file is walked in pieces whose pages are given back, so it may be
    larger than memory.

    Args:
        logits: [n, n_classes] of float16, float32 or float64, in any memory layout; it is only read.
        k: how many classes to keep.
        n_threads: how many threads share the work; the result is the same for any number.
        image_ids: the image of each row, to be named where a row is refused.

    Raises:
        InputError: the array is not two-dimensional, not of floats, has no classes, or a row has no order: it holds NaN,
            several +∞ or no finite value.

    >>> find_top_k(np.array([[0.5, 2.0, -1.0, 2.0]]), k=3).classes
    array([[1, 3, 0]], dtype=int32)
    """
    _check_shape(logits, k)
    n_images, n_classes = logits.shape
    n_kept = min(k, n_classes)
    top = TopK(np.empty((n_images, n_kept), np.int32), np.empty((n_images, n_kept), np.float32))
    n_rows = max(1, _N_BYTES_AT_ONCE // (n_classes * logits.itemsize))
    mapping = _find_mapping(logits)
    rank = partial(_rank_piece, np.asarray(logits), top, image_ids)
    with ThreadPoolExecutor(n_threads) as pool:
        for piece in _split(range(n_images), n_rows):
            shares = _split(piece, -(-len(piece) // n_threads))
            # The shares are waited for in their order, so the row that is refused is the first one.
            for _ in pool.map(rank, shares) if n_images > n_rows else map(rank, shares):
                pass
            if mapping is not None:
                mapping.madvise(mmap.MADV_DONTNEED)
    return top


def _check_shape(logits: LogitArray, k: int) -> None:
    if logits.ndim != 2:
        raise InputError(f"Logits must have two axes, images and classes, not the shape {logits.shape}.")
    if logits.dtype.kind != "f" or logits.itemsize > 8:
        raise InputError(f"Logits must be float16, float32 or float64, not {logits.dtype}.")
    if logits.shape[1] == 0:
        raise InputError(f"Logits must have at least one class; the array of shape {logits.shape} has none.")
    if k < 1:
        raise InputError(f"The number of classes to keep must be at least 1, not {k}.")


def _split(rows: range, n_rows: int) -> Iterator[range]:
    """The rows in pieces of n_rows, the last one shorter."""
    return (rows[start : start + n_rows] for start in range(0, len(rows), n_rows))


def _rank_piece(logits: NDArray[Any], top: TopK, image_ids: Sequence[str] | IdArray | None, rows: range) -> None:
    """Fill these rows of the result."""
    from regauge.predictions._kernels import rank_rows

    piece = slice(rows.start, rows.stop)
    values = _arrange(logits[piece])
    bits = values.view(f"i{values.itemsize}")
    infinity = values.dtype.type(np.inf).view(bits.dtype)
    magnitude = bits.dtype.type(np.iinfo(bits.dtype).max)
    best_bits = np.empty((len(rows), top.classes.shape[1]), bits.dtype)
    row = rank_rows(bits, infinity, magnitude, top.classes[piece], best_bits)
    if row >= 0:
        image = "" if image_ids is None else f", image {str(image_ids[rows.start + row])!r},"
        raise InputError(
            f"The logits of row {rows.start + row}{image} hold {_explain_disorder(values[row])} "
            "Repair or leave out the image."
        )
    # A float64 beyond the range of float32 has been ranked by its value and is reported as infinite.
    with np.errstate(over="ignore"):
        top.scores[piece] = best_bits.view(values.dtype)


def _explain_disorder(row: NDArray[Any]) -> str:
    """What a row without an order holds, and why that cannot be ranked."""
    if np.isnan(row).any():
        column = int(np.argmax(np.isnan(row)))
        return f"NaN for class {column} (both counted from 0); a value that is not a number cannot be ranked."
    highest = np.flatnonzero(row == np.inf)
    if len(highest) > 1:
        return (
            f"+infinity for {len(highest):,} classes, the first being {highest[0]} and {highest[1]} (all counted from 0); "
            "nothing tells which of them is the best."
        )
    return "no finite value (rows are counted from 0); infinities alone are no order of the classes."


def _arrange(piece: NDArray[Any]) -> NDArray[Any]:
    """The values aligned, in C order and in the byte order of the machine; nothing is copied that is so already.

    The view is read-only because Numba compiles once more for arrays that are not.
    """
    values = np.require(piece, dtype=piece.dtype.newbyteorder("="), requirements=["C", "A"]).view()
    values.flags.writeable = False
    return values


def _find_mapping(array: NDArray[Any]) -> mmap.mmap | None:
    """The map of the file below an array or a view, or None where there is none whose pages can be dropped without loss."""
    if not hasattr(mmap, "MADV_DONTNEED"):
        return None
    owner: object = array
    is_shared = False
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            is_shared = owner.mode in _SHARED_MODES
        owner = owner.base
    return owner if is_shared and isinstance(owner, mmap.mmap) else None
