"""Options about files: what they cannot say of themselves, such as columns and the order of rows, and files to write."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

from regauge.cli.printing.written import tell_written
from regauge.errors import InputError
from regauge.workflows.inputs import read_columns
from regauge.workflows.output_files import ROW_SUFFIXES

_Command = TypeVar("_Command", bound=Callable[..., Any])
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


def file_option(name: str, text: str) -> Callable[[_Command], _Command]:
    """An option that names a file to write; one that cannot be written is refused before anything is computed for it."""
    return click.option(name, type=click.Path(path_type=Path), metavar="FILE", callback=_check_file, help=text)


def _check_file(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is None:
        return None
    if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{option.opts[0]}: {path} cannot be written; name a file in a folder that you can write to.")
    return tell_written(context, option, path)


def check_table_file(output: Path | None) -> None:
    """Refuse a file for a table whose extension names no format."""
    if output is not None and output.suffix.lower() not in ROW_SUFFIXES:
        kind = output.suffix or "one without extension"
        raise InputError(f"--output writes {', '.join(ROW_SUFFIXES)} files, not {kind}: {output}.")
