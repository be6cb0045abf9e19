"""`regauge campaign mturk`: what workers handed in, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from regauge.cli.campaigns.recruit import amount_option, confirm_spending, describe_cost, market_option, yes_option
from regauge.cli.printing.output import format_option
from regauge.cli.studies.study import open_here, print_entries, study_option
from regauge.errors import InputError
from regauge.records.campaigns.hits import HitAction, HitAssignment, Ruling
from regauge.workflows.people.mturk import (
    RULE,
    Market,
    carry_out,
    choose_bonuses,
    connect,
    count_bonus_cost,
    expire_hits,
    find_hits,
    judge,
    list_submitted,
    pay_bonuses,
)
from regauge.workflows.people.publication import (
    compare_with_records,
    find_unfinished_batches,
    list_hits,
    note_batch,
    note_decisions,
)
from regauge.workflows.studies.study import Study


@click.group("mturk")
def command() -> None:
    """See what workers handed in on Mechanical Turk, approve it, pay bonuses, and end HITs."""


@command.command("list")
@click.argument("name")
@market_option
@study_option
@format_option
def list_command(name: str, production: bool, folder: Path | None, output_format: str) -> None:
    """Show what workers handed in, beside what our records say. Nobody is named: annotators have their pseudonyms."""
    with open_here(folder) as study:
        found = _load(study, name, connect(is_production=production))
    print_entries([_describe(one) for one in found], output_format, name="assignments")


@command.command("approve")
@click.argument("name")
@click.option("--reject", is_flag=True, help="Also reject those that the rule does not approve; needs --feedback.")
@click.option("--feedback", default="", help="What those who are rejected are told.")
@market_option
@yes_option
@study_option
@format_option
def approve(
    name: str, reject: bool, feedback: str, production: bool, yes: bool, folder: Path | None, output_format: str
) -> None:
    """Approve whoever did their share and was not dropped. What will be done is printed and confirmed first."""
    if reject and not feedback.strip():
        raise InputError("Whoever is rejected is told why: give a sentence with --feedback.")
    market = connect(is_production=production)
    with open_here(folder) as study:
        rulings = judge(_load(study, name, market), rejects=reject)
        print_entries([_describe_ruling(one) for one in rulings], output_format, name="rulings")
        due = [one for one in rulings if one.action is not HitAction.LEAVE]
        if not due:
            click.echo("There is nothing to approve or reject.", err=True)
            return
        click.echo(RULE, err=True)
        confirm_spending(name, market, yes=yes)
        done: list[Ruling] = []
        try:
            carry_out(market, due, feedback=feedback, note=done.append)
        finally:
            counts = {f"n_{action}": sum(one.action is action for one in done) for action in HitAction}
            _note(study, name, "approve", market, **counts)
    click.echo(f"Approved {counts['n_approve']:,}, rejected {counts['n_reject']:,}.", err=True)


@command.command("pay")
@click.argument("name")
@amount_option("--bonus", "US dollars for each.")
@click.option(
    "--for",
    "whom",
    type=click.Choice(["done", "rule"]),
    default="rule",
    show_default=True,
    help="Whoever did their share, or by the rule only those of them who were not dropped.",
)
@click.option("--reason", required=True, help="What it is for; workers read it.")
@market_option
@yes_option
@study_option
def pay(name: str, bonus: Decimal, whom: str, reason: str, production: bool, yes: bool, folder: Path | None) -> None:
    """Pay a bonus for every assignment that earned it; nobody gets the same one twice. The cost is confirmed first."""
    market = connect(is_production=production)
    with open_here(folder) as study:
        found = _load(study, name, market)
        bonuses = choose_bonuses(market, found, amount=bonus, reason=reason, by_rule=whom == "rule")
        if not bonuses:
            click.echo("There is nobody to pay, or everybody has it.")
            return
        click.echo(describe_cost(count_bonus_cost(len(bonuses), bonus), market, f"{len(bonuses):,} bonuses"))
        confirm_spending(name, market, yes=yes)
        done: list[object] = []
        try:
            pay_bonuses(market, bonuses, note=done.append)
        finally:
            _note(study, name, "pay", market, n=len(done), amount=str(bonus), reason=reason)
    click.echo(f"Paid {len(done):,} bonuses.")


@command.command("end")
@click.argument("name")
@market_option
@yes_option
@study_option
def end(name: str, production: bool, yes: bool, folder: Path | None) -> None:
    """Offer the HITs of a campaign no longer, also those of a batch that was not finished."""
    market = connect(is_production=production)
    with open_here(folder) as study:
        if not yes and not click.confirm(f"Offer the HITs of {name} on {market.name} no longer?", err=True):
            raise InputError("Nothing was done.")
        with study.read() as reading:
            unfinished = find_unfinished_batches(reading, name, is_production=production)
        for batch in unfinished:
            there = find_hits(market, batch.token)
            with study.begin() as begun:
                note_batch(begun, batch, sorted(there.values()), is_production=production)
        with study.read() as reading:
            hit_ids = list_hits(reading, name, is_production=production)
        expire_hits(market, hit_ids)
        _note(study, name, "end", market, n=len(hit_ids))
    click.echo(f"{len(hit_ids):,} HITs are offered no longer; whoever is at work may finish.")


def _load(study: Study, name: str, market: Market) -> tuple[HitAssignment, ...]:
    with study.read() as reading:
        hit_ids = list_hits(reading, name, is_production=market.is_production)
    submitted: Sequence[Any] = list(list_submitted(market, hit_ids))
    with study.read() as reading:
        return compare_with_records(reading, name, submitted)


def _note(study: Study, name: str, what: str, market: Market, **counts: object) -> None:
    with study.begin() as begun:
        note_decisions(begun, name, what, is_production=market.is_production, **counts)


def _describe(one: HitAssignment) -> dict[str, Any]:
    """The columns of an assignment; Mechanical Turk's ids of people are not among them."""
    return {
        "hit": one.hit_id,
        "status": one.status,
        "annotator": one.annotator or None,
        "visit": None if one.state is None else one.state.value,
        "n_done": one.n_done,
        "n_controls": one.n_controls,
        "n_controls_right": one.n_controls_right,
        "dropped": one.is_dropped,
        "receipt": one.has_receipt,
    }


def _describe_ruling(one: Ruling) -> dict[str, Any]:
    return {
        "annotator": one.assignment.annotator or None,
        "hit": one.assignment.hit_id,
        "action": one.action.value,
        "why": one.why,
    }
