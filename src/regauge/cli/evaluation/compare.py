"""`regauge compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from regauge.cli.evaluation.class_tables import class_options
from regauge.cli.evaluation.fits import fit_options, plot, print_shift
from regauge.cli.printing.figures import FigureFile
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import open_here, selection_options, study_option
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.predictions import ParticipantChoice
from regauge.records.studies import Selection
from regauge.workflows.evaluation.evaluations import measure_shift, store_comparison


@click.command("compare")
@click.argument("original", metavar="ORIGINAL")
@click.argument("new", metavar="NEW")
@selection_options
@fit_options
@class_options
@study_option
@format_option
def command(
    original: str,
    new: str,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    settings: ShiftSettings,
    figure: FigureFile | None,
    label: Sequence[str],
    each: Sequence[str] | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Compare two test sets of a study on the same participants, and keep the comparison with all that made it.

    ORIGINAL and NEW are names of test sets; whoever answered both takes part, as in `shift`.
    """
    sides = Selection(original, labels, participant, chosen), Selection(new, labels, participant, chosen)
    with open_here(folder) as study:
        with study.read() as begun:
            measured = measure_shift(begun, sides[0], sides[1], settings=settings, each=each)
        plot(measured.shift, figure, label)
        with study.begin() as begun:
            found = store_comparison(begun, measured)
    print_shift(found.shift, output_format, measured.classes, taxonomy=study.taxonomy)
    print_notes([f"This is comparison {found.id} of the study."])
