"""`regauge campaign create KIND NAME`: one command for each kind of task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from regauge.cli.options.fields import UNLESS_GIVEN, Command, field_options
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import open_for_writing, print_entries, study_option
from regauge.estimates import count_things
from regauge.fields import fill_in, pick
from regauge.kinds.contract import Kinds, TaskKind
from regauge.records.campaigns.campaign import CampaignEntry, CampaignPlan, CampaignProgress, CampaignTexts, Kind
from regauge.records.campaigns.terms import Terms
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.campaigns.campaign import LEFT_OUT, Questions, create_campaign, pick_seed
from regauge.workflows.campaigns.fields import QUIZ_CLASSES, TERMS, TEXTS, QuestionSource, change_terms, find_classes
from regauge.workflows.exposure.washouts import tell_exposure

USUAL_PAIRS = {
    QuestionSource.LABELS: "every image with its label, of a pool those that can be taken,",
    QuestionSource.UNJUDGED: "every first answer and dataset label without a verdict",
    QuestionSource.NOVEL: "every mistake without a verdict",
    QuestionSource.MISTAKES: "every remaining mistake",
}
"""What is asked about where no file says so."""


def make_create(kinds: Kinds) -> click.Group:
    """The group with a command for each kind."""

    @click.group("create", help="Create a campaign; nobody sees it until you open it.")
    def group() -> None:
        pass

    for kind in kinds.values():
        group.add_command(_make_command(kind))
    return group


class SeveralValues(click.Command):
    """A command whose option --sets takes several values one after the other: what follows them begins with a dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The rest of the words, as click has it."""
        return super().parse_args(ctx, spread_values(args, option="--sets"))


def spread_values(words: Sequence[str], *, option: str) -> list[str]:
    """The words of a command, with an option that has several values given once for each.

    >>> spread_values(["name", "--sets", "old", "new", "--seed", "1"], option="--sets")
    ['name', '--sets', 'old', '--sets', 'new', '--seed', '1']
    """
    found: list[str] = []
    is_among = False
    for before, word in zip(["", *words], words, strict=False):
        if word.startswith("-"):
            is_among = word == option
        elif is_among and before != option:
            found.append(option)
        found.append(word)
    return found


def _make_command(kind: TaskKind) -> click.Command:
    @click.command(str(kind.name), cls=SeveralValues, help=kind.texts.command)
    @click.argument("name")
    @_pairs_parameter(kind)
    @field_options(kind.fields.campaign, usual=UNLESS_GIVEN, refused=kind.fields.refused)
    @study_option
    @format_option
    def create(
        name: str, pairs: Path | None, given: Mapping[str, Any], folder: Path | None, output_format: str
    ) -> None:
        values = _fill_in(kind, given)
        settings = kind.fields.settle(values)
        with open_for_writing(folder) as study:
            plan = _make_plan(name, kind.name, values, taxonomy=study.taxonomy)
            test_set, *also = values.get("sets") or (
                values.get("from_set") or values["test_set"],
                *(values.get("also") or ()),
            )
            controls, seed = values["controls"] or None, values["seed"]
            questions = Questions(test_set, pairs, controls, tuple(also), settings, seed)
            entry = create_campaign(study, plan, questions)
            told = tell_exposure(study, entry.id)
        print_campaigns([describe_campaign(entry)], output_format)
        if n_left_out := entry.plan.settings.get(LEFT_OUT):
            print_notes([f"{count_things(n_left_out, 'candidate')} not asked about: excluded, or without a file."])
        print_notes(kind.making.note_tasks(entry.plan.settings))
        print_notes(told)

    return create


def _pairs_parameter(kind: TaskKind) -> Command:
    """Where the pairs stand: in a file that may be left out, if every image can be asked about with its dataset label."""
    path = click.Path(path_type=Path)
    usual = next((USUAL_PAIRS[one] for one in kind.fields.sources if one in USUAL_PAIRS), None)
    if usual is None:
        return click.argument("pairs", type=path, metavar="CANDIDATES")
    hidden = QuestionSource.FILE not in kind.fields.sources
    return click.option(
        "--pairs", type=path, metavar="FILE", help=f"CSV image_id,class; {usual} by default.", hidden=hidden
    )


def _fill_in(kind: TaskKind, given: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every setting; terms have none unless they were typed."""
    terms = {one.name for one in TERMS}
    table = [one for one in kind.fields.campaign if one.name not in terms]
    return fill_in(table, {"seed": pick_seed(), **given})


def _make_plan(name: str, kind: Kind, values: Mapping[str, Any], *, taxonomy: Taxonomy) -> CampaignPlan:
    """The plan of a new campaign by the values of all its settings, of which the terms are only those that were typed."""
    texts = CampaignTexts(**pick(values, [one.name for one in TEXTS]))
    classes = find_classes(values.get(QUIZ_CLASSES.name, ()), taxonomy)
    terms = change_terms(Terms(), {**values, QUIZ_CLASSES.name: classes})
    return CampaignPlan(name, kind, values["n_annotators"], values["lease_seconds"], texts, terms=terms)


def describe_campaign(entry: CampaignEntry, progress: CampaignProgress | None = None) -> dict[str, Any]:
    """The columns of a campaign."""
    row = {
        "name": entry.name,
        "kind": str(entry.kind),
        "state": entry.state.value,
        "n_tasks": entry.n_tasks,
        "annotators_per_task": None if entry.plan.is_for_everybody else entry.plan.n_annotators,
        "created_at": entry.created_at,
    }
    return row | ({} if progress is None else asdict(progress)) | {"terms": entry.plan.terms.to_json()}


def print_campaigns(rows: list[dict[str, Any]], output_format: str) -> None:
    """Campaigns as a table, or for programs."""
    if output_format not in {"json", "jsonl"}:
        # What has parts has no place in a column.
        rows = [{name: value for name, value in row.items() if name != "terms"} for row in rows]
    print_entries(rows, output_format, name="campaigns")
