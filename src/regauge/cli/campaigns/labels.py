"""`regauge campaign labels NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from regauge.cli.options.fields import UNLESS_GIVEN, field_options
from regauge.cli.printing.output import format_option, print_notes
from regauge.cli.studies.study import describe_labels, open_for_reading, open_for_writing, print_entries, study_option
from regauge.errors import InputError
from regauge.fields import Field
from regauge.kinds.contract import Kinds
from regauge.records.campaigns.campaign import Kind
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.campaigns.fields import find_kind_of, get_fields, list_fields, list_rule
from regauge.workflows.labels.campaign_labels import LabelPreview, LabelRule, build_labels, preview_labels


def make_labels(kinds: Kinds) -> click.Command:
    """The command, with options for the rules of all kinds."""

    @click.command(
        "labels", help="Make a label set of the answers to a campaign that count, by the rules of `aggregate`."
    )
    @click.argument("campaign", metavar="NAME")
    @click.option(
        "--name", help="What to call the label set; a name that exists gets a new version. The campaign's if not given."
    )
    @click.option("--preview", is_flag=True, help="Only say what the labels would be; nothing is stored.")
    @field_options(_list_options(kinds), usual=UNLESS_GIVEN)
    @study_option
    @format_option
    def labels(
        campaign: str,
        name: str | None,
        preview: bool,
        given: Mapping[str, Any],
        folder: Path | None,
        output_format: str,
    ) -> None:
        if preview:
            with open_for_reading(folder) as study:
                rule = _read_rule(kinds, get_campaign(study, campaign).kind, given)
                found = preview_labels(study, campaign, settings=rule)
            print_entries([_describe(found)], output_format, name="previews")
            print_notes(found.notes, found.warnings)
            return
        with open_for_writing(folder) as study:
            rule = _read_rule(kinds, get_campaign(study, campaign).kind, given)
            entry = build_labels(study, campaign, name=name or campaign, settings=rule)
        print_entries([describe_labels(entry)], output_format, name="label_sets")

    return labels


def _list_options(kinds: Kinds) -> Iterator[Field]:
    """The settings of all rules; those that not every kind that makes labels has say which has them."""
    n_making = sum(bool(table.rule) for table in list_fields(kinds))
    for one in list_rule(kinds):
        having = [str(table.kind) for table in list_fields(kinds) if one.name in {field.name for field in table.rule}]
        is_common = len(having) == n_making
        yield one if is_common else replace(one, help=f"{one.help.removesuffix('.')} ({', '.join(having)}).")


def _read_rule(kinds: Kinds, kind: Kind, given: Mapping[str, Any]) -> LabelRule:
    """The rule of a kind from the options that were typed; those of another kind are refused."""
    table = get_fields(kind, kinds=kinds)
    known = {one.name for one in table.rule}
    wrong = next((one for one in list_rule(kinds) if one.name in given and one.name not in known), None)
    if wrong is not None:
        of_others = find_kind_of(wrong.name, kinds=kinds)
        raise InputError(f"{wrong.option} is for a {of_others} campaign, and this one is {kind}; leave it out.")
    return table.make_rule(given)


def _describe(found: LabelPreview) -> dict[str, Any]:
    """The columns of a preview."""
    row = asdict(found)
    answers = ("n_answers", "n_annotators", "n_screened_answers", "n_screened_annotators")
    counts = (*answers, "n_images", "n_judged", "n_unanswered")
    return {
        "campaign": found.campaign,
        "kind": str(found.kind),
        **{name: row[name] for name in counts},
        **{f"n_{verdict}": n for verdict, n in found.verdicts.items()},
    }
