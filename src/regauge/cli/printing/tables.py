"""What the tables of all commands share: their look, names as they are, and whether they fit the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from regauge.cli.printing.printable import make_printable

NUMBERS = frozenset({"classes", "index", "level", "n", "rank"})
"""Columns that stand to the right."""


def make_table(*names: str, title: str = "") -> Table:
    """A table in the one look, with these columns; without a head where none has a name."""
    table = Table(
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        title=show(title) if title else None,
        show_header=any(names),
    )
    for name in names:
        table.add_column(name, overflow="fold", justify="right" if name in NUMBERS else "left")
    return table


def show(text: str) -> Text:
    """A name as it is: rich would take brackets for markup and :dog: for a picture."""
    return Text(make_printable(text))


def fits(table: Table, width: int) -> bool:
    """Whether the table can be printed without folding a cell."""
    console = Console(width=10_000)
    return Measurement.get(console, console.options, table).maximum <= width
