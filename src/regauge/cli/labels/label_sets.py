"""`regauge labels`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from regauge.cli.options.reading import synsets_option, truth_columns_option
from regauge.cli.printing.output import format_option, print_json, print_notes, print_sentences
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import (
    describe_labels,
    list_superseded,
    open_for_reading,
    open_for_writing,
    print_entries,
    study_option,
)
from regauge.estimates import count_things
from regauge.records.labels.label_set import Unlisted
from regauge.workflows.inputs import load_truth
from regauge.workflows.labels.label_set import (
    MergeRule,
    add_labels,
    diff_labels,
    export_labels,
    list_label_sets,
    merge_label_sets,
)


@click.group("labels")
def command() -> None:
    """Add, list, compare and export label sets; a version, once added, never changes."""


@command.command()
@click.argument("path", metavar="FILE")
@click.option("--name", help="What to call it; the file's name by default. A name that exists gets a new version.")
@click.option(
    "--unlisted",
    type=click.Choice([choice.value for choice in Unlisted]),
    help="What a class in none of an image's lists means; by default as `score` has it.",
)
@truth_columns_option
@synsets_option
@study_option
@format_option
def add(
    path: str,
    name: str | None,
    unlisted: str | None,
    columns: dict[str, str],
    synsets: Path | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Add the truth in FILE as the next version of a label set; FILE#NAME chooses one of several in an export."""
    means = None if unlisted is None else Unlisted(unlisted)
    with open_for_writing(folder) as study:
        truth = load_truth(path, taxonomy=study.taxonomy, unlisted=means, columns=columns, synsets=synsets)
        added = add_labels(study, truth, name=name, provenance={"path": str(Path(path).resolve())})
    print_entries([describe_labels(added.entry)], output_format, name="label_sets")
    print_notes(added.notes)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="LABELS…")
@click.option("--name", required=True, help="What to call the result; a name that exists gets a new version.")
@click.option(
    "--rule",
    type=click.Choice(["later", "unclear"]),
    default="later",
    show_default=True,
    help="Where two judge one class of an image: the one named later holds, or it is unclear when they differ.",
)
@study_option
@format_option
def merge(names: tuple[str, ...], name: str, rule: str, folder: Path | None, output_format: str) -> None:
    """Merge label sets, each NAME@VERSION or NAME for the latest, into one."""
    with open_for_writing(folder) as study:
        entry = merge_label_sets(study, names, name=name, rule=MergeRule(rule))
    print_entries([describe_labels(entry)], output_format, name="label_sets")


@command.command("list")
@study_option
@format_option
def list_(folder: Path | None, output_format: str) -> None:
    """List all versions of all label sets."""
    with open_for_reading(folder) as study:
        rows = [describe_labels(entry) for entry in list_label_sets(study)]
    print_entries(rows, output_format, name="label_sets")
    print_notes(list_superseded(rows))


@command.command()
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@study_option
@format_option
def diff(before: str, after: str, folder: Path | None, output_format: str) -> None:
    """Show which verdicts changed from BEFORE to AFTER, each NAME@VERSION or NAME for the latest."""
    with open_for_reading(folder) as study:
        found = diff_labels(study, before, after)
    changes = [asdict(change) for change in found.changes]
    if output_format == "json":
        print_json({**asdict(found), "changes": changes})
        return
    if changes or output_format != "table":
        print_entries(changes, output_format, name="changes")
    if output_format == "table":
        print_sentences(
            f"{found.before} → {found.after}: {count_things(len(changes), 'verdict')} changed, "
            f"{count_things(len(found.added), 'image')} added, {len(found.removed):,} removed; "
            f"{len(found.now_problematic):,} became problematic, "
            f"{len(found.no_longer_problematic):,} no longer are."
        )


@command.command()
@click.argument("name", metavar="NAME")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path), callback=tell_written)
@click.option("--test-set", metavar="NAME", help="Write only the images of this test set.")
@study_option
@format_option
def export(name: str, path: Path, test_set: str | None, folder: Path | None, output_format: str) -> None:
    """Write a label-set version (NAME@VERSION, or NAME for the latest) as JSON Lines, which `score` reads."""
    with open_for_reading(folder) as study:
        entry = export_labels(study, name, path=path, test_set=test_set)
    print_entries([{**describe_labels(entry), "file": str(path)}], output_format, name="label_sets")
