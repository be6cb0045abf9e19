"""`regauge campaign discussion NAME`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import format_option
from regauge.cli.studies.study import open_for_reading, open_for_writing, print_entries, study_option
from regauge.errors import InputError
from regauge.workflows.discussions.acts import close_round, excuse_panelist, lock_items
from regauge.workflows.discussions.standing import DiscussionCounts, count_discussion, get_discussion, load_standing
from regauge.workflows.studies.study import Study


@click.command("discussion")
@click.argument("name")
@click.option("--close-round", "closes", is_flag=True, help="End round 1, so that the panel sees all votes.")
@click.option("--lock-unanimous", "locks", is_flag=True, help="Lock every item on which all panelists vote the same.")
@click.option("--excuse", metavar="PERSON", help="A panelist who has left: the others decide, for a --reason.")
@click.option("--reason", default="", help="Why the others decide without the panelist; kept with the entry.")
@study_option
@format_option
def command(
    name: str,
    closes: bool,
    locks: bool,
    excuse: str | None,
    reason: str,
    folder: Path | None,
    output_format: str,
) -> None:
    """Show where the discussion of a panel stands, or enter what a chair can enter."""
    if closes or locks or excuse:
        with open_for_writing(folder) as study:
            if excuse:
                excuse_panelist(study, name, panelist=excuse, reason=reason, by=None)
            if closes:
                close_round(study, name, by=None)
            if locks:
                _lock_unanimous(study, name)
            found = count_discussion(study, name)
    else:
        with open_for_reading(folder) as study:
            found = count_discussion(study, name)
    print_entries([_describe(found)], output_format, name="discussions")


def _lock_unanimous(study: Study, name: str) -> None:
    standing = load_standing(study, get_discussion(study, name))
    seen = {
        one.task_id: one.version for one in standing.items if one.is_unanimous and not (one.is_locked or one.missing)
    }
    if not seen:
        raise InputError(f"No item of campaign {name} is unanimous and open, so nothing was locked.")
    lock_items(study, name, seen=seen, by=None)


def _describe(found: DiscussionCounts) -> dict[str, object]:
    return {**found._asdict(), "waits_for": ", ".join(found.waits_for)}
