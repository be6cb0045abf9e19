"""Columns of text → numbers by first appearance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from regauge.arrays import CountArray, IdArray, IntArray
from regauge.formats.sizes import make_names

_SCATTER = np.uint64(0x9E3779B97F4A7C15)


class NumberedTexts(NamedTuple):
    """A column in which every text has a number.

    Attributes:
        texts: the distinct texts in order of first appearance.
        codes: per row, the number of its text.
    """

    texts: IdArray
    codes: IntArray


def number_texts(column: pl.Series) -> NumberedTexts:
    """Number the texts of a column; five million rows take a fraction of a second.

    Rows are numbered by a hash of 64 bits, and then compared with the text that each number stands for, so that no
    coincidence goes unnoticed.
    """
    for seed in range(3):
        codes, first = _number(column.hash(seed=seed).to_numpy())
        texts = column.gather(first)
        if bool((texts.gather(codes) == column).all()):
            return NumberedTexts(make_names(texts), codes)
    raise AssertionError("three hashes of 64 bits coincide")


def find_repeated_row(codes: NDArray[np.integer]) -> tuple[int, int] | None:
    """The first row whose number occurred before, and the row where it did; None where all numbers are different."""
    numbered, first = _number(codes.astype(np.uint64) * _SCATTER)
    if first.size == codes.size:
        return None
    repeated = int(np.argmax(first[numbered] != np.arange(codes.size)))
    return repeated, int(first[numbered[repeated]])


def _number(hashes: NDArray[np.uint64]) -> tuple[IntArray, CountArray]:
    from regauge.formats._kernels import number_hashes

    codes, first = np.empty(hashes.size, np.int32), np.empty(hashes.size, np.int64)
    n_distinct = number_hashes(hashes, codes, first)
    return codes, first[:n_distinct]
