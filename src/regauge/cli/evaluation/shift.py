"""`regauge shift`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from regauge.cli.evaluation.beside import shift_beside_options, side_options
from regauge.cli.evaluation.class_tables import class_options
from regauge.cli.evaluation.fits import fit_options, plot, print_shift
from regauge.cli.options.files import all_columns_option, synsets_option
from regauge.cli.options.participants import choice_options
from regauge.cli.printing.figures import FigureFile
from regauge.cli.printing.output import format_option
from regauge.cli.printing.progress import make_track
from regauge.errors import InputError
from regauge.records.evaluation.accuracies import Beside, SetAccuracies
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.predictions import EVERYBODY, ParticipantChoice
from regauge.workflows.evaluation.beside import shift_beside
from regauge.workflows.evaluation.shifts import shift, shift_by_class
from regauge.workflows.inputs import TestSetAnswers, open_taxonomy


@click.command("shift")
@side_options
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@shift_beside_options
@all_columns_option
@click.option(
    "--original-ids", type=click.Path(path_type=Path), metavar="FILE", help="The order of arrays on the original set."
)
@click.option(
    "--new-ids",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The order of arrays on the new set, in the same way.",
)
@synsets_option
@choice_options
@fit_options
@class_options
@format_option
def command(
    sides: tuple[TestSetAnswers | SetAccuracies, TestSetAnswers | SetAccuracies],
    taxonomy: str | None,
    beside: Beside | None,
    columns: dict[str, str],
    original_ids: Path | None,
    new_ids: Path | None,
    synsets: Path | None,
    chosen: ParticipantChoice,
    settings: ShiftSettings,
    figure: FigureFile | None,
    label: Sequence[str],
    each: Sequence[str] | None,
    output_format: str,
) -> None:
    """Compare two test sets on the same models: gaps, ranks, mean changes and the linear fit.

    Models are matched by name. Every gap has an interval, every fit bootstrap limits. Without a truth, PREDICTIONS are
    tables of accuracies (model,n,n_correct or model,accuracy,n), and what needs single images is left out.
    """
    if (columns or synsets is not None) and not any(isinstance(side, TestSetAnswers) for side in sides):
        raise InputError("--columns and --synsets are for predictions and truths; both sets are tables of accuracies.")
    original, new = (
        _read_by(side, ids=ids, columns=columns, synsets=synsets, chosen=chosen)
        for side, ids in zip(sides, (original_ids, new_ids), strict=True)
    )
    if each is None:
        result, classes = shift(original, new, taxonomy=taxonomy, settings=settings, track=make_track()), None
    else:
        both = shift_by_class(
            _check_answers(original, new), each=each, taxonomy=taxonomy, settings=settings, track=make_track()
        )
        result, classes = both.shift, both.classes
    if beside is not None:
        result = shift_beside(result, beside)
    plot(result, figure, label)
    known = None if classes is None else open_taxonomy(taxonomy)
    print_shift(result, output_format, classes, taxonomy=known)


def _check_answers(
    original: TestSetAnswers | SetAccuracies, new: TestSetAnswers | SetAccuracies
) -> tuple[TestSetAnswers, TestSetAnswers]:
    """Refuse classes of sets of which only accuracies are known."""
    if isinstance(original, TestSetAnswers) and isinstance(new, TestSetAnswers):
        return original, new
    raise InputError(
        "Changes class by class need predictions and a truth of both sets; leave --by-class out, or give them."
    )


def _read_by(
    side: TestSetAnswers | SetAccuracies,
    *,
    ids: Path | None,
    columns: dict[str, str],
    synsets: Path | None,
    chosen: ParticipantChoice,
) -> TestSetAnswers | SetAccuracies:
    """The side with what its files need to be read, and who is meant; accuracies need none of it."""
    if isinstance(side, TestSetAnswers):
        return replace(side, ids=ids, columns=columns, synsets=synsets, chosen=chosen)
    if chosen != EVERYBODY:
        raise InputError(f"--kind and --family are for predictions; {side.name} is a table of accuracies.")
    if ids is not None:
        raise InputError(f"The order of arrays, {ids}, is for predictions; {side.name} is a table of accuracies.")
    return side
