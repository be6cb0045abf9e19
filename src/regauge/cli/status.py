"""`regauge status`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from regauge.cli.output import format_option, print_json, print_records
from regauge.cli.printable import make_printable
from regauge.cli.studies import (
    describe_comparison,
    describe_evaluation,
    describe_labels,
    describe_predictions,
    describe_test_set,
    open_for_reading,
    print_entries,
    study_option,
)
from regauge.records.studies import StudyStatus
from regauge.workflows.next_steps import find_campaign_steps
from regauge.workflows.studies import describe_status


@click.command("status")
@study_option
@format_option
def command(folder: Path | None, output_format: str) -> None:
    """Show what a study holds and what comes next."""
    with open_for_reading(folder) as study:
        status = describe_status(study)
        next_steps = [*find_campaign_steps(study, status), *status.next_steps]
    parts = {
        "test_sets": [describe_test_set(entry) for entry in status.test_sets],
        "pools": [describe_test_set(entry) for entry in status.pools],
        "predictions": [describe_predictions(entry) for entry in status.predictions],
        "label_sets": [describe_labels(entry) for entry in status.label_sets],
        "evaluations": [describe_evaluation(entry) for entry in status.evaluations],
        "comparisons": [describe_comparison(entry) for entry in status.comparisons],
        "two_sample_tests": [asdict(entry) for entry in status.two_samples],
    }
    if output_format == "json":
        print_json({**_describe(status), **parts, "next_steps": next_steps})
    elif output_format != "table":
        counts = {f"n_{name}": len(rows) for name, rows in parts.items()}
        print_records([{**_describe(status), **counts, "next_steps": next_steps}], output_format, name="study")
    else:
        click.echo(
            f"Study {make_printable(status.folder)}: {status.n_classes:,} classes of {make_printable(status.taxonomy)}"
        )
        for name, rows in parts.items():
            if rows:
                click.echo(f"\n{name.replace('_', ' ').capitalize()}")
                print_entries([_round(row) for row in rows], output_format, name=name)
        for step in next_steps:
            click.echo(f"Next: {make_printable(step)}")


def _round(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for people, who read three decimals."""
    return {name: f"{value:.3f}" if isinstance(value, float) else value for name, value in row.items()}


def _describe(status: StudyStatus) -> dict[str, object]:
    return {
        "folder": status.folder,
        "database": status.database,
        "taxonomy": status.taxonomy,
        "n_classes": status.n_classes,
    }
