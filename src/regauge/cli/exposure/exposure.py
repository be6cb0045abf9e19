"""`regauge exposure`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from regauge.cli.exposure.effects import effect
from regauge.cli.exposure.opening import open_learned
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import (
    open_for_reading,
    open_for_writing,
    print_entries,
    study_option,
    which_test_set_option,
)
from regauge.estimates import count_things
from regauge.records.exposure.exposures import DeclaredExposure
from regauge.workflows.exposure.saying import (
    declare_exposure,
    declare_same,
    list_aliases,
    list_declarations,
    retract_declaration,
    separate,
)
from regauge.workflows.exposure.seen import list_seen_images, list_set_exposure, write_end
from regauge.workflows.exposure.washouts import describe_exposure, find_campaign_exposure


@click.group("exposure")
def command() -> None:
    """See who has seen which images, when and as what; say what people know from outside; and what it changes."""


command.add_command(effect)


@command.command("list")
@which_test_set_option
@click.option("--person", metavar="NAME", help="Only this annotator or participant, under all of their names.")
@click.option(
    "--by", type=click.Choice(["person", "role", "image"]), default="role", show_default=True, help="A row for each."
)
@study_option
@format_option
def list_(test_set: str | None, person: str | None, by: str, folder: Path | None, output_format: str) -> None:
    """List who has seen how many images of a set, when and in what role; exact copies in other sets count."""
    with open_learned(folder) as study:
        found = list_set_exposure(study, test_set, person=person)
        images = list_seen_images(study, test_set, person=person) if by == "image" else ()
    if by == "person":
        rows = [asdict(one) for one in found.people]
    elif by == "role":
        rows = [{**asdict(one), "role": one.role.value} for one in found.rows]
    else:
        rows = [
            {
                "image_id": image_id,
                "person": one.person,
                "role": one.role.value,
                "campaign": campaign,
                "first_at": one.first_at,
                "last_at": write_end(one.last_at),
                "why": one.why,
            }
            for image_id, campaign, one in images
        ]
    print_entries(rows, output_format, name="exposures")
    people = count_things(len(found.people), "person has", many="people have")
    print_notes([f"{people} seen {found.n_seen:,} of the {found.n_images:,} images of {found.test_set}."])


@command.command("campaign")
@click.argument("name")
@study_option
@format_option
def campaign_(name: str, folder: Path | None, output_format: str) -> None:
    """Show which of the people who may take part in a campaign have seen its images, and what its washout does about it."""
    with open_learned(folder) as study:
        found = find_campaign_exposure(study, name)
    rows = [{**asdict(one), "n_in_campaign": found.n_images} for one in found.people]
    print_entries(rows, output_format, name="exposures")
    print_notes(describe_exposure(found))


@command.command()
@click.argument("person")
@click.option("--set", "test_set", metavar="NAME", help="Which test set; the only one by default.")
@click.option("--since", required=True, metavar="DATE", help="The first day, such as 2026-01-31.")
@click.option("--until", metavar="DATE", help="The last day; by default there is none.")
@click.option("--why", required=True, help="How they came to know the images; printed with results.")
@study_option
@format_option
def declare(
    person: str,
    test_set: str | None,
    since: str,
    until: str | None,
    why: str,
    folder: Path | None,
    output_format: str,
) -> None:
    """Declare that somebody, such as an author of a set, knows its images from outside the study."""
    with open_for_writing(folder) as study:
        found = declare_exposure(study, person, test_set=test_set, days=(since, until), why=why)
        rows = [_describe(one, name) for one, name in list_declarations(study) if one.id == found.id]
    print_entries(rows, output_format, name="declarations")


@command.command("declared")
@study_option
@format_option
def declared_(folder: Path | None, output_format: str) -> None:
    """List what was declared."""
    with open_for_reading(folder) as study:
        rows = [_describe(one, name) for one, name in list_declarations(study)]
    print_entries(rows, output_format, name="declarations")


@command.command()
@click.argument("number", type=int)
@study_option
def retract(number: int, folder: Path | None) -> None:
    """Take back a mistaken declaration, by its number; the log records both."""
    with open_for_writing(folder) as study:
        found = retract_declaration(study, number)
    click.echo(f"Declaration {number} on {make_printable(found.person.name)} was retracted.")


@command.command()
@click.argument("name")
@click.argument("other")
@click.option("--why", default="", help="How you know; kept on record.")
@study_option
def alias(name: str, other: str, why: str, folder: Path | None) -> None:
    """Say that two names are one person's: what was shown under either counts for both.

    Names are those of annotators, or of participants whose answers came in files.
    """
    with open_for_writing(folder) as study:
        names = declare_same(study, name, other=other, why=why)
    click.echo(f"One person: {', '.join(map(make_printable, names))}.")


@command.command("separate")
@click.argument("name")
@study_option
def separate_(name: str, folder: Path | None) -> None:
    """Separate two names that are not the same person after all."""
    with open_for_writing(folder) as study:
        separate(study, name)
    click.echo(f"{make_printable(name)} is a person of its own again.")


@command.command("aliases")
@study_option
@format_option
def aliases_(folder: Path | None, output_format: str) -> None:
    """List who has several names."""
    with open_for_reading(folder) as study:
        rows = [{"person": names[0], "also": list(names[1:])} for names in list_aliases(study)]
    print_entries(rows, output_format, name="aliases")


def _describe(one: DeclaredExposure, test_set: str) -> dict[str, Any]:
    return {
        "number": one.id,
        "person": one.person.name,
        "test_set": test_set,
        "since": one.since,
        "until": one.until,
        "why": one.why,
        "who": one.who,
        "declared_at": one.at,
    }
