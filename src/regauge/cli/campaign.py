"""`regauge campaign`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from regauge.cli.output import format_option, print_records
from regauge.cli.printable import make_printable
from regauge.cli.studies import open_for_reading, open_for_writing, print_entries, study_option, which_test_set_option
from regauge.errors import InputError
from regauge.records.campaigns import CampaignEntry, CampaignPlan, CampaignProgress, CampaignTexts, Kind
from regauge.workflows.annotation import invite, invite_many
from regauge.workflows.campaign_inputs import load_candidates, load_pairs
from regauge.workflows.campaign_responses import export_answers
from regauge.workflows.campaigns import (
    PRESETS,
    ClassifyQuestions,
    ContainsQuestions,
    close_campaign,
    create_classify,
    create_contains,
    describe_progress,
    open_campaign,
    reshape,
    revise_texts,
)


@click.group("campaign")
def command() -> None:
    """Ask people: make campaigns of tasks, open and close them, see how far they are, and take out the answers."""


@command.group("create")
def create() -> None:
    """Make a campaign; nobody sees it before it is opened."""


def _plan_options(function: Any) -> Any:  # noqa: ANN401 - a command
    for option in (
        click.option(
            "--lease", type=int, default=1_800, show_default=True, help="Seconds that a task is kept for one person."
        ),
        click.option(
            "--instructions", type=click.Path(path_type=Path, exists=True), metavar="FILE", help="Text to show first."
        ),
        click.option(
            "--consent", type=click.Path(path_type=Path, exists=True), metavar="FILE", help="Text to agree to."
        ),
        click.option(
            "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Decides every random choice."
        ),
    ):
        function = option(function)
    return function


@create.command("contains")
@click.argument("name")
@which_test_set_option
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="CSV image_id,class; every image with its label unless given.",
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
    pairs: Path | None,
    controls: str | None,
    preset: str,
    annotators: int | None,
    cells: int | None,
    positive: int | None,
    negative: int | None,
    lease: int,
    instructions: Path | None,
    consent: Path | None,
    seed: int,
    folder: Path | None,
    output_format: str,
) -> None:
    """Ask of every image whether it contains a class: grids with hidden controls."""
    chosen = PRESETS[preset]
    shape = reshape(chosen.shape, n_cells=cells, n_positive=positive, n_negative=negative)
    plan = CampaignPlan(
        name, Kind.CONTAINS, annotators or chosen.n_annotators, lease, _read_texts(instructions, consent)
    )
    with open_for_writing(folder) as study:
        asked = None if pairs is None else load_pairs(pairs, taxonomy=study.taxonomy)
        questions = ContainsQuestions(test_set, asked, controls, shape, seed)
        entry = create_contains(study, plan, questions)
    _print_campaigns([describe_campaign(entry)], output_format)


@create.command("classify")
@click.argument("name")
@click.argument("candidates", type=click.Path(path_type=Path), metavar="CANDIDATES")
@which_test_set_option
@click.option("--annotators", type=int, default=9, show_default=True, help="Answers per image.")
@_plan_options
@study_option
@format_option
def create_classify_command(
    name: str,
    candidates: Path,
    test_set: str | None,
    annotators: int,
    lease: int,
    instructions: Path | None,
    consent: Path | None,
    seed: int,
    folder: Path | None,
    output_format: str,
) -> None:
    """Ask which of the candidates in a CSV image_id,class are in each image, and which is the main object's."""
    plan = CampaignPlan(name, Kind.CLASSIFY, annotators, lease, _read_texts(instructions, consent))
    with open_for_writing(folder) as study:
        questions = ClassifyQuestions(load_candidates(candidates, taxonomy=study.taxonomy), test_set, seed)
        entry = create_classify(study, plan, questions)
    _print_campaigns([describe_campaign(entry)], output_format)


@command.command("status")
@study_option
@format_option
def status(folder: Path | None, output_format: str) -> None:
    """Show every campaign and how far it is."""
    with open_for_reading(folder) as study:
        found = describe_progress(study)
    _print_campaigns([describe_campaign(entry, progress) for entry, progress in found], output_format)


@command.command("open")
@click.argument("name")
@study_option
@format_option
def open_(name: str, folder: Path | None, output_format: str) -> None:
    """Let people work on a campaign."""
    with open_for_writing(folder) as study:
        entry = open_campaign(study, name)
    _print_campaigns([describe_campaign(entry)], output_format)


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
@click.option(
    "--instructions", type=click.Path(path_type=Path, exists=True), metavar="FILE", help="New text to show first."
)
@click.option("--consent", type=click.Path(path_type=Path, exists=True), metavar="FILE", help="New text to agree to.")
@study_option
@format_option
def texts(name: str, instructions: Path | None, consent: Path | None, folder: Path | None, output_format: str) -> None:
    """Change what annotators read first; they are asked to agree again, and every version is kept."""
    new = _read_texts(instructions, consent)
    with open_for_writing(folder) as study:
        entry = revise_texts(study, name, instructions=new.instructions or None, consent=new.consent or None)
    _print_campaigns([describe_campaign(entry)], output_format)


@command.command("invite")
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.option("--count", type=click.IntRange(1, 10_000), help="So many links under names that are counted up.")
@click.option("--base-url", default="http://127.0.0.1:8765", show_default=True, help="The address that people use.")
@study_option
@format_option
def invite_command(
    names: tuple[str, ...], count: int | None, base_url: str, folder: Path | None, output_format: str
) -> None:
    """Make personal links; each is shown once and cannot be shown again."""
    if bool(names) == bool(count):
        raise InputError("Say for whom the links are: either names, or how many with --count.")
    with open_for_writing(folder) as study:
        made = invite_many(study, count) if count else invite(study, names)
    rows = [{"name": one.annotator.name, "link": f"{base_url.rstrip('/')}/join#{one.token}"} for one in made]
    if output_format == "table":
        for row in rows:
            click.echo(f"{make_printable(row['name'])}  {row['link']}")
    else:
        print_records(rows, output_format, name="links", columns=("name", "link"))


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
    return row | ({} if progress is None else asdict(progress))


def _print_campaigns(rows: list[dict[str, Any]], output_format: str) -> None:
    print_entries(rows, output_format, name="campaigns")


def _read_texts(instructions: Path | None, consent: Path | None) -> CampaignTexts:
    read = ["" if path is None else path.read_text(encoding="utf-8").strip() for path in (instructions, consent)]
    return CampaignTexts(read[0], read[1])
