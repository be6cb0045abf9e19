"""`regauge campaign referrals`."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import open_for_reading, print_entries, study_option
from regauge.workflows.annotation.barred_experts import count_unreached, describe_unreached
from regauge.workflows.annotation.referrals import count_referrals, describe_lack
from regauge.workflows.campaigns.campaign import get_campaign


@click.command("referrals")
@click.argument("name")
@study_option
@format_option
def command(name: str, folder: Path | None, output_format: str) -> None:
    """Show what reviewers referred to experts: how much of it waits, and how many experts there are."""
    with open_for_reading(folder) as study:
        campaign = get_campaign(study, name)
        found, barred = count_referrals(study, campaign), count_unreached(study, campaign)
    print_entries([one._asdict() for one in found], output_format, name="referrals")
    print_notes((*describe_lack(found), *describe_unreached(campaign.name, barred)))
