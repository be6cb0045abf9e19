"""The options that say what files cannot say of themselves: their columns, and the order of their rows and classes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click

from regauge.workflows.inputs import read_columns

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


def columns_option(*of: str) -> _Decorator:
    """`--columns` of truths, predictions or both; the command gets a mapping from our names to the file's."""

    def parse(_context: click.Context, _option: click.Parameter, text: str | None) -> dict[str, str]:
        return read_columns(text, of=of)

    return click.option(
        "--columns",
        callback=parse,
        metavar="OURS=THEIRS,…",
        help="Map the column names of tables, such as image_id=ImageId,label=Class.",
    )


truth_columns_option = columns_option("truth")
prediction_columns_option = columns_option("predictions")
all_columns_option = columns_option("truth", "predictions")

ids_option = click.option(
    "--ids",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Image ids of arrays that have none, in row order: one id per line, or a truth in that order.",
)
synsets_option = click.option(
    "--synsets",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="The ILSVRC devkit's meta.mat, or class ids in its order, one per line.",
)
