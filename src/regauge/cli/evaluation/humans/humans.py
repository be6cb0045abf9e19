"""`regauge humans`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

import click

import regauge
from regauge.cli.evaluation.humans.tables import describe_humans, make_human_tables
from regauge.cli.exposure.opening import open_learned
from regauge.cli.options.files import all_columns_option
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.progress import make_track
from regauge.cli.studies.study import selection_options, study_option
from regauge.errors import InputError
from regauge.records.evaluation.humans.report import HumanReport, HumanSettings
from regauge.records.evaluation.humans.tables import ACCURACIES, HUMAN_TABLES
from regauge.records.predictions import ParticipantChoice
from regauge.records.studies import Selection
from regauge.records.testsets.shared_images import SharedBy
from regauge.workflows.evaluation.humans import humans, study_humans
from regauge.workflows.inputs import TestSetAnswers

_Command: TypeAlias = Callable[..., None]

_DEFAULT = HumanSettings()
_SETTINGS = (
    click.option("--person", multiple=True, metavar="GLOB", help="Treat matching participants as people. Repeatable."),
    click.option(
        "--metric",
        multiple=True,
        metavar="NAME",
        help="Which accuracy; the first leads. By default multilabel_strict, then multilabel_lenient, or else top1. Repeatable.",
    ),
    click.option(
        "--by",
        multiple=True,
        metavar="GROUPING",
        help="Whose groups of classes are subsets; by default object-organism and dogs. Repeatable.",
    ),
    click.option(
        "--pairs",
        multiple=True,
        metavar="GLOB",
        help="The family between all pairs of which McNemar's test is made; everybody by default. Repeatable.",
    ),
    click.option(
        "--fast-seconds",
        type=float,
        default=_DEFAULT.fast_seconds,
        show_default=True,
        help="An image is fast if the median of people's seconds is at most this.",
    ),
    click.option(
        "--n-draws",
        type=int,
        default=_DEFAULT.n_draws,
        show_default=True,
        help="How often as many classes as a subset has are drawn at random.",
    ),
    click.option(
        "--n-bootstrap",
        type=int,
        default=_DEFAULT.n_bootstrap,
        show_default=True,
        help="Bootstrap samples of the images.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Random seed of every draw and bootstrap."),
    click.option(
        "--level", type=float, default=_DEFAULT.level, show_default=True, help="Confidence level of every interval."
    ),
    click.option(
        "--shared",
        type=click.Choice([choice.value for choice in SharedBy]),
        default=SharedBy.DIGESTS.value,
        show_default=True,
        help="How to recognise images that are in both sets.",
    ),
    click.option("--all-images", is_flag=True, help="Judge models on images that no person answered as well."),
    click.option("--allow-missing", is_flag=True, help="Go on when a model has not answered some images."),
)
_NAMES = tuple(field.name for field in fields(HumanSettings))


def settings_options(command: _Command) -> _Command:
    """The options of a comparison of people and models, which the command gets as one argument `settings`."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> None:  # noqa: ANN401 - what click passes on
        given = {name: options.pop(name) for name in _NAMES}
        by = given.pop("by") or None
        command(settings=HumanSettings(by=by, shared=SharedBy(given.pop("shared")), **given), **options)

    for option in reversed(_SETTINGS):
        with_settings = option(with_settings)
    return with_settings


@click.command("humans")
@click.argument("test_sets", metavar="[ORIGINAL [NEW]]", nargs=-1)
@click.option("--original-truth", multiple=True, metavar="FILE", help="Truth of the original set. Repeatable.")
@click.option("--original", multiple=True, metavar="PREDICTIONS", help="What people and models answered. Repeatable.")
@click.option("--new-truth", multiple=True, metavar="FILE", help="Truth of a new set, if there is one. Repeatable.")
@click.option("--new", multiple=True, metavar="PREDICTIONS", help="What they answered on the new set. Repeatable.")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@all_columns_option
@settings_options
@selection_options
@study_option
@click.option(
    "--table",
    "tables",
    type=click.Choice(list(HUMAN_TABLES)),
    multiple=True,
    metavar="NAME",
    help=f"Only this table, with all its rows: {', '.join(HUMAN_TABLES)}. Repeatable; CSV and JSON Lines hold one.",
)
@click.option("--label", multiple=True, metavar="GLOB", help="Print these names in the figure. Repeatable.")
@figure_option
@format_option
def command(
    test_sets: tuple[str, ...],
    original_truth: tuple[str, ...],
    original: tuple[str, ...],
    new_truth: tuple[str, ...],
    new: tuple[str, ...],
    taxonomy: str | None,
    columns: dict[str, str],
    settings: HumanSettings,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    folder: Path | None,
    tables: tuple[str, ...],
    label: tuple[str, ...],
    figure: FigureFile | None,
    output_format: str,
) -> None:
    """Compare people with models: accuracies on subsets, gaps, tests of all pairs, images that all miss, and seconds.

    Give files, as in `shift`, of one test set or of two; or ORIGINAL and NEW, the names of test sets of a study. The column
    `kind` of the predictions, or --person, says who is a person.
    """
    _check_output(tables, label, figure, output_format=output_format)
    if figure is not None and not new and len(test_sets) < 2:
        raise InputError("A figure is of two test sets; give a new one as well, or leave --figure out.")
    files = {"--original-truth": original_truth, "--original": original, "--new-truth": new_truth, "--new": new}
    if test_sets:
        _refuse({**files, "--taxonomy": taxonomy, "--columns": columns}, "test sets of a study are named")
        if len(test_sets) > 2:
            raise InputError(f"Name one test set or two, ORIGINAL and NEW, not {len(test_sets)}.")
        sides = [Selection(name, labels, participant, chosen) for name in test_sets]
        with open_learned(folder) as study:
            report = study_humans(study, *sides, settings=settings)
    else:
        _refuse({"--labels": labels, "--participant": participant, "--study": folder}, "files are given")
        _demand(files)
        first = TestSetAnswers(original, original_truth, columns=columns, chosen=chosen)
        second = TestSetAnswers(new, new_truth, columns=columns, chosen=chosen) if new else None
        report = humans(first, second, taxonomy=taxonomy, settings=settings, track=make_track())
    if figure is not None:
        figure.save(regauge.plot_humans(report, label=label, canvas=figure.canvas))
    _print(report, tables, output_format)


def _print(report: HumanReport, tables: tuple[str, ...], output_format: str) -> None:
    """The tables on standard output, notes and warnings on standard error."""
    if output_format == "table":
        print_parts(make_human_tables(report, tables))
    elif output_format == "json":
        print_json(describe_humans(report, tables))
    else:
        print_rows(report.get_table(tables[0] if tables else ACCURACIES), output_format)
    print_notes(report.notes, report.warnings)


def _check_output(
    tables: tuple[str, ...], label: tuple[str, ...], figure: FigureFile | None, *, output_format: str
) -> None:
    if label and figure is None:
        raise InputError("--label prints names in a figure; say where to with --figure.")
    if output_format in {"csv", "jsonl"} and len(tables) > 1:
        raise InputError(
            f"{output_format} holds one table, and {len(tables)} are asked for; use --format json for all."
        )


def _refuse(options: dict[str, object], why: str) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise InputError(f"{', '.join(given)} has no effect if {why}; leave it out.")


def _demand(files: dict[str, tuple[str, ...]]) -> None:
    """Both files of the original set, and of the new one both or neither."""
    needed = ["--original-truth", "--original"]
    needed += ["--new-truth", "--new"] if files["--new-truth"] or files["--new"] else []
    missing = [name for name in needed if not files[name]]
    if missing:
        raise InputError(f"{', '.join(missing)} is needed, or the names of test sets of a study.")
