"""`regauge campaign coding NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from regauge.cli.mistakes.codings import make_agreement_table
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts
from regauge.cli.studies.study import describe_coding, open_for_reading, open_for_writing, print_entries, study_option
from regauge.estimates import DEFAULT_LEVEL
from regauge.workflows.mistakes.coders import (
    CodersResult,
    describe_agreement,
    list_coded,
    name_coding,
    preview_codes,
    store_codes,
)


@click.command("coding")
@click.argument("campaign", metavar="NAME")
@click.option(
    "--name", help="What to call the coding; a name that exists gets a new version. The campaign's if not given."
)
@click.option(
    "--labels",
    metavar="NAME[@VERSION]",
    help="The label set under which they are mistakes; the latest version of the campaign's own if not given.",
)
@click.option("--preview", is_flag=True, help="Only say what the coding would be; nothing is stored.")
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of the agreement."
)
@study_option
@format_option
def coding(
    campaign: str,
    name: str | None,
    labels: str | None,
    preview: bool,
    level: float,
    folder: Path | None,
    output_format: str,
) -> None:
    """Make a coding of what coders said in a campaign, and measure how far they agree.

    Most coders decide; where as many say one thing as another, the mistake is left out until that is settled. Where a file named
    the answers of several participants, each gets a coding of its own, NAME-PARTICIPANT.
    """
    with open_for_reading(folder) if preview else open_for_writing(folder) as study:
        whose = list_coded(study, campaign)
        made = [preview_codes(study, campaign, participant=one, labels=labels, level=level) for one in whose]
        if not preview:
            names = [name_coding(name or campaign, one, among=whose) for one in whose]
            made = [store_codes(study, one, name=own) for one, own in zip(made, names, strict=True)]
    _print(made, output_format)


def _print(made: Sequence[CodersResult], output_format: str) -> None:
    if output_format == "json":
        contents = [
            {
                **_describe(one),
                "agreement": [describe_agreement(found) for found in one.agreement],
                "notes": list(one.notes),
            }
            for one in made
        ]
        print_json(contents[0] if len(contents) == 1 else {"codings": contents})
        return
    print_entries([_describe(one) for one in made], output_format, name="codings")
    for one in made:
        if output_format == "table":
            print_parts([make_agreement_table([describe_agreement(found) for found in one.agreement])])
        print_notes(one.notes)


def _describe(made: CodersResult) -> dict[str, Any]:
    """The columns of a coding, those that only a stored one has left empty."""
    if made.entry is not None:
        return describe_coding(made.entry)
    coding = made.coding
    return {
        "campaign": coding.name,
        "participant": coding.participant,
        "labels": coding.labels,
        "n_coded": len(coding.coded),
        "n_major": int(coding.coded.is_major.sum()),
        "n_overturned": len(coding.overturned),
    }
