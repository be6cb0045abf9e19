"""What is left of a pool, per class or per class and keyword, and what must still be gathered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from regauge.records.testsets.pool import ExclusionRule

RULE_COLUMNS: Mapping[ExclusionRule, str] = {rule: f"n_{rule.value.replace('-', '_')}" for rule in ExclusionRule}
"""Rule → the column that counts the images which it excludes."""

POOL_STATUS_COLUMNS: Mapping[str, Any] = {
    "class": pl.Int64,
    "class_id": pl.String,
    "class_name": pl.String,
    "keyword": pl.String,
    "n_gathered": pl.Int64,
    "n_excluded": pl.Int64,
    **dict.fromkeys(RULE_COLUMNS.values(), pl.Int64),
    "n_annotated": pl.Int64,
    "n_open": pl.Int64,
    "n_usable": pl.Int64,
    "n_wanted": pl.Int64,
    "n_missing": pl.Int64,
    "n_to_gather": pl.Int64,
}
"""The columns of the table, in output order; docs/formats.md explains them."""

POOL_IMAGE_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "class": pl.Int64,
    "class_id": pl.String,
    "pool": pl.String,
    "keyword": pl.String,
    "rule": pl.String,
    "reason": pl.String,
    "who": pl.String,
    "at": pl.String,
}
"""The columns of a list of candidates, in output order; docs/formats.md explains them."""


@dataclass(frozen=True, slots=True)
class PoolRow:
    """The candidates of a class, or of a class and keyword.

    Attributes:
        class_index: the class.
        keyword: what they were searched by; None where all keywords count together.
        n_gathered: all candidates.
        n_excluded: those that must not be taken, by any rule.
        by_rule: rule → how many it excludes; an image may be excluded by several.
        n_annotated: those that enough annotators saw, whether excluded or not; None where selection frequencies do not matter.
        n_open: those that are not excluded and that too few annotators saw.
        n_usable: those that can be taken.
        n_wanted: how many are to be taken.
        n_to_gather: how many more would yield what is missing once all that is open is annotated, if they were like those so
            far; None where none of those can be taken.
    """

    class_index: int
    keyword: str | None
    n_gathered: int
    n_excluded: int
    by_rule: Mapping[ExclusionRule, int]
    n_annotated: int | None
    n_open: int
    n_usable: int
    n_wanted: int
    n_to_gather: int | None

    @property
    def n_missing(self) -> int:
        """How many of those that are wanted cannot be taken yet."""
        return max(self.n_wanted - self.n_usable, 0)


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """What a pool holds, row by row, by class and keyword.

    Attributes:
        rows: the rows.
        pools: the batches.
        min_annotations: annotators that a candidate needs; None where selection frequencies do not matter.
        frequencies: the label sets that say who saw what.
        notes: what the reader should know, a sentence each.
    """

    rows: tuple[PoolRow, ...]
    pools: tuple[str, ...]
    min_annotations: int | None
    frequencies: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def n_usable(self) -> int:
        """All images that can be taken."""
        return sum(row.n_usable for row in self.rows)

    def to_frame(self, names: Mapping[int, tuple[str, str]]) -> pl.DataFrame:
        """The rows as a data frame.

        Args:
            names: class index → its id and its name.
        """
        rows = [
            {
                "class": row.class_index,
                "class_id": names[row.class_index][0],
                "class_name": names[row.class_index][1],
                "keyword": row.keyword,
                "n_gathered": row.n_gathered,
                "n_excluded": row.n_excluded,
                **{RULE_COLUMNS[rule]: row.by_rule.get(rule, 0) for rule in ExclusionRule},
                "n_annotated": row.n_annotated,
                "n_open": row.n_open,
                "n_usable": row.n_usable,
                "n_wanted": row.n_wanted,
                "n_missing": row.n_missing,
                "n_to_gather": row.n_to_gather,
            }
            for row in self.rows
        ]
        return pl.DataFrame(rows, schema=dict(POOL_STATUS_COLUMNS))
