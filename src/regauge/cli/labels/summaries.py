"""`regauge labels summary`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows, print_sentences
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds
from regauge.cli.studies.study import open_for_reading, study_option, which_test_set_option
from regauge.estimates import format_percent, format_points
from regauge.records.evaluation.multilabel_truths import MultilabelTruth
from regauge.workflows.labels.multilabel_truths import SummarisedLabels, summarise_labels


@click.command("summary")
@click.argument("name", metavar="NAME")
@which_test_set_option
@click.option("--participant", multiple=True, metavar="GLOB", help="Which participants; all by default. Repeatable.")
@click.option("--level", default=0.95, show_default=True, help="Confidence level of every interval.")
@study_option
@format_option
def summary_command(
    name: str,
    test_set: str | None,
    participant: tuple[str, ...],
    level: float,
    folder: Path | None,
    output_format: str,
) -> None:
    """Summarise a label set: images with several correct labels, and everybody's multi-label against top-1 and top-5 accuracy."""
    with open_for_reading(folder) as study:
        found = summarise_labels(study, name, test_set=test_set, participants=participant, level=level)
    _print_summary(found, output_format)


def _print_summary(found: SummarisedLabels, output_format: str) -> None:
    truth = found.truth
    rows = truth.to_frame()
    if output_format == "json":
        about = {"labels": truth.labels, "test_set": truth.test_set, "n_images": truth.n_images, "level": truth.level}
        figures = list(rows.iter_rows(named=True))
        print_json({**about, "figures": figures, "notes": list(found.notes)})
        return
    if output_format != "table":
        print_rows(rows, output_format)
    else:
        print_sentences(*found.sentences)
        print_parts(list(make_tables(truth)))
    print_notes(found.notes)


def make_tables(truth: MultilabelTruth) -> Iterator[FittedTable]:
    """A table per metric of the dataset labels: every metric of the label set against it."""
    for against in dict.fromkeys(one.against for one in truth.comparisons):
        compared = [one for one in truth.comparisons if one.against == against]
        table = FittedTable(f"Against {against}, on the images that count under both", whole=IN_JSON)
        table.add_column("participant", Holds.NAMES, rank=0)
        table.add_column("n", Holds.NUMBERS, rank=1)
        table.add_column(against, Holds.NUMBERS, rank=1)
        for rank, one in enumerate(compared):
            table.add_column(one.metric, Holds.NUMBERS, rank=rank, label=one.metric)
            table.add_column("rank", Holds.NUMBERS, rank=2 + rank, label=f"rank by {one.metric}")
        others = [{change.participant: change for change in one.changes} for one in compared]
        for first in compared[0].changes:
            cells = []
            for by_name in others:
                change = by_name[first.participant]
                was, now = change.rank_before, change.rank_after
                cells += [format_points(change.change, sign=True), f"{now}" if was == now else f"{was} → {now}"]
            table.add_row(first.participant, f"{first.before.n or 0:,}", format_percent(first.before.value), *cells)
        yield table
