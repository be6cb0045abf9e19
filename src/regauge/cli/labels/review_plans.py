"""`regauge labels plan` and `regauge labels settled`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import polars as pl

from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows, print_sentences
from regauge.cli.printing.tables import FittedTable, Holds
from regauge.cli.printing.written import tell_written
from regauge.cli.studies.study import open_for_reading, study_option, which_test_set_option
from regauge.estimates import to_fields
from regauge.records.evaluation.reviews import ReviewMetric, ReviewTerms
from regauge.records.evaluation.sampled_reviews import ReviewEffort, SampledReviewPlan
from regauge.workflows.labels.review_plans import (
    FollowedReview,
    MadeReviewPlan,
    ReviewRequest,
    follow_study_review,
    plan_study_review,
    save_review_plan,
)

SETTLED_BY = "settled by"


@click.command("plan")
@click.option(
    "--participant",
    multiple=True,
    metavar="GLOB",
    help="Participants to compare, two or more; all by default. Repeatable.",
)
@click.option("--labels", metavar="NAME[@VERSION]", help="A label set with the verdicts known so far; none by default.")
@which_test_set_option
@click.option(
    "--metric",
    type=click.Choice([one.value for one in ReviewMetric]),
    default=ReviewMetric.STRICT.value,
    show_default=True,
    help="Whether unclear answers count as right (lenient) or wrong (strict).",
)
@click.option(
    "--trust-dataset-labels", is_flag=True, help="Count dataset labels as correct, and do not ask about them."
)
@click.option("--level", default=0.95, show_default=True, help="Confidence that no pair is ever settled wrongly.")
@click.option("--reviewers", default=3, show_default=True, help="People who judge each item.")
@click.option("--seconds", default=15.0, show_default=True, help="Seconds that one of them takes for an item.")
@click.option("--simulations", default=200, show_default=True, help="Simulated reviews behind the forecast.")
@click.option("--seed", default=0, show_default=True, help="Random seed of the order of review and of the simulations.")
@click.option(
    "--write",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=tell_written,
    help="Write the plan to this file, for `labels settled`.",
)
@study_option
@format_option
def plan_command(
    participant: tuple[str, ...],
    labels: str | None,
    test_set: str | None,
    metric: str,
    trust_dataset_labels: bool,
    level: float,
    reviewers: int,
    seconds: float,
    simulations: int,
    seed: int,
    path: Path | None,
    folder: Path | None,
    output_format: str,
) -> None:
    """Plan the review that settles who is ahead: how many verdicts it takes, and in which order."""
    terms = ReviewTerms(ReviewMetric(metric), level, seed, simulations)
    effort = ReviewEffort(reviewers, seconds)
    request = ReviewRequest(participant, labels, test_set, trust_dataset_labels, terms, effort)
    with open_for_reading(folder) as study:
        made = plan_study_review(study, request)
    if path is not None:
        save_review_plan(made.planned, path)
    _print_plan(made, output_format)


@click.command("settled")
@click.argument("path", metavar="PLAN", type=click.Path(path_type=Path))
@click.option(
    "--labels",
    metavar="NAME[@VERSION]",
    help="The label set with the current verdicts; by default the latest version of the plan's own, if it has one.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="IMAGE",
    help="An image of PLAN that was referred or whose file is missing; it counts at its worst value. Repeatable.",
)
@study_option
@format_option
def settled_command(
    path: Path, labels: str | None, without: tuple[str, ...], folder: Path | None, output_format: str
) -> None:
    """Show which pairs of PLAN are settled by the verdicts so far, and what was forecast for them."""
    with open_for_reading(folder) as study:
        found = follow_study_review(study, path, labels=labels, without=without)
    _print_followed(found, output_format)


def _print_plan(made: MadeReviewPlan, output_format: str) -> None:
    rows = made.forecast.to_frame()
    if output_format == "json":
        forecast = {"n_images": made.forecast.n_images, "n_items": made.forecast.n_items}
        pairs = list(rows.iter_rows(named=True))
        print_json({**_describe(made.planned.plan), **forecast, "pairs": pairs, "notes": list(made.notes)})
        return
    if output_format != "table":
        print_rows(rows, output_format)
    else:
        n = f"{made.forecast.n_images:,} images, {made.forecast.n_items:,} items"
        table = _make_table(f"Until settled, of {n}", ("open", "items", "answers", "hours"))
        for row in rows.iter_rows(named=True):
            ranges = (
                _show_range(row, name, decimals) for name, decimals in (("items", 0), ("answers", 0), ("hours", 1))
            )
            table.add_row(row["first"], row["second"], f"{row['n_open']:,}", *ranges)
        print_parts([table])
    print_notes(made.notes)


def _print_followed(found: FollowedReview, output_format: str) -> None:
    plan, progress = found.planned.plan, found.progress
    pairs = describe_pairs(found)
    if output_format == "json":
        n = {"n_reviewed": progress.n_reviewed, "n_later": progress.n_later, "n_worst": progress.n_worst}
        print_json({**_describe(plan), **n, "pairs": pairs, "notes": list(found.notes)})
        return
    if output_format != "table":
        rows = progress.to_frame(plan.enough)
        more = ("n_more", *to_fields(found.planned.expected[0], "forecast"))
        print_rows(rows.with_columns(**_list_columns(pairs, more)), output_format)
    else:
        print_parts([make_standing_table(found)])
        print_sentences(*found.sentences)
    print_notes(found.notes)


def describe_pairs(found: FollowedReview) -> list[dict[str, Any]]:
    """Where every pair of a plan stands, with what was forecast for it."""
    rows = found.progress.to_frame(found.planned.plan.enough).iter_rows(named=True)
    expected = (to_fields(one, "forecast") for one in found.planned.expected)
    return [
        {**row, "n_more": more, **forecast} for row, more, forecast in zip(rows, found.n_more, expected, strict=True)
    ]


def make_standing_table(found: FollowedReview) -> FittedTable:
    """The pairs of a plan, one below the other."""
    enough = found.planned.plan.enough
    table = _make_table("Settled so far", (SETTLED_BY, "items", "forecast", "evidence", "needed"))
    for row in describe_pairs(found):
        evidence = max(row["evidence_first"], row["evidence_second"])
        forecast = _show_range(row, "forecast", 0)
        cells = (row["by"] or "open", f"{row['n_items']:,}", forecast, f"{evidence:,.1f}", f"{enough:,.0f}")
        table.add_row(row["first"], row["second"], *cells)
    return table


def _make_table(title: str, names: tuple[str, ...]) -> FittedTable:
    table = FittedTable(title)
    table.add_column("first", Holds.NAMES, rank=0)
    table.add_column("second", Holds.NAMES, rank=0)
    for rank, name in enumerate(names):
        table.add_column(name, Holds.NAMES if name == SETTLED_BY else Holds.NUMBERS, rank=rank)
    return table


def _show_range(row: dict[str, Any], name: str, decimals: int) -> str:
    value, low, high = (f"{row[one]:,.{decimals}f}" for one in (name, f"{name}_low", f"{name}_high"))
    return f"{value} [{low}, {high}]"


def _list_columns(rows: list[dict[str, Any]], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: pl.Series([row[name] for row in rows]) for name in names}


def _describe(plan: SampledReviewPlan) -> dict[str, Any]:
    """What a plan is about, for programs."""
    return {
        "test_set": plan.test_set,
        "labels": plan.labels,
        "participants": list(plan.participants),
        "metric": plan.terms.metric.value,
        "level": plan.terms.level,
        "trust_dataset_labels": plan.trust_dataset_labels,
    }
