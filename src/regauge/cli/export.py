"""`regauge export`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from regauge.cli.output import format_option
from regauge.cli.studies import open_for_reading, print_entries, study_option, which_test_set_option
from regauge.workflows.study_bundles import export_bundle
from regauge.workflows.study_exports import (
    ExportChoice,
    ExportedFile,
    export_croissant,
    export_crowd_kit,
    export_huggingface,
    export_label_studio,
    export_tables,
)

_Command = TypeVar("_Command", bound=Callable[..., Any])

_file_argument = click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
_folder_argument = click.argument("path", metavar="DIR", type=click.Path(path_type=Path))


def _labels_option(command: _Command) -> _Command:
    text = "Which label set; the latest version unless given."
    return click.option("--labels", multiple=True, metavar="NAME[@VERSION]", help=text)(command)


def _participant_option(command: _Command) -> _Command:
    text = "Whose answers; everybody's unless given. Repeatable."
    return click.option("--participant", multiple=True, metavar="GLOB", help=text)(command)


def _license_option(command: _Command) -> _Command:
    text = "The licence to state, such as cc-by-4.0; none is stated unless given."
    return click.option("--license", "license_name", default="", metavar="NAME", help=text)(command)


@click.group("export")
def command() -> None:
    """Write a study, or parts of it, for other programs; nothing that exists is overwritten."""


@command.command()
@_file_argument
@study_option
@format_option
def bundle(path: Path, folder: Path | None, output_format: str) -> None:
    """Write the whole study except for the images to FILE, from which `regauge import` makes it again."""
    with open_for_reading(folder) as study:
        export_bundle(study, path)
    row = {"file": str(path), "n_bytes": path.stat().st_size}
    print_entries([row], output_format, name="files")


def _make_table_command(kind: str, what: str) -> click.Command:
    @click.command(kind, help=f"Write images, labels, predictions and scores to DIR, one {what} file each.")
    @_folder_argument
    @click.option("--test-set", metavar="NAME", help="Only of this test set; of all unless given.")
    @_labels_option
    @_participant_option
    @study_option
    @format_option
    def write(
        path: Path,
        test_set: str | None,
        labels: tuple[str, ...],
        participant: tuple[str, ...],
        folder: Path | None,
        output_format: str,
    ) -> None:
        with open_for_reading(folder) as study:
            files = export_tables(study, path, kind=kind, choice=ExportChoice(test_set, labels, participant))
        _print_files(files, output_format)

    return write


for _kind, _what in (("parquet", "Parquet"), ("jsonl", "JSON Lines"), ("csv", "CSV")):
    command.add_command(_make_table_command(_kind, _what))


@command.command()
@_folder_argument
@which_test_set_option
@_labels_option
@_license_option
@study_option
@format_option
def huggingface(
    path: Path,
    test_set: str | None,
    labels: tuple[str, ...],
    license_name: str,
    folder: Path | None,
    output_format: str,
) -> None:
    """Copy a test set's images to DIR with metadata.jsonl and a dataset card, as Hugging Face's `imagefolder` opens it."""
    with open_for_reading(folder) as study:
        files = export_huggingface(study, path, choice=ExportChoice(test_set, labels), license_name=license_name)
    _print_files(files, output_format)


@command.command()
@_file_argument
@which_test_set_option
@_labels_option
@_participant_option
@_license_option
@study_option
@format_option
def croissant(
    path: Path,
    test_set: str | None,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    license_name: str,
    folder: Path | None,
    output_format: str,
) -> None:
    """Describe the exported tables beside FILE in Croissant's JSON-LD; where there are none, CSV is written there first."""
    with open_for_reading(folder) as study:
        choice = ExportChoice(test_set, labels, participant)
        files = export_croissant(study, path, choice=choice, license_name=license_name)
    _print_files(files, output_format)


@command.command("label-studio")
@_file_argument
@which_test_set_option
@_labels_option
@_participant_option
@click.option(
    "--image-url-prefix", metavar="URL", help="What stands before an image's path; unless given, a local file."
)
@study_option
@format_option
def label_studio(
    path: Path,
    test_set: str | None,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    image_url_prefix: str | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Write a test set as Label Studio tasks to FILE, and the labelling configuration beside it."""
    with open_for_reading(folder) as study:
        choice = ExportChoice(test_set, labels, participant)
        files = export_label_studio(study, path, choice=choice, image_url_prefix=image_url_prefix)
    _print_files(files, output_format)


@command.command("crowd-kit")
@_file_argument
@which_test_set_option
@_participant_option
@study_option
@format_option
def crowd_kit(
    path: Path, test_set: str | None, participant: tuple[str, ...], folder: Path | None, output_format: str
) -> None:
    """Write participants' first answers as CSV `task,worker,label`, as crowd-kit reads it."""
    with open_for_reading(folder) as study:
        written = export_crowd_kit(study, path, choice=ExportChoice(test_set, participants=participant))
    _print_files([written], output_format)


def _print_files(files: Sequence[ExportedFile], output_format: str) -> None:
    rows = [{"file": str(one.path), "n_rows": one.n_rows, "n_bytes": one.path.stat().st_size} for one in files]
    print_entries(rows, output_format, name="files")
