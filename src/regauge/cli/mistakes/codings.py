"""`regauge mistakes add`, `list`, `show` and `export`: the codings of a study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.text import Text

from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, make_table, name_class
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import (
    describe_coding,
    make_list_command,
    open_for_reading,
    open_for_writing,
    print_entries,
    study_option,
    which_test_set_option,
)
from regauge.estimates import Estimate, count_things, format_percent, format_plain
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.mistakes.coders import AGREEMENT
from regauge.workflows.mistakes.codings import (
    CodingSource,
    ShownCoding,
    add_coding,
    export_coding,
    list_codings,
    list_mistakes,
    show_coding,
)


@click.command("add")
@click.argument("path", metavar="FILE")
@click.option("--participant", required=True, metavar="NAME", help="Whose mistakes they are.")
@click.option("--labels", required=True, metavar="NAME[@VERSION]", help="The label set under which they are mistakes.")
@click.option(
    "--name", help="What to call the coding; by default as the file does. A name that exists gets a new version."
)
@click.option(
    "--categories",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The list of categories that the coders had, with definitions; by default the standard ones.",
)
@which_test_set_option
@study_option
@format_option
def add_command(
    path: str,
    participant: str,
    labels: str,
    name: str | None,
    categories: Path | None,
    test_set: str | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Add the coded mistakes in FILE, as reviewers coded them elsewhere; FILE#MODEL chooses one of several models.

    Severities stay as they were entered. A mistake that the label set accepts is listed as overturned.
    """
    with open_for_writing(folder) as study:
        added = add_coding(study, CodingSource(path, participant, labels, name, categories, test_set))
    print_entries([describe_coding(added.entry)], output_format, name="codings")
    print_notes(added.notes)


list_command = make_list_command(
    list_codings, describe_coding, name="codings", about="List all versions of all codings of mistakes."
)


@click.command("show")
@click.argument("name", metavar="NAME")
@study_option
@format_option
def show_command(name: str, folder: Path | None, output_format: str) -> None:
    """Show a coding, NAME@VERSION or NAME for the latest: how many mistakes of each kind, and those that are none.

    CSV and JSON Lines list every mistake; JSON has all of it.
    """
    with open_for_reading(folder) as study:
        found = show_coding(study, name)
        taxonomy = study.taxonomy
    if output_format == "table":
        print_entries([describe_coding(found.entry)], output_format, name="codings")
        print_parts(_make_parts(found, taxonomy))
    elif output_format == "json":
        print_json(_describe(found))
    else:
        print_records(list_mistakes(found.coding), output_format, name="mistakes")
    print_notes(found.notes)


@click.command("export")
@click.argument("name", metavar="NAME")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path), callback=tell_written)
@study_option
@format_option
def export_command(name: str, path: Path, folder: Path | None, output_format: str) -> None:
    """Write a coding, NAME@VERSION or NAME for the latest, to a .csv or .json file that `mistakes summary` reads."""
    with open_for_reading(folder) as study:
        entry = export_coding(study, name, path=path)
    print_entries([{**describe_coding(entry), "file": str(path)}], output_format, name="codings")


def _describe(found: ShownCoding) -> dict[str, Any]:
    coding = found.coding
    verdicts = [None if one is None else one.name.lower() for one in found.verdicts]
    n_coded = len(coding.coded)
    mistakes = list_mistakes(coding)
    return {
        **describe_coding(found.entry),
        "categories": [asdict(one) for one in coding.categories],
        "table": {
            name: dict(zip(map(str, SEVERITIES), row, strict=True))
            for name, row in zip(coding.coded.category_names, _count(coding), strict=True)
        },
        "mistakes": mistakes[:n_coded],
        "overturned": [{**row, "verdict": verdict} for row, verdict in zip(mistakes[n_coded:], verdicts, strict=True)],
        "agreement": list(coding.provenance.get(AGREEMENT, ())),
        "notes": list(found.notes),
    }


def _make_parts(found: ShownCoding, taxonomy: Taxonomy) -> Iterator[FittedTable | Text]:
    coding = found.coding
    if len(coding.coded):
        table = make_table("category", title="Mistakes by category and severity, as entered", whole=IN_JSON)
        table.add_columns([*map(str, SEVERITIES), "all"])
        for name, row in zip(coding.coded.category_names, _count(coding), strict=True):
            table.add_row(name, *(f"{n:,}" for n in (*row, sum(row))))
        yield table
    if len(coding.overturned):
        yield _make_overturned(coding, found.verdicts, taxonomy)
        yield Text(_describe_reasons(coding.overturned.reasons), style="dim")
    if coding.provenance.get(AGREEMENT):
        yield make_agreement_table(coding.provenance[AGREEMENT])


def _count(coding: MistakeCoding) -> list[list[int]]:
    """How many mistakes there are of each category and severity, as they were entered."""
    counts = np.zeros((len(coding.coded.category_names), len(SEVERITIES)), np.int64)
    np.add.at(counts, (coding.coded.categories.astype(np.intp), coding.coded.severities.astype(np.intp)), 1)
    rows: list[list[int]] = counts.tolist()
    return rows


def _make_overturned(coding: MistakeCoding, verdicts: Iterable[object], taxonomy: Taxonomy) -> FittedTable:
    """What turned out to be no mistake, with what the label set says of it now."""
    gone = coding.overturned
    table = make_table("image", title="Overturned: no mistakes", whole=IN_JSON)
    table.add_column("prediction", Holds.NAMES, rank=0)
    table.add_column("reason", Holds.NAMES, rank=1)
    table.add_column(coding.labels, Holds.NAMES, rank=2)
    table.add_column("note", Holds.NAMES, rank=3)
    columns = (gone.image_ids.tolist(), gone.predictions.tolist(), gone.reasons, verdicts, gone.notes)
    for image_id, prediction, reason, verdict, note in zip(*columns, strict=True):
        said = "–" if verdict is None else str(getattr(verdict, "name", verdict)).lower()
        table.add_row(image_id, name_class(prediction, taxonomy), reason, said, note)
    return table


def _describe_reasons(reasons: tuple[str, ...]) -> str:
    counts = {reason: reasons.count(reason) for reason in dict.fromkeys(reasons)}
    parts = ", ".join(f"{reason} {n:,}" for reason, n in counts.items())
    return f"{count_things(len(reasons), 'mistake was', many='mistakes were')} overturned: {parts}."


def make_agreement_table(rows: Sequence[Mapping[str, Any]]) -> FittedTable:
    """How far coders agree, one row for each aspect."""
    table = make_table("aspect", title="Agreement of coders", whole=IN_JSON)
    table.add_columns(["n", "all the same", "Krippendorff's alpha"])
    for one in rows:
        alpha = Estimate(one["alpha"], one["alpha_low"], one["alpha_high"])
        share = format_percent(one["n_equal"] / one["n"] if one["n"] else None)
        table.add_row(one["aspect"], f"{one['n']:,}", share, format_plain(alpha, decimals=2))
    return table
