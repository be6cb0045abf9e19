"""From the values of images to their mean on every subset, with its interval and its bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from regauge.arrays import BoolArray, IntArray
from regauge.evaluation.outcomes import Values
from regauge.evaluation.subsets import Subset
from regauge.evaluation.targets import Target


def score_values(values: Values, *, target: Target, subsets: Sequence[Subset], level: float) -> pl.DataFrame:
    """One row per subset: the mean over images that have a value, with interval and bounds."""
    return pl.DataFrame(
        [
            _score_rows(
                values, np.flatnonzero(values.is_counted & _find_members(subset, target)).astype(np.int32), level
            )
            for subset in subsets
        ]
    )


def _score_rows(values: Values, rows: IntArray, level: float) -> dict[str, float | int | str | None]:
    """The mean over the rows that have a value; what the others might have moves it between the bounds."""
    used = rows[~np.isnan(values.values[rows])]
    n, n_all = len(used), len(rows)
    n_unjudged = n_all - n
    total = float(values.values[used].sum())
    limits = values.limit(used, level) if n > 1 else None
    return {
        "n": n,
        "value": total / n if n else None,
        "low": float(limits.low) if limits else None,
        "high": float(limits.high) if limits else None,
        "interval": values.interval if limits else None,
        "lower_bound": total / n_all if n_all else None,
        "upper_bound": (total + n_unjudged) / n_all if n_all else None,
        "n_unjudged": n_unjudged,
    }


def _find_members(subset: Subset, target: Target) -> BoolArray:
    if subset.classes is not None:
        return np.isin(target.dataset_labels, subset.classes)
    is_member = np.zeros(len(target.image_ids), np.bool_)
    is_member[slice(None) if subset.rows is None else subset.rows] = True
    return is_member
