"""`regauge slice add`, `list`, `show`, `card` and `export`: the slices of a study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from regauge.cli.printing.output import Part, format_option, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import IN_JSON, make_table
from regauge.cli.printing.written import tell_written
from regauge.cli.slices.options import complete_options, labels_option, queue_option
from regauge.cli.studies.study import (
    describe_slice,
    make_list_command,
    open_for_reading,
    open_for_writing,
    print_entries,
    study_option,
    which_test_set_option,
)
from regauge.records.slices.rules import describe_rule
from regauge.workflows.slices.creating import SliceRequest, prepare_slice, store_slice
from regauge.workflows.slices.queues import write_queue
from regauge.workflows.slices.reading import ShownSlice, export_slice, list_slices, make_card, open_slice


@click.command("add")
@click.argument("path", metavar="FILE")
@click.option("--name", help="What to call the slice; by default as the file does.")
@labels_option
@click.option(
    "--chosen-with",
    "choosers",
    multiple=True,
    metavar="NAME",
    help="A participant whose answers helped to choose the images, and who is not comparable on them. Repeatable.",
)
@complete_options
@queue_option
@which_test_set_option
@study_option
@format_option
def add_command(
    path: str,
    name: str | None,
    labels: str | None,
    choosers: tuple[str, ...],
    complete: bool,
    queue: Path | None,
    test_set: str | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Add the images that FILE lists as a slice: ids one per line, a table with image_id, or a file of subsets.

    FILE#NAME chooses one of several lists; of the labels of Shankar et al. (2020) in version 3, imagenet_m is meant.
    """
    chosen = name or Path(path.rpartition("#")[2] if "#" in path else path).stem
    with open_for_writing(folder) as study:
        request = SliceRequest(
            chosen, images=path, labels=labels, choosers=choosers, test_set=test_set, is_complete=complete
        )
        prepared = prepare_slice(study, request)
        if queue is not None:
            write_queue(prepared.queue, queue)
        entry = store_slice(study, prepared)
    print_entries([describe_slice(entry)], output_format, name="slices")
    print_notes(prepared.notes)


list_command = make_list_command(list_slices, describe_slice, name="slices", about="List all slices.")


@click.command("show")
@click.argument("name")
@study_option
@format_option
def show_command(name: str, folder: Path | None, output_format: str) -> None:
    """Show the slice NAME: its rule, what it was chosen with, and its images.

    CSV and JSON Lines list the images; JSON has all of it.
    """
    with open_for_reading(folder) as study:
        found = open_slice(study, name)
    if output_format == "table":
        print_entries([describe_slice(found.entry)], output_format, name="slices")
        print_parts(_make_parts(found))
    elif output_format == "json":
        print_json(_describe(found))
    else:
        rows = ({"slice": name, "image_id": one} for one in found.chosen.image_ids.tolist())
        print_records(rows, output_format, name="images")
    print_notes(found.notes)


@click.command("card")
@click.argument("name")
@study_option
def card_command(name: str, folder: Path | None) -> None:
    """Print the card of the slice NAME in Markdown: how it was made, what it holds, its limits, and how to use it."""
    with open_for_reading(folder) as study:
        card = make_card(study, name)
    click.echo("\n".join(map(make_printable, card.splitlines())))


@click.command("export")
@click.argument("name")
@click.argument("path", metavar="DIR", type=click.Path(path_type=Path), callback=tell_written)
@study_option
@format_option
def export_command(name: str, path: Path, folder: Path | None, output_format: str) -> None:
    """Write the slice NAME to the folder DIR: its images' ids, labels and coded mistakes, and its card.

    Others score it with: regauge score PREDICTIONS --truth DIR, or regauge slice score DIR PREDICTIONS.
    """
    with open_for_reading(folder) as study:
        entry = export_slice(study, name, path=path)
    print_entries([{**describe_slice(entry), "folder": str(path)}], output_format, name="slices")


def _describe(found: ShownSlice) -> dict[str, Any]:
    return {
        **describe_slice(found.entry),
        "rule": dict(describe_rule(found.chosen.rule)),
        "inputs": asdict(found.chosen.inputs),
        "images": found.chosen.image_ids.tolist(),
        "notes": list(found.notes),
    }


def _make_parts(found: ShownSlice) -> Iterator[Part]:
    inputs = found.chosen.inputs
    if not found.entry.void:
        yield Text(make_printable(f"{found.choice}."))
    rows = {
        "chosen from": f"{inputs.n_candidates:,} images",
        "chosen with": ", ".join(inputs.names),
        "codings": ", ".join(inputs.codings),
        "complete labelling": ", ".join(inputs.complete_by),
        "list": inputs.source,
        "to be looked at": f"{inputs.n_open:,}" if inputs.n_open else "",
        "undecided images": f"{inputs.n_undecided:,}" if inputs.n_undecided else "",
    }
    table = make_table("", "", whole=IN_JSON)
    for name, value in rows.items():
        if value:
            table.add_row(name, value)
    yield table
