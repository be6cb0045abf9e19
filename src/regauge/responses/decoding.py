"""Stored texts of tasks and answers → columns, as all kinds need it. A campaign has up to a million of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from regauge.arrays import CountArray


def decode(texts: Sequence[str], fields: Mapping[str, pl.DataType | type[pl.DataType]]) -> pl.DataFrame:
    """Some fields of JSON objects; null where an object lacks one."""
    column = pl.Series("text", texts, dtype=pl.String)
    return column.str.json_decode(pl.Struct(dict(fields))).struct.unnest()


def find_starts(sizes: Sequence[int] | CountArray) -> CountArray:
    """Where each of some lists starts when they stand one after the other, and their end.

    >>> find_starts([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)
