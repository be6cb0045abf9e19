"""`regauge aggregate contains FILE…`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl
from rich.text import Text

import regauge
from regauge.cli.options.fields import UNLESS_GIVEN, field_options
from regauge.cli.options.files import check_table_file, file_option
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, make_table, name_class
from regauge.estimates import count_things, format_percent, from_fields
from regauge.records.campaigns.campaign import Kind
from regauge.records.labels.contains import ContainsLabels
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.campaigns.fields import get_fields
from regauge.workflows.inputs import open_taxonomy
from regauge.workflows.labels.aggregate_contains import aggregate_contains, describe_verdicts, save_labels
from regauge.workflows.output_files import write_rows

_N_PAIRS_SHOWN = 10
_N_ANNOTATORS_SHOWN = 20
_BINS = 5


@click.command("contains")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@click.option("--images", metavar="FILE", help="Refuse other images than these: ids in a .txt file, or a truth.")
@field_options(get_fields(Kind("contains")).rule, usual=UNLESS_GIVEN)
@click.option(
    "--keep-response",
    "keep_responses",
    multiple=True,
    nargs=2,
    metavar="TASK ANNOTATOR",
    help="Count this response whatever the rules say. Repeatable.",
)
@file_option("--labels-out", "Write verdicts with their counts as a truth (.jsonl) that score reads.")
@file_option("--annotators", "Write the table of annotators as CSV.")
@file_option("--dropped", "Write the responses that were dropped, each with its reason, as CSV.")
@file_option("--output", "Write the pairs to a .csv, .jsonl or .parquet file instead of printing them.")
@format_option
def command(
    files: tuple[str, ...],
    taxonomy: str | None,
    images: str | None,
    keep_responses: tuple[tuple[str, str], ...],
    given: Mapping[str, Any],
    labels_out: Path | None,
    annotators: Path | None,
    dropped: Path | None,
    output: Path | None,
    output_format: str,
) -> None:
    """Count how many annotators selected each image when asked for a class, over the answers that pass screening.

    FILEs are answers to CONTAINS grids (.csv, .tsv, .parquet, or Label Studio's .json), taken together. Annotators and
    responses that miss the positive controls are dropped, each with its reason. Formats: see docs/formats.md.
    """
    settings = get_fields(Kind("contains")).make_rule({**given, "keep_responses": keep_responses})
    check_table_file(output)
    classes = open_taxonomy(taxonomy)
    labels = aggregate_contains(files, taxonomy=classes, settings=settings, images=images)
    if annotators is not None:
        write_rows(labels.annotators.to_frame(), annotators)
    if dropped is not None:
        write_rows(labels.list_dropped(), dropped)
    if labels_out is not None:
        save_labels(labels, labels_out)
    if output is not None:
        write_rows(labels.to_frame(classes), output)
    _print(labels, output_format, taxonomy=classes, has_file=output is not None)
    print_notes((*labels.notes, describe_verdicts(labels)), labels.warnings)


def _print(labels: ContainsLabels, output_format: str, *, taxonomy: Taxonomy | None, has_file: bool) -> None:
    if output_format == "table":
        print_parts(_make_parts(labels, taxonomy))
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


def _make_parts(labels: ContainsLabels, taxonomy: Taxonomy | None) -> Iterator[FittedTable | Text]:
    yield _make_pairs(labels, taxonomy)
    n_more = len(labels) - _N_PAIRS_SHOWN
    more = f"{count_things(n_more, 'more pair')}: see them with --format csv or --output FILE. " if n_more > 0 else ""
    interval = "Wilson" if labels.posterior_means is None else "equal-tailed credible, after shrinking to all pairs"
    yield Text(f"{more}{100 * labels.settings.level:g}% intervals: {interval}.", style="dim")
    yield _make_histogram(labels)
    odd = labels.annotators.to_frame().filter(pl.col("reason").ne("") | pl.col("flags").ne(""))
    if len(odd):
        yield _make_annotators(odd.head(_N_ANNOTATORS_SHOWN))
        if len(odd) > _N_ANNOTATORS_SHOWN:
            yield Text(f"{len(odd) - _N_ANNOTATORS_SHOWN:,} more: see them with --annotators FILE.", style="dim")


def _make_pairs(labels: ContainsLabels, taxonomy: Taxonomy | None) -> FittedTable:
    n_images = len(labels.counts.image_ids)
    table = make_table(
        "image", "class", title=f"Selection frequencies of {len(labels):,} pairs on {count_things(n_images, 'image')}"
    )
    for rank, name in enumerate(("shown", "selected", "frequency")):
        table.add_column(name, rank=(2, 1, 0)[rank])
    if labels.posterior_means is not None:
        table.add_column("posterior", rank=0)
    if labels.probabilities is not None:
        table.add_column("probability", rank=3)
    for row in labels.to_frame(taxonomy).head(_N_PAIRS_SHOWN).iter_rows(named=True):
        counts = (f"{row['n_shown']:,}", f"{row['n_selected']:,}")
        if labels.posterior_means is None:
            values = [str(from_fields(row, value="selection_frequency"))]
        else:
            values = [
                format_percent(row["selection_frequency"]),
                str(from_fields(row, value="posterior_mean")),
            ]
        if labels.probabilities is not None:
            values.append(format_percent(row["probability"]))
        table.add_row(row["image_id"], name_class(row["class"], taxonomy), *counts, *values)
    return table


def _make_histogram(labels: ContainsLabels) -> FittedTable:
    """How many pairs have which frequency, in fifths of the whole, by whole numbers."""
    counts = labels.counts
    seen = counts.n_shown > 0
    places = np.minimum(_BINS * counts.n_selected[seen] // counts.n_shown[seen], _BINS - 1)
    table = make_table("frequency", title="Pairs by selection frequency")
    table.add_column("pairs")
    for place, n in enumerate(np.bincount(places, minlength=_BINS).tolist()):
        end = ")" if place < _BINS - 1 else "]"
        table.add_row(f"[{place / _BINS:.1f}, {(place + 1) / _BINS:.1f}{end}", f"{n:,}")
    if not seen.all():
        table.add_row("no accepted vote", f"{np.count_nonzero(~seen):,}")
    return table


def _make_annotators(frame: pl.DataFrame) -> FittedTable:
    table = make_table("annotator", title="Annotators dropped or flagged", whole=IN_JSON)
    ranks = {"tasks": 3, "accepted": 0, "positive\ncontrols": 4, "negative\ncontrols": 5, "seconds": 2}
    for name, rank in ranks.items():
        table.add_column(name, rank=rank)
    table.add_column("reason or flags", Holds.WORDS, rank=1)
    for row in frame.iter_rows(named=True):
        accuracies = (str(from_fields(row, kind, value=f"{kind}_accuracy")) for kind in ("positive", "negative"))
        seconds = "–" if row["median_seconds"] is None else f"{row['median_seconds']:.0f}"
        verdict = "kept by hand: " if row["restored"] else "dropped: " if row["dropped"] else ""
        why = "; ".join(part for part in (verdict + row["reason"], row["flags"]) if part)
        table.add_row(row["annotator_id"], f"{row['n_tasks']:,}", f"{row['n_accepted']:,}", *accuracies, seconds, why)
    return table
