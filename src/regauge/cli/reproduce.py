"""`regauge reproduce`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich import box
from rich.table import Table
from rich.text import Text

from regauge.cli.output import format_option, make_console, print_json, print_records
from regauge.records.reproductions import Agreement, Reproduction
from regauge.workflows.reproduce.papers import PAPERS, reproduce

STYLES = {
    Agreement.EQUAL: "green",
    Agreement.CONSISTENT: "green",
    Agreement.DIFFERS: "yellow",
    Agreement.NOT_COMPUTABLE: "dim",
}


@click.command("reproduce")
@click.argument("paper", type=click.Choice(list(PAPERS)))
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="Folder with the released data, as docs/reproductions.md describes it.",
)
@format_option
@click.pass_context
def command(context: click.Context, paper: str, data: Path, output_format: str) -> None:
    """Recompute the figures of a PAPER from its released data: published, recomputed, equal or why not.

    Exit status 1 when a figure that is known to match does not.
    """
    result = reproduce(paper, data)
    rows = [asdict(figure) for figure in result.figures]
    if output_format == "json":
        print_json({"paper": result.paper, "title": result.title, "is_sound": result.is_sound, "figures": rows})
    elif output_format != "table":
        print_records(rows, output_format, name="figures")
    else:
        _print_table(result)
    if not result.is_sound:
        context.exit(1)


def _print_table(result: Reproduction) -> None:
    table = Table(box=box.SIMPLE_HEAD, title=result.title, title_justify="left", title_style="bold")
    for name in ("figure", "published", "recomputed", "", "note"):
        table.add_column(name, overflow="fold", ratio=3 if name in {"figure", "note"} else None)
    for figure in result.figures:
        style = "bold red" if figure.is_surprising else STYLES[figure.agreement]
        verdict = Text("DIFFERS" if figure.is_surprising else figure.agreement, style)
        cells = (figure.figure, figure.published, figure.recomputed)
        table.add_row(*map(Text, cells), verdict, Text(figure.note, "dim"))
    console = make_console()
    console.print(table)
    counts = ", ".join(f"{result.count(agreement)} {agreement}" for agreement in Agreement)
    console.print(Text(f"{len(result.figures)} figures: {counts}."))
    surprising = [figure.figure for figure in result.figures if figure.is_surprising]
    if surprising:
        console.print(Text(f"Known to match and different here: {len(surprising)}, marked DIFFERS.", "bold red"))
