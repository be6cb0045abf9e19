"""`regauge campaign`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import click

from regauge.cli.campaigns.assign import command as assign
from regauge.cli.campaigns.coding import coding
from regauge.cli.campaigns.create import describe_campaign, make_create, print_campaigns
from regauge.cli.campaigns.discussions import command as discussion
from regauge.cli.campaigns.evaluations import COMMANDS as EVALUATION_COMMANDS
from regauge.cli.campaigns.labels import make_labels
from regauge.cli.campaigns.mturk import command as mturk
from regauge.cli.campaigns.people import COMMANDS as PEOPLE_COMMANDS
from regauge.cli.campaigns.recruit import identities, invite_command, judge, publish, visits
from regauge.cli.campaigns.reviews import referrals, settled
from regauge.cli.campaigns.rounds import decisions, extend
from regauge.cli.options.fields import field_options
from regauge.cli.options.groups import MadeGroup
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import (
    names_option,
    open_for_reading,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
)
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.kinds.registry import KINDS
from regauge.records.campaigns.campaign import CampaignEntry, CampaignTexts
from regauge.workflows.campaigns.campaign import describe_progress, get_campaign
from regauge.workflows.campaigns.fields import CHANGEABLE_TERMS, TEXTS, change_terms
from regauge.workflows.campaigns.image_failures import FailingImage, count_failing, describe_failures
from regauge.workflows.campaigns.image_reports import find_number, list_reports, take_out_image
from regauge.workflows.campaigns.openings import (
    UNCHECKED,
    check_images,
    close_campaign,
    describe_left_out,
    describe_unfinished,
    open_campaign,
)
from regauge.workflows.campaigns.responses import export_answers
from regauge.workflows.campaigns.reviews.final import describe_final_review
from regauge.workflows.campaigns.terms import revise_terms
from regauge.workflows.campaigns.texts import OutdatedTextsError, TextChanges, revise_texts
from regauge.workflows.exposure.washouts import tell_exposure


class CampaignGroup(MadeGroup):
    """The commands about campaigns; two of them depend on the kinds of task that the program knows."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        make = {"create": make_create, "labels": make_labels}.get(cmd_name)
        return super().get_command(ctx, cmd_name) if make is None else make(ctx.obj or KINDS)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted([*super().list_commands(ctx), "create", "labels"])


@click.group("campaign", cls=CampaignGroup)
def command() -> None:
    """Ask people: create campaigns, open and close them, follow their progress, and export the answers."""


for added in (
    assign,
    coding,
    extend,
    decisions,
    referrals,
    discussion,
    settled,
    invite_command,
    publish,
    visits,
    judge,
    identities,
    mturk,
    *PEOPLE_COMMANDS,
    *EVALUATION_COMMANDS,
):
    command.add_command(added)


@command.command("status")
@study_option
@format_option
def status(folder: Path | None, output_format: str) -> None:
    """Show every campaign and how far it is."""
    with open_for_reading(folder) as study:
        found, n_failing = describe_progress(study), count_failing(study)
        notes = [one for entry, _ in found for one in describe_failures(study, entry).sentences]
        notes += [f"{entry.name}: {one}" for entry, _ in found for one in describe_final_review(entry)]
    rows = [
        {**describe_campaign(entry, progress), "n_failing_images": n_failing.get(entry.id, 0)}
        for entry, progress in found
    ]
    print_campaigns(rows, output_format)
    print_notes(notes)


@command.command("open")
@click.argument("name")
@click.option("--leave-out", is_flag=True, help="Leave images out that cannot be shown; else they are refused.")
@click.option("--no-check", is_flag=True, help="Decode no image; people report those that they are not shown.")
@study_option
@format_option
def open_(name: str, leave_out: bool, no_check: bool, folder: Path | None, output_format: str) -> None:
    """Let people work on a campaign, once every image that it will show was decoded."""
    if leave_out and no_check:
        raise InputError("What cannot be shown is known only after a check; leave out --leave-out or --no-check.")
    with open_here(folder) as study:
        with study.read() as reading:
            checked = UNCHECKED if no_check else check_images(reading, name)
        with study.begin() as begun:
            entry = open_campaign(begun, name, checked=checked, leaves_out=leave_out)
            told = tell_exposure(begun, name)
    print_campaigns([describe_campaign(entry)], output_format)
    print_notes((*describe_left_out(checked), *told))


@command.command("failures")
@click.argument("name")
@study_option
@format_option
def failures(name: str, folder: Path | None, output_format: str) -> None:
    """Show the images of a campaign that people were not shown, why, and to whom."""
    with open_for_reading(folder) as study:
        found = describe_failures(study, get_campaign(study, name))
    print_entries([_describe_failure(one) for one in found.images], output_format, name="images")
    print_notes(found.sentences)


@command.command("reports")
@click.argument("name")
@study_option
@format_option
def reports(name: str, folder: Path | None, output_format: str) -> None:
    """Show the images of a campaign that people found broken or upsetting, and what they say."""
    with open_for_reading(folder) as study:
        found = list_reports(study, get_campaign(study, name))
    print_entries([asdict(one) for one in found], output_format, name="reports", hidden=("number",))


@command.command("take-out")
@click.argument("name")
@click.argument("image", metavar="IMAGE")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept in the log.")
@study_option
def take_out(name: str, image: str, reason: str, folder: Path | None) -> None:
    """Stop showing an image of a campaign, given by its id."""
    with open_for_writing(folder) as study:
        campaign = get_campaign(study, name)
        n_tasks = take_out_image(study, campaign.id, number=find_number(study, campaign, image), reason=reason)
    left_out = "" if not n_tasks else f"; {'1 task is' if n_tasks == 1 else f'{n_tasks:,} tasks are'} left out with it"
    click.echo(f"Image {make_printable(image)} of {campaign.name} is no longer shown{left_out}.", err=True)


@command.command("close")
@click.argument("name")
@study_option
@format_option
def close(name: str, folder: Path | None, output_format: str) -> None:
    """Stop giving out tasks; answers to those that are out are still taken."""
    with open_for_writing(folder) as study:
        entry = close_campaign(study, name)
        unfinished = describe_unfinished(study, name)
    print_campaigns([describe_campaign(entry)], output_format)
    print_notes(unfinished)


@command.command("texts")
@click.argument("name")
@field_options(TEXTS)
@click.option(
    "--from", "version", type=int, default=1, show_default=True, help="The version that your change was made from."
)
@study_option
@format_option
def texts_command(name: str, given: Mapping[str, str], version: int, folder: Path | None, output_format: str) -> None:
    """Change what annotators read first; they are asked to agree again, and every version is kept."""
    try:
        with open_for_writing(folder) as study:
            entry = revise_texts(study, name, version=version, **cast("TextChanges", given))
    except OutdatedTextsError as error:
        _print_both(error.texts, given)
        raise InputError(f"{error} Both stand above; to replace theirs give --from {error.texts.version}.") from None
    print_campaigns([describe_campaign(entry)], output_format)


def _print_both(theirs: CampaignTexts, ours: Mapping[str, str]) -> None:
    """What the texts say now and what they were to say, where that differs."""
    for part, text in ours.items():
        if text != getattr(theirs, part):
            for title, words in (
                (f"{part}, version {theirs.version}", getattr(theirs, part)),
                (f"{part}, yours", text),
            ):
                click.echo(f"{title}:", err=True)
                click.echo("\n".join(f"  {make_printable(line)}" for line in words.splitlines()), err=True)


@command.command("terms")
@click.argument("name")
@field_options(CHANGEABLE_TERMS)
@study_option
@format_option
def terms_command(name: str, given: Mapping[str, Any], folder: Path | None, output_format: str) -> None:
    """Change pay, breaks, repeats or how hard the quiz is; without options, show the terms."""
    if not given:
        with open_for_reading(folder) as study:
            entry = get_campaign(study, name)
    else:
        with open_for_writing(folder) as study:
            new = change_terms(get_campaign(study, name).plan.terms, given)
            entry = revise_terms(study, name, new)
            told = tell_exposure(study, name) if {"washout", "washout_warns"} & given.keys() else ()
        print_notes(told)
    if output_format == "table":
        _print_terms(entry)
    else:
        print_campaigns([describe_campaign(entry)], output_format)


@command.command("export")
@click.argument("name")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--with-surplus", is_flag=True, help="Also answers that came when their task had enough.")
@names_option
@study_option
def export(name: str, path: Path, with_surplus: bool, with_names: bool, folder: Path | None) -> None:
    """Write the answers: CSV for contains, JSON Lines for classify (both as `aggregate` reads them), review and label."""
    with open_for_reading(folder) as study:
        n = export_answers(study, name, path, with_surplus=with_surplus, with_names=with_names)
    click.echo(f"Wrote {count_things(n, 'answer')} to {make_printable(str(path))}.")


def _describe_failure(one: FailingImage) -> dict[str, Any]:
    """The columns of an image that was not shown."""
    row = asdict(one)
    return {
        **{name: row[name] for name in ("image_id", "test_set", "reason", "n_times", "last_at")},
        "can_be_shown": one.is_ready,
        "annotators": ", ".join(one.annotators),
    }


def _print_terms(entry: CampaignEntry) -> None:
    for name, value in entry.plan.terms.to_json().items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, one in parts:
            shown = (
                "–" if one is None or one in ((), "") else ", ".join(map(str, one)) if isinstance(one, tuple) else one
            )
            click.echo(f"{f'{name} {part}'.strip():24} {make_printable(str(shown))}")
