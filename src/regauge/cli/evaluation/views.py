"""Options that choose what tables of scores show."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

from regauge.cli.printing.score_views import BY_NAME, ScoreView
from regauge.cli.printing.tables import name_classes
from regauge.records.taxonomy import Taxonomy

_Command: TypeAlias = Callable[..., None]


def view_options(command: _Command) -> _Command:
    """The options --metric, --sort, --best, --worst and --balanced, which the command gets as one argument `view`."""

    @functools.wraps(command)
    def with_view(
        *,
        metric: Sequence[str],
        sort: str | None,
        best: int | None,
        worst: int | None,
        balanced: bool,
        **options: Any,  # noqa: ANN401 - what click passes on
    ) -> None:
        view = ScoreView(metric, sort or "", best, worst, balanced)
        command(view=view, **options)

    number = click.IntRange(min=1)
    for option in (
        click.option("--balanced", is_flag=True, help="Show means over classes even where they read the same."),
        click.option("--worst", type=number, metavar="N", help="Show the N worst rows, the worst first."),
        click.option("--best", type=number, metavar="N", help="Show the N best rows."),
        click.option("--sort", metavar=f"METRIC|{BY_NAME}", help="Order of the rows in tables, the best first."),
        click.option(
            "--metric",
            multiple=True,
            metavar="METRIC",
            help="Show this metric; json, csv and jsonl have all. Repeatable.",
        ),
    ):
        with_view = option(with_view)
    return with_view


def name_parts(view: ScoreView, taxonomy: Taxonomy | None) -> ScoreView:
    """The view that calls parts of one class by the class's name."""
    if taxonomy is None:
        return view
    names = {f"{one.index} {one.id}": name for one, name in zip(taxonomy.classes, name_classes(taxonomy), strict=True)}
    return ScoreView(view.metrics, view.sort, view.n_best, view.n_worst, view.is_balanced, names)
