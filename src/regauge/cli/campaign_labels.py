"""`regauge campaign labels NAME`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from regauge.cli.output import format_option, print_notes
from regauge.cli.studies import describe_labels, open_for_reading, open_for_writing, print_entries, study_option
from regauge.errors import InputError
from regauge.records.campaigns import Kind
from regauge.records.classify import ClassifySettings
from regauge.records.contains import ContainsSettings, FrequencyMethod
from regauge.records.frequencies import FREQUENCY_RULE, POSTERIOR_RULE, FrequencyRule
from regauge.records.screening import ScreeningRules
from regauge.workflows.campaign_labels import LabelPreview, LabelRule, build_labels, preview_labels
from regauge.workflows.campaigns import get_campaign

_Command = TypeVar("_Command", bound=Callable[..., Any])

_SCREENING = {
    "min_annotator_controls": "annotator_controls",
    "max_poor_tasks": "poor_tasks",
    "min_task_controls": "task_controls",
}
_VERDICTS = {"correct": "correct", "unclear": "unclear", "min_shown": "min_shown", "verdicts_by": "name"}
_ONLY_CONTAINS = (*_SCREENING, *_VERDICTS, "method", "prior")
_ONLY_CLASSIFY = ("split", "contains")


def _rule_options(command: _Command) -> _Command:
    """How answers become labels, as `aggregate` has it; the defaults are the same."""
    for option in reversed(
        (
            click.option(
                "--method",
                type=click.Choice([method.value for method in FrequencyMethod]),
                help="Where limits and probabilities come from (contains).",
            ),
            click.option("--prior", type=float, help="Strength of the priors of a model, in votes (contains)."),
            click.option("--min-annotator-controls", type=float, help="As for aggregate contains."),
            click.option("--max-poor-tasks", type=float, help="As for aggregate contains."),
            click.option("--min-task-controls", type=float, help="As for aggregate contains."),
            click.option(
                "--keep-annotator",
                "keep_annotators",
                multiple=True,
                metavar="NAME",
                help="Do not drop them. Repeatable.",
            ),
            click.option("--no-screening", is_flag=True, help="Count every answer."),
            click.option("--correct", type=float, help="Correct from this frequency on (contains)."),
            click.option("--unclear", type=float, help="Unclear from this frequency on (contains)."),
            click.option("--min-shown", type=int, help="Unjudged below so many annotators (contains)."),
            click.option(
                "--verdicts-by",
                type=click.Choice([FREQUENCY_RULE, POSTERIOR_RULE]),
                help="What --correct and --unclear look at (contains).",
            ),
            click.option(
                "--split", metavar="FILE", help="Which images are easy: what candidates split printed (classify)."
            ),
            click.option(
                "--contains",
                metavar="LABELS|FILE",
                help="Which are easy, by a label set made of a contains campaign, or a table (classify).",
            ),
            click.option("--level", type=float, help="Nominal coverage of every interval."),
        )
    ):
        command = option(command)
    return command


@click.command("labels")
@click.argument("campaign", metavar="NAME")
@click.option(
    "--name", help="What to call the label set; a name that exists gets a new version. The campaign's if not given."
)
@click.option("--preview", is_flag=True, help="Only say what the labels would be; nothing is stored.")
@_rule_options
@study_option
@format_option
def command(
    campaign: str,
    name: str | None,
    preview: bool,
    folder: Path | None,
    output_format: str,
    **rule: Any,  # noqa: ANN401 - options
) -> None:
    """Make a label set of the answers to a campaign that count, by the rules of `aggregate`."""
    given = {
        option: value for option, value in rule.items() if value is not None and value is not False and value != ()
    }
    if preview:
        with open_for_reading(folder) as study:
            found = preview_labels(study, campaign, settings=_read_rule(get_campaign(study, campaign).kind, given))
        print_entries([_describe(found)], output_format, name="previews")
        print_notes(found.notes, found.warnings)
        return
    with open_for_writing(folder) as study:
        settings = _read_rule(get_campaign(study, campaign).kind, given)
        entry = build_labels(study, campaign, name=name or campaign, settings=settings)
    print_entries([describe_labels(entry)], output_format, name="label_sets")


def _read_rule(kind: Kind, given: Mapping[str, Any]) -> LabelRule:
    shared = {"keep_annotators": given.get("keep_annotators", ())} | _pick(given, {"level": "level"})
    if kind is Kind.CLASSIFY:
        wrong = next((option for option in _ONLY_CONTAINS if option in given), None)
        if wrong is not None:
            raise InputError(
                f"--{wrong.replace('_', '-')} is for a contains campaign, and this one is {kind}; leave it out."
            )
        easy = _pick(given, {name: name for name in _ONLY_CLASSIFY})
        return ClassifySettings(screening="no_screening" not in given, **easy, **shared)
    wrong = next((option for option in _ONLY_CLASSIFY if option in given), None)
    if wrong is not None:
        raise InputError(f"--{wrong} is for a classify campaign, and this one is {kind}; leave it out.")
    if "no_screening" in given and "keep_annotators" in given:
        raise InputError("--no-screening drops nobody, so there is nobody to keep; leave out one of the options.")
    return ContainsSettings(
        rules=None if "no_screening" in given else ScreeningRules(**_pick(given, _SCREENING)),
        verdicts=FrequencyRule(**_pick(given, _VERDICTS)),
        **_pick(given, {"method": "method", "prior": "prior"}),
        **shared,
    )


def _pick(given: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {field: given[option] for option, field in names.items() if option in given}


def _describe(found: LabelPreview) -> dict[str, Any]:
    """The columns of a preview."""
    row = asdict(found)
    answers = ("n_answers", "n_annotators", "n_screened_answers", "n_screened_annotators")
    counts = (*answers, "n_images", "n_judged", "n_unanswered")
    return {
        "campaign": found.campaign,
        "kind": found.kind.value,
        **{name: row[name] for name in counts},
        **{f"n_{verdict}": n for verdict, n in found.verdicts.items()},
    }
