"""`regauge evaluate`."""

from __future__ import annotations

from pathlib import Path

import click

import regauge
from regauge.cli.output import figure_option, format_option, print_notes, print_scores
from regauge.cli.studies import open_here, study_option, which_test_set_option
from regauge.records.estimates import DEFAULT_LEVEL
from regauge.records.scores import ScoreSettings
from regauge.workflows.study_evaluations import Selection, measure, store_evaluation


@click.command("evaluate")
@which_test_set_option
@click.option(
    "--labels",
    multiple=True,
    metavar="NAME[@VERSION]",
    help="Under which label set; the latest version unless given. Repeatable; all that cover the images unless given.",
)
@click.option("--participant", multiple=True, metavar="GLOB", help="Whom; everybody unless given. Repeatable.")
@click.option("--by", multiple=True, metavar="GROUPING|class|FILE", help="Score parts too, as in `score`. Repeatable.")
@click.option("--against", metavar="NAME", help="Compare every participant with this one on the same images.")
@click.option("--allow-missing", is_flag=True, help="Score the rest when a participant lacks some images.")
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Nominal coverage of every interval."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Start of every bootstrap.")
@click.option(
    "--n-bootstrap", type=int, default=ScoreSettings().n_bootstrap, show_default=True, help="Resamples per interval."
)
@figure_option
@study_option
@format_option
def command(
    test_set: str | None,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    by: tuple[str, ...],
    against: str | None,
    allow_missing: bool,
    level: float,
    seed: int,
    n_bootstrap: int,
    figure: Path | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Score a study's participants, and keep the scores with all that made them."""
    settings = ScoreSettings(
        against=against, allow_missing=allow_missing, level=level, seed=seed, n_bootstrap=n_bootstrap
    )
    with open_here(folder) as study:
        with study.read() as begun:
            measured = measure(begun, Selection(test_set, labels, participant), by=by, settings=settings)
        if figure is not None:
            regauge.save_figure(regauge.draw_scores(measured.scores), figure)
        with study.begin() as begun:
            found = store_evaluation(begun, measured)
    print_scores(found.scores, output_format)
    print_notes([f"This is evaluation {found.id} of the study."])
