"""What is known of annotators, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from regauge.arrays import BoolArray, CountArray, FloatArray, IdArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnnotatorTable:
    """What is known of every annotator, one row each, in the order of their first response.

    Attributes:
        annotator_ids: the annotators.
        columns: one array per column of the schema but the id; NaN where there is no value.
        level: nominal coverage of the Clopper–Pearson intervals.
        schema: the columns in output order, with their types.
    """

    annotator_ids: IdArray
    columns: Mapping[str, FloatArray | CountArray | BoolArray | IdArray]
    level: float
    schema: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.annotator_ids)

    def __repr__(self) -> str:
        return f"<AnnotatorTable: {len(self):,} annotators>"

    def to_frame(self) -> pl.DataFrame:
        """The table as a data frame; what is missing is null."""
        data = {"annotator_id": self.annotator_ids.tolist(), **self.columns}
        frame = pl.DataFrame({name: pl.Series(data[name], dtype=dtype) for name, dtype in self.schema.items()})
        return frame.with_columns(pl.selectors.float().fill_nan(None))
