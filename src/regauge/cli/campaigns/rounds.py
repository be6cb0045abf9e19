"""`regauge campaign extend` and `decisions`: more people where the sampling decision is open, and what is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from regauge.cli.options.fields import AT_FIRST, UNLESS_GIVEN, field_options
from regauge.cli.pools.options import read_thresholds
from regauge.cli.printing.output import format_option, print_json, print_notes, print_rows
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import IN_JSON
from regauge.cli.studies.study import open_for_reading, open_here, print_entries, study_option
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.fields import pick
from regauge.records.campaigns.redundancy import Decisions, RedundancyRule, Round
from regauge.workflows.campaigns.campaign import get_campaign, pick_seed
from regauge.workflows.campaigns.fields import ROUND, SEED
from regauge.workflows.campaigns.openings import check_images, describe_failing
from regauge.workflows.campaigns.rounds import (
    decide_campaign,
    describe_limits,
    extend_campaign,
    find_rule,
    save_settled,
)
from regauge.workflows.studies.study import Study

ROUND_COLUMNS = (
    *("campaign", "round", "n_pairs", "n_open", "n_certain", "n_likely", "n_exhausted", "n_pending"),
    *("n_excluded", "n_asked", "n_tasks", "n_cells", "n_answers", "n_people", "n_allowed", "n_fixed", "n_spent"),
    *("error_open", "error_fixed", "error_likely", "error_exhausted", "error_spent"),
)
"""The columns of a round for programs; docs/formats.md explains them."""

_WORDS = {
    "open": "open",
    "fixed": "tally fixed",
    "likely": "likely",
    "exhausted": "exhausted",
    "spent": "votes spent",
}
"""What the table calls the states."""
_HIDDEN = ("campaign", "n_cells", "n_people", *(name for name in ROUND_COLUMNS if name.startswith("error_")))
_HIDDEN += ("n_open", "n_certain", "n_likely", "n_exhausted", "n_fixed", "n_spent")
"""What a table of the round leaves to the table of states, or to programs."""


def _make_rule(study: Study, name: str, given: Mapping[str, Any]) -> RedundancyRule | None:
    """The rule of the last round with what is given in the place of what it had; None where no rule decides what is open."""
    campaign = get_campaign(study, name)
    last = find_rule(study, campaign)
    if last is None:
        wrong = next((one for one in ROUND if one.name in given), None)
        if wrong is not None:
            raise InputError(f"{wrong.option} decides nothing in a {campaign.kind} campaign; leave it out.")
        return None
    plan = pick(given, ("strategy", "threshold", "class_thresholds", "per_class"))
    if "class_thresholds" in plan:
        plan["class_thresholds"] = read_thresholds(study.taxonomy, plan["class_thresholds"])
    return replace(last, plan=replace(last.plan, **plan), **pick(given, ("max_annotators", "doubt")))


@click.command("extend")
@click.argument("name")
@field_options(ROUND, usual=AT_FIRST)
@field_options((SEED,), usual=UNLESS_GIVEN)
@click.option("--dry-run", is_flag=True, help="Only say what would be asked.")
@study_option
@format_option
def extend(
    name: str,
    given: Mapping[str, Any],
    dry_run: bool,
    folder: Path | None,
    output_format: str,
) -> None:
    """Ask once more about what is open: of a contains campaign, pairs on which the draw of a test set could go either way."""
    with open_here(folder) as study:
        # To say what would be asked is to read, and keeps nobody from answering.
        with (study.read if dry_run else study.begin)() as begun:
            rule = _make_rule(begun, name, given)
            made = extend_campaign(begun, name, rule, seed=given.get(SEED.name, pick_seed()), is_trial=dry_run)
        with study.read() as reading:
            failing = describe_failing(check_images(reading, name))
            limits = tuple(describe_limits(reading, made))
    print_entries([describe_round(made)], output_format, name="rounds", hidden=_HIDDEN)
    if output_format == "table":
        _print_states(made.states, made.expected_errors)
    print_notes([_say(made, rule, is_trial=dry_run), *limits, *failing])


@click.command("decisions")
@click.argument("name")
@field_options(ROUND, usual=AT_FIRST)
@click.option(
    "--settled",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write votes as if all had been asked, for testset sample --frequencies.",
)
@study_option
@format_option
def decisions(
    name: str,
    given: Mapping[str, Any],
    settled: Path | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Show what the answers to a contains campaign decide about every pair so far."""
    with open_for_reading(folder) as study:
        rule = _make_rule(study, name, given)
        found = decide_campaign(study, name, rule)
    if settled is not None:
        save_settled(found, settled)
        click.echo(f"Wrote {count_things(len(found), 'pair')} to {make_printable(str(settled))}.", err=True)
        if found.is_open.any():
            n_open = int(found.is_open.sum())
            print_notes(
                [
                    f"{n_open:,} of them are still open: their votes lie where they are likelier to. Extend the campaign first."
                ]
            )
    _print_decisions(found, output_format)


def describe_round(made: Round) -> dict[str, Any]:
    """The columns of a round."""
    states: dict[str, int | float | None] = {f"n_{state}": n for state, n in made.states.items()}
    states["n_certain"] = made.states["fixed"] + made.states["spent"]
    states |= {f"error_{state}": error for state, error in made.expected_errors.items()}
    whole = {"campaign": made.campaign, "round": made.number, "n_pairs": made.n_pairs, **states}
    return {name: whole[name] if name in whole else getattr(made, name) for name in ROUND_COLUMNS}


def _print_decisions(found: Decisions, output_format: str) -> None:
    frame = found.to_frame()
    if output_format == "json":
        states = {"states": found.count_states(), "expected_errors": found.expect_errors()}
        print_json({"decisions": frame.to_dicts(), **states})
    elif output_format != "table":
        print_rows(frame, output_format)
    else:
        _print_states(found.count_states(), found.expect_errors())
        print_notes(["The decision on every pair is in --format csv, json or jsonl."])


def _print_states(states: Mapping[str, int], errors: Mapping[str, float | None]) -> None:
    rows = [
        {
            "state": _WORDS[state],
            "n_pairs": n,
            "expected_error": "–" if (one := errors[state]) is None else f"{one:.1%}",
        }
        for state, n in states.items()
    ]
    print_entries(rows, "table", name="states", whole=IN_JSON)


def _say(made: Round, rule: RedundancyRule | None, *, is_trial: bool) -> str:
    verb = "would ask" if is_trial else "asks"
    if not made.n_tasks:
        waiting = f"; {made.n_pending:,} open ones wait for answers to tasks that show them" if made.n_pending else ""
        waiting += f"; {made.n_excluded:,} open ones were excluded from their pool" if made.n_excluded else ""
        n_most = made.states["exhausted"]
        tired = (
            f", {n_most:,} of them since another round would ask more than {rule.max_annotators:,} people"
            if n_most and rule is not None
            else ""
        )
        n_settled = made.n_pairs - made.states["open"]
        return f"There is nothing to ask: {n_settled:,} of {made.n_pairs:,} pairs are settled{tired}{waiting}."
    most = "" if rule is None else f"; a pair gets {rule.max_annotators:,} votes at most"
    tasks = count_things(made.n_tasks, "task")
    return f"Round {made.number} {verb} about {made.n_asked:,} of {made.n_pairs:,} pairs in {tasks}{most}."
