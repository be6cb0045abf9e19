"""`regauge labels`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from regauge.cli.labels.audits import audit_command, draw_command
from regauge.cli.labels.diffs import (
    describe_changes,
    describe_diff,
    describe_score_change,
    describe_unlisted,
    find_hidden,
    list_change_columns,
    list_score_columns,
    make_score_table,
)
from regauge.cli.labels.review_plans import plan_command, settled_command
from regauge.cli.labels.summaries import summary_command
from regauge.cli.options.files import synsets_option, truth_columns_option
from regauge.cli.printing.output import (
    format_option,
    print_json,
    print_notes,
    print_parts,
    print_records,
    print_sentences,
)
from regauge.cli.printing.tables import IN_JSON
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import (
    describe_labels,
    list_superseded,
    names_option,
    open_for_reading,
    open_for_writing,
    print_entries,
    study_option,
)
from regauge.errors import InputError
from regauge.records.labels.label_set import Unlisted
from regauge.workflows.inputs import load_truth
from regauge.workflows.labels.label_set import (
    LabelLayout,
    MergeRule,
    add_labels,
    diff_labels,
    export_labels,
    list_label_sets,
    merge_label_sets,
)
from regauge.workflows.labels.score_changes import measure_changes


@click.group("labels")
def command() -> None:
    """Add, list, compare and export label sets; a version, once added, never changes."""


command.add_command(plan_command)
command.add_command(settled_command)
command.add_command(draw_command)
command.add_command(audit_command)
command.add_command(summary_command)


@command.command()
@click.argument("path", metavar="FILE")
@click.option("--name", help="What to call it; the file's name by default. A name that exists gets a new version.")
@click.option(
    "--unlisted",
    type=click.Choice([choice.value for choice in Unlisted]),
    help="What a class in none of an image's lists means; by default as in `score`.",
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
    help="If two judge the same class of an image: the one named later applies, or the class is unclear if they differ.",
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
@click.option("--scores", is_flag=True, help="Also show what the change does to every participant's score and rank.")
@click.option("--test-set", metavar="NAME", help="Score on this test set; the only one by default.")
@click.option("--participant", "participants", multiple=True, metavar="GLOB", help="Score only these; repeatable.")
@names_option
@study_option
@format_option
def diff(
    before: str,
    after: str,
    scores: bool,
    test_set: str | None,
    participants: tuple[str, ...],
    with_names: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Show which verdicts changed from BEFORE to AFTER and why, each NAME@VERSION or NAME for the latest."""
    if (test_set or participants) and not scores:
        raise InputError("--test-set and --participant say whose scores to compare; add --scores.")
    with open_for_reading(folder) as study:
        found = diff_labels(study, before, after, with_names=with_names)
        moved = measure_changes(study, before, after, test_set=test_set, participants=participants) if scores else None
    changes = describe_changes(found)
    rows = None if moved is None else [describe_score_change(one) for one in moved]
    if output_format == "json":
        print_json({**asdict(found), "changes": changes, **({} if rows is None else {"scores": rows})})
        return
    if output_format != "table":
        if rows is None:
            print_records(changes, output_format, name="changes", columns=list_change_columns())
        else:
            print_records(rows, output_format, name="scores", columns=list_score_columns())
        print_notes(describe_unlisted(found))
        return
    if changes:
        print_entries(changes, output_format, name="changes", hidden=find_hidden(found), whole=IN_JSON)
    print_sentences(describe_diff(found), *describe_unlisted(found))
    if moved is not None:
        print_parts([make_score_table(moved, before=found.before, after=found.after)])


@command.command()
@click.argument("name", metavar="NAME")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path), callback=tell_written)
@click.option("--test-set", metavar="NAME", help="Write only the images of this test set.")
@click.option(
    "--layout",
    type=click.Choice([layout.value for layout in LabelLayout]),
    default=LabelLayout.OWN.value,
    show_default=True,
    help="regauge: JSON Lines with everything known; tfds: its field names; shankar2020: the JSON of Shankar et al.",
)
@click.option(
    "--imagenet-m",
    "major_slice",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="With shankar2020: image ids, one per line, to list as imagenet_m.",
)
@study_option
@format_option
def export(
    name: str,
    path: Path,
    test_set: str | None,
    layout: str,
    major_slice: Path | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Write a label-set version (NAME@VERSION, or NAME for the latest) as a file that `score` reads."""
    if major_slice is not None and layout != LabelLayout.SHANKAR2020:
        raise InputError("--imagenet-m goes with --layout shankar2020, the only layout that has such a list.")
    with open_for_reading(folder) as study:
        entry = export_labels(
            study,
            name,
            path=path,
            test_set=test_set,
            layout=LabelLayout(layout),
            major_slice=major_slice,
        )
    print_entries([{**describe_labels(entry), "file": str(path)}], output_format, name="label_sets")
