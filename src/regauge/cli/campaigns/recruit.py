"""`regauge campaign invite`, `visits`, `identities` and `publish`: where people come from."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TypeVar

import click

from regauge.cli.options.files import file_option
from regauge.cli.printing.output import format_option, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import (
    base_url_option,
    open_for_reading,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
)
from regauge.errors import InputError
from regauge.records.campaigns.hits import HitCost, HitPlan
from regauge.records.campaigns.terms import Prolific
from regauge.records.campaigns.visits import Visit, VisitState
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.people.identities import write_identities
from regauge.workflows.people.invitations import (
    PersonalLink,
    invite,
    invite_listed,
    invite_many,
    make_link,
    write_links,
)
from regauge.workflows.people.mturk import Market, connect, count_cost, create_hits
from regauge.workflows.people.publication import (
    VisitOutlook,
    begin_batch,
    foresee_judgement,
    note_batch,
    publish_on_prolific,
)
from regauge.workflows.people.visits import describe_visits, judge_visits

_Command = TypeVar("_Command", bound=Callable[..., Any])


def amount_option(name: str, text: str) -> Callable[[_Command], _Command]:
    """An option that takes US dollars and cents, which are kept exactly."""
    return click.option(name, required=True, metavar="AMOUNT", callback=_read_amount, help=text)


def _read_amount(_context: click.Context, option: click.Parameter, typed: str) -> Decimal:
    try:
        return Decimal(typed.removeprefix("$"))
    except InvalidOperation:
        raise InputError(f"{option.opts[0]}: {typed!r} is not an amount of dollars such as 0.50.") from None


def market_option(command: _Command) -> _Command:
    """The option --production: without it everything happens in the sandbox."""
    option = click.option("--production", is_flag=True, help="Real people, real money; the sandbox by default.")
    return option(command)


def yes_option(command: _Command) -> _Command:
    """The option --yes of commands that spend or decide."""
    option = click.option(
        "--yes", is_flag=True, help="Do not ask; in production the name of the campaign is asked for all the same."
    )
    return option(command)


def _time_option(name: str, default: int, text: str) -> Callable[[_Command], _Command]:
    return click.option(name, type=float, default=default, show_default=True, callback=_check_time, help=text)


def _check_time(_context: click.Context, option: click.Parameter, typed: float) -> float:
    if not math.isfinite(typed):
        raise InputError(f"{option.opts[0]}: {typed} is not a time; write a number such as {option.default}.")
    return typed


@click.command("invite")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--count", type=click.IntRange(1, 10_000), help="So many links under names that are counted up.")
@click.option(
    "--csv", "listed", type=click.Path(path_type=Path), metavar="FILE", help="Everybody on a list: CSV name[,email]."
)
@file_option("--out", "Write the links to this file, which only you can read, not on the screen.")
@base_url_option
@study_option
@format_option
def invite_command(
    names: tuple[str, ...],
    count: int | None,
    listed: Path | None,
    out: Path | None,
    base_url: str,
    folder: Path | None,
    output_format: str,
) -> None:
    """Make personal links; each is shown once and cannot be shown again."""
    if sum(map(bool, (names, count, listed))) != 1:
        raise InputError("Say who the links are for: either names, or how many with --count, or a list with --csv.")
    with open_for_writing(folder) as study:
        if listed is not None:
            links = invite_listed(study, listed, base_url=base_url)
        else:
            made = invite_many(study, count) if count else invite(study, names)
            links = tuple(PersonalLink(one.annotator.name, "", make_link(base_url, one.token)) for one in made)
        if out is not None:
            # Before anything is committed: a link that nobody can read would be of no use.
            write_links(out, links)
    if out is not None:
        click.echo(f"Wrote {len(links):,} links to {make_printable(str(out))}; only you can read it.")
    else:
        _print_links(links, output_format)


@click.command("visits")
@click.argument("name")
@study_option
@format_option
def visits(name: str, folder: Path | None, output_format: str) -> None:
    """Show who came from Prolific or Mechanical Turk, how far they are, and how it ended."""
    with open_for_reading(folder) as study:
        found = describe_visits(study, name)
    print_entries([_describe_visit(visit) for visit in found], output_format, name="visits")


@click.command("judge")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@study_option
@format_option
def judge(name: str, yes: bool, folder: Path | None, output_format: str) -> None:
    """Give those who wait for it their code: whoever was dropped has failed, all others have completed."""
    with open_here(folder) as study:
        with study.read() as reading:
            found = foresee_judgement(reading, name)
        print_entries([_describe_outlook(one) for one in found], output_format, name="visits")
        if found and not yes and not click.confirm("Go ahead?", err=True):
            raise InputError(
                "Nobody was judged. Drop those who shall fail with: regauge campaign drop, and judge again."
            )
        with study.begin() as begun:
            # Whoever has come to wait while the question stood there was not looked at.
            judge_visits(begun, name, looked_at={one.visit.id for one in found})


@click.command("identities")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@study_option
def identities(path: Path, folder: Path | None) -> None:
    """Write who people are on Prolific or Mechanical Turk to a file that only you can read; that it was done is on record."""
    with open_for_writing(folder) as study:
        n = write_identities(study, path)
    click.echo(
        f"Wrote {n:,} visits to {make_printable(str(path))}. The file names people: delete it when you are done."
    )


@click.group("publish")
def publish() -> None:
    """Open a campaign to people from Prolific or Mechanical Turk."""


@publish.command("prolific")
@click.argument("name")
@click.option("--completed", required=True, metavar="CODE", help="The completion code that the study has on Prolific.")
@click.option(
    "--screened-out", default="", metavar="CODE", help="The code for those who did not pass or found nothing."
)
@click.option(
    "--tasks", type=click.IntRange(min=0), default=0, show_default=True, help="Somebody's share; 0 for all there are."
)
@click.option(
    "--study-id", required=True, metavar="ID", help="The study on Prolific; links of any other let nobody in."
)
@click.option(
    "--judge-first", is_flag=True, help="Codes wait until you have looked at the answers; see campaign judge."
)
@click.option("--failed", default="", metavar="CODE", help="The code for those who fail that judgement.")
@base_url_option
@study_option
def publish_prolific(
    name: str,
    completed: str,
    screened_out: str,
    tasks: int,
    study_id: str,
    judge_first: bool,
    failed: str,
    base_url: str,
    folder: Path | None,
) -> None:
    """Let people from Prolific in, and print the link that the study needs there."""
    prolific = Prolific(
        completed, screened_out, tasks, study_id=study_id.lower(), judges_first=judge_first, failed=failed
    )
    with open_for_writing(folder) as study:
        campaign = publish_on_prolific(study, name, prolific)
    parameters = "&".join(f"{one}={{{{%{one}%}}}}" for one in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    click.echo(f"{base_url}/p/{campaign.id}?{parameters}")


@publish.command("mturk")
@click.argument("name")
@amount_option("--reward", "US dollars for one assignment.")
@click.option("--hits", type=int, required=True, help="HITs.")
@click.option("--assignments", type=int, required=True, help="People per HIT; from ten on the fee is twice as high.")
@click.option("--tasks", type=int, default=1, show_default=True, help="Tasks that one assignment takes.")
@click.option("--title", required=True, help="What workers see in the list.")
@click.option("--description", help="What they see before they accept; the title by default.")
@click.option("--keywords", default="image, labelling", show_default=True, help="What they may search for.")
@click.option("--base-url", required=True, help="The address of the server; HTTPS.")
@_time_option("--lifetime", 168, "Hours that a HIT is offered.")
@_time_option("--duration", 60, "Minutes that somebody has for it.")
@click.option(
    "--qualification",
    multiple=True,
    metavar="RULE",
    help="Who may accept: approved>=95, hits>=100, locale=US. Repeatable.",
)
@market_option
@yes_option
@study_option
def publish_mturk(
    name: str,
    reward: Decimal,
    hits: int,
    assignments: int,
    tasks: int,
    title: str,
    description: str | None,
    keywords: str,
    base_url: str,
    lifetime: float,
    duration: float,
    qualification: tuple[str, ...],
    production: bool,
    yes: bool,
    folder: Path | None,
) -> None:
    """Put HITs on Mechanical Turk, in its sandbox unless told otherwise. The cost is printed and confirmed first."""
    plan = HitPlan(
        title=title,
        description=description or title,
        reward=reward,
        n_hits=hits,
        n_assignments=assignments,
        n_tasks=tasks,
        base_url=base_url,
        lifetime=round(lifetime * 3600),
        duration=round(duration * 60),
        keywords=keywords,
        qualifications=qualification,
    )
    market = connect(is_production=production)
    with open_here(folder) as study:
        with study.read() as reading:
            get_campaign(reading, name)
        click.echo(describe_cost(count_cost(plan), market, f"{hits:,} HITs with {assignments:,} assignments each"))
        confirm_spending(name, market, yes=yes)
        with study.begin() as begun:
            batch = begin_batch(begun, name, plan, is_production=production)
        made = create_hits(market, plan, campaign_id=batch.campaign.id, batch=batch.token, is_resumed=batch.is_resumed)
        with study.begin() as begun:
            note_batch(begun, batch, made, is_production=production)
    click.echo(f"{'Completed' if batch.is_resumed else 'Made'} {len(made):,} HITs on {market.name}.")


def describe_cost(cost: HitCost, market: Market, what: str) -> str:
    """What something costs, and how that comes about."""
    money = "" if market.is_production else " (play money)"
    return (
        f"{what} on {market.name}: {cost.n_payments:,} × (${cost.amount:.2f} + ${cost.fee:.2f} fee) "
        f"= ${cost.total:,.2f}{money}"
    )


def confirm_spending(name: str, market: Market, *, yes: bool) -> None:
    """Ask before money is spent; where it is real, for the name of the campaign.

    Raises:
        InputError: the user does not confirm.
    """
    if not yes and not click.confirm("Go ahead?", err=True):
        raise InputError("Nothing was done.")
    if market.is_production:
        typed = click.prompt("This spends real money. Type the name of the campaign", err=True)
        if typed != name:
            raise InputError("That is not the name of the campaign. Nothing was done.")


def _describe_visit(visit: Visit) -> dict[str, Any]:
    return {
        "annotator": visit.annotator,
        "platform": visit.platform.value,
        "state": visit.state.value,
        "n_done": visit.n_done,
        "began_at": visit.began_at,
        "ended_at": visit.ended_at,
    }


def _describe_outlook(one: VisitOutlook) -> dict[str, Any]:
    return {
        "annotator": one.visit.annotator,
        "n_done": one.visit.n_done,
        "n_controls_right": one.n_controls_right,
        "n_controls": one.n_controls,
        "dropped": one.is_dropped,
        "outcome": (VisitState.FAILED if one.is_dropped else VisitState.COMPLETED).value,
    }


def _print_links(links: tuple[PersonalLink, ...], output_format: str) -> None:
    if output_format == "table":
        for one in links:
            click.echo(f"{make_printable(one.name)}  {one.link}")
    else:
        rows = [{"name": one.name, "link": one.link} for one in links]
        print_records(rows, output_format, name="links", columns=("name", "link"))
