"""`regauge predictions`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.options.reading import ids_option, prediction_columns_option
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import (
    describe_predictions,
    open_for_reading,
    open_here,
    print_entries,
    study_option,
    which_test_set_option,
)
from regauge.workflows.predictions import PredictionSource, align_predictions, list_predictions, store_predictions


@click.group("predictions")
def command() -> None:
    """Add and list what participants answered."""


@command.command()
@click.argument("predictions", nargs=-1, required=True)
@which_test_set_option
@prediction_columns_option
@ids_option
@click.option("--replace", is_flag=True, help="Put these answers in the place of a participant's old ones.")
@click.option("--allow-missing", is_flag=True, help="Accept a participant that lacks some images.")
@study_option
@format_option
def add(
    predictions: tuple[str, ...],
    test_set: str | None,
    columns: dict[str, str],
    ids: Path | None,
    replace: bool,
    allow_missing: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Add PREDICTIONS: files, folders or globs as in `score`, each also as NAME=PATH; all of them or none."""
    source = PredictionSource(predictions, ids, columns)
    with open_here(folder) as study:
        with study.read() as begun:
            aligned = align_predictions(begun, source, test_set=test_set, allow_missing=allow_missing)
        with study.begin() as begun:
            added = store_predictions(begun, aligned, replace=replace)
    print_entries([describe_predictions(entry) for entry in added.entries], output_format, name="predictions")
    print_notes(added.notes, added.warnings)


@command.command("list")
@which_test_set_option
@study_option
@format_option
def list_(test_set: str | None, folder: Path | None, output_format: str) -> None:
    """List the predictions, of all test sets or of one."""
    with open_for_reading(folder) as study:
        entries = list_predictions(study, test_set)
    print_entries([describe_predictions(entry) for entry in entries], output_format, name="predictions")
