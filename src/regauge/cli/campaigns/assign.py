"""`regauge campaign assign`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import print_notes
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import open_here, study_option
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.records.responses.items import ItemFilter
from regauge.workflows.campaigns.assigning import assign_tasks
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.campaigns.image_reports import find_number
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.live.items import find_classes, find_expertise, find_tasks


@click.command("assign")
@click.argument("name")
@click.option("--to", "people", multiple=True, metavar="PERSON", help="Only these people get the tasks; repeatable.")
@click.option("--anybody", is_flag=True, help="Open the tasks to everybody again.")
@click.option("--class", "of", metavar="CLASS", help="Only items of this class, or below this node of the hierarchy.")
@click.option(
    "--expertise",
    metavar="WORDS",
    help="Only items that were referred to this expertise, or to a node of the hierarchy below it.",
)
@click.option("--image", "images", multiple=True, metavar="ID", help="Only items of this image; repeatable.")
@study_option
def command(
    name: str,
    people: tuple[str, ...],
    anybody: bool,
    of: str | None,
    expertise: str | None,
    images: tuple[str, ...],
    folder: Path | None,
) -> None:
    """Assign tasks of a review to named people alone: all tasks of the campaign, or those that the options select."""
    if bool(people) is anybody:
        raise InputError("Give either --to, with the people who get the tasks, or --anybody.")
    live = LiveCampaigns()
    with open_here(folder) as study:
        # Those who answer wait while something is written, so what takes a while is learnt before.
        with study.read() as reading:
            live.items(reading, get_campaign(reading, name))
        with study.begin() as begun:
            campaign = get_campaign(begun, name)
            asked = ItemFilter(
                classes=None if of is None else find_classes(begun, of),
                expertise=None if expertise is None else find_expertise(begun, expertise),
                images=frozenset(find_number(begun, campaign, one) for one in images) if images else None,
            )
            chosen = find_tasks(begun, campaign, table=live.items(begun, campaign), asked=asked)
            done = assign_tasks(begun, campaign.id, tasks=chosen, people=people)
    whom = ", ".join(make_printable(one) for one in done.people) or "anybody"
    click.echo(f"{count_things(done.n_tasks, 'task')} of {campaign.name} assigned to {whom}.", err=True)
    print_notes(done.notes, [])
