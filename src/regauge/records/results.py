"""What every result can do, whatever it is of: become a data frame, a figure or a file, and show itself in a notebook.

Figures and files are made by the package's public functions, which are found when they are called: a record imports neither.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import regauge
import regauge.frames as pl
from regauge.errors import InputError

if TYPE_CHECKING:
    import altair as alt

MAX_ROWS = 20
"""Rows that a notebook shows."""


class Result:
    """A table of numbers with n and interval, and what the reader should know of it.

    Attributes:
        plotter: the public function that draws it; empty where a figure would say no more than the table.
    """

    __slots__ = ()

    plotter: ClassVar[str] = ""

    def to_frame(self) -> pl.DataFrame:
        """All rows as a polars data frame; fractions, not percentages."""
        raise NotImplementedError

    def to_polars(self) -> pl.DataFrame:
        """As `to_frame`, by the name that other libraries have for it."""
        return self.to_frame()

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas need not be installed
        """All rows as a pandas data frame; pyarrow is not needed.

        Raises:
            InputError: pandas is not installed.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            raise InputError(
                "pandas is not installed; install it with: pip install pandas, or call to_polars()."
            ) from None
        return pandas.DataFrame({column.name: _to_pandas(pandas, column) for column in self.to_frame()})

    def plot(self, **options: Any) -> alt.TopLevelMixin:  # noqa: ANN401 - what the function that draws it takes
        """The result as an Altair chart, which a notebook draws.

        Args:
            options: what the function that draws it takes, such as `plot_scores`.

        Raises:
            InputError: there is no figure of it.
        """
        if not self.plotter:
            raise InputError(f"There is no figure of {type(self).__name__}; to_frame() has its numbers.")
        figure: alt.TopLevelMixin = getattr(regauge, self.plotter)(self, **options)
        return figure

    def save(self, path: Any) -> Any:  # noqa: ANN401 - records know no paths; `save_result` says which
        """Write the table (.csv, .jsonl, .parquet) or the figure (.svg, .png, .pdf, .html), as the extension says.

        Raises:
            InputError: the extension is none of these, or there is no figure of it.
            StorageError: the file cannot be written.
        """
        return regauge.save_result(self, path)

    def _list_shown(self) -> tuple[list[str], list[list[Any]]]:
        """The header and the rows that a notebook shows; longer tables are cut there."""
        frame = self.to_frame().head(MAX_ROWS + 1)
        return frame.columns, [list(row) for row in frame.rows()]

    def _repr_html_(self) -> str:
        header, rows = self._list_shown()
        title = f"<p><strong>{escape(repr(self).splitlines()[0].strip('<>'))}</strong></p>"
        head = "".join(f"<th>{escape(name)}</th>" for name in header)
        body = "".join(f"<tr>{''.join(map(_make_cell, row))}</tr>" for row in rows[:MAX_ROWS])
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        more = "<p>… and more rows: see to_frame().</p>" if len(rows) > MAX_ROWS else ""
        return f"<div>{title}{table}{more}{_list_sentences(self)}</div>"


def _make_cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    text = f"{value:.4g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
    return f'<td style="text-align: {"right" if isinstance(value, int | float) else "left"}">{escape(text)}</td>'


def _list_sentences(result: Result) -> str:
    told: Iterable[tuple[str, str]] = (
        *(("Warning: ", one) for one in getattr(result, "warnings", ())),
        *(("", one) for one in getattr(result, "notes", ())),
    )
    return "".join(f"<p><small>{escape(before + one)}</small></p>" for before, one in told)


def _to_pandas(pandas: Any, column: pl.Series) -> Any:  # noqa: ANN401 - pandas need not be installed
    """A column as pandas has it; whole numbers and truths with gaps keep their type."""
    if column.null_count() and (column.dtype.is_integer() or column.dtype == pl.Boolean):
        return pandas.array(column.to_list(), dtype="Int64" if column.dtype.is_integer() else "boolean")
    if column.dtype.is_numeric():
        return column.to_numpy()
    return column.to_list()
