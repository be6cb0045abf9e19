"""How results are printed: a table for people; JSON, CSV or JSON Lines for programs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

import regauge.frames as pl
from regauge.cli.printing.documents import comment_latex, escape_markdown, to_latex, to_markdown
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.streams import is_unicode
from regauge.cli.printing.tables import FittedTable, show, wrap_words
from regauge.errors import InputError
from regauge.records.cells import format_csv
from regauge.records.option_names import name_options

PIPE_WIDTH = 140
UNBOUNDED = 10_000
FORMATS = ("table", "json", "csv", "jsonl")
PAPERS = ("latex", "markdown")
"""Formats in which tables are for papers: a command prints what it prints as a table, and nothing is left out."""
_FORMAT = "regauge.cli.format"

Part: TypeAlias = FittedTable | Text
"""What a command prints for people."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def format_option(command: _Command) -> _Command:
    """The option --format that every command with results has."""
    option = click.option(
        "--format",
        "output_format",
        type=click.Choice((*FORMATS, *PAPERS)),
        default="table",
        show_default=True,
        callback=_keep_format,
        help="A table for people, latex (with booktabs) or markdown for a paper, the rest for programs.",
    )
    return option(command)


def print_parts(parts: Iterable[Part]) -> None:
    """Tables and sentences for people on standard output; in the format of a paper, sentences stand around the tables."""
    papers = _find_paper()
    console = None if papers else make_console()
    for part in parts:
        if console is not None:
            console.print(part if isinstance(part, FittedTable) else _wrap(part, console.width))
        elif not isinstance(part, FittedTable) and not part.plain:
            click.echo()
        elif papers == "latex":
            click.echo(to_latex(part) if isinstance(part, FittedTable) else comment_latex(part.plain))
        else:
            click.echo(to_markdown(part) if isinstance(part, FittedTable) else f"{escape_markdown(part.plain)}\n")


def _wrap(text: Text, width: int) -> Text:
    """A text whose lines fit, and in which no number is parted from its interval."""
    lines = text.plain.split("\n")
    if all(cell_len(line) <= width for line in lines):
        return text
    return Text(
        "\n".join(wrap_words(line, width) if cell_len(line) > width else line for line in lines), style=text.style
    )


def print_sentences(*sentences: str) -> None:
    """Sentences for people on standard output, broken between words."""
    print_parts(show(one) for one in sentences)


def find_width() -> int:
    """How wide tables may be; in a paper as wide as they are."""
    return UNBOUNDED if _find_paper() else make_console().width


def make_console() -> Console:
    """The terminal; into a pipe or a file tables are printed wide."""
    console = Console()
    is_set = console.is_terminal or "COLUMNS" in os.environ
    return console if is_set else Console(width=PIPE_WIDTH)


def _keep_format(context: click.Context, _option: click.Parameter, chosen: str) -> str:
    """A format for papers is a table to the command, and known to what prints it."""
    if chosen in PAPERS:
        context.meta[_FORMAT] = chosen
        return "table"
    return chosen


def _find_paper() -> str:
    """The format for papers that was asked for, if one was."""
    context = click.get_current_context(silent=True)
    return "" if context is None else str(context.meta.get(_FORMAT, ""))


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
        # Of all rows, for a column may be empty in the first hundred.
        frame = pl.DataFrame(flat, infer_schema_length=None) if flat else pl.DataFrame(schema=list(columns))
        print_rows(frame, output_format)
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
