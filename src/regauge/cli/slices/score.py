"""`regauge slice score`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.text import Text

import regauge
from regauge.cli.options.participants import choice_options
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import (
    Part,
    find_width,
    format_option,
    print_json,
    print_notes,
    print_parts,
    print_records,
)
from regauge.cli.printing.progress import make_track
from regauge.cli.printing.tables import IN_JSON, Holds, make_table
from regauge.cli.slices.options import coding_option, labels_option, queue_option
from regauge.cli.studies.study import open_for_reading, study_option
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, count_things, format_estimate
from regauge.records.predictions import EVERYBODY, ParticipantChoice
from regauge.records.slices.answers import AnswerState
from regauge.records.slices.scores import SLICE_COLUMNS, SliceScore, SliceScores, SliceSettings
from regauge.workflows.slices.queues import write_queue
from regauge.workflows.slices.scoring import SliceSelection, is_slice_folder, score_slice, score_study_slice

WIDE = 110
"""So many columns have room for right answers and the others in one table."""
_STATES = {
    AnswerState.MAJOR: "major",
    AnswerState.MINOR: "minor",
    AnswerState.BORDERLINE: "borderline",
    AnswerState.UNCODED: "not coded",
    AnswerState.UNJUDGED: "unjudged",
}


@click.command("score")
@click.argument("name", metavar="NAME|DIR")
@click.argument("predictions", nargs=-1)
@labels_option
@coding_option
@click.option("--participant", multiple=True, metavar="GLOB", help="Which participants of the study. Repeatable.")
@choice_options
@click.option(
    "--truth", metavar="FILE", help="With a folder: dataset labels of the whole test set, for top-1 accuracy."
)
@click.option("--taxonomy", metavar="NAME|FILE", help="With a folder: the classes, to read class names in predictions.")
@click.option("--strict", is_flag=True, help="Count answers that people found unclear as mistakes too.")
@click.option("--allow-missing", is_flag=True, help="Score the other images when a participant has not answered some.")
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
)
@queue_option
@figure_option
@study_option
@format_option
def command(
    name: str,
    predictions: tuple[str, ...],
    labels: str | None,
    codings: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    truth: str | None,
    taxonomy: str | None,
    strict: bool,
    allow_missing: bool,
    level: float,
    queue: Path | None,
    figure: FigureFile | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Score participants on a slice: how many answers are right, and how severe the others are.

    NAME is a slice of the study, whose participants are scored, or those in PREDICTIONS. DIR is a folder that slice export
    wrote; PREDICTIONS are then needed, and no study.
    """
    settings = SliceSettings(strict, allow_missing, level)
    if is_slice_folder(Path(name)):
        given = {"--labels": labels, "--coding": codings, "--participant": participant, "--study": folder}
        _refuse({**given, "--kind or --family": None if chosen == EVERYBODY else chosen}, "a slice of a study")
        if not predictions:
            raise InputError(f"{name} is a slice in a folder, which needs predictions; name files after it.")
        scores = score_slice(name, predictions, truth=truth, taxonomy=taxonomy, track=make_track(), settings=settings)
    else:
        _refuse({"--truth": truth, "--taxonomy": taxonomy}, "a slice in a folder")
        selection = SliceSelection(predictions, labels, codings, participant, chosen)
        with open_for_reading(folder) as study:
            scores = score_study_slice(study, name, selection, settings=settings)
    if queue is not None:
        write_queue(scores.queue, queue)
    if figure is not None:
        figure.save(regauge.plot_slice(scores, canvas=figure.canvas))
    _print(scores, output_format)


def _refuse(given: dict[str, object], what: str) -> None:
    """Refuse options that would do nothing."""
    wrong = [name for name, value in given.items() if value]
    if wrong:
        raise InputError(f"{', '.join(wrong)} goes with {what}; leave it out.")


def _print(scores: SliceScores, output_format: str) -> None:
    if output_format == "table":
        print_parts(_make_parts(scores))
    elif output_format == "json":
        print_json(_describe(scores))
    else:
        print_records(scores.list_rows(), output_format, name="scores", columns=tuple(SLICE_COLUMNS))
    print_notes(scores.notes)


def _describe(scores: SliceScores) -> dict[str, Any]:
    return {
        "slice": scores.slice,
        "labels": scores.labels,
        "n_images": scores.n_images,
        "scores": list(scores.list_rows()),
        "mistakes": [{**asdict(one), "state": one.state.name.lower()} for one in scores.mistakes],
        "queue": list(scores.queue.list_rows()),
        "settings": asdict(scores.settings),
        "notes": list(scores.notes),
        "version": regauge.__version__,
    }


def _make_parts(scores: SliceScores) -> Iterator[Part]:
    """One table where there is room for all of it; else one of right answers, and one of the others."""
    has_top1 = any(one.top1 is not None for one in scores.scores)
    title = f"{scores.slice}: {count_things(scores.n_images, 'image')} under {scores.labels}"
    is_wide = find_width() >= WIDE
    table = make_table("participant", title=title, whole=IN_JSON)
    table.add_column("right", rank=0)
    table.add_column("of", rank=0)
    table.add_column("share", rank=1)
    if is_wide:
        table.add_columns(_STATES.values())
    table.add_column("comparable", Holds.NAMES, rank=2)
    if has_top1:
        table.add_column("top-1", rank=20)
    for one in scores.scores:
        counts = _count_states(one) if is_wide else []
        cells = [one.participant, f"{one.correct.k:,}", f"{one.correct.n:,}", one.share_text, *counts]
        table.add_row(*cells, *_list_ends(one, has_top1=has_top1))
    yield table
    if not is_wide:
        others = make_table("participant", title="Other answers", whole=IN_JSON)
        others.add_columns(_STATES.values())
        for one in scores.scores:
            others.add_row(one.participant, *_count_states(one))
        yield others
    yield Text(" ".join(_explain(scores, has_top1=has_top1)), style="dim")


def _explain(scores: SliceScores, *, has_top1: bool) -> Iterator[str]:
    yield "Intervals: Clopper–Pearson. Minor and borderline mistakes are counted as they were entered."
    if any(one.n_unjudged for one in scores.scores):
        yield "“a to b”: a if every unjudged answer is wrong, b if every one is right."
    if has_top1:
        yield "Top-1: dataset labels of the whole test set."


def _count_states(one: SliceScore) -> list[str]:
    return [f"{one.counts[state]:,}" for state in _STATES]


def _list_ends(one: SliceScore, *, has_top1: bool) -> list[str]:
    return ["yes" if one.is_comparable else "no", *([format_estimate(one.top1)] if has_top1 else [])]
