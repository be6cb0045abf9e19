"""`regauge mistakes`."""

from __future__ import annotations

import click

from regauge.cli.mistakes import codings, compare, find, fixed, flow, overturned, summary


@click.group("mistakes")
def command() -> None:
    """Find mistakes, compare those of two participants, and sum up coded ones.

    A coded mistake is an image and a prediction that reviewers found wrong, with a category and a severity.
    """


for _one in (
    find.command,
    compare.command,
    overturned.command,
    flow.command,
    fixed.command,
    summary.command,
    codings.add_command,
    codings.list_command,
    codings.show_command,
    codings.export_command,
):
    command.add_command(_one)
