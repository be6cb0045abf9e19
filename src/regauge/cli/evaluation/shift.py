"""`regauge shift`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from regauge.cli.evaluation.class_tables import class_options
from regauge.cli.evaluation.fits import fit_options, plot, print_shift
from regauge.cli.options.reading import all_columns_option, synsets_option
from regauge.cli.printing.figures import FigureFile
from regauge.cli.printing.output import format_option
from regauge.cli.printing.progress import make_track
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.workflows.evaluation.shifts import shift, shift_by_class
from regauge.workflows.inputs import TestSetAnswers, open_taxonomy


@click.command("shift")
@click.option(
    "--original-truth", multiple=True, required=True, metavar="FILE", help="Truth of the original set. Repeatable."
)
@click.option("--original", multiple=True, required=True, metavar="PREDICTIONS", help="Predictions on it. Repeatable.")
@click.option("--new-truth", multiple=True, required=True, metavar="FILE", help="Truth of the new set. Repeatable.")
@click.option("--new", multiple=True, required=True, metavar="PREDICTIONS", help="Predictions on it. Repeatable.")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@all_columns_option
@click.option(
    "--original-ids", type=click.Path(path_type=Path), metavar="FILE", help="The order of arrays on the original set."
)
@click.option(
    "--new-ids", type=click.Path(path_type=Path), metavar="FILE", help="The order of arrays on the new set, likewise."
)
@synsets_option
@fit_options
@class_options
@format_option
def command(
    original_truth: tuple[str, ...],
    original: tuple[str, ...],
    new_truth: tuple[str, ...],
    new: tuple[str, ...],
    taxonomy: str | None,
    columns: dict[str, str],
    original_ids: Path | None,
    new_ids: Path | None,
    synsets: Path | None,
    settings: ShiftSettings,
    figure: FigureFile | None,
    label: Sequence[str],
    each: Sequence[str] | None,
    output_format: str,
) -> None:
    """Compare two test sets on the same models: gaps, ranks, mean changes and the linear fit.

    Models are matched by name. Every gap has an interval, every fit bootstrap limits.
    """
    sides = (
        TestSetAnswers(original, original_truth, ids=original_ids, columns=columns, synsets=synsets),
        TestSetAnswers(new, new_truth, ids=new_ids, columns=columns, synsets=synsets),
    )
    if each is None:
        result, classes = shift(*sides, taxonomy=taxonomy, settings=settings, track=make_track()), None
    else:
        both = shift_by_class(sides, each=each, taxonomy=taxonomy, settings=settings, track=make_track())
        result, classes = both.shift, both.classes
    plot(result, figure, label)
    known = None if classes is None else open_taxonomy(taxonomy)
    print_shift(result, output_format, classes, taxonomy=known)
