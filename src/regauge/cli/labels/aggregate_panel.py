"""`regauge aggregate panel`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.options.files import file_option
from regauge.cli.printing.output import format_option, print_notes, print_records
from regauge.cli.studies.study import print_entries
from regauge.records.labels.verdicts import Verdict
from regauge.workflows.labels.aggregate_panel import aggregate_panel, save_labels


@click.command("panel")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@file_option("--labels-out", "Write the verdicts as a truth (.jsonl) that score reads.")
@format_option
def command(files: tuple[str, ...], taxonomy: str | None, labels_out: Path | None, output_format: str) -> None:
    """Find what an expert panel decided: most votes win, and a shared first place is unclear.

    FILEs are CSV image_id,class,panelist,verdict with the verdicts correct, unclear and wrong, taken together.
    """
    labels = aggregate_panel(files, taxonomy=taxonomy)
    if labels_out is not None:
        save_labels(labels, labels_out)
    ids = labels.label_set.image_ids
    rows = [
        {
            "image_id": str(ids[image]),
            "class": int(index),
            "verdict": Verdict(verdict).name.lower(),
            **{f"n_{one.name.lower()}": int(counts[one]) for one in reversed(Verdict)},
        }
        for image, index, verdict, counts in zip(
            labels.images.tolist(), labels.classes.tolist(), labels.verdicts.tolist(), labels.n_votes, strict=True
        )
    ]
    if output_format == "table":
        print_entries(rows, output_format, name="verdicts")
    else:
        print_records(rows, output_format, name="verdicts")
    print_notes(labels.notes)
