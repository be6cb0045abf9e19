"""`regauge reproduce`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich import box
from rich.table import Table
from rich.text import Text

from regauge.cli.printing.output import format_option, make_console, print_json, print_records
from regauge.records.option_names import name_options
from regauge.records.reproductions import Basis, FigureAgreement, ReproducedFigure, Reproduction
from regauge.workflows.reproduce.papers import PAPERS, reproduce

STYLES = {
    FigureAgreement.EQUAL: "green",
    FigureAgreement.CONSISTENT: "green",
    FigureAgreement.DIFFERS: "yellow",
    FigureAgreement.NOT_COMPUTABLE: "dim",
}
SHORT = {Basis.DATA: "from data", Basis.ARITHMETIC: "arithmetic", Basis.ROWS: "rows"}
"""What a verdict rests on, in a table; the line below it says it in full."""

VERDICT = 10
WIDE = 120
"""From this width on notes have a column of their own; below it they stand under their figure."""


@click.command("reproduce")
@click.argument("paper", type=click.Choice(list(PAPERS)))
@click.option(
    "--data",
    "folders",
    type=click.Path(path_type=Path),
    required=True,
    multiple=True,
    metavar="DIR",
    help="A clone of one of the papers' repositories, a folder that holds several, or a folder of compact files, as "
    "docs/reproductions.md describes them; repeatable.",
)
@format_option
@click.pass_context
def command(context: click.Context, paper: str, folders: tuple[Path, ...], output_format: str) -> None:
    """Recompute the figures of a PAPER from its data: published, recomputed, equal and on what basis, or why not.

    Nothing is unpickled. A figure whose data are not in the folders says which files were looked for. Exit status 1 when a
    figure that is known to match does not.
    """
    result = reproduce(paper, folders)
    rows = [asdict(figure) for figure in result.figures]
    if output_format == "json":
        summary = {"paper": result.paper, "title": result.title, "is_sound": result.is_sound}
        print_json({**summary, "figures": rows, "notes": list(result.notes)})
    elif output_format != "table":
        print_records(rows, output_format, name="figures")
    else:
        _print_table(result)
    if not result.is_sound:
        context.exit(1)


def _print_table(result: Reproduction) -> None:
    console = make_console()
    console.print(_make_table(result, is_wide=console.width >= WIDE))
    absent = _group_absent(result)
    if absent:
        console.print(Text("Not computable\n", "bold"))
        for note, figures in absent.items():
            console.print(Text(_capitalise(note), "dim"))
            console.print(Text("\n".join(f"  {figure}" for figure in figures) + "\n"))
    console.print(Text(_count(result)))
    for note in map(name_options, result.notes):
        console.print(Text(note, "dim"))
    surprising = [figure.figure for figure in result.figures if figure.is_surprising]
    if surprising:
        console.print(Text(f"Known to match and different here: {len(surprising)}, marked DIFFERS.", "bold red"))


def _make_table(result: Reproduction, *, is_wide: bool) -> Table:
    """The figures that could be computed."""
    table = Table(box=box.SIMPLE_HEAD, title=result.title, title_justify="left", title_style="bold", expand=True)
    for name, ratio in (("figure", 5), ("published", 4), ("recomputed", 4)):
        table.add_column(name, overflow="fold", ratio=ratio)
    table.add_column("", width=VERDICT)
    if is_wide:
        table.add_column("note", overflow="fold", ratio=5)
    for figure in result.figures:
        if figure.agreement is not FigureAgreement.NOT_COMPUTABLE:
            table.add_row(*_make_cells(figure, is_wide=is_wide))
    return table


def _make_cells(figure: ReproducedFigure, *, is_wide: bool) -> list[Text]:
    name, note = Text(figure.figure), Text(figure.note, "dim")
    if not is_wide and figure.note:
        name = Text.assemble(name, "\n", note)
    # A row of a printed table breaks behind its intervals.
    values = (Text(value.replace("] | ", "]\n")) for value in (figure.published, figure.recomputed))
    return [name, *values, _name_verdict(figure), *([note] if is_wide else [])]


def _name_verdict(figure: ReproducedFigure) -> Text:
    agreement = "DIFFERS" if figure.is_surprising else str(figure.agreement)
    style = "bold red" if figure.is_surprising else STYLES[figure.agreement]
    return Text(agreement if figure.basis is None else f"{agreement}\n{SHORT[figure.basis]}", style)


def _capitalise(note: str) -> str:
    """A note as a line of its own; the name of a file at its beginning stays as it is."""
    return note if note.split(" ", 1)[0].endswith(":") else f"{note[:1].upper()}{note[1:]}"


def _group_absent(result: Reproduction) -> dict[str, list[str]]:
    """The figures that could not be computed, by what was looked for."""
    found: dict[str, list[str]] = {}
    for figure in result.figures:
        if figure.agreement is FigureAgreement.NOT_COMPUTABLE:
            published = f" ({figure.published})" if figure.published else ""
            found.setdefault(figure.note, []).append(f"{figure.figure}{published}")
    return found


def _count(result: Reproduction) -> str:
    """How many figures stand in which way; equal ones by what they rest on."""
    equal = ", ".join(f"{result.count_equal(basis)} {basis}" for basis in Basis)
    others = ", ".join(f"{result.count(one)} {one}" for one in FigureAgreement if one is not FigureAgreement.EQUAL)
    return f"{len(result.figures)} figures: {result.count(FigureAgreement.EQUAL)} equal ({equal}), {others}."
