"""`regauge annotators`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from regauge.cli.printing.output import format_option, print_notes, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.studies.study import (
    base_url_option,
    open_for_reading,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
)
from regauge.errors import InputError, StorageError
from regauge.estimates import count_things
from regauge.records.campaigns.campaign import AnnotatorEntry
from regauge.workflows.exposure.saying import declare_same
from regauge.workflows.people.access import (
    end_sessions,
    find_pseudonyms,
    list_annotators,
    release_tasks,
    renew_access,
    wait_for_servers,
)
from regauge.workflows.people.erasure import Erasure, ErasurePlan, erase_annotator, foresee_erasure, scrub
from regauge.workflows.people.expertises import change_expertises, list_experts
from regauge.workflows.people.invitations import make_link
from regauge.workflows.people.own_data import write_own_data


@click.group("annotators")
def command() -> None:
    """See who works on a study, say what they know, renew their links, put them out, release their tasks, and erase them."""


@command.command("list")
@study_option
@format_option
def list_(folder: Path | None, output_format: str) -> None:
    """List everybody, in the order in which they came."""
    with open_for_reading(folder) as study:
        found, experts, pseudonyms = list_annotators(study), list_experts(study), find_pseudonyms(study)
    rows = [
        {**_describe(one), "expertises": list(experts.get(one.name, ())), "pseudonym": pseudonyms.call(one.name)}
        for one in found
    ]
    print_entries(rows, output_format, name="annotators")


@command.command()
@click.argument("name")
@click.option("--add", multiple=True, metavar="WORDS", help="A node of the hierarchy, such as dogs, or a few words.")
@click.option("--remove", multiple=True, metavar="WORDS", help="An expertise that they no longer have.")
@study_option
@format_option
def expertise(
    name: str, add: tuple[str, ...], remove: tuple[str, ...], folder: Path | None, output_format: str
) -> None:
    """Say what somebody is an expert on; labels that reviewers refer to it, or to a node below it, go to them."""
    with open_for_writing(folder) as study:
        person, own = change_expertises(study, name, add=add, remove=remove)
    print_entries([{"name": person.name, "expertises": list(own)}], output_format, name="annotators")


@command.command()
@click.argument("name")
@base_url_option
@study_option
@format_option
def renew(name: str, base_url: str, folder: Path | None, output_format: str) -> None:
    """Give somebody a new personal link; the old one ends, and so do their sessions; their open tasks go to others."""
    with open_here(folder) as study:
        with study.begin() as begun:
            made = renew_access(begun, name)
        wait_for_servers(study)
    row = {"name": made.annotator.name, "link": make_link(base_url, made.token)}
    if output_format == "table":
        click.echo(f"{make_printable(row['name'])}  {row['link']}")
    else:
        print_records([row], output_format, name="links")


@command.command("end-sessions")
@click.argument("name")
@study_option
def end(name: str, folder: Path | None) -> None:
    """Sign somebody out everywhere; their open tasks go to others, and their link still works."""
    with open_here(folder) as study:
        with study.begin() as begun:
            person = end_sessions(begun, name)
        wait_for_servers(study)
    click.echo(f"The sessions of {make_printable(person.name)} have ended.")


@command.command()
@click.argument("name")
@click.option("--campaign", help="Only tasks of this campaign.")
@study_option
def release(name: str, campaign: str | None, folder: Path | None) -> None:
    """Give the tasks that somebody holds and has not answered to others; an answer that still arrives is not lost."""
    with open_for_writing(folder) as study:
        n = release_tasks(study, name, campaign=campaign)
    click.echo(
        f"{make_printable(name)} kept {'one task' if n == 1 else f'{n:,} tasks'}, which others can be given now."
    )


@command.command()
@click.argument("name")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@study_option
def data(name: str, path: Path, folder: Path | None) -> None:
    """Write what is stored about somebody to a file that only you can read, to give to them; the log records it."""
    with open_for_writing(folder) as study:
        write_own_data(study, name, path)
    click.echo(
        f"Wrote what is stored about {make_printable(name)} to {make_printable(str(path))}; only you can read it."
    )


@command.command()
@click.argument("name")
@click.option("--reason", required=True, help="Why; kept on record, without the name.")
@click.option(
    "--answers", "with_answers", is_flag=True, help="Also delete what they answered, and make the labels again."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@study_option
@format_option
def erase(name: str, reason: str, with_answers: bool, yes: bool, folder: Path | None, output_format: str) -> None:
    """Forget who somebody is; with --answers, also everything that they answered. This cannot be undone."""
    with open_here(folder) as study:
        with study.read() as reading:
            plan = foresee_erasure(reading, name)
        if not yes and not click.confirm(_ask(plan, with_answers), err=True):
            raise InputError("Nothing was erased.")
        with study.begin() as begun:
            done = erase_annotator(begun, plan.annotator.id, reason=reason, with_answers=with_answers)
        wait_for_servers(study)
        try:
            is_gone, problem = scrub(study), ""
        except StorageError as error:
            is_gone, problem = False, str(error)
    row = {
        "name": done.annotator,
        "n_answers": done.n_answers,
        "labels": [one.after.full_name for one in done.rebuilt if one.after is not None],
        "stale_labels": list(done.stale),
        "codings": [one.after.full_name for one in done.codings if one.after is not None],
        "participants": list(done.participants),
        "remaining": list(done.remaining),
        "scrubbed": is_gone,
    }
    print_entries([row], output_format, name="erasures")
    print_notes(tuple(_note(done)), tuple(_warn(done, is_gone, problem)))


@command.command()
@click.argument("name")
@click.argument("other")
@click.option("--why", default="", help="How you know; kept on record.")
@study_option
def alias(name: str, other: str, why: str, folder: Path | None) -> None:
    """Say that two names are one person's: what either was shown counts for both, as with `regauge exposure alias`."""
    with open_for_writing(folder) as study:
        names = declare_same(study, name, other=other, why=why)
    click.echo(f"One person: {', '.join(map(make_printable, names))}.")


def _describe(entry: AnnotatorEntry) -> dict[str, Any]:
    """The columns of somebody."""
    return {
        "name": entry.name,
        "role": entry.role.value,
        "platform": entry.platform.value,
        "created_at": entry.created_at,
        "erased_at": entry.erased_at,
    }


def _ask(plan: ErasurePlan, with_answers: bool) -> str:
    who = make_printable(plan.annotator.name)
    if not with_answers:
        return f"Forget who {who} is, and keep their {count_things(plan.n_answers, 'answer')} under a name that says nothing?"
    labels = f"; new versions of {', '.join(map(make_printable, plan.labels))} will be made" if plan.labels else ""
    return (
        f"Forget who {who} is, and delete their {count_things(plan.n_answers, 'answer')} to "
        f"{count_things(plan.n_campaigns, 'campaign')}{labels}?"
    )


def _note(done: Erasure) -> Iterator[str]:
    if done.participants:
        yield (
            f"Participants made of their answers are gone too: {', '.join(done.participants)}. Evaluate again for scores without "
            "them."
        )
    if done.remaining:
        yield (
            f"Made before and not changed: {', '.join(done.remaining)}. They hold what was erased; delete them, or erase "
            "again whenever one is restored."
        )
    yield "Copies elsewhere, such as bundles, exports and backups that were taken away, are not changed either."


def _warn(done: Erasure, is_gone: bool, problem: str) -> Iterator[str]:
    failed = [(one.before.full_name, one.problem) for one in done.rebuilt if one.after is None]
    failed += [(one.before.full_name, one.problem) for one in done.codings if one.after is None]
    for name, problem_there in failed:
        yield f"{name} could not be made again: {problem_there}"
    if done.stale:
        yield f"Merged from labels that have changed, to be merged again: {', '.join(done.stale)}."
    if problem:
        yield problem
    elif not is_gone:
        yield "The database's log could not be emptied while others read; it is when the last of them ends."
