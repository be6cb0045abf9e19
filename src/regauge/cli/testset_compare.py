"""`regauge testset compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

import regauge
from regauge.cli.fits import fit_options
from regauge.cli.output import format_option, print_notes
from regauge.cli.strategy_tables import print_strategies
from regauge.cli.studies import open_here, selection_options, study_option
from regauge.records.shifts import ShiftSettings
from regauge.workflows.study_evaluations import Selection, measure_strategies, store_strategies


@click.command("compare")
@click.argument("original", metavar="ORIGINAL")
@click.argument("new", metavar="NEW…", nargs=-1, required=True)
@selection_options
@fit_options
@study_option
@format_option
def command(
    original: str,
    new: tuple[str, ...],
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    settings: ShiftSettings,
    figure: Path | None,
    label: Sequence[str],
    folder: Path | None,
    output_format: str,
) -> None:
    """Set two or more NEW test sets beside ORIGINAL: mean changes, frequencies, slopes, and what varies more.

    Whoever answered all of them takes part. Every comparison with ORIGINAL is kept, as `compare` keeps it.
    """
    first, *rest = (Selection(name, labels, participant) for name in (original, *new))
    with open_here(folder) as study:
        with study.read() as begun:
            measured = measure_strategies(begun, first, rest, settings=settings)
        if figure is not None:
            regauge.save_figure(regauge.draw_strategies(measured.found, label=label), figure)
        with study.begin() as begun:
            stored = store_strategies(begun, measured)
    print_strategies(measured.found, output_format)
    print_notes([f"These are the comparisons {', '.join(str(one.id) for one in stored)} of the study."])
