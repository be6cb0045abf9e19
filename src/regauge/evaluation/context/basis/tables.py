"""What tables of all analyses share: columns of a number with its limits, names of classes, chosen participants, sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import regauge.frames as pl
from regauge.arrays import NO_CLASS, FloatArray, divide
from regauge.columns import ColumnTypes
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, count_things, format_plain
from regauge.evaluation.context.contract import ContextMaterial, ContextNeed, ContextTable
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.taxonomy import Taxonomy
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.listings import ListFirmness

_MAX_NAMED = 10
INT, FLOAT, TEXT, BOOL = "Int64", "Float64", "String", "Boolean"


def list_estimate(name: str) -> dict[str, str]:
    """The columns of a number with limits."""
    return dict.fromkeys((name, f"{name}_low", f"{name}_high"), FLOAT)


def list_class(name: str = "class") -> dict[str, str]:
    """The columns of a class: index, id and usual name."""
    return {name: INT, f"{name}_id": TEXT, f"{name}_name": TEXT}


def make_columns(*parts: Mapping[str, str]) -> ColumnTypes:
    """The columns of a table, part after part."""
    return ColumnTypes({name: kind for part in parts for name, kind in part.items()})


def put_share(name: str, k: ArrayLike, *, n: ArrayLike, level: float = DEFAULT_LEVEL) -> dict[str, FloatArray]:
    """A share of counts with Clopper–Pearson limits; NaN where there is nothing to share."""
    return put_limits(name, divide(k, n), limits=clopper_pearson(k, n, level=level))


def put_limits(name: str, values: ArrayLike, *, limits: Limits) -> dict[str, FloatArray]:
    """Values with their limits."""
    columns = (values, limits.low, limits.high)
    return dict(zip(list_estimate(name), (np.asarray(one, np.float64) for one in columns), strict=True))


def put_class(classes: ArrayLike, taxonomy: Taxonomy | None, *, name: str = "class") -> dict[str, Any]:
    """Classes by index, id and usual name; null where there is no class, and where the taxonomy does not know it."""
    indices = np.asarray(classes, np.int64).tolist()
    known = [] if taxonomy is None else taxonomy.classes
    rows = [known[one] if 0 <= one < len(known) else None for one in indices]
    return {
        name: [None if one == NO_CLASS else one for one in indices],
        f"{name}_id": [None if one is None else one.id for one in rows],
        f"{name}_name": [None if one is None else one.name for one in rows],
    }


def make_frame(table: ContextTable, columns: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """The table; without columns it has no rows. What is not a number is null."""
    schema = dict(table.columns)
    if columns is None:
        return pl.DataFrame(schema=schema)
    ordered = {name: columns[name] for name in schema}
    frame = pl.DataFrame(ordered, schema=schema, strict=False, nan_to_null=True)
    return frame.with_columns(pl.selectors.float().fill_nan(None))


def stack_frames(table: ContextTable, frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Parts of a table below each other."""
    return pl.concat([make_frame(table), *frames])


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


def call_class(index: int, taxonomy: Taxonomy | None) -> str:
    """What sentences call a class."""
    if taxonomy is None or index >= len(taxonomy):
        return f"class {index}"
    return f"{taxonomy.classes[index].name} ({index})"


def find_estimate(numbers: Iterable[float | None]) -> Estimate[float | None]:
    """A number with its limits for a sentence; NaN is none."""
    value, low, high = (None if one is None or np.isnan(one) else float(one) for one in numbers)
    return Estimate(value, None, None) if value is None or low is None or high is None else Estimate(value, low, high)


def note_missing(material: ContextMaterial, needed: Mapping[ContextNeed, str]) -> list[str]:
    """What was left out for want of something, and of what."""
    return [f"Left out for want of {need.value}: {parts}." for need, parts in needed.items() if not material.has(need)]


def tell_leaving(firmness: ListFirmness, one: str, *, many: str = "") -> list[str]:
    """How many of those listed would not be listed if other images had been drawn."""
    n = len(firmness.stays)
    if not n:
        return []
    leaving = format_plain(firmness.leaving, decimals=1)
    return [
        f"If the images were redrawn, {leaving} of the first {count_things(n, one, many=many)} would leave the list."
    ]


def pad(listed: Sequence[float] | FloatArray, n: int) -> list[float | None]:
    """What is known of the listed entries, and nothing of the others."""
    return [*(float(one) for one in listed), *[None] * (n - len(listed))]
