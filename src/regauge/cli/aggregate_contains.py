"""`regauge aggregate contains FILE…`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
from rich.table import Table
from rich.text import Text

import regauge
from regauge.cli.files import check_table_file, file_option, write_table
from regauge.cli.output import format_option, make_console, print_json, print_notes, print_rows
from regauge.cli.tables import make_table, show
from regauge.errors import InputError
from regauge.records.cells import write_csv
from regauge.records.contains import ContainsLabels, ContainsSettings, FrequencyMethod
from regauge.records.estimates import DEFAULT_LEVEL, format_estimate, format_percent
from regauge.records.frequencies import FREQUENCY_RULE, POSTERIOR_RULE, FrequencyRule
from regauge.records.screening import ScreeningRules
from regauge.records.taxonomy import Taxonomy
from regauge.records.vote_labels import DEFAULT_PRIOR
from regauge.workflows.aggregate_contains import aggregate_contains, describe_verdicts, save_labels
from regauge.workflows.inputs import open_taxonomy

_N_PAIRS_SHOWN = 10
_N_ANNOTATORS_SHOWN = 20
_BINS = 5
_RULES, _VERDICTS = ScreeningRules(), FrequencyRule()


@click.command("contains")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@click.option("--images", metavar="FILE", help="Refuse other images than these: ids in a .txt file, or a truth.")
@click.option(
    "--method",
    type=click.Choice([method.value for method in FrequencyMethod]),
    default=FrequencyMethod.FREQUENCY.value,
    show_default=True,
    help="Limits from a pair's own counts (Wilson), or shrunk towards all pairs (posterior mean and credible limits); or "
    "also a probability by majority or by a model of the annotators.",
)
@click.option(
    "--prior",
    type=float,
    default=DEFAULT_PRIOR,
    show_default=True,
    help="Strength of the priors of dawid-skene and one-coin, in votes.",
)
@click.option(
    "--min-annotator-controls",
    type=float,
    default=_RULES.annotator_controls,
    show_default=True,
    help="A task with a smaller share of positive controls selected speaks against its annotator.",
)
@click.option(
    "--max-poor-tasks",
    type=float,
    default=_RULES.poor_tasks,
    show_default=True,
    help="Drop an annotator with this share of such tasks or more.",
)
@click.option(
    "--min-task-controls",
    type=float,
    default=_RULES.task_controls,
    show_default=True,
    help="Drop a response with a smaller share of positive controls selected.",
)
@click.option("--keep-annotator", "keep_annotators", multiple=True, metavar="ID", help="Do not drop them. Repeatable.")
@click.option(
    "--keep-response",
    "keep_responses",
    multiple=True,
    nargs=2,
    metavar="TASK ANNOTATOR",
    help="Count this response whatever the rules say. Repeatable.",
)
@click.option("--no-screening", is_flag=True, help="Count every answer; controls are then not needed.")
@click.option(
    "--correct", type=float, default=_VERDICTS.correct, show_default=True, help="Correct from this frequency on."
)
@click.option(
    "--unclear", type=float, default=_VERDICTS.unclear, show_default=True, help="Unclear from this frequency on."
)
@click.option(
    "--min-shown", type=int, default=_VERDICTS.min_shown, show_default=True, help="Unjudged below so many annotators."
)
@click.option(
    "--verdicts-by",
    type=click.Choice([FREQUENCY_RULE, POSTERIOR_RULE]),
    default=FREQUENCY_RULE,
    show_default=True,
    help="What --correct and --unclear look at: the frequency, or the probability of --method.",
)
@file_option("--labels-out", "Write verdicts with their counts as a truth (.jsonl) that score reads.")
@file_option("--annotators", "Write the table of annotators as CSV.")
@file_option("--dropped", "Write the responses that were dropped, each with its reason, as CSV.")
@file_option("--output", "Write the pairs to a .csv, .jsonl or .parquet file instead of printing them.")
@click.option(
    "--level", type=float, default=DEFAULT_LEVEL, show_default=True, help="Nominal coverage of every interval."
)
@format_option
def command(
    files: tuple[str, ...],
    taxonomy: str | None,
    images: str | None,
    method: str,
    prior: float,
    min_annotator_controls: float,
    max_poor_tasks: float,
    min_task_controls: float,
    keep_annotators: tuple[str, ...],
    keep_responses: tuple[tuple[str, str], ...],
    no_screening: bool,
    correct: float,
    unclear: float,
    min_shown: int,
    verdicts_by: str,
    labels_out: Path | None,
    annotators: Path | None,
    dropped: Path | None,
    output: Path | None,
    level: float,
    output_format: str,
) -> None:
    """Count how many annotators selected each image when asked for a class, over answers that are believed.

    FILEs are answers to CONTAINS grids (.csv, .tsv, .parquet, or Label Studio's .json), taken together. Annotators and
    responses that miss the positive controls are dropped, each with its reason. Formats: see docs/formats.md.
    """
    rules = ScreeningRules(min_annotator_controls, max_poor_tasks, min_task_controls)
    settings = ContainsSettings(
        rules=None if no_screening else rules,
        keep_annotators=keep_annotators,
        keep_responses=keep_responses,
        method=FrequencyMethod(method),
        prior=prior,
        verdicts=FrequencyRule(correct, unclear, min_shown, verdicts_by),
        level=level,
    )
    check_table_file(output)
    if no_screening and (keep_annotators or keep_responses):
        raise InputError("--no-screening drops nobody, so there is nobody to keep; leave out one of the options.")
    classes = open_taxonomy(taxonomy)
    labels = aggregate_contains(files, taxonomy=classes, settings=settings, images=images)
    if annotators is not None:
        write_csv(labels.annotators.to_frame(), annotators)
    if dropped is not None:
        write_csv(labels.list_dropped(), dropped)
    if labels_out is not None:
        save_labels(labels, labels_out)
    if output is not None:
        write_table(labels.to_frame(classes), output)
    _print(labels, output_format, taxonomy=classes, has_file=output is not None)
    print_notes((*labels.notes, describe_verdicts(labels)), labels.warnings)


def _print(labels: ContainsLabels, output_format: str, *, taxonomy: Taxonomy | None, has_file: bool) -> None:
    if output_format == "table":
        console = make_console()
        for part in _make_parts(labels, taxonomy):
            console.print(part)
    elif output_format == "json":
        print_json(_make_content(labels, taxonomy))
    elif not has_file:
        print_rows(labels.to_frame(taxonomy), output_format)


def _make_content(labels: ContainsLabels, taxonomy: Taxonomy | None) -> dict[str, Any]:
    screening = labels.screening
    return {
        "pairs": labels.to_frame(taxonomy).to_dicts(),
        "annotators": labels.annotators.to_frame().to_dicts(),
        "agreements": labels.list_agreements().to_dicts(),
        "dropped": labels.list_dropped().to_dicts(),
        "n_responses": len(screening),
        "n_accepted": int(screening.is_accepted.sum()),
        "prior": None if labels.prior is None else asdict(labels.prior),
        "notes": [*labels.notes, describe_verdicts(labels)],
        "warnings": list(labels.warnings),
        "settings": asdict(labels.settings),
        "version": regauge.__version__,
    }


def _make_parts(labels: ContainsLabels, taxonomy: Taxonomy | None) -> Iterator[Table | Text]:
    yield _make_pairs(labels, taxonomy)
    n_more = len(labels) - _N_PAIRS_SHOWN
    more = f"{n_more:,} more pairs: see them with --format csv or --output FILE. " if n_more > 0 else ""
    interval = "wilson" if labels.posterior_means is None else "equal-tailed credible, after shrinking to all pairs"
    yield Text(f"{more}{100 * labels.settings.level:g}% intervals: {interval}.", style="dim")
    yield _make_histogram(labels)
    odd = labels.annotators.to_frame().filter(pl.col("reason").ne("") | pl.col("flags").ne(""))
    if len(odd):
        yield _make_annotators(odd.head(_N_ANNOTATORS_SHOWN))
        if len(odd) > _N_ANNOTATORS_SHOWN:
            yield Text(f"{len(odd) - _N_ANNOTATORS_SHOWN:,} more: see them with --annotators FILE.", style="dim")


def _make_pairs(labels: ContainsLabels, taxonomy: Taxonomy | None) -> Table:
    n_images = len(labels.counts.image_ids)
    table = make_table("image", "class", title=f"Selection frequencies of {len(labels):,} pairs on {n_images:,} images")
    for name in ("shown", "selected", "frequency"):
        table.add_column(name, justify="right", no_wrap=True)
    if labels.posterior_means is not None:
        table.add_column("posterior", justify="right", no_wrap=True)
    if labels.probabilities is not None:
        table.add_column("probability", justify="right", no_wrap=True)
    for row in labels.to_frame(taxonomy).head(_N_PAIRS_SHOWN).iter_rows(named=True):
        name = str(row["class"]) if taxonomy is None else f"{row['class']} {row['class_id']}"
        counts = (f"{row['n_shown']:,}", f"{row['n_selected']:,}")
        if labels.posterior_means is None:
            values = [format_estimate(row["selection_frequency"], low=row["low"], high=row["high"])]
        else:
            values = [
                format_percent(row["selection_frequency"]),
                format_estimate(row["posterior_mean"], low=row["low"], high=row["high"]),
            ]
        if labels.probabilities is not None:
            values.append(format_percent(row["probability"]))
        table.add_row(show(row["image_id"]), show(name), *counts, *values)
    return table


def _make_histogram(labels: ContainsLabels) -> Table:
    """How many pairs have which frequency, in fifths of the whole, by whole numbers."""
    counts = labels.counts
    seen = counts.n_shown > 0
    places = np.minimum(_BINS * counts.n_selected[seen] // counts.n_shown[seen], _BINS - 1)
    table = make_table("frequency", title="Pairs by selection frequency")
    table.add_column("pairs", justify="right", no_wrap=True)
    for place, n in enumerate(np.bincount(places, minlength=_BINS).tolist()):
        end = ")" if place < _BINS - 1 else "]"
        table.add_row(f"\\[{place / _BINS:.1f}, {(place + 1) / _BINS:.1f}{end}", f"{n:,}")
    if not seen.all():
        table.add_row("no accepted vote", f"{np.count_nonzero(~seen):,}")
    return table


def _make_annotators(frame: pl.DataFrame) -> Table:
    table = make_table("annotator", title="Annotators dropped or flagged")
    for name in ("tasks", "accepted", "positive controls", "negative controls", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("reason or flags", overflow="fold")
    for row in frame.iter_rows(named=True):
        accuracies = (
            format_estimate(row[f"{kind}_accuracy"], low=row[f"{kind}_low"], high=row[f"{kind}_high"])
            for kind in ("positive", "negative")
        )
        seconds = "–" if row["median_seconds"] is None else f"{row['median_seconds']:.0f}"
        verdict = "kept by hand: " if row["restored"] else "dropped: " if row["dropped"] else ""
        why = "; ".join(part for part in (verdict + row["reason"], row["flags"]) if part)
        table.add_row(
            show(row["annotator_id"]), f"{row['n_tasks']:,}", f"{row['n_accepted']:,}", *accuracies, seconds, show(why)
        )
    return table
