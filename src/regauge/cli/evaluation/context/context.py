"""`regauge context`."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeAlias

import click

import regauge
from regauge.cli.evaluation.context.tables import describe_context, make_context_parts
from regauge.cli.options.files import all_columns_option
from regauge.cli.options.participants import choice_options
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.progress import make_track
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.errors import InputError
from regauge.records.evaluation.context.report import ContextReport, ContextSettings
from regauge.records.predictions import EVERYBODY
from regauge.records.studies import Selection
from regauge.workflows.evaluation.context import (
    context,
    context_all,
    list_analyses,
    save_context,
    study_context,
    study_context_all,
)
from regauge.workflows.evaluation.context_inputs import ContextInputs

_Command: TypeAlias = Callable[..., Any]

ALL = "all"
_DEFAULT = ContextSettings()
_SETTINGS = (
    click.option(
        "--participant",
        multiple=True,
        metavar="GLOB",
        help="Whom lists of single participants are about; by default the best one by top-1. Repeatable.",
    ),
    click.option(
        "--n-listed", type=int, default=_DEFAULT.n_listed, show_default=True, help="Entries of a ranked list."
    ),
    click.option(
        "--n-fewer",
        type=int,
        default=_DEFAULT.n_fewer,
        show_default=True,
        help="Annotators per image where an analysis is repeated with fewer of them.",
    ),
    click.option(
        "--n-bootstrap",
        type=int,
        default=_DEFAULT.n_bootstrap,
        show_default=True,
        help="Bootstrap samples of the images, and draws of fewer annotators.",
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Random seed of every draw and bootstrap."),
    click.option(
        "--level", type=float, default=_DEFAULT.level, show_default=True, help="Confidence level of every interval."
    ),
    click.option("--allow-missing", is_flag=True, help="Go on when a participant has not answered some images."),
)
_FILES = (
    click.option(
        "--truth",
        "truths",
        multiple=True,
        metavar="FILE",
        help="Dataset labels, and label sets if there are. Repeatable.",
    ),
    click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file."),
    all_columns_option,
    click.option("--classify", multiple=True, metavar="FILE", help="Answers to CLASSIFY, as JSON Lines. Repeatable."),
    click.option(
        "--frequencies",
        metavar="FILE",
        help="Selection counts of CONTAINS: a table of image_id, class, n_shown and n_selected.",
    ),
    click.option(
        "--split", metavar="FILE", help="Where images went after CONTAINS: a table printed by candidates split."
    ),
    click.option(
        "--potential",
        metavar="FILE",
        help="Labels that people were asked about: a table printed by candidates potential.",
    ),
    click.option(
        "--candidates", metavar="FILE", help="Labels that CLASSIFY offered: a table printed by candidates final."
    ),
    click.option(
        "--screening/--no-screening", default=True, show_default=True, help="Leave out flawed answers to CLASSIFY."
    ),
    click.option("--test-set", metavar="NAME", help="In a study: which test set; the only one by default."),
    click.option(
        "--labels",
        multiple=True,
        metavar="NAME[@VERSION]",
        help="In a study: the label set to use; by default all that cover the images. Repeatable.",
    ),
    choice_options,
    study_option,
)
_OUTPUT = (
    click.option(
        "--table",
        "tables",
        multiple=True,
        metavar="NAME",
        help="Only this table, with all its rows. Repeatable; CSV and JSON Lines hold one.",
    ),
    click.option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Write every table as CSV, and all findings as JSON, to a folder that is new or empty.",
    ),
    format_option,
)
_SETTING_NAMES = tuple(field.name for field in fields(ContextSettings))


class ContextGroup(click.Group):
    """Analyses by their names; without one, all that the inputs allow."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The analysis that the words begin with; of one that does not exist, those that are spelt most alike are named."""
        first = args[0]
        if first not in self.commands and not _is_path(first):
            near = difflib.get_close_matches(first, self.commands, n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else f" There are: {', '.join(self.commands)}."
            ctx.fail(f"No such analysis {first!r}.{hint}")
        return super().resolve_command(ctx, args if first in self.commands else [ALL, *args])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Options before any analysis, or none at all, are those of all analyses."""
        asks_help = bool(args) and args[0] in {"-h", "--help"}
        return super().parse_args(ctx, args if asks_help or (args and not args[0].startswith("-")) else [ALL, *args])


def _is_path(word: str) -> bool:
    return any(mark in word for mark in "./\\*=") or Path(word).exists()


def context_options(command: _Command) -> _Command:
    """All options of an analysis; the command gets them as records."""

    @functools.wraps(command)
    def with_records(predictions: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - what click passes on
        settings = ContextSettings(**{name: options.pop(name) for name in _SETTING_NAMES})
        inputs = ContextInputs(
            truth=options.pop("truths") or None,
            predictions=predictions,
            classify=options.pop("classify") or None,
            **{name: options.pop(name) for name in ("frequencies", "split", "potential", "candidates", "screening")},
            columns=options.pop("columns"),
            chosen=options.pop("chosen"),
        )
        command(inputs=inputs, settings=settings, **options)

    decorated: _Command = with_records
    for option in reversed((*_FILES, *_SETTINGS, *_OUTPUT)):
        decorated = option(decorated)
    return click.argument("predictions", nargs=-1)(figure_option(decorated))


@click.group("context", cls=ContextGroup)
def command() -> None:
    """Set benchmark beside task: objects, ambiguous classes, confusions, people's view of answers.

    Give PREDICTIONS and --truth, with --classify, --frequencies, --split and what else there is; or use a study. Without an
    analysis, all are made that the inputs allow.
    """


def _run(
    name: str,
    *,
    inputs: ContextInputs,
    settings: ContextSettings,
    taxonomy: str | None,
    test_set: str | None,
    labels: tuple[str, ...],
    folder: Path | None,
    tables: tuple[str, ...],
    output: Path | None,
    output_format: str,
    figure: FigureFile | None,
) -> None:
    """Find what is asked for, from files or in a study, draw and print it."""
    _check_tables(name, tables, output_format)
    if figure is not None and name == ALL:
        raise InputError("A figure is of one analysis; name one before --figure, as in: regauge context objects.")
    if inputs.truth is not None:
        _refuse({"--test-set": test_set, "--labels": labels, "--study": folder}, "--truth is given")
        track = make_track()
        if name == ALL:
            reports = context_all(inputs, taxonomy=taxonomy, settings=settings, track=track)
        else:
            reports = (context(name, inputs, taxonomy=taxonomy, settings=settings, track=track),)
    else:
        if inputs.predictions:
            raise InputError("Predictions are compared with dataset labels; name a file that has them with `truth=…`.")
        _refuse({"--taxonomy": taxonomy, "--columns": inputs.columns}, "a study is used")
        selection = Selection(test_set, labels, (), inputs.chosen)
        inputs = replace(inputs, columns=None, chosen=EVERYBODY)
        with open_for_reading(folder) as study:
            reports = (
                study_context_all(study, selection, inputs=inputs, settings=settings)
                if name == ALL
                else (study_context(study, selection, name, inputs=inputs, settings=settings),)
            )
    if output is not None:
        save_context(reports, output)
    if figure is not None:
        figure.save(regauge.plot_context(reports[0], canvas=figure.canvas))
    _print(name, reports, tables, output_format)


def _print(name: str, reports: Sequence[ContextReport], tables: tuple[str, ...], output_format: str) -> None:
    """What was found on standard output, notes and warnings on standard error."""
    if output_format == "table":
        for report in reports:
            wanted = [table for table in tables if table in report.tables]
            if wanted or not tables:
                print_parts(make_context_parts(report, wanted, only_first=name == ALL))
    elif output_format != "json":
        for report in reports:
            if name != ALL or tables[0] in report.tables:
                print_rows(report.get_table(tables[0]) if tables else report.to_frame(), output_format)
                break
    elif name == ALL:
        print_json({"analyses": [describe_context(report) for report in reports]})
    else:
        print_json(describe_context(reports[0], tables))
    notes = dict.fromkeys(note for report in reports for note in report.notes)
    print_notes(notes, dict.fromkeys(warning for report in reports for warning in report.warnings))


def _check_tables(name: str, tables: tuple[str, ...], output_format: str) -> None:
    known = [table for one in list_analyses() if name in {ALL, one.name} for table in one.tables]
    for table in tables:
        if table not in known:
            close = difflib.get_close_matches(table, known, n=1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise InputError(f"--table: {hint}there is no table {table!r}; there are: {', '.join(known)}.")
    if output_format in {"csv", "jsonl"}:
        if len(tables) > 1:
            raise InputError(
                f"{output_format} holds one table, and {len(tables)} are asked for; use --format json for all."
            )
        if name == ALL and not tables:
            raise InputError(
                f"{output_format} holds one table; name it with --table, or write all to a folder by --output."
            )


def _refuse(options: dict[str, object], why: str) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise InputError(f"{', '.join(given)} has no effect if {why}; leave it out.")


def _make_command(name: str, text: str) -> click.Command:
    @context_options
    def run(**options: Any) -> None:  # noqa: ANN401 - what click passes on
        _run(name, **options)

    return click.command(name, help=text)(run)


for _one in list_analyses():
    command.add_command(_make_command(_one.name, f"{_one.help}\n\nTables: {', '.join(_one.tables)}."))
command.add_command(
    _make_command(ALL, "Make every analysis that the inputs allow, and print its answers and leading table.")
)
