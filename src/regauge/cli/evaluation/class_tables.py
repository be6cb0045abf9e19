"""Changes class by class: the options, and how they are printed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import click
from rich.text import Text

from regauge.cli.printing.tables import FittedTable, Holds, name_class
from regauge.estimates import format_p, format_percent, format_points
from regauge.records.evaluation.class_changes import EVERYBODY, ClassChange, ClassChanges
from regauge.records.taxonomy import Taxonomy

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


def make_class_tables(changes: ClassChanges, taxonomy: Taxonomy | None = None) -> Iterator[FittedTable | Text]:
    """The classes with the strongest evidence, for the mean over participants and for each one asked for."""
    for participant in dict.fromkeys(row.participant for row in changes.rows):
        rows = changes.select(participant)
        yield _make_table(changes, rows, taxonomy)
        yield Text(changes.describe(participant))
        if len(rows) > N_SHOWN:
            yield Text(f"{len(rows) - N_SHOWN:,} further classes: --format csv has all.", style="dim")
    yield Text(
        f"{100 * changes.level:g}% intervals and p from one score test over the class's images in both sets; p adjusted "
        "by Holm, and by Benjamini and Hochberg (BH), over the classes.",
        style="dim",
    )


def _make_table(changes: ClassChanges, rows: tuple[ClassChange, ...], taxonomy: Taxonomy | None) -> FittedTable:
    whose = f"mean of {rows[0].n_participants} models" if rows[0].participant == EVERYBODY else rows[0].participant
    table = FittedTable(f"{changes.metric} by class from {changes.original} to {changes.new}: {whose}")
    table.add_column("class", Holds.NAMES)
    ranks = {"n\noriginal": 4, "n\nnew": 4, "original": 3, "new": 3, "change in points": 0}
    for name, rank in {**ranks, "p": 5, "p\n(Holm)": 2, "p\n(BH)": 1}.items():
        table.add_column(name, rank=rank)
    for row in rows[:N_SHOWN]:
        table.add_row(
            f"{row.class_index} {row.class_id or ''}".strip()
            if taxonomy is None
            else name_class(row.class_index, taxonomy),
            f"{row.n_original:,}",
            f"{row.n_new:,}",
            format_percent(row.original),
            format_percent(row.new),
            format_points(row.estimate, sign=True),
            *map(format_p, (row.p, row.p_holm, row.p_bh)),
        )
    return table
