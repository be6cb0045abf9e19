"""`regauge testset compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

import regauge
from regauge.cli.evaluation.fits import fit_options
from regauge.cli.evaluation.strategy_tables import print_strategies
from regauge.cli.printing.figures import FigureFile
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.printing.progress import make_track
from regauge.cli.studies.study import open_here, selection_options, study_option
from regauge.errors import InputError
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.evaluation.strategies import StrategyComparison
from regauge.records.predictions import ParticipantChoice
from regauge.records.studies import Selection
from regauge.workflows.evaluation.evaluations import measure_strategies, store_strategies
from regauge.workflows.evaluation.shifts import compare_sets
from regauge.workflows.inputs import TestSetAnswers


@click.command("compare")
@click.argument("original", metavar="ORIGINAL")
@click.argument("new", metavar="NEW…", nargs=-1, required=True)
@click.option("--truth", multiple=True, metavar="SET=FILE", help="Without a study: the truth of a set. Repeatable.")
@click.option(
    "--predictions", multiple=True, metavar="SET=PREDICTIONS", help="Without a study: predictions on a set. Repeatable."
)
@click.option("--taxonomy", metavar="NAME|FILE", help="Without a study: the classes, where files name them.")
@selection_options
@fit_options
@study_option
@format_option
def command(
    original: str,
    new: tuple[str, ...],
    truth: tuple[str, ...],
    predictions: tuple[str, ...],
    taxonomy: str | None,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    settings: ShiftSettings,
    figure: FigureFile | None,
    label: Sequence[str],
    folder: Path | None,
    output_format: str,
) -> None:
    """Set two or more NEW test sets beside ORIGINAL: mean changes, frequencies, slopes, and what varies more.

    Inside a study these are its test sets, whoever answered all of them takes part, and every comparison with ORIGINAL is kept,
    as `compare` keeps it. Without one, files are named for each with --truth and --predictions.
    """
    names = (original, *new)
    if truth or predictions:
        if labels or participant or folder is not None:
            raise InputError(
                "--labels, --participant and --study choose in a study; sets from files need none of them."
            )
        found = _compare_files(names, truth=truth, predictions=predictions, taxonomy=taxonomy, settings=settings)
        _plot(found, figure, label)
        print_strategies(found, output_format)
        return
    if taxonomy is not None:
        raise InputError("A study has its taxonomy; --taxonomy is for sets from files, with --truth and --predictions.")
    first, *rest = (Selection(name, labels, participant, chosen) for name in names)
    with open_here(folder) as study:
        with study.read() as begun:
            measured = measure_strategies(begun, first, rest, settings=settings)
        _plot(measured.found, figure, label)
        with study.begin() as begun:
            stored = store_strategies(begun, measured)
    print_strategies(measured.found, output_format)
    print_notes([f"These are the comparisons {', '.join(str(one.id) for one in stored)} of the study."])


def _plot(found: StrategyComparison, figure: FigureFile | None, label: Sequence[str]) -> None:
    if figure is not None:
        figure.save(regauge.plot_strategies(found, label=label, canvas=figure.canvas))


def _compare_files(
    names: Sequence[str],
    *,
    truth: Sequence[str],
    predictions: Sequence[str],
    taxonomy: str | None,
    settings: ShiftSettings,
) -> StrategyComparison:
    truths, answers = _group(names, truth, "--truth"), _group(names, predictions, "--predictions")
    original, *new = (TestSetAnswers(answers[name], truths[name], name=name) for name in names)
    return compare_sets(original, new, taxonomy=taxonomy, settings=settings, track=make_track())


def _group(names: Sequence[str], words: Sequence[str], option: str) -> Mapping[str, list[str]]:
    """What stands behind the name of each set; a name may come several times, and every set needs one."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for word in words:
        name, is_named, rest = word.partition("=")
        if not is_named or name not in found:
            known = ", ".join(names)
            raise InputError(f"{option} takes SET=FILE with one of the sets {known}, not {word!r}.")
        found[name].append(rest)
    for name, files in found.items():
        if not files:
            raise InputError(f"The set {name} has no {option}; give {option} {name}=FILE.")
    return found
