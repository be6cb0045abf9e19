"""`regauge status`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from regauge.cli.printing.output import format_option, print_json, print_records, print_sentences
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import IN_JSON
from regauge.cli.studies.study import (
    describe_coding,
    describe_comparison,
    describe_evaluation,
    describe_labels,
    describe_predictions,
    describe_slice,
    describe_test_set,
    open_for_reading,
    print_entries,
    study_option,
)
from regauge.estimates import count_things
from regauge.records.rules import say_old_rules
from regauge.records.studies import ComparisonEntry, EvaluationEntry, StudyStatus
from regauge.workflows.studies.next_steps import list_steps
from regauge.workflows.studies.study import describe_exposure, describe_status


@click.command("status")
@study_option
@format_option
def command(folder: Path | None, output_format: str) -> None:
    """Show what a study holds and what comes next."""
    with open_for_reading(folder) as study:
        status = describe_status(study)
        exposure = describe_exposure(study)
        next_steps = [str(step) for step in list_steps(study, status)]
    parts = {
        "test_sets": [describe_test_set(entry) for entry in status.test_sets],
        "pools": [describe_test_set(entry) for entry in status.pools],
        "predictions": [describe_predictions(entry) for entry in status.predictions],
        "label_sets": [describe_labels(entry) for entry in status.label_sets],
        "codings": [describe_coding(entry) for entry in status.codings],
        "slices": [describe_slice(entry) for entry in status.slices],
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
        print_sentences(
            f"Study {status.folder}: {count_things(status.n_classes, 'class', many='classes')} of {status.taxonomy}", ""
        )
        for name, rows in parts.items():
            if rows:
                print_sentences(name.replace("_", " ").capitalize())
                print_entries([_round(row) for row in rows], output_format, name=name, whole=IN_JSON)
        for sentence in (*_list_old("Evaluation", status.evaluations), *_list_old("Comparison", status.comparisons)):
            print_sentences(sentence)
        if exposure:
            # Commands stay in one line, to be copied.
            click.echo(make_printable(exposure))
        for step in next_steps:
            click.echo(f"Next: {make_printable(step)}")


def _list_old(noun: str, entries: Sequence[EvaluationEntry | ComparisonEntry]) -> Iterator[str]:
    """A sentence about those that one version computed by the same old rules."""
    alike: dict[tuple[object, ...], list[EvaluationEntry | ComparisonEntry]] = {}
    for entry in entries:
        if entry.old_rules:
            alike.setdefault((entry.code_version, entry.old_rules), []).append(entry)
    for some in alike.values():
        numbers = ", ".join(str(entry.id) for entry in some)
        yield say_old_rules(f"{noun} {numbers} was made" if len(some) == 1 else f"{noun}s {numbers} were made", some[0])


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
