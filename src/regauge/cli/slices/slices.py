"""`regauge slice`."""

from __future__ import annotations

import click

from regauge.cli.slices import create, entries, score


@click.group("slice")
def command() -> None:
    """Create, score and export slices: images of a test set under a name, frozen with the rule that chose them."""


for _one in (
    create.command,
    entries.add_command,
    entries.list_command,
    entries.show_command,
    entries.card_command,
    score.command,
    entries.export_command,
):
    command.add_command(_one)
