"""`regauge aggregate classify`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
import polars as pl
from rich.text import Text

import regauge
from regauge.cli.options.fields import UNLESS_GIVEN, field_options
from regauge.cli.options.files import file_option
from regauge.cli.printing.output import format_option, print_json, print_notes, print_parts, print_records, print_rows
from regauge.cli.printing.tables import IN_JSON, FittedTable, Holds, name_class
from regauge.estimates import count_things, from_fields, to_fields
from regauge.fields import Field, TextValue
from regauge.records.campaigns.campaign import Kind
from regauge.records.labels.classify import ClassifyResult, ClassifySettings, Flaw
from regauge.records.labels.objects import NO_OBJECT, keep_known
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.campaigns.fields import get_fields
from regauge.workflows.inputs import open_taxonomy
from regauge.workflows.labels.aggregate_classify import aggregate_classify, save_labels
from regauge.workflows.output_files import write_rows

CLASSIFY_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "main": pl.Int64,
    "n_objects": pl.Int64,
    "objects": pl.String,
    "object_labels": pl.String,
    "unplaced": pl.String,
    "confidence": pl.Float64,
    "confidence_low": pl.Float64,
    "confidence_high": pl.Float64,
    "n": pl.Int64,
    "n_shown": pl.Int64,
    "n_agreeing": pl.Int64,
    "main_object": pl.Int64,
    "label": pl.Int64,
    "dataset_object": pl.Int64,
    "is_unique_cut": pl.Boolean,
    "n_best_cuts": pl.Int64,
    "cut_weight": pl.Int64,
}
"""The fields of every image, in output order; docs/formats.md explains them."""

SUMMARY = {
    "several_objects": "images with several objects",
    "unique_cut": "… whose objects only one division fits best",
    "main_not_dataset_object": "… whose main object is not the dataset label's",
    "main_is_dataset_label": "images whose main label is the dataset label",
    "dataset_label_unselected": "images whose dataset label nobody selected",
}
_N_IMAGES_SHOWN = 20


def _list_options() -> Iterator[Field]:
    """The settings of the rule; without a study there are no label sets, and counts come from a file."""
    for one in get_fields(Kind("classify")).rule:
        words = "Which images are easy, by the counts that aggregate contains printed."
        yield replace(one, type=TextValue(), help=words, metavar="FILE", usual="") if one.name == "contains" else one


@click.command("classify")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--taxonomy", metavar="NAME|FILE", help="The classes: imagenet-1k, cifar-10, or a CSV or JSON file.")
@click.option(
    "--truth",
    "truths",
    multiple=True,
    metavar="FILE",
    help="Dataset labels, to find the objects that hold them. Repeatable.",
)
@field_options(_list_options(), usual=UNLESS_GIVEN)
@click.option(
    "--keep-response",
    "keep_responses",
    multiple=True,
    nargs=2,
    metavar="IMAGE ANNOTATOR",
    help="Count this response whatever the rules say. Repeatable.",
)
@file_option("--labels-out", "Write main labels and objects as a truth (.jsonl) that score reads.")
@file_option("--annotators", "Write the table of annotators as CSV.")
@file_option("--dropped", "Write the responses that were ignored, each with its reason, as CSV.")
@format_option
def command(
    files: tuple[str, ...],
    taxonomy: str | None,
    truths: tuple[str, ...],
    keep_responses: tuple[tuple[str, str], ...],
    given: Mapping[str, Any],
    labels_out: Path | None,
    annotators: Path | None,
    dropped: Path | None,
    output_format: str,
) -> None:
    """Turn CLASSIFY answers into the main label and the objects of every image, with the confidence in their number.

    Each FILE is .jsonl, or a .json export of Label Studio; several are read as one. Formats: see docs/formats.md.
    """
    settings = get_fields(Kind("classify")).make_rule({**given, "keep_responses": keep_responses})
    classes = open_taxonomy(taxonomy)
    result = aggregate_classify(list(files), truths or None, taxonomy=classes, settings=settings)
    if labels_out is not None:
        save_labels(result, labels_out)
    for path, frame in ((annotators, result.annotators.to_frame()), (dropped, result.dropped)):
        if path is not None:
            write_rows(frame, path)
    if output_format == "table":
        print_parts(_make_parts(result, classes))
    elif output_format == "json":
        print_json(_make_content(result, settings))
    elif output_format == "csv":
        rows = [_flatten(record) for record in describe_images(result)]
        print_rows(pl.DataFrame(rows, schema=dict(CLASSIFY_COLUMNS)), output_format)
    else:
        print_records(describe_images(result), output_format, name="images")
    print_notes(result.notes)


def describe_images(result: ClassifyResult) -> Iterator[dict[str, Any]]:
    """One record per image; what nobody's answer tells is null."""
    labels, objects = result.labels, result.labels.objects
    # Derived columns are made once, not once per image.
    confidences, n_objects = labels.confidences.tolist(), objects.n_objects.tolist()
    for row, image_id in enumerate(objects.image_ids.tolist()):
        is_judged = bool(labels.n_accepted[row])
        yield {
            "image_id": image_id,
            "main": keep_known(int(labels.main_labels[row])),
            "n_objects": n_objects[row] if is_judged else None,
            "objects": objects.get_objects(row),
            "object_labels": objects.get_names(row),
            "unplaced": labels.get_unplaced(row),
            "confidence": confidences[row] if is_judged else None,
            "confidence_low": float(labels.confidence_low[row]) if is_judged else None,
            "confidence_high": float(labels.confidence_high[row]) if is_judged else None,
            "n": int(labels.n_accepted[row]),
            "n_shown": int(labels.n_shown[row]),
            "n_agreeing": int(labels.n_agreeing[row]) if is_judged else None,
            "main_object": keep_known(int(objects.main_objects[row]), NO_OBJECT),
            "label": keep_known(int(labels.dataset_labels[row])),
            "dataset_object": keep_known(int(labels.dataset_objects[row]), NO_OBJECT),
            "is_unique_cut": bool(labels.n_best_cuts[row] == 1) if is_judged else None,
            "n_best_cuts": int(labels.n_best_cuts[row]) if is_judged else None,
            "cut_weight": int(labels.cut_weights[row]) if is_judged else None,
        }


def _flatten(record: dict[str, Any]) -> dict[str, Any]:
    """For CSV: objects are separated by |, and so are names and unplaced labels; labels of one object by spaces."""
    joined = {name: "|".join(map(str, record[name])) for name in ("object_labels", "unplaced")}
    return record | joined | {"objects": "|".join(" ".join(map(str, labels)) for labels in record["objects"])}


def _make_content(result: ClassifyResult, settings: ClassifySettings) -> dict[str, Any]:
    screening = result.screening
    return {
        "images": list(describe_images(result)),
        "summary": {
            name: {"n": share.k, "n_total": share.n, **to_fields(share)} for name, share in result.summary.items()
        },
        "screening": {
            "n_responses": len(screening),
            "n_accepted": int(screening.is_accepted.sum()),
            "ignored": {flaw.name.lower(): screening.count(flaw) for flaw in Flaw if flaw is not Flaw.NONE},
        },
        "annotators": result.annotators.to_frame().to_dicts(),
        "n_easy": None if result.easy is None else len(result.easy),
        "follow_up_only": result.easy is None,
        "notes": list(result.notes),
        "settings": asdict(settings),
        "version": regauge.__version__,
    }


def _make_parts(result: ClassifyResult, taxonomy: Taxonomy | None) -> Iterator[FittedTable | Text]:
    labels = result.labels
    summary = FittedTable(count_things(len(labels), "image"), IN_JSON)
    summary.add_column("", Holds.WORDS)
    for rank, name in enumerate(("n", "of", "share")):
        summary.add_column(name, rank=(1, 2, 0)[rank])
    for name, share in result.summary.items():
        summary.add_row(SUMMARY[name], f"{share.k:,}", f"{share.n:,}", str(share))
    yield summary
    table = FittedTable()
    table.add_columns(("image", "main"), Holds.NAMES)
    table.add_column("objects", Holds.LISTS, rank=1)
    table.add_column("unplaced", Holds.LISTS, rank=4)
    table.add_column("confidence", rank=2)
    table.add_column("n", rank=3)
    for row, record in zip(range(_N_IMAGES_SHOWN), describe_images(result), strict=False):
        objects = " | ".join(", ".join(name_class(label, taxonomy) for label in one) for one in record["objects"])
        mark = "" if record["is_unique_cut"] in {True, None} else " ?"
        confidence = str(from_fields(record, "confidence"))
        cells = (
            record["image_id"],
            name_class(record["main"], taxonomy),
            objects + mark,
            ", ".join(name_class(label, taxonomy) for label in record["unplaced"]),
        )
        table.add_row(*cells, confidence, f"{labels.n_accepted[row]:,}")
    yield table
    if (labels.n_best_cuts[:_N_IMAGES_SHOWN] > 1).any():
        yield Text("? Other divisions of the labels fit as well.", "dim")
    if len(labels) > _N_IMAGES_SHOWN:
        yield Text(
            f"… and {count_things(len(labels) - _N_IMAGES_SHOWN, 'more image')}: --format csv, json or jsonl shows all.",
            "dim",
        )
