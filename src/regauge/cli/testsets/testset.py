"""`regauge testset`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.options.files import synsets_option, truth_columns_option
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import (
    describe_test_set,
    make_list_command,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
)
from regauge.cli.testsets.compare import command as compare
from regauge.cli.testsets.draws import diff, export, remove, restore, show_
from regauge.cli.testsets.sample import revise, sample
from regauge.cli.testsets.two_sample import command as two_sample
from regauge.workflows.testsets.test_set import (
    TestSetRequest,
    list_test_sets,
    prepare_test_set,
    relocate_test_set,
    store_test_set,
)


@click.group("testset")
def command() -> None:
    """Add, draw, review, compare and export the test sets of a study; images are referenced, never copied."""


for _one in (sample, show_, remove, restore, revise, diff, export, compare, two_sample):
    command.add_command(_one)


@command.command()
@click.argument("path")
@click.option("--name", help="What to call it; the file's or folder's name by default.")
@click.option(
    "--images",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Where the files of a table are; the table's folder by default.",
)
@truth_columns_option
@synsets_option
@click.option("--checksums", is_flag=True, help="Read every image and store its SHA-256.")
@click.option("--skip-broken", is_flag=True, help="Leave out images that cannot be shown; else they are refused.")
@click.option("--follow-links", is_flag=True, help="Take links that lead out of the folder; else they are refused.")
@study_option
@format_option
def add(
    path: str,
    name: str | None,
    images: Path | None,
    columns: dict[str, str],
    synsets: Path | None,
    checksums: bool,
    skip_broken: bool,
    follow_links: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Add the test set at PATH: a folder or shards of images, a dataset of Hugging Face, or a table or list of labels.

    A folder has one folder per class, a metadata.csv or metadata.jsonl, or images alone, which are then without labels.
    PATH#NAME chooses a split of a dataset or a test set of an export.
    """
    with open_here(folder) as study:
        with study.read() as reading:
            request = TestSetRequest(name, images, checksums, skip_broken, follow_links, columns, synsets)
            prepared = prepare_test_set(reading, path, request=request)
        with study.begin() as begun:
            added = store_test_set(begun, prepared)
    print_entries([describe_test_set(added.entry)], output_format, name="test_sets")
    print_notes(added.notes)


command.add_command(make_list_command(list_test_sets, describe_test_set, name="test_sets", about="List the test sets."))


@command.command()
@click.argument("name", metavar="NAME")
@click.argument("root", metavar="ROOT", type=click.Path(path_type=Path))
@study_option
@format_option
def relocate(name: str, root: Path, folder: Path | None, output_format: str) -> None:
    """Say that the images of the test set NAME are below ROOT now, after checking that all are there."""
    with open_for_writing(folder) as study:
        moved = relocate_test_set(study, name, root=root)
    print_entries([describe_test_set(moved.entry)], output_format, name="test_sets")
    print_notes(moved.notes)
