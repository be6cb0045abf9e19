"""Tables of columns: what each is called, and of which type it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import regauge.frames as pl


class ColumnTypes(Mapping[str, Any]):
    """The columns of a table in output order with their types of polars, which asking for the columns does not load.

    Attributes:
        names: what polars calls the type of each column.

    >>> columns = ColumnTypes({"participant": "String", "n": "Int64"})
    >>> list(columns), columns["n"]
    (['participant', 'n'], Int64)
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)

    def __getitem__(self, column: str) -> Any:  # noqa: ANN401 - a type of polars
        return getattr(pl, self.names[column])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
