"""What the tables of all analyses share: columns with limits, classes by index, id and name, and whom lists are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, IntArray
from regauge.errors import InputError
from regauge.evaluation.context.contract import ContextMaterial, ContextTable
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.taxonomy import Taxonomy
from regauge.stats.intervals import Limits

_MAX_NAMED = 10


def name_estimate(name: str) -> dict[str, str]:
    """The columns of a number with limits."""
    return {name: "Float64", f"{name}_low": "Float64", f"{name}_high": "Float64"}


def name_class(prefix: str = "class") -> dict[str, str]:
    """The columns of a class: index, id and name; the last two are null where no taxonomy is known."""
    return {prefix: "Int64", f"{prefix}_id": "String", f"{prefix}_name": "String"}


def fill_estimate(name: str, values: Any, *, limits: Limits) -> dict[str, Any]:  # noqa: ANN401 - a column or a number
    """A number with limits as columns."""
    return {name: values, f"{name}_low": limits.low, f"{name}_high": limits.high}


def fill_class(
    classes: IntArray | Sequence[int], taxonomy: Taxonomy | None, *, prefix: str = "class"
) -> dict[str, list[Any]]:
    """Classes as columns; null where there is none."""
    listed = [int(one) for one in classes]
    known = 0 if taxonomy is None else len(taxonomy)
    found = [taxonomy.classes[one] if taxonomy is not None and 0 <= one < known else None for one in listed]
    return {
        prefix: [None if one == NO_CLASS else one for one in listed],
        f"{prefix}_id": [None if one is None else one.id for one in found],
        f"{prefix}_name": [None if one is None else one.name for one in found],
    }


def make_frame(table: ContextTable, columns: Mapping[str, Any]) -> pl.DataFrame:
    """The table; what is not a number is null."""
    schema = dict(table.columns)
    frame = pl.DataFrame({name: pl.Series(name, _to_list(columns[name]), dtype=schema[name]) for name in schema})
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def make_empty(table: ContextTable) -> pl.DataFrame:
    """The table without rows."""
    return pl.DataFrame(schema=dict(table.columns))


def stack_frames(table: ContextTable, frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Parts of a table below each other."""
    return pl.concat([make_empty(table), *frames])


def choose_participants(material: ContextMaterial, settings: ContextSettings) -> list[int]:
    """The places of those whom lists of single participants are about: the best one, or those who are named; best first.

    Raises:
        InputError: nobody is called so.
    """
    names = material.participants
    if not settings.participant:
        return [0] if names else []
    for glob in settings.participant:
        if names and not any(fnmatchcase(name, glob) for name in names):
            known = ", ".join(names[:_MAX_NAMED]) + (", …" if len(names) > _MAX_NAMED else "")
            raise InputError(f"No participant is called {glob!r}; there are: {known}.")
    return [place for place, name in enumerate(names) if any(fnmatchcase(name, glob) for glob in settings.participant)]


def _to_list(values: Any) -> Any:  # noqa: ANN401 - a column as polars takes it
    return values.tolist() if isinstance(values, np.ndarray) else values
