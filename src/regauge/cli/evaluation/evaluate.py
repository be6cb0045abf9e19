"""`regauge evaluate`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.evaluation.score import plot, score_options
from regauge.cli.evaluation.views import name_parts, view_options
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.printing.score_views import ScoreView
from regauge.cli.printing.scores import print_scores
from regauge.cli.studies.study import open_here, selection_options, study_option, which_test_set_option
from regauge.records.evaluation.scores import ScoreSettings
from regauge.records.predictions import ParticipantChoice
from regauge.records.studies import Selection
from regauge.workflows.evaluation.evaluations import measure, store_evaluation


@click.command("evaluate")
@which_test_set_option
@selection_options
@click.option("--by", multiple=True, metavar="GROUPING|class|FILE", help="Score parts too, as in `score`. Repeatable.")
@score_options
@view_options
@figure_option
@study_option
@format_option
def command(
    test_set: str | None,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    by: tuple[str, ...],
    settings: ScoreSettings,
    view: ScoreView,
    figure: FigureFile | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Score a study's participants, and keep the scores with all that made them."""
    with open_here(folder) as study:
        view = name_parts(view, study.taxonomy)
        with study.read() as begun:
            measured = measure(begun, Selection(test_set, labels, participant, chosen), by=by, settings=settings)
        plot(measured.scores, figure)
        with study.begin() as begun:
            found = store_evaluation(begun, measured)
    print_scores(found.scores, output_format, view)
    print_notes([f"This is evaluation {found.id} of the study."])
