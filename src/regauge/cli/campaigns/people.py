"""`regauge campaign annotators`, `drop`, `restore`, `estimate` and `image`: how the work goes, and who does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from regauge.cli.printing.output import format_option, print_json, print_notes, print_records, print_sentences
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import IN_JSON
from regauge.cli.studies.study import open_for_reading, open_for_writing, print_entries, study_option
from regauge.estimates import count_things, to_fields
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.evaluation.planning import Workforce
from regauge.records.responses.quality import (
    ANNOTATOR_SHARES,
    AnnotatorQuality,
    CampaignForecast,
    ImageAnswer,
    ImageAnswers,
)
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.campaigns.assigning import drop_annotator, restore_annotator
from regauge.workflows.campaigns.campaign import get_campaign, measure_progress
from regauge.workflows.campaigns.estimates import estimate_campaign
from regauge.workflows.live.campaigns import LiveCampaigns, find_image

PARTS = ("n_right", "n", "value", "low", "high")
ANNOTATOR_COLUMNS = (
    *("annotator", "platform", "n_answers", "n_counted"),
    *(f"{name}_{part}" for name in ANNOTATOR_SHARES for part in PARTS),
    *("median_seconds", "n_impossible_times", "flags", "sentences", "suggestion", "is_dropped", "reason", "last_at"),
)
"""The columns of the table of annotators for programs; docs/quality.md explains them."""


@click.command("annotators")
@click.argument("name")
@study_option
@format_option
def annotators(name: str, folder: Path | None, output_format: str) -> None:
    """Show who works on a campaign: controls, agreement, speed, what is odd, and whom the rules would drop."""
    with open_for_reading(folder) as study:
        rows = list(LiveCampaigns().list_everybody(study, get_campaign(study, name)))
    if output_format != "table":
        records = [row.to_fields() for row in rows]
        print_records(records, output_format, name="annotators", columns=ANNOTATOR_COLUMNS)
        return
    print_entries([_show(row) for row in rows], output_format, name="annotators")
    for row in rows:
        print_notes(
            [f"{row.name}: {flag.name}: {flag.sentence}" for flag in row.flags],
            [f"{row.name} should be dropped by the rules: {row.suggestion}"] if row.suggestion else [],
        )


def _decision_command(name: str) -> Callable[[Callable[..., None]], click.Command]:
    """A command about somebody in a campaign that needs a reason."""

    def decorate(function: Callable[..., None]) -> click.Command:
        reason = click.option("--reason", required=True, help="Why; it is kept with the decision.")
        who = click.argument("annotator")
        return click.command(name)(click.argument("name")(who(reason(study_option(function)))))

    return decorate


@_decision_command("drop")
def drop(name: str, annotator: str, reason: str, folder: Path | None) -> None:
    """Stop counting somebody's answers to a campaign; their tasks reopen by themselves."""
    _decide(drop_annotator, folder, name, annotator, reason)


@_decision_command("restore")
def restore(name: str, annotator: str, reason: str, folder: Path | None) -> None:
    """Let the answers of somebody who was dropped count again, as far as their tasks need them."""
    _decide(restore_annotator, folder, name, annotator, reason)


@click.command("estimate")
@click.argument("name")
@click.option("--people", type=int, default=10, show_default=True, help="How many people work at it.")
@click.option("--hours-per-day", type=float, default=2.0, show_default=True, help="For how long each of them a day.")
@study_option
@format_option
def estimate(name: str, people: int, hours_per_day: float, folder: Path | None, output_format: str) -> None:
    """Say what a campaign will take and cost, from its first answer to its last."""
    with open_for_reading(folder) as study:
        found = estimate_campaign(study, name, force=Workforce(people, hours_per_day))
    row = {**asdict(found), "kind": str(found.kind), "cost": found.cost, "sources": list(found.sources)}
    if output_format != "table":
        print_records([row], output_format, name="estimate")
        return
    print_sentences(*_tell(found))
    print_notes(found.sources)


@click.command("image")
@click.argument("name")
@click.argument("image_id", metavar="IMAGE_ID")
@study_option
@format_option
def image(name: str, image_id: str, folder: Path | None, output_format: str) -> None:
    """Show all that was answered about an image: how often each class was selected, and by whom."""
    with open_for_reading(folder) as study:
        found = find_image(study, LiveCampaigns(), get_campaign(study, name), image_id=image_id)
        taxonomy = study.taxonomy
    answers = [_describe_answer(one) for one in found.answers]
    if output_format == "json":
        print_json({"image": _describe_image(found), "answers": answers})
    elif output_format == "table":
        label = _name(taxonomy, found.dataset_label)
        print_sentences(f"{found.image_id} of {found.test_set}, dataset label {label}")
        print_entries(
            [_show_class(taxonomy, one) for one in _list_classes(found)], output_format, name="classes", whole=IN_JSON
        )
        print_entries(
            [{**one, "selected": _list_names(taxonomy, one)} for one in answers], output_format, name="answers"
        )
    else:
        print_records(answers, output_format, name="answers")


COMMANDS = (annotators, drop, restore, estimate, image)


def _decide(decide: Callable[..., CampaignEntry], folder: Path | None, name: str, annotator: str, reason: str) -> None:
    with open_for_writing(folder) as study:
        before = measure_progress(study, get_campaign(study, name)).n_counted
        campaign = decide(study, name, annotator=annotator, reason=reason)
        after = measure_progress(study, campaign).n_counted
    verb = "no longer count" if decide is drop_annotator else "count again where their tasks need them"
    click.echo(
        f"The answers of {make_printable(annotator)} to {make_printable(name)} {verb}; {before:,} answers counted before, "
        f"{after:,} do now."
    )


def _show(one: AnnotatorQuality) -> dict[str, Any]:
    """The columns for people."""
    return {
        "annotator": one.name,
        "answers": one.n_answers,
        "counted": one.n_counted,
        "controls": str(one.controls),
        "agreement": str(one.agreement),
        "consistency": str(one.consistency),
        "seconds": None if one.median_seconds is None else f"{one.median_seconds:.1f}",
        "flags": [flag.name for flag in one.flags] or None,
        "dropped": one.is_dropped,
    }


def _tell(found: CampaignForecast) -> list[str]:
    repeats = f" and about {found.n_repeats:,} hidden repeats" if found.n_repeats else ""
    work = f"At {found.seconds_per_task:.3g} s each that is {_round(found.hours)} hours of work"
    force = f"{found.n_people:,} people at {found.hours_per_day:g} hours a day"
    lines = [
        (
            f"In all, {count_things(found.n_tasks, 'task needs', many='tasks need')} "
            f"{count_things(found.n_answers, 'answer')}{repeats}."
        ),
        f"{work}: {_round(found.days)} days for {force}.",
    ]
    if found.cost is not None:
        lines.append(f"It costs {found.cost:,.2f} {found.currency}, the platform's fee of {found.fee:,.2f} included.")
    if found.hourly_pay is not None:
        lines.append(f"Somebody earns {found.hourly_pay:,.2f} {found.currency} an hour.")
    return lines


def _round(value: float) -> str:
    return f"{value:,.1f}" if value >= 10 else f"{value:.2g}"


def _list_classes(found: ImageAnswers) -> list[dict[str, Any]]:
    return [
        {
            "class": one.class_index,
            "n_shown": one.selected.n,
            "n_selected": one.selected.k,
            **to_fields(one.selected, value="frequency"),
            "n_main": one.n_main,
        }
        for one in found.classes
    ]


def _describe_image(found: ImageAnswers) -> dict[str, Any]:
    fields = ("number", "image_id", "test_set", "row", "dataset_label")
    return {**{name: getattr(found, name) for name in fields}, "classes": _list_classes(found)}


def _describe_answer(one: ImageAnswer) -> dict[str, Any]:
    return {
        "annotator": one.annotator,
        "task": one.task_id,
        "asked": list(one.asked),
        "selected": list(one.selected),
        "main": one.main,
        "seconds": one.seconds,
        "at": one.at,
        "status": one.status.value,
        "control": one.control.name.lower(),
        "is_revised": one.is_revised,
    }


def _show_class(taxonomy: Taxonomy, row: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: None if row[name] is None else f"{row[name]:.3f}" for name in ("frequency", "low", "high")}
    return {**row, "class": _name(taxonomy, row["class"]), **numbers}


def _list_names(taxonomy: Taxonomy, row: dict[str, Any]) -> str:
    return ", ".join(_name(taxonomy, one) for one in row["selected"]) or "–"


def _name(taxonomy: Taxonomy, class_index: int) -> str:
    return make_printable(f"{class_index} {taxonomy.classes[class_index].names[0]}")
