"""`regauge shift`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from regauge.cli.evaluation.class_tables import class_options
from regauge.cli.evaluation.fits import fit_options, plot, print_shift
from regauge.cli.printing.figures import FigureFile
from regauge.cli.printing.output import format_option
from regauge.cli.printing.progress import make_track
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.workflows.evaluation.shifts import shift, shift_by_class
from regauge.workflows.inputs import TestSetAnswers


@click.command("shift")
@click.option(
    "--original-truth", multiple=True, required=True, metavar="FILE", help="Truth of the original set. Repeatable."
)
@click.option("--original", multiple=True, required=True, metavar="PREDICTIONS", help="Predictions on it. Repeatable.")
@click.option("--new-truth", multiple=True, required=True, metavar="FILE", help="Truth of the new set. Repeatable.")
@click.option("--new", multiple=True, required=True, metavar="PREDICTIONS", help="Predictions on it. Repeatable.")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@fit_options
@class_options
@format_option
def command(
    original_truth: tuple[str, ...],
    original: tuple[str, ...],
    new_truth: tuple[str, ...],
    new: tuple[str, ...],
    taxonomy: str | None,
    settings: ShiftSettings,
    figure: FigureFile | None,
    label: Sequence[str],
    each: Sequence[str] | None,
    output_format: str,
) -> None:
    """Compare two test sets on the same models: gaps, ranks, mean changes and the linear fit.

    Models are matched by name. Every gap has an interval, every fit bootstrap limits.
    """
    sides = TestSetAnswers(original, original_truth), TestSetAnswers(new, new_truth)
    if each is None:
        result, classes = shift(*sides, taxonomy=taxonomy, settings=settings, track=make_track()), None
    else:
        both = shift_by_class(sides, each=each, taxonomy=taxonomy, settings=settings, track=make_track())
        result, classes = both.shift, both.classes
    plot(result, figure, label)
    print_shift(result, output_format, classes)
