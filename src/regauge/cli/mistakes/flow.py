"""`regauge mistakes flow`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from rich.text import Text

import regauge
from regauge.cli.mistakes.sources import AnswerSource, judge_options, place_options
from regauge.cli.printing.figures import FigureFile, figure_option
from regauge.cli.printing.output import Part, format_option, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import Holds, make_table
from regauge.cli.studies.study import open_for_reading, which_test_set_option
from regauge.errors import InputError
from regauge.estimates import MISSING, count_things, name_methods, to_fields
from regauge.records.mistakes.flows import MistakeFlow
from regauge.records.mistakes.found import FindSettings
from regauge.records.studies import Selection
from regauge.workflows.mistakes.coded import is_coded_file
from regauge.workflows.mistakes.finding import open_study_mistakes
from regauge.workflows.mistakes.tracing import trace_coding, trace_mistakes

COLUMNS = ("participant", "test_set", "before", "after", "n", "n_novel", "left", "n_left", "n_remaining", "n_joined")
"""The columns of CSV and JSON Lines; docs/formats.md explains them."""


@click.command("flow")
@place_options
@click.option(
    "--labels",
    multiple=True,
    metavar="NAME[@VERSION]|FILE",
    help="The label sets, the earliest first; by default all versions up to that of the coding. Repeatable.",
)
@click.option(
    "--coded", metavar="NAME[@VERSION]|FILE", help="What coders said of the mistakes that the last one leaves."
)
@click.option("--truth", "truths", multiple=True, metavar="FILE", help="Dataset labels of files. Repeatable.")
@click.option("--participant", multiple=True, metavar="NAME", help="Whose mistakes; by default those of the coding.")
@which_test_set_option
@judge_options
@figure_option
@format_option
def command(
    place: AnswerSource,
    labels: tuple[str, ...],
    coded: str | None,
    truths: tuple[str, ...],
    participant: tuple[str, ...],
    test_set: str | None,
    strict: bool,
    level: float,
    figure: FigureFile | None,
    output_format: str,
) -> None:
    """Follow a participant's mistakes through label sets and a coding, and draw the flow.

    Say what takes mistakes away, step by step, and how severe those at the end are.
    """
    settings = FindSettings(is_strict=strict, level=level)
    place.refuse({"--truth": truths}, {"--test-set": test_set})
    if place.predictions:
        if not labels:
            raise InputError(
                "--labels is needed: the label sets that say which answers are mistakes, the earliest first."
            )
        flow = trace_mistakes(place.read_files((*labels, *truths), participant), coded, settings=settings)
    else:
        flow = _trace_in_study(place, coded, Selection(test_set, labels, participant), settings)
    if figure is not None:
        figure.save(regauge.plot_flow(flow, canvas=figure.canvas))
    if output_format == "table":
        print_parts(_make_parts(flow))
    elif output_format == "json":
        print_json(_describe(flow))
    else:
        print_records(_make_rows(flow), output_format, name="steps", columns=COLUMNS)
    print_notes(flow.notes)


def _trace_in_study(
    place: AnswerSource, coded: str | None, selection: Selection, settings: FindSettings
) -> MistakeFlow:
    with open_for_reading(place.folder) as study:
        if coded is None or is_coded_file(coded):
            return trace_mistakes(open_study_mistakes(study, selection), coded, settings=settings)
        return trace_coding(study, coded, selection, settings=settings)


def _describe(flow: MistakeFlow) -> dict[str, Any]:
    share = flow.overturned.share
    return {
        "participant": flow.participant,
        "test_set": flow.test_set,
        "labels": list(flow.labels),
        "coding": flow.coding or None,
        "is_strict": flow.is_strict,
        "steps": list(_make_rows(flow)),
        "n_end": flow.n_end,
        "n_end_novel": flow.n_end_novel,
        "ends": dict(flow.ends) or None,
        "n_overturned": share.k,
        "n_first": share.n,
        **to_fields(share, "overturned"),
        "notes": list(flow.notes),
        "version": regauge.__version__,
    }


def _make_rows(flow: MistakeFlow) -> Iterator[dict[str, Any]]:
    for step in flow.steps:
        yield {
            "participant": flow.participant,
            "test_set": flow.test_set,
            "before": step.before,
            "after": step.after,
            "n": step.n,
            "n_novel": step.n_novel,
            "left": [f"{name} {n}" for name, n in step.left],
            "n_left": step.n_left,
            "n_remaining": step.n_remaining,
            "n_joined": step.n_joined,
        }


def _make_parts(flow: MistakeFlow) -> Iterator[Part]:
    table = make_table("from", title=f"What a review left of the mistakes of {flow.participant}")
    table.add_column("to", Holds.NAMES, rank=0)
    table.add_column("mistakes", rank=0)
    table.add_column("novel", rank=3)
    table.add_column("taken away", rank=0)
    table.add_column("why", Holds.LISTS, rank=1)
    table.add_column("remain", rank=0)
    table.add_column("new", rank=2)
    for step in flow.steps:
        why = ", ".join(f"{name} {n:,}" for name, n in step.left) or MISSING
        counts = (f"{step.n_left:,}", why, f"{step.n_remaining:,}", f"{step.n_joined:,}")
        table.add_row(step.before, step.after, f"{step.n:,}", f"{step.n_novel:,}", *counts)
    yield table
    share = flow.overturned.share
    if share.n:
        n_open = flow.steps[0].n - share.n
        more = f" ({n_open:,} more are not judged)" if n_open else ""
        first = count_things(share.n, "first mistake")
        yield Text(f"Overturned in all: {share.k:,} of {first}{more}, {share} ({name_methods([share.method])}).")
    ends = ", ".join(f"{name} {n:,}" for name, n in flow.ends if n)
    told = f"At the end: {count_things(flow.n_end, 'mistake')}" + (f" ({ends})." if ends else ".")
    yield Text(make_printable(told))
