"""`regauge reproduce`."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.progress import show_life
from regauge.cli.printing.tables import IN_CSV, IN_JSON, FittedTable, Holds
from regauge.cli.studies.study import find_circumstances
from regauge.records.option_names import name_options
from regauge.records.reproductions import (
    Basis,
    FigureAgreement,
    ReleasedPart,
    ReleasedStudy,
    ReproducedFigure,
    Reproduction,
)
from regauge.workflows.reproduce.papers import PAPERS, reproduce, reproduce_all
from regauge.workflows.reproduce.study.building import make_released_study

STYLES = {
    FigureAgreement.EQUAL: "green",
    FigureAgreement.CONSISTENT: "green",
    FigureAgreement.DIFFERS: "yellow",
    FigureAgreement.NOT_COMPUTABLE: "dim",
}
SHORT = {Basis.DATA: "from data", Basis.ARITHMETIC: "arithmetic", Basis.ROWS: "rows"}
"""What a verdict rests on, in a table; the line below it says it in full."""


ALL = "all"


@click.command("reproduce")
@click.argument("paper", type=click.Choice([*PAPERS, ALL]))
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
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="STUDY",
    help="With all: make a study of the data that are there, in a folder that is new or empty, instead of figures.",
)
@format_option
@click.pass_context
def command(
    context: click.Context, paper: str, folders: tuple[Path, ...], into: Path | None, output_format: str
) -> None:
    """Recompute the figures of a PAPER from its data: published, recomputed, equal and on what basis, or why not.

    Nothing is unpickled. A figure whose data are not in the folders says which files were looked for. Exit status 1 when a
    figure that is known to match does not. PAPER all is every paper, and with --into STUDY a study of all that was released.
    """
    if into is not None:
        if paper != ALL:
            raise click.UsageError(f"A study is made of the data of all papers; write: reproduce {ALL} --into {into}")
        _print_study(make_released_study(folders, into, around=find_circumstances()), into, output_format)
        return
    with show_life("Recomputing figures"):
        results = reproduce_all(folders) if paper == ALL else (reproduce(paper, folders),)
    if output_format == "json":
        described = [_describe(result) for result in results]
        print_json({"papers": described} if paper == ALL else described[0])
    elif output_format != "table":
        print_records([asdict(one) for result in results for one in result.figures], output_format, name="figures")
    else:
        for result in results:
            _print_table(result)
    if not all(result.is_sound for result in results):
        context.exit(1)


def _describe(result: Reproduction) -> dict[str, Any]:
    """A paper as JSON has it."""
    summary = {"paper": result.paper, "title": result.title, "is_sound": result.is_sound}
    figures = [asdict(figure) for figure in result.figures]
    return {**summary, "figures": figures, "notes": list(map(name_options, result.notes))}


def _print_study(made: ReleasedStudy, named: Path, output_format: str) -> None:
    """What a study of released data holds, and a line for each thing that was left out."""
    rows = [asdict(part) for part in made.parts]
    if output_format == "json":
        print_json({"folder": made.folder, "parts": rows, "notes": list(made.notes)})
        return
    if output_format != "table":
        print_records(rows, output_format, name="parts")
        return
    table = FittedTable(f"A study of released data in {make_printable(str(named))}", IN_CSV)
    for name in ("what", "name", "holds"):
        table.add_column(name, Holds.WORDS)
    for part in made.added:
        table.add_row(part.what, part.name, part.detail)
    print_parts([table, *(Text(_tell_left_out(part)) for part in made.left_out)])
    click.echo(f"Next: regauge status --study {make_printable(shlex.quote(str(named)))}")
    print_notes(made.notes)


def _tell_left_out(part: ReleasedPart) -> str:
    return f"Left out: {part.what} {part.name}: {part.detail}"


def _print_table(result: Reproduction) -> None:
    """How many figures stand in which way, then each of them."""
    parts: list[FittedTable | Text] = [Text(_count(result))]
    surprising = [figure.figure for figure in result.figures if figure.is_surprising]
    if surprising:
        parts.append(Text(f"Known to match and different here: {len(surprising)}, marked DIFFERS.", "bold red"))
    parts += [Text(), _make_table(result)]
    for note, figures in _group_absent(result).items():
        parts.append(Text.assemble(("Not computable: ", "bold"), (note, "dim")))
        parts.append(Text("\n".join(f"  {figure}" for figure in figures) + "\n"))
    print_parts([*parts, *(Text(name_options(note), "dim") for note in result.notes)])


def _make_table(result: Reproduction) -> FittedTable:
    """The figures that could be computed."""
    table = FittedTable(result.title, IN_JSON)
    for rank, name in enumerate(("figure", "published", "recomputed", "", "note")):
        table.add_column(name, Holds.WORDS, rank=(0, 0, 0, 1, 2)[rank], label=name or "verdict")
    for figure in result.figures:
        if figure.agreement is not FigureAgreement.NOT_COMPUTABLE:
            table.add_row(*_make_cells(figure))
    return table


def _make_cells(figure: ReproducedFigure) -> list[Text]:
    # A row of a printed table breaks behind its intervals.
    values = (Text(value.replace("] | ", "]\n")) for value in (figure.published, figure.recomputed))
    return [Text(figure.figure), *values, _name_verdict(figure), Text(figure.note, "dim")]


def _name_verdict(figure: ReproducedFigure) -> Text:
    agreement = "DIFFERS" if figure.is_surprising else str(figure.agreement)
    style = "bold red" if figure.is_surprising else STYLES[figure.agreement]
    return Text(agreement if figure.basis is None else f"{agreement}\n{SHORT[figure.basis]}", style)


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
