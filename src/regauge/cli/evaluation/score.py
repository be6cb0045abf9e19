"""`regauge score`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

import click

import regauge
from regauge.cli.evaluation.beside import describe_published_models, print_beside, score_beside_options
from regauge.cli.evaluation.views import name_parts, view_options
from regauge.cli.options.files import all_columns_option, ids_option, synsets_option
from regauge.cli.options.participants import choice_options
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import format_option
from regauge.cli.printing.progress import make_track
from regauge.cli.printing.score_views import ScoreView
from regauge.cli.printing.scores import PrintedBeside, print_scores
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.evaluation.accuracies import Beside
from regauge.records.evaluation.scores import WHOLE, Scores, ScoreSettings
from regauge.records.labels.label_set import Unlisted
from regauge.records.predictions import ParticipantChoice
from regauge.workflows.evaluation.beside import score_beside
from regauge.workflows.evaluation.scoring import BY_CLASS, score_answers
from regauge.workflows.inputs import TestSetAnswers, open_taxonomy

_Command: TypeAlias = Callable[..., None]

_OPTIONS = (
    click.option("--against", metavar="NAME", help="Compare every participant with this one on the same images."),
    click.option(
        "--allow-missing", is_flag=True, help="Score the other images when a participant has not answered some."
    ),
    click.option(
        "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Random seed of every bootstrap."),
    click.option(
        "--n-bootstrap",
        type=int,
        default=ScoreSettings().n_bootstrap,
        show_default=True,
        help="Resamples per bootstrap interval.",
    ),
)
_NAMES = [field.name for field in fields(ScoreSettings)]


def score_options(command: _Command) -> _Command:
    """The options of scoring, which the command gets as one argument `settings`."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> None:  # noqa: ANN401 - what click passes on
        settings = ScoreSettings(**{name: options.pop(name) for name in _NAMES})
        command(settings=settings, **options)

    for option in reversed(_OPTIONS):
        with_settings = option(with_settings)
    return with_settings


def plot(scores: Scores, figure: FigureFile | None) -> None:
    """The scores as a figure where one is asked for: of parts, beside the line of published models, or of the whole test set."""
    if figure is None:
        return
    has_parts = bool((scores.to_frame()["subset"] != WHOLE).any())
    has_line = scores.published is not None and bool(scores.published.lines)
    draw = regauge.plot_beside if has_line else regauge.plot_scores
    figure.save((regauge.plot_parts if has_parts else draw)(scores, canvas=figure.canvas))


@click.command("score")
@click.argument("predictions", nargs=-1, required=True)
@click.option(
    "--truth",
    "truths",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Truth file, or folder or shards of images. Several are joined by image id: say dataset labels and ReaL labels.",
)
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@click.option(
    "--by",
    multiple=True,
    metavar="GROUPING|class|FILE",
    help="Score parts too: superclass, object-organism, dogs, class, or a file of subsets. Repeatable.",
)
@all_columns_option
@ids_option
@synsets_option
@click.option(
    "--unlisted",
    type=click.Choice([choice.value for choice in Unlisted]),
    help="How to treat a class that none of an image's lists names; by default unjudged if the truth lists wrong classes.",
)
@click.option(
    "--relations",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Relations between classes (same, subset, part; CSV or JSON) from which further verdicts are derived.",
)
@score_beside_options
@choice_options
@score_options
@view_options
@figure_option
@format_option
def command(
    predictions: tuple[str, ...],
    truths: tuple[str, ...],
    taxonomy: str | None,
    by: tuple[str, ...],
    columns: dict[str, str],
    ids: Path | None,
    synsets: Path | None,
    unlisted: str | None,
    relations: Path | None,
    beside: Beside | None,
    chosen: ParticipantChoice,
    settings: ScoreSettings,
    view: ScoreView,
    figure: FigureFile | None,
    output_format: str,
) -> None:
    """Score PREDICTIONS on a truth: every metric that it allows, each with n and interval.

    PREDICTIONS are files, folders or globs (.npz, .csv, .tsv, .npy, .parquet, .jsonl, .json), each also as NAME=PATH; a
    participant takes the name of its file unless you give one. Images are joined by id. Formats: see docs/formats.md.
    """
    means = None if unlisted is None else Unlisted(unlisted)
    answers = TestSetAnswers(
        predictions,
        truths,
        ids=ids,
        unlisted=means,
        columns=columns,
        synsets=synsets,
        relations=relations,
        chosen=chosen,
    )
    scores = score_answers(answers, taxonomy=taxonomy, by=by, settings=settings, track=make_track())
    if beside is not None:
        scores = score_beside(scores, beside)
    plot(scores, figure)
    classes = open_taxonomy(taxonomy) if BY_CLASS in by else None
    published = PrintedBeside(describe_published_models(scores), tuple(print_beside(scores)))
    print_scores(scores, output_format, name_parts(view, classes), published)
