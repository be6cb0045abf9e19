"""`regauge mistakes find`."""

from __future__ import annotations

import click

from regauge.cli.mistakes.find_tables import print_counts, print_found
from regauge.cli.mistakes.sources import AnswerSource, find_options, place_options
from regauge.cli.printing.output import format_option
from regauge.cli.studies.study import selection_options, which_test_set_option
from regauge.errors import InputError
from regauge.records.mistakes.found import FindSettings
from regauge.records.predictions import EVERYBODY, ParticipantChoice
from regauge.records.studies import Selection
from regauge.workflows.mistakes.finding import count_mistakes, find_mistakes
from regauge.workflows.mistakes.sources import MistakeSource


@click.command("find")
@place_options
@click.option(
    "--truth",
    "truths",
    multiple=True,
    metavar="FILE",
    help="The label set of files of predictions; more files add dataset labels. Repeatable.",
)
@which_test_set_option
@selection_options
@find_options
@format_option
def command(
    place: AnswerSource,
    truths: tuple[str, ...],
    test_set: str | None,
    labels: tuple[str, ...],
    participant: tuple[str, ...],
    chosen: ParticipantChoice,
    settings: FindSettings,
    output_format: str,
) -> None:
    """Find a participant's mistakes: the answers that a label set does not accept.

    Give --participant and --labels inside a study, or PREDICTIONS and --truth. Novel mistakes are those that nobody has
    judged. Of several participants, their mistakes are counted.
    """
    whom = None if chosen == EVERYBODY else chosen
    place.refuse({"--truth": truths}, {"--labels": labels, "--test-set": test_set, "--kind or --family": whom})
    if place.predictions:
        if not truths:
            raise InputError("--truth is needed: the label set that says which answers are mistakes.")
        _print(place.read_files(truths, participant), settings, output_format)
        return
    with place.read_study(Selection(test_set, labels, participant, chosen)) as sources:
        _print(sources[0], settings, output_format)


def _print(source: MistakeSource, settings: FindSettings, output_format: str) -> None:
    if len(source.chosen) == 1:
        print_found(find_mistakes(source, settings), source.taxonomy, output_format=output_format)
    else:
        print_counts(count_mistakes(source, settings), output_format)
