"""`regauge campaign settled|referrals`: what a review has settled, and what its reviewers left to experts."""

from __future__ import annotations

from pathlib import Path

import click

from regauge.cli.labels.review_plans import describe_pairs, make_standing_table
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows, print_sentences
from regauge.cli.studies.study import open_for_reading, print_entries, study_option
from regauge.workflows.annotation.barred_experts import count_unreached, describe_unreached
from regauge.workflows.annotation.referrals import count_referrals, describe_lack
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.live.standings import CampaignStandings, measure_standings


@click.command("settled")
@click.argument("name")
@study_option
@format_option
def settled(name: str, folder: Path | None, output_format: str) -> None:
    """Show which comparisons of participants the answers to a review campaign settle at this moment."""
    with open_for_reading(folder) as study:
        found = measure_standings(study, name)
    _print(name, found, output_format)


def _print(name: str, found: CampaignStandings, output_format: str) -> None:
    bounds, followed = found.to_frame(), found.followed
    if output_format == "json":
        n = {"n_tasks": found.n_tasks, "n_finished": found.n_finished, "n_pairs": len(bounds)}
        planned = [] if followed is None else describe_pairs(followed)
        settled = {"n_settled": int(bounds["settled"].sum()), "bounds": list(bounds.iter_rows(named=True))}
        print_json({"campaign": name, **n, **settled, "planned": planned, "notes": list(found.notes)})
        return
    if output_format != "table":
        print_rows(bounds, output_format)
    else:
        if followed is not None:
            print_parts([make_standing_table(followed)])
        print_sentences(*found.sentences)
    print_notes(found.notes)


@click.command("referrals")
@click.argument("name")
@study_option
@format_option
def referrals(name: str, folder: Path | None, output_format: str) -> None:
    """Show what reviewers referred to experts: how much of it waits, and how many experts there are."""
    with open_for_reading(folder) as study:
        campaign = get_campaign(study, name)
        found, barred = count_referrals(study, campaign), count_unreached(study, campaign)
    print_entries([one._asdict() for one in found], output_format, name="referrals")
    print_notes((*describe_lack(found), *describe_unreached(campaign.name, barred)))
