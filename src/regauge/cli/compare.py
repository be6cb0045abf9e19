"""`regauge compare`."""

from __future__ import annotations

from pathlib import Path

import click

import regauge
from regauge.cli.output import figure_option, format_option
from regauge.cli.shift import ALL_SCALES, print_shift
from regauge.cli.studies import open_for_reading, study_option
from regauge.records.estimates import DEFAULT_LEVEL
from regauge.records.scales import Scale
from regauge.records.shifts import N_MODEL_SAMPLES, ShiftSettings
from regauge.workflows.study_evaluations import Selection, compare


@click.command("compare")
@click.argument("original", metavar="ORIGINAL")
@click.argument("new", metavar="NEW")
@click.option("--labels", multiple=True, metavar="NAME[@VERSION]", help="Under which label sets, as in `evaluate`.")
@click.option("--participant", multiple=True, metavar="GLOB", help="Whom; all who answered both. Repeatable.")
@click.option("--metric", default="top1", show_default=True, help="Which accuracy to compare and fit.")
@click.option(
    "--scale",
    type=click.Choice([*(scale.value for scale in Scale), ALL_SCALES]),
    default=Scale.LINEAR.value,
    show_default=True,
    help="Where to seek a straight line.",
)
@click.option("--fit-models", multiple=True, metavar="GLOB", help="Fit only through models that match. Repeatable.")
@click.option("--fit-except", multiple=True, metavar="GLOB", help="Fit without models that match. Repeatable.")
@click.option("--allow-missing", is_flag=True, help="Compare on the rest when a model lacks some images.")
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Nominal coverage of every interval."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Start of every bootstrap.")
@click.option("--n-bootstrap", type=int, default=N_MODEL_SAMPLES, show_default=True, help="Bootstrap samples of a fit.")
@figure_option
@study_option
@format_option
def command(
    original: str,
    new: str,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    metric: str,
    scale: str,
    fit_models: tuple[str, ...],
    fit_except: tuple[str, ...],
    allow_missing: bool,
    level: float,
    seed: int,
    n_bootstrap: int,
    figure: Path | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Compare two test sets of a study on the same participants.

    ORIGINAL and NEW are names of test sets; whoever answered both takes part, as in `shift`.
    """
    settings = ShiftSettings(
        metric=metric,
        scales=tuple(Scale) if scale == ALL_SCALES else (Scale(scale),),
        fit_models=fit_models or ("*",),
        fit_except=fit_except,
        allow_missing=allow_missing,
        level=level,
        seed=seed,
        n_bootstrap=n_bootstrap,
    )
    sides = Selection(original, labels, participant), Selection(new, labels, participant)
    with open_for_reading(folder) as study:
        result = compare(study, sides[0], sides[1], settings=settings)
    if figure is not None:
        regauge.save_figure(regauge.draw_shift(result), figure)
    print_shift(result, output_format)
