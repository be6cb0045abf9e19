"""`regauge aggregate contains|classify|votes|panel FILE…`: what people answered → labels."""

from __future__ import annotations

import click

from regauge.cli.labels import aggregate_classify, aggregate_contains, aggregate_panel, aggregate_votes


@click.group("aggregate")
def command() -> None:
    """Turn people's answers into labels: screen annotators, count what they selected, and say how sure it is.

    No study is needed: answers come from files.
    """


command.add_command(aggregate_contains.command, "contains")
command.add_command(aggregate_classify.command, "classify")
command.add_command(aggregate_votes.command, "votes")
command.add_command(aggregate_panel.command, "panel")
