"""`regauge campaign`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import click

from regauge.cli.campaign_labels import command as labels
from regauge.cli.campaign_mturk import command as mturk
from regauge.cli.campaign_people import COMMANDS as PEOPLE_COMMANDS
from regauge.cli.campaign_recruit import identities, invite_command, judge, publish, visits
from regauge.cli.campaign_rounds import decisions, extend
from regauge.cli.campaign_terms import TermsChoice, changeable_terms_options, terms_options, text_options
from regauge.cli.output import format_option, print_notes
from regauge.cli.printable import make_printable
from regauge.cli.studies import (
    open_for_reading,
    open_for_writing,
    open_here,
    print_entries,
    study_option,
    which_test_set_option,
)
from regauge.errors import InputError
from regauge.records.campaigns import CampaignEntry, CampaignPlan, CampaignProgress, CampaignTexts, Kind
from regauge.records.terms import Terms
from regauge.workflows.campaign_inputs import load_candidates, load_pairs
from regauge.workflows.campaign_questions import LEFT_OUT, draw_seed
from regauge.workflows.campaign_responses import export_answers
from regauge.workflows.campaign_texts import OutdatedTextsError, TextChanges, revise_texts
from regauge.workflows.campaigns import PRESETS, close_campaign, describe_progress, get_campaign, open_campaign, reshape
from regauge.workflows.demo_campaigns import ClassifyQuestions, ContainsQuestions, create_classify, create_contains
from regauge.workflows.image_failures import FailingImage, count_failing, describe_failures
from regauge.workflows.kinds import get_kind
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


def _plan_options(function: Any) -> Any:  # noqa: ANN401 - a command
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=draw_seed,
            show_default="drawn",
            help="Decides every random choice, and is kept; annotators must not know it.",
        ),
        terms_options,
        text_options,
        click.option(
            "--lease", type=int, default=1_800, show_default=True, help="Seconds that a task is kept for one person."
        ),
    ):
        function = option(function)
    return function


@create.command("contains")
@click.argument("name")
@which_test_set_option
@click.option(
    "--also",
    multiple=True,
    metavar="TEST_SET",
    help="Ask about its images, too, in the same grids: the original beside a pool, say. Repeatable.",
)
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV image_id,class; every image with its label unless given, of a pool those that can be taken.",
)
@click.option(
    "--controls",
    metavar="TEST_SET",
    help="Whose images with known labels are hidden as controls; the same unless given.",
)
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    default="recht2019",
    show_default=True,
    help="Grid and annotators of a paper.",
)
@click.option("--annotators", type=int, help="Answers per grid; the preset's unless given.")
@click.option("--cells", type=int, help="Images per grid; the preset's unless given.")
@click.option("--positive", type=int, help="Positive controls per grid at least; the preset's unless given.")
@click.option("--negative", type=int, help="Negative controls per grid at least; the preset's unless given.")
@_plan_options
@study_option
@format_option
def create_contains_command(
    name: str,
    test_set: str | None,
    also: tuple[str, ...],
    pairs: Path | None,
    controls: str | None,
    preset: str,
    annotators: int | None,
    cells: int | None,
    positive: int | None,
    negative: int | None,
    lease: int,
    texts: CampaignTexts,
    choice: TermsChoice,
    seed: int,
    folder: Path | None,
    output_format: str,
) -> None:
    """Ask of every image whether it contains a class: grids with hidden controls."""
    chosen = PRESETS[preset]
    shape = reshape(chosen.shape, n_cells=cells, n_positive=positive, n_negative=negative)
    with open_for_writing(folder) as study:
        terms = choice.apply(Terms(), taxonomy=study.taxonomy)
        n_annotators = chosen.n_annotators if annotators is None else annotators
        plan = CampaignPlan(name, Kind.CONTAINS, n_annotators, lease, texts, terms=terms)
        asked = None if pairs is None else load_pairs(pairs, taxonomy=study.taxonomy)
        questions = ContainsQuestions(test_set, asked, controls, shape, seed, also)
        entry = create_contains(study, plan, questions)
        notes = get_kind(study, entry.kind).making.note_tasks(entry.plan.settings)
    _print_campaigns([describe_campaign(entry)], output_format)
    if n_left_out := entry.plan.settings.get(LEFT_OUT):
        print_notes([f"{n_left_out:,} candidates are excluded or have no file, and are not asked about."])
    print_notes(notes)


@create.command("classify")
@click.argument("name")
@click.argument("candidates", type=click.Path(path_type=Path), metavar="CANDIDATES")
@which_test_set_option
@click.option(
    "--controls",
    metavar="TEST_SET",
    help="Whose images with known labels make examples and quiz; the same unless given.",
)
@click.option("--annotators", type=int, default=9, show_default=True, help="Answers per image.")
@_plan_options
@study_option
@format_option
def create_classify_command(
    name: str,
    candidates: Path,
    test_set: str | None,
    controls: str | None,
    annotators: int,
    lease: int,
    texts: CampaignTexts,
    choice: TermsChoice,
    seed: int,
    folder: Path | None,
    output_format: str,
) -> None:
    """Ask which of the candidates in a CSV image_id,class are in each image, and which is the main object's."""
    with open_for_writing(folder) as study:
        terms = choice.apply(Terms(), taxonomy=study.taxonomy)
        plan = CampaignPlan(name, Kind.CLASSIFY, annotators, lease, texts, terms=terms)
        asked = load_candidates(candidates, taxonomy=study.taxonomy)
        questions = ClassifyQuestions(asked, test_set, seed, controls)
        entry = create_classify(study, plan, questions)
    _print_campaigns([describe_campaign(entry)], output_format)


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
@text_options
@click.option(
    "--from", "version", type=int, default=1, show_default=True, help="The version that your change was made from."
)
@study_option
@format_option
def texts_command(name: str, texts: CampaignTexts, version: int, folder: Path | None, output_format: str) -> None:
    """Change what annotators read first; they are asked to agree again, and every version is kept."""
    new = {part: text or None for part, text in asdict(texts).items() if part != "version"}
    try:
        with open_for_writing(folder) as study:
            entry = revise_texts(study, name, version=version, **cast("TextChanges", new))
    except OutdatedTextsError as error:
        _print_both(error.texts, new)
        raise InputError(f"{error} Both stand above; to replace theirs give --from {error.texts.version}.") from None
    _print_campaigns([describe_campaign(entry)], output_format)


def _print_both(theirs: CampaignTexts, ours: Mapping[str, str | None]) -> None:
    """What the texts say now and what they were to say, where that differs."""
    for part, text in ours.items():
        if text is not None and text != getattr(theirs, part):
            for title, words in (
                (f"{part}, version {theirs.version}", getattr(theirs, part)),
                (f"{part}, yours", text),
            ):
                click.echo(f"{title}:", err=True)
                click.echo("\n".join(f"  {make_printable(line)}" for line in words.splitlines()), err=True)


@command.command("terms")
@click.argument("name")
@changeable_terms_options
@study_option
@format_option
def terms_command(name: str, choice: TermsChoice, folder: Path | None, output_format: str) -> None:
    """Change pay, breaks, repeats or how hard the quiz is; without options, show the terms."""
    if choice.is_empty:
        with open_for_reading(folder) as study:
            entry = get_campaign(study, name)
    else:
        with open_for_writing(folder) as study:
            new = choice.apply(get_campaign(study, name).plan.terms, taxonomy=study.taxonomy)
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
        "kind": str(entry.kind),
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
