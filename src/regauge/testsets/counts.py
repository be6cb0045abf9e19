"""Selection counts of several tables together, and those of the images of a set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from regauge.arrays import CountArray, IdArray, IntArray
from regauge.records.labels.frequencies import SelectionCounts

_PAIR = ("image_id", "class")
_COUNTS = {"image_id": pl.String, "class": pl.Int32, "n_shown": pl.Int64, "n_selected": pl.Int64}


def merge_tables(tables: Sequence[SelectionCounts]) -> SelectionCounts:
    """One table of several.

    Of a pair in several of them the counts with most annotators hold, and of equal ones the last. They are never added up: the
    same people may be behind both.
    """
    together = pl.concat([pl.DataFrame(schema=_COUNTS), *map(_to_frame, tables)])
    distinct = together.sort("n_shown", maintain_order=True).unique(_PAIR, keep="last", maintain_order=True)
    places = together.select(pl.col("image_id").unique(maintain_order=True)).with_row_index("place")
    ordered = distinct.join(places, on="image_id").sort("place", "class")
    places_of, classes, n_shown, n_selected = (
        ordered[name].to_numpy() for name in ("place", *_COUNTS) if name != "image_id"
    )
    return SelectionCounts(np.array(places["image_id"].to_list(), np.str_), places_of, classes, n_shown, n_selected)


def look_up(counts: SelectionCounts, image_ids: IdArray, *, classes: IntArray) -> tuple[CountArray, CountArray]:
    """How many saw each image with its class, and how many of them selected it; 0 and 0 where nobody was asked."""
    pairs = pl.DataFrame(
        {"image_id": pl.Series(image_ids.tolist(), dtype=pl.String), "class": pl.Series(classes, dtype=pl.Int32)}
    )
    joined = pairs.join(_to_frame(counts), on=_PAIR, how="left", maintain_order="left")
    n_shown, n_selected = (joined[name].fill_null(0).to_numpy() for name in ("n_shown", "n_selected"))
    return n_shown, n_selected


def _to_frame(counts: SelectionCounts) -> pl.DataFrame:
    columns = {
        "image_id": counts.image_ids[counts.images].tolist(),
        "class": counts.classes,
        "n_shown": counts.n_shown,
        "n_selected": counts.n_selected,
    }
    return pl.DataFrame({name: pl.Series(columns[name], dtype=dtype) for name, dtype in _COUNTS.items()})
