"""`regauge campaign`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import click

from regauge.cli.campaign_labels import command as labels
from regauge.cli.campaign_mturk import command as mturk
from regauge.cli.campaign_people import COMMANDS as PEOPLE_COMMANDS
from regauge.cli.campaign_recruit import identities, invite_command, judge, publish, visits
from regauge.cli.campaign_rounds import decisions, extend
from regauge.cli.fields import UNLESS_GIVEN, Command, field_options
from regauge.cli.output import format_option, print_notes
from regauge.cli.printable import make_printable
from regauge.cli.studies import (
    open_for_reading,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
)
from regauge.errors import InputError
from regauge.fields import fill_in, pick
from regauge.records.campaigns import CampaignEntry, CampaignPlan, CampaignProgress, CampaignTexts, Kind
from regauge.records.taxonomy import Taxonomy
from regauge.records.terms import Terms
from regauge.workflows.campaign_fields import (
    CHANGEABLE_TERMS,
    QUIZ_CLASSES,
    TERMS,
    TEXTS,
    change_terms,
    find_classes,
    get_fields,
)
from regauge.workflows.campaign_inputs import load_candidates, load_pairs
from regauge.workflows.campaign_questions import LEFT_OUT, draw_seed
from regauge.workflows.campaign_responses import export_answers
from regauge.workflows.campaign_texts import OutdatedTextsError, TextChanges, revise_texts
from regauge.workflows.campaigns import (
    ClassifyQuestions,
    ContainsQuestions,
    close_campaign,
    create_classify,
    create_contains,
    describe_progress,
    get_campaign,
    open_campaign,
)
from regauge.workflows.control_supply import note_supply
from regauge.workflows.image_failures import FailingImage, count_failing, describe_failures
from regauge.workflows.openings import UNCHECKED, check_images, describe_left_out
from regauge.workflows.terms import revise_terms


@click.group("campaign")
def command() -> None:
    """Ask people: make campaigns of tasks, open and close them, see how far they are, and take out the answers."""


for added in (extend, decisions, labels, invite_command, publish, visits, judge, identities, mturk, *PEOPLE_COMMANDS):
    command.add_command(added)


@command.group("create")
def create() -> None:
    """Make a campaign; nobody sees it before it is opened."""


def _create_options(kind: Kind) -> Callable[[Command], Command]:
    """All that can be set of a new campaign of a kind, handed to the command as `given`."""
    return field_options(get_fields(kind).campaign, usual=UNLESS_GIVEN)


def _make_plan(name: str, kind: Kind, values: Mapping[str, Any], *, taxonomy: Taxonomy) -> CampaignPlan:
    """The plan of a new campaign by the values of all its settings, of which the terms are only those that were typed."""
    texts = CampaignTexts(**pick(values, [one.name for one in TEXTS]))
    classes = find_classes(values.get(QUIZ_CLASSES.name, ()), taxonomy)
    terms = change_terms(Terms(), {**values, QUIZ_CLASSES.name: classes})
    return CampaignPlan(name, kind, values["n_annotators"], values["lease_seconds"], texts, terms=terms)


@create.command("contains")
@click.argument("name")
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV image_id,class; every image with its label unless given, of a pool those that can be taken.",
)
@_create_options(Kind.CONTAINS)
@study_option
@format_option
def create_contains_command(
    name: str, pairs: Path | None, given: Mapping[str, Any], folder: Path | None, output_format: str
) -> None:
    """Ask of every image whether it contains a class: grids with hidden controls."""
    values = _fill_in(Kind.CONTAINS, given)
    shape = get_fields(Kind.CONTAINS).settle(values)["shape"]
    with open_for_writing(folder) as study:
        plan = _make_plan(name, Kind.CONTAINS, values, taxonomy=study.taxonomy)
        asked = None if pairs is None else load_pairs(pairs, taxonomy=study.taxonomy)
        questions = ContainsQuestions(
            values["test_set"], asked, values["controls"] or None, shape, values["seed"], values["also"]
        )
        entry = create_contains(study, plan, questions)
    _print_campaigns([describe_campaign(entry)], output_format)
    if n_left_out := entry.plan.settings.get(LEFT_OUT):
        print_notes([f"{n_left_out:,} candidates are excluded or have no file, and are not asked about."])
    print_notes(note_supply(entry))


@create.command("classify")
@click.argument("name")
@click.argument("candidates", type=click.Path(path_type=Path), metavar="CANDIDATES")
@_create_options(Kind.CLASSIFY)
@study_option
@format_option
def create_classify_command(
    name: str, candidates: Path, given: Mapping[str, Any], folder: Path | None, output_format: str
) -> None:
    """Ask which of the candidates in a CSV image_id,class are in each image, and which is the main object's."""
    values = _fill_in(Kind.CLASSIFY, given)
    with open_for_writing(folder) as study:
        plan = _make_plan(name, Kind.CLASSIFY, values, taxonomy=study.taxonomy)
        asked = load_candidates(candidates, taxonomy=study.taxonomy)
        questions = ClassifyQuestions(asked, values["test_set"], values["seed"], values["controls"] or None)
        entry = create_classify(study, plan, questions)
    _print_campaigns([describe_campaign(entry)], output_format)


def _fill_in(kind: Kind, given: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every setting; terms have none unless they were typed."""
    terms = {one.name for one in TERMS}
    table = [one for one in get_fields(kind).campaign if one.name not in terms]
    return fill_in(table, {"seed": draw_seed(), **given})


@command.command("status")
@study_option
@format_option
def status(folder: Path | None, output_format: str) -> None:
    """Show every campaign and how far it is."""
    with open_for_reading(folder) as study:
        found, n_failing = describe_progress(study), count_failing(study)
        notes = [one for entry, _ in found for one in describe_failures(study, entry).sentences]
    rows = [
        {**describe_campaign(entry, progress), "n_failing_images": n_failing.get(entry.id, 0)}
        for entry, progress in found
    ]
    _print_campaigns(rows, output_format)
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
    _print_campaigns([describe_campaign(entry)], output_format)
    print_notes(describe_left_out(checked))


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


@command.command("close")
@click.argument("name")
@study_option
@format_option
def close(name: str, folder: Path | None, output_format: str) -> None:
    """Give out no more tasks; answers to those that are out are still taken."""
    with open_for_writing(folder) as study:
        entry = close_campaign(study, name)
    _print_campaigns([describe_campaign(entry)], output_format)


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
    _print_campaigns([describe_campaign(entry)], output_format)


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
    if output_format == "table":
        _print_terms(entry)
    else:
        _print_campaigns([describe_campaign(entry)], output_format)


@command.command("export")
@click.argument("name")
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--with-surplus", is_flag=True, help="Also answers that came when their task had enough.")
@study_option
def export(name: str, path: Path, with_surplus: bool, folder: Path | None) -> None:
    """Write the answers as `aggregate` reads them: CSV for contains, JSON Lines for classify."""
    with open_for_reading(folder) as study:
        n = export_answers(study, name, path, with_surplus=with_surplus)
    click.echo(f"Wrote {n:,} answers to {make_printable(str(path))}.")


def describe_campaign(entry: CampaignEntry, progress: CampaignProgress | None = None) -> dict[str, Any]:
    """The columns of a campaign."""
    row = {
        "name": entry.name,
        "kind": entry.kind.value,
        "state": entry.state.value,
        "n_tasks": entry.n_tasks,
        "annotators_per_task": entry.plan.n_annotators,
        "created_at": entry.created_at,
    }
    return row | ({} if progress is None else asdict(progress)) | {"terms": entry.plan.terms.to_json()}


def _describe_failure(one: FailingImage) -> dict[str, Any]:
    """The columns of an image that was not shown."""
    row = asdict(one)
    return {
        **{name: row[name] for name in ("image_id", "test_set", "reason", "n_times", "last_at")},
        "can_be_shown": one.is_ready,
        "annotators": ", ".join(one.annotators),
    }


def _print_campaigns(rows: list[dict[str, Any]], output_format: str) -> None:
    if output_format not in {"json", "jsonl"}:
        # What has parts has no place in a column.
        rows = [{name: value for name, value in row.items() if name != "terms"} for row in rows]
    print_entries(rows, output_format, name="campaigns")


def _print_terms(entry: CampaignEntry) -> None:
    for name, value in entry.plan.terms.to_json().items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, one in parts:
            shown = (
                "–" if one is None or one in ((), "") else ", ".join(map(str, one)) if isinstance(one, tuple) else one
            )
            click.echo(f"{f'{name} {part}'.strip():24} {make_printable(str(shown))}")
