"""`regauge mistakes fixed`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.text import Text

import regauge
from regauge.cli.mistakes.majors import describe_majors, format_majors
from regauge.cli.mistakes.sources import AnswerSource, judge_options, other_place_options
from regauge.cli.printing.output import Part, format_option, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import make_table
from regauge.cli.studies.study import open_for_reading, selection_options, which_test_set_option
from regauge.errors import InputError
from regauge.estimates import count_things, format_p, format_points
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.found import FindSettings
from regauge.records.mistakes.summaries import FixedMistakes
from regauge.records.predictions import EVERYBODY, ParticipantChoice
from regauge.records.studies import Selection
from regauge.workflows.mistakes.coded import is_coded_file, load_coded
from regauge.workflows.mistakes.finding import open_study_mistakes
from regauge.workflows.mistakes.fixing import follow_majors
from regauge.workflows.mistakes.sources import MistakeSource

COLUMNS = (
    "coded",
    "participant",
    "n_corrected",
    "n_corrected_major",
    "corrected_share",
    "corrected_share_low",
    "corrected_share_high",
    "n_kept",
    "n_kept_major",
    "kept_share",
    "kept_share_low",
    "kept_share_high",
    "difference",
    "difference_low",
    "difference_high",
    "chi2",
    "dof",
    "p",
    "p_exact",
    "n_left_out",
    "p_adjusted",
)
"""The columns of CSV and JSON Lines; docs/formats.md explains them."""


@click.command("fixed")
@click.argument("coded")
@click.option(
    "--predictions",
    multiple=True,
    metavar="PREDICTIONS",
    help="Files, folders or globs with the answers of others; without it, those of a study. Repeatable.",
)
@click.option(
    "--truth", "truths", multiple=True, metavar="FILE", help="The label set of files of predictions. Repeatable."
)
@which_test_set_option
@selection_options
@other_place_options
@judge_options
@format_option
def command(
    coded: str,
    truths: tuple[str, ...],
    test_set: str | None,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    place: AnswerSource,
    strict: bool,
    level: float,
    output_format: str,
) -> None:
    """Say whether others correct the major ones of CODED mistakes first.

    CODED is a file of coded mistakes or, inside a study, the name of a coding. Compared are the shares of major mistakes among
    those that another participant corrects and among those on images that it gets wrong too.
    """
    settings = FindSettings(is_strict=strict, level=level)
    whom = None if chosen == EVERYBODY else chosen
    place.refuse({"--truth": truths}, {"--labels": labels, "--test-set": test_set, "--kind or --family": whom})
    if place.predictions:
        if not truths:
            raise InputError("--truth is needed: the label set that says which answers are mistakes.")
        found = follow_majors(place.read_files(truths, participant), coded, settings=settings)
    else:
        with _read_study(place, coded, Selection(test_set, labels, participant, chosen)) as (source, mistakes):
            found = follow_majors(source, mistakes, settings=settings)
    if output_format == "table":
        print_parts(_make_parts(found))
    elif output_format == "json":
        print_json(_describe(found))
    else:
        print_records(_make_rows(found), output_format, name="participants", columns=COLUMNS)
    print_notes(found.notes)


@contextmanager
def _read_study(
    place: AnswerSource, coded: str, selection: Selection
) -> Iterator[tuple[MistakeSource, CodedMistakes | str]]:
    """Who answered in a study, and the mistakes of a coding or a file; a coding has its own label set unless one is named."""
    with open_for_reading(place.folder) as study:
        if is_coded_file(coded):
            yield open_study_mistakes(study, selection), coded
            return
        entry, coding = load_coded(study, coded)
        labels = tuple(selection.labels) or (entry.labels,)
        of_coding = Selection(selection.test_set or entry.test_set, labels, selection.participants, selection.chosen)
        yield open_study_mistakes(study, of_coding), coding.coded


def _describe(found: FixedMistakes) -> dict[str, Any]:
    return {
        "coded": found.coded,
        "n": found.n,
        "n_major": found.n_major,
        "test_set": found.test_set,
        "labels": found.labels,
        "is_strict": found.is_strict,
        "participants": list(_make_rows(found)),
        "notes": list(found.notes),
        "version": regauge.__version__,
    }


def _make_rows(found: FixedMistakes) -> Iterator[dict[str, Any]]:
    for one, p_adjusted in zip(found.fixes, found.p_adjusted, strict=True):
        yield {"coded": one.first, "participant": one.second, **describe_majors(one), "p_adjusted": p_adjusted}


def _make_parts(found: FixedMistakes) -> Iterator[Part]:
    whose = make_printable(found.coded)
    yield Text(f"Are major mistakes of {whose} corrected first?", style="bold")
    coded = count_things(found.n, "coded mistake")
    yield Text(f"{coded}, {found.n_major:,} of them major; corrected or not under {make_printable(found.labels)}.")
    if len(found.fixes) == 1:
        yield Text("\n".join(format_majors(found.fixes[0])))
        yield Text("Intervals of shares: Clopper–Pearson.", style="dim")
        return
    table = make_table("participant")
    for name, rank in (("corrected", 4), ("major of these", 1), ("kept", 5), ("major of those", 2)):
        table.add_column(name, rank=rank)
    table.add_column("difference", rank=0)
    table.add_column("p", rank=3)
    table.add_column("adjusted p", rank=0)
    for one, p_adjusted in zip(found.fixes, found.p_adjusted, strict=True):
        table.add_row(
            make_printable(one.second),
            f"{one.corrected.n:,}",
            str(one.corrected),
            f"{one.kept.n:,}",
            str(one.kept),
            format_points(one.difference, sign=True),
            format_p(one.p_exact),
            format_p(p_adjusted),
        )
    yield table
    yield Text(
        "Differences in points: Newcombe; p: Fisher's exact test, adjusted by Holm. Intervals of shares: Clopper–Pearson.",
        style="dim",
    )
