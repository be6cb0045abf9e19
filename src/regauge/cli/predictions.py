"""`regauge predictions`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.options.files import ids_option, prediction_columns_option
from regauge.cli.options.participants import KINDS, choice_options
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import (
    describe_predictions,
    open_for_reading,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
    which_test_set_option,
)
from regauge.records.predictions import ParticipantChoice
from regauge.workflows.predictions import (
    PredictionSource,
    align_predictions,
    list_predictions,
    mark_participants,
    store_predictions,
)


@click.group("predictions")
def command() -> None:
    """Add and list what participants answered."""


@command.command()
@click.argument("predictions", nargs=-1, required=True)
@which_test_set_option
@click.option(
    "--kind", type=KINDS, help="What all of them are; else what their files say, and models where these say nothing."
)
@click.option("--family", help="What all of them belong with: an architecture, a group of people.")
@prediction_columns_option
@ids_option
@click.option("--replace", is_flag=True, help="Put these answers in the place of a participant's old ones.")
@click.option("--allow-missing", is_flag=True, help="Accept a participant that lacks some images.")
@study_option
@format_option
def add(
    predictions: tuple[str, ...],
    test_set: str | None,
    kind: str | None,
    family: str | None,
    columns: dict[str, str],
    ids: Path | None,
    replace: bool,
    allow_missing: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Add PREDICTIONS: files, folders or globs as in `score`, each also as NAME=PATH; all of them or none.

    Columns `seconds` and `active_seconds` are kept: how long each answer took from the image being shown, and how much of that
    was work.
    """
    source = PredictionSource(predictions, ids, columns, kind, family)
    with open_here(folder) as study:
        with study.read() as begun:
            aligned = align_predictions(begun, source, test_set=test_set, allow_missing=allow_missing)
        with study.begin() as begun:
            added = store_predictions(begun, aligned, replace=replace)
    print_entries([describe_predictions(entry) for entry in added.entries], output_format, name="predictions")
    print_notes(added.notes, added.warnings)


@command.command("list")
@which_test_set_option
@choice_options
@study_option
@format_option
def list_(test_set: str | None, chosen: ParticipantChoice, folder: Path | None, output_format: str) -> None:
    """List the predictions, of all test sets or of one."""
    with open_for_reading(folder) as study:
        entries = list_predictions(study, test_set, chosen=chosen)
    print_entries([describe_predictions(entry) for entry in entries], output_format, name="predictions")


@command.command()
@click.argument("participants", nargs=-1, required=True)
@click.option("--kind", type=KINDS, help="What they are.")
@click.option("--family", help="What they belong with; an empty text takes it away.")
@study_option
@format_option
def mark(
    participants: tuple[str, ...], kind: str | None, family: str | None, folder: Path | None, output_format: str
) -> None:
    """Say whether PARTICIPANTS, names or globs, are models or people, and what they belong with."""
    with open_for_writing(folder) as study:
        marked = mark_participants(study, participants, kind=kind, family=family)
    rows = [{"participant": one.name, "kind": str(one.kind), "family": one.family} for one in marked]
    print_entries(rows, output_format, name="participants")
