"""How results are printed: a table for people; JSON, CSV or JSON Lines for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import click
import polars as pl
from rich.console import Console
from rich.text import Text

import regauge
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.score_tables import make_tables
from regauge.cli.printing.streams import is_unicode
from regauge.errors import InputError
from regauge.records.cells import format_csv
from regauge.records.evaluation.scores import Scores
from regauge.records.option_names import name_options

PIPE_WIDTH = 140
FORMATS = ("table", "json", "csv", "jsonl")

_Command = TypeVar("_Command", bound=Callable[..., Any])


def format_option(command: _Command) -> _Command:
    """The option --format that every command with results has."""
    option = click.option(
        "--format",
        "output_format",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="A table for people, the rest for programs.",
    )
    return option(command)


def make_console() -> Console:
    """The terminal; into a pipe or a file tables are printed wide."""
    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=PIPE_WIDTH)


def print_scores(
    scores: Scores, output_format: str, *, beside: Mapping[str, Any] | None = None, lines: Iterable[Text] = ()
) -> None:
    """The scores on standard output; notes and warnings on standard error, so that output can be piped.

    Args:
        scores: what to print.
        output_format: table, json, csv or jsonl.
        beside: what JSON has of published models beside them.
        lines: what stands below the tables.
    """
    if output_format == "table":
        console = make_console()
        for part in (*make_tables(scores, width=console.width), *lines):
            console.print(part)
    elif output_format == "json":
        print_json(
            {
                "scores": scores.to_frame().to_dicts(),
                **(beside or {}),
                "notes": list(scores.notes),
                "warnings": list(scores.warnings),
                "settings": asdict(scores.settings),
                "version": regauge.__version__,
            }
        )
    else:
        print_rows(scores.to_frame(), output_format)
    print_notes(scores.notes, scores.warnings)


def print_notes(notes: Iterable[str], warnings: Iterable[str] = ()) -> None:
    """What the reader should know, on standard error, so that the output can be piped."""
    for note in notes:
        click.echo(f"Note: {make_printable(name_options(note))}", err=True)
    for warning in warnings:
        click.echo(f"Warning: {make_printable(name_options(warning))}", err=True)


def print_rows(rows: pl.DataFrame, output_format: str) -> None:
    """A data frame as CSV or JSON Lines."""
    if output_format == "csv":
        # Asked for colour, click leaves the text as it is; else it would cut control characters out of names.
        click.echo(_check_encoding(format_csv(rows)), nl=False, color=True)
    else:
        print_lines(rows.iter_rows(named=True))


def print_lines(rows: Iterable[Mapping[str, Any]]) -> None:
    """Plain records as JSON Lines."""
    is_plain = not is_unicode()
    for row in rows:
        click.echo(json.dumps(row, ensure_ascii=is_plain, allow_nan=False))


def print_records(
    records: Iterable[Mapping[str, Any]], output_format: str, *, name: str, columns: Sequence[str] = ()
) -> None:
    """Plain records as JSON {name: [records]}, CSV or JSON Lines.

    Args:
        records: what to print.
        output_format: json, csv or jsonl.
        name: what JSON calls the list.
        columns: the header of a CSV without records. Lists in CSV cells are joined by |.
    """
    rows = [dict(record) for record in records]
    if output_format == "json":
        print_json({name: rows})
    elif output_format == "csv":
        flat = [
            {key: "|".join(map(str, v)) if isinstance(v, list | tuple) else v for key, v in row.items()} for row in rows
        ]
        print_rows(pl.DataFrame(flat) if flat else pl.DataFrame(schema=list(columns)), output_format)
    else:
        print_lines(rows)


def print_json(content: Mapping[str, Any]) -> None:
    """One JSON object, indented; what notes and warnings say of settings, they say of options."""
    told = {name: list(map(name_options, content[name])) for name in ("notes", "warnings") if name in content}
    click.echo(json.dumps({**content, **told}, indent=2, ensure_ascii=not is_unicode(), allow_nan=False))


def _check_encoding(text: str) -> str:
    """Refuse a table that standard output cannot hold, before half of it is printed: CSV has no way to write a character out."""
    encoding = "utf-8" if is_unicode() else sys.stdout.encoding
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        if encoding == "utf-8":
            raise
        raise InputError(
            f"Standard output is in {encoding}, which has no {text[error.start]!a}; set PYTHONIOENCODING=utf-8, "
            "or print --format json."
        ) from None
    return text
