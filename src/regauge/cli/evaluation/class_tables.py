"""Changes class by class: the options, and how they are printed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import click
from rich.table import Table
from rich.text import Text

from regauge.cli.printing.tables import make_table, show
from regauge.estimates import format_p, format_percent, format_points
from regauge.records.evaluation.class_changes import EVERYBODY, ClassChange, ClassChanges

N_SHOWN = 20
"""Classes in a table; the other formats have all of them."""

_Command: TypeAlias = Callable[..., None]


def class_options(command: _Command) -> _Command:
    """The options --by-class and --by-class-of, which the command gets as `each`: globs, or None where neither is given."""

    @functools.wraps(command)
    def with_each(*, by_class: bool, by_class_of: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click's
        command(each=by_class_of if by_class or by_class_of else None, **options)

    whole = click.option(
        "--by-class", is_flag=True, help="Also the change of every class, the strongest evidence first."
    )
    single = click.option(
        "--by-class-of", multiple=True, metavar="GLOB", help="The classes of each matching model as well. Repeatable."
    )
    return whole(single(with_each))


def make_class_tables(changes: ClassChanges) -> Iterator[Table | Text]:
    """The classes with the strongest evidence, for the mean over participants and for each one asked for."""
    for participant in dict.fromkeys(row.participant for row in changes.rows):
        rows = changes.select(participant)
        yield _make_table(changes, rows)
        yield Text(changes.describe(participant))
        if len(rows) > N_SHOWN:
            yield Text(f"{len(rows) - N_SHOWN:,} further classes: --format csv has all.", style="dim")
    yield Text(
        f"{100 * changes.level:g}% intervals and p from one score test over the class's images in both sets; p adjusted "
        "by Holm, and by Benjamini and Hochberg (BH), over the classes.",
        style="dim",
    )


def _make_table(changes: ClassChanges, rows: tuple[ClassChange, ...]) -> Table:
    whose = f"mean of {rows[0].n_participants} models" if rows[0].participant == EVERYBODY else rows[0].participant
    table = make_table("class")
    table.title = show(f"{changes.metric} by class from {changes.original} to {changes.new}: {whose}")
    for name in ("n\noriginal", "n\nnew", "original", "new", "change in points", "p", "p\n(Holm)", "p\n(BH)"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows[:N_SHOWN]:
        table.add_row(
            show(f"{row.class_index} {row.class_id or ''}".strip()),
            f"{row.n_original:,}",
            f"{row.n_new:,}",
            format_percent(row.original),
            format_percent(row.new),
            format_points(row.estimate, sign=True),
            *map(format_p, (row.p, row.p_holm, row.p_bh)),
        )
    return table
