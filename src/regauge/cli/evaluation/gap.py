"""`regauge gap`."""

from __future__ import annotations

from pathlib import Path

import click

import regauge
from regauge.cli.evaluation.gap_tables import describe_gap, make_gap_tables
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.progress import show_life
from regauge.cli.studies.study import open_for_reading, selection_options, study_option
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.evaluation.gaps import N_GAP_SAMPLES, GapMethod, GapReport, GapSettings
from regauge.records.predictions import ParticipantChoice
from regauge.records.studies import Selection
from regauge.records.testsets.shared_images import SharedBy
from regauge.workflows.evaluation.gaps import FrequencySources, gap, study_gap
from regauge.workflows.inputs import TestSetAnswers

ALL_METHODS = "all"


@click.command("gap")
@click.argument("test_sets", metavar="[ORIGINAL NEW]", nargs=-1)
@click.option("--original-truth", multiple=True, metavar="FILE", help="Truth of the original set. Repeatable.")
@click.option("--original", multiple=True, metavar="PREDICTIONS", help="Predictions on it. Repeatable.")
@click.option("--new-truth", multiple=True, metavar="FILE", help="Truth of the new set. Repeatable.")
@click.option("--new", multiple=True, metavar="PREDICTIONS", help="Predictions on it. Repeatable.")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@click.option(
    "--frequencies", multiple=True, metavar="FILE", help="Selection frequencies of the images of both sets. Repeatable."
)
@click.option(
    "--pool-frequencies",
    multiple=True,
    metavar="FILE",
    help="Those of all candidates, if they chose the new set. Repeatable.",
)
@click.option("--matched", is_flag=True, help="The new set was drawn to match the frequencies of the original one.")
@click.option(
    "--method",
    type=click.Choice([*(method.value for method in GapMethod), ALL_METHODS]),
    multiple=True,
    default=tuple(method.value for method in GapSettings().methods),
    show_default=True,
    help="How to find images of equal frequency. Repeatable.",
)
@click.option(
    "--shares",
    multiple=True,
    metavar="A,B,C,D,E",
    help="Accuracy on a set with these shares of the five bins. Repeatable.",
)
@click.option("--metric", default="top1", show_default=True, help="Which accuracy to split.")
@click.option(
    "--n-bootstrap", type=int, default=N_GAP_SAMPLES, show_default=True, help="Bootstrap samples of the images."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the bootstrap.")
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
)
@click.option(
    "--shared",
    type=click.Choice([choice.value for choice in SharedBy]),
    default=SharedBy.DIGESTS.value,
    show_default=True,
    help="How to recognise images that are in both sets.",
)
@click.option(
    "--allow-missing", is_flag=True, help="Compare on the other images when a participant has not answered some."
)
@selection_options
@study_option
@figure_option
@format_option
def command(
    test_sets: tuple[str, ...],
    original_truth: tuple[str, ...],
    original: tuple[str, ...],
    new_truth: tuple[str, ...],
    new: tuple[str, ...],
    taxonomy: str | None,
    frequencies: tuple[str, ...],
    pool_frequencies: tuple[str, ...],
    matched: bool,
    method: tuple[str, ...],
    shares: tuple[str, ...],
    metric: str,
    n_bootstrap: int,
    seed: int,
    level: float,
    shared: str,
    allow_missing: bool,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    folder: Path | None,
    figure: FigureFile | None,
    output_format: str,
) -> None:
    """Split the gap between two test sets: what selection frequencies explain, and the remainder at equal frequency.

    Give files, as in `shift`, with --frequencies; or ORIGINAL and NEW, the names of two test sets of a study.
    """
    settings = GapSettings(
        methods=tuple(GapMethod) if ALL_METHODS in method else tuple(GapMethod(one) for one in method),
        is_matched=matched,
        shares=tuple(_read_shares(one) for one in shares),
        n_bootstrap=n_bootstrap,
        seed=seed,
        level=level,
        metric=metric,
        allow_missing=allow_missing,
        shared=SharedBy(shared),
    )
    files = {"--original-truth": original_truth, "--original": original, "--new-truth": new_truth, "--new": new}
    if test_sets:
        _refuse({**files, "--frequencies": frequencies, "--taxonomy": taxonomy}, "two test sets of a study are named")
        if len(test_sets) != 2:
            raise InputError(f"Name two test sets, ORIGINAL and NEW, not {len(test_sets)}.")
        sides = [Selection(name, labels, participant, chosen) for name in test_sets]
        with open_for_reading(folder) as study, show_life("Splitting the gap"):
            report = study_gap(study, sides[0], sides[1], pool=pool_frequencies, settings=settings)
    else:
        _refuse({"--labels": labels, "--participant": participant, "--study": folder}, "files are given")
        _demand({**files, "--frequencies": (*frequencies, *pool_frequencies)})
        sources = FrequencySources(frequencies, pool_frequencies)
        answers = (
            TestSetAnswers(original, original_truth, chosen=chosen),
            TestSetAnswers(new, new_truth, chosen=chosen),
        )
        with show_life("Splitting the gap"):
            report = gap(*answers, frequencies=sources, taxonomy=taxonomy, settings=settings)
    if figure is not None:
        figure.save(regauge.plot_gap(report, canvas=figure.canvas))
    _print(report, output_format)


def _print(report: GapReport, output_format: str) -> None:
    """The report on standard output, notes and warnings on standard error."""
    if output_format == "table":
        print_parts(make_gap_tables(report))
    elif output_format == "json":
        print_json(describe_gap(report))
    else:
        print_rows(report.to_frame(), output_format)
    print_notes(report.notes, report.warnings)


def _read_shares(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(one) for one in text.split(","))
    except ValueError:
        raise InputError(f"--shares takes five numbers such as 0,0,0.1,0.3,0.6, not {text!r}.") from None


def _refuse(options: dict[str, object], why: str) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise InputError(f"{', '.join(given)} is of no use where {why}; leave it out.")


def _demand(options: dict[str, tuple[str, ...]]) -> None:
    missing = [name for name, value in options.items() if not value]
    if missing:
        raise InputError(f"{', '.join(missing)} is needed, or the names of two test sets of a study.")
