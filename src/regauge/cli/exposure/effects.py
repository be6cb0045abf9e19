"""`regauge exposure effect`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from regauge.cli.exposure.opening import open_learned
from regauge.cli.printing.output import format_option, print_json, print_notes, print_records, print_sentences
from regauge.cli.studies.study import print_entries, study_option, which_test_set_option
from regauge.estimates import DEFAULT_LEVEL, format_estimate, format_points, name_methods, to_fields
from regauge.records.exposure.effects import ExposedLabeler, ExposedScore, ExposureDifference, ExposureEffect
from regauge.workflows.exposure.effects import EffectOrder, measure_exposure_effect


@click.command("effect")
@which_test_set_option
@click.option(
    "--participant", multiple=True, metavar="GLOB", help="Whose answers; by default all people's. Repeatable."
)
@click.option(
    "--labels", metavar="NAME[@VERSION]", help="Judge by these labels, or by `dataset`; by default the latest."
)
@click.option(
    "--metric",
    metavar="NAME",
    help="Which metric says that an answer is right; by default multilabel_strict if the labels allow it.",
)
@click.option(
    "--campaign", metavar="NAME", help="The campaign that measured them; what it showed does not count as exposure."
)
@click.option(
    "--before", metavar="DATE", help="Count only what they saw before this moment; by default, before they began."
)
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Confidence level of every interval."
)
@study_option
@format_option
def effect(folder: Path | None, output_format: str, participant: tuple[str, ...], **given: Any) -> None:  # noqa: ANN401 - by name
    """Compare accuracy with and without earlier exposure: between people, between images, and within each person."""
    with open_learned(folder) as study:
        found = measure_exposure_effect(study, EffectOrder(participants=participant, **given))
    if output_format == "table":
        _print_tables(found)
    elif output_format == "json":
        print_json(
            {
                **_list_rows(found),
                "test_set": found.test_set,
                "metric": found.metric,
                "labels": found.labels,
                "notes": list(found.notes),
            }
        )
    else:
        print_records(_list_rows(found)["scores"], output_format, name="scores")
        print_notes(found.notes)


def _print_tables(found: ExposureEffect) -> None:
    print_entries([_show_labeler(one) for one in found.labelers], "table", name="labelers")
    print_entries([_show_score(one) for one in found.scores], "table", name="scores")
    print_entries([_show_difference(one) for one in found.differences], "table", name="differences")
    ways = name_methods(
        [*(one.accuracy.method for one in found.scores), *(one.difference.method for one in found.differences)]
    )
    print_sentences(f"{found.metric} on {found.test_set} by the labels {found.labels}. Intervals: {ways}.")
    print_notes(found.notes)


def _show_labeler(one: ExposedLabeler) -> dict[str, Any]:
    return {
        "labeler": one.labeler,
        "exposed": one.is_exposed,
        "n_images": one.n_images,
        "n_exposed": one.n_exposed,
        "accuracy": format_estimate(one.accuracy),
        "began_at": one.began_at,
        "first_at": one.first_at or None,
        "last_at": one.last_at or None,
        "as": list(one.roles),
    }


def _show_score(one: ExposedScore) -> dict[str, Any]:
    return {
        "by": one.split.value,
        "labeler": one.labeler or "all",
        "exposed": one.is_exposed,
        "n_labelers": one.n_labelers,
        "n": one.accuracy.n,
        "accuracy": format_estimate(one.accuracy),
        "n_unjudged": one.n_unjudged,
    }


def _show_difference(one: ExposureDifference) -> dict[str, Any]:
    return {
        "by": one.split.value,
        "labeler": one.labeler or "all",
        "n_exposed": one.n_exposed,
        "n_unexposed": one.n_unexposed,
        "exposed minus unexposed": format_points(one.difference, sign=True),
    }


def _list_rows(found: ExposureEffect) -> dict[str, Any]:
    """Everything for programs, with fractions in place of percentages."""
    return {
        "labelers": [
            {
                "labeler": one.labeler,
                "person": one.person,
                "is_exposed": one.is_exposed,
                "began_at": one.began_at,
                "n_images": one.n_images,
                "n_exposed": one.n_exposed,
                "first_at": one.first_at,
                "last_at": one.last_at,
                "roles": list(one.roles),
                "declared": list(one.why),
                "n_correct": one.accuracy.k,
                **to_fields(one.accuracy),
            }
            for one in found.labelers
        ],
        "scores": [
            {
                "split": one.split.value,
                "labeler": one.labeler,
                "is_exposed": one.is_exposed,
                "n_labelers": one.n_labelers,
                "n": one.accuracy.n,
                "n_correct": one.accuracy.k,
                "n_unjudged": one.n_unjudged,
                **to_fields(one.accuracy),
                "interval": one.accuracy.method,
            }
            for one in found.scores
        ],
        "differences": [
            {
                "split": one.split.value,
                "labeler": one.labeler,
                "n_exposed": one.n_exposed,
                "n_unexposed": one.n_unexposed,
                **to_fields(one.difference),
                "interval": one.difference.method,
            }
            for one in found.differences
        ],
    }
