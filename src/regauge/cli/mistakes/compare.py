"""`regauge mistakes compare`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from rich.text import Text

import regauge
from regauge.cli.mistakes.sources import AnswerSource, judge_options, other_place_options
from regauge.cli.printing.output import Part, format_option, print_json, print_notes, print_parts, print_records
from regauge.cli.printing.printable import make_printable
from regauge.cli.printing.tables import make_table
from regauge.cli.studies.study import which_test_set_option
from regauge.errors import InputError
from regauge.estimates import count_things, format_p_phrase, format_points, to_fields
from regauge.records.mistakes.found import FindSettings
from regauge.records.mistakes.overlaps import OVERLAPS, MistakesOverlap, Overlap
from regauge.records.studies import Selection
from regauge.workflows.mistakes.finding import compare_mistakes

COLUMNS = (
    "image_id",
    "overlap",
    "first",
    "first_prediction",
    "first_is_novel",
    "second",
    "second_prediction",
    "second_is_novel",
)
"""The columns of CSV and JSON Lines; docs/formats.md explains them."""


@click.command("compare")
@click.argument("first")
@click.argument("second")
@click.option(
    "--predictions",
    multiple=True,
    metavar="PREDICTIONS",
    help="Files, folders or globs with the answers of both; without it, those of a study. Repeatable.",
)
@click.option(
    "--truth", "truths", multiple=True, metavar="FILE", help="The label set of files of predictions. Repeatable."
)
@which_test_set_option
@click.option("--labels", multiple=True, metavar="NAME[@VERSION]", help="The label set of the study to use.")
@other_place_options
@judge_options
@format_option
def command(
    first: str,
    second: str,
    truths: tuple[str, ...],
    test_set: str | None,
    labels: tuple[str, ...],
    place: AnswerSource,
    strict: bool,
    level: float,
    output_format: str,
) -> None:
    """Compare the mistakes of two participants, FIRST and SECOND: corrected, new, and common with the same answer or another."""
    settings = FindSettings(is_strict=strict, level=level)
    place.refuse({"--truth": truths}, {"--labels": labels, "--test-set": test_set})
    if place.predictions:
        if not truths:
            raise InputError("--truth is needed: the label set that says which answers are mistakes.")
        overlap = compare_mistakes(place.read_files(truths, ()), (first, second), settings=settings)
    else:
        with place.read_study(Selection(test_set, labels)) as sources:
            overlap = compare_mistakes(sources[0], (first, second), settings=settings)
    if output_format == "table":
        print_parts(_make_parts(overlap))
    elif output_format == "json":
        print_json({**_describe(overlap), "images": list(_make_rows(overlap))})
    else:
        print_records(_make_rows(overlap), output_format, name="images", columns=COLUMNS)
    print_notes(overlap.notes)


def _describe(overlap: MistakesOverlap) -> dict[str, Any]:
    return {
        "first": overlap.first,
        "second": overlap.second,
        "test_set": overlap.test_set,
        "labels": overlap.labels,
        "is_strict": overlap.is_strict,
        "n": overlap.n_images,
        "n_first": overlap.first_wrong.k,
        **to_fields(overlap.first_wrong, "first_share"),
        "n_second": overlap.second_wrong.k,
        **to_fields(overlap.second_wrong, "second_share"),
        **to_fields(overlap.difference, "difference"),
        "p": overlap.p,
        "n_corrected": overlap.count(Overlap.CORRECTED),
        "n_new": overlap.count(Overlap.NEW),
        "n_common_different": overlap.count(Overlap.DIFFERENT),
        "n_common_same": overlap.count(Overlap.SAME),
        "n_new_novel": overlap.count_novel(Overlap.NEW),
        "n_common_different_novel": overlap.count_novel(Overlap.DIFFERENT),
        "notes": list(overlap.notes),
        "version": regauge.__version__,
    }


def _make_rows(overlap: MistakesOverlap) -> Iterator[dict[str, Any]]:
    for row, image_id in enumerate(overlap.image_ids.tolist()):
        yield {
            "image_id": image_id,
            "overlap": OVERLAPS[overlap.overlaps[row]].value,
            "first": overlap.first,
            "first_prediction": int(overlap.first_predictions[row]),
            "first_is_novel": bool(overlap.first_is_novel[row]),
            "second": overlap.second,
            "second_prediction": int(overlap.second_predictions[row]),
            "second_is_novel": bool(overlap.second_is_novel[row]),
        }


def _make_parts(overlap: MistakesOverlap) -> Iterator[Part]:
    first, second = (make_printable(one) for one in (overlap.first, overlap.second))
    table = make_table("images", title=f"From {first} to {second} under {overlap.labels}")
    table.add_column("n", rank=0)
    table.add_column("answer nobody has judged", rank=1)
    for one in OVERLAPS:
        novel = "" if one is Overlap.CORRECTED else f"{overlap.count_novel(one):,}"
        table.add_row(one.value, f"{overlap.count(one):,}", novel)
    yield table
    yield Text(
        f"Mistakes on {count_things(overlap.n_images, 'image')} that both answered: {first} {overlap.first_wrong.k:,}, "
        f"{overlap.first_wrong}; {second} {overlap.second_wrong.k:,}, {overlap.second_wrong}."
    )
    yield Text(
        f"Difference in points: {format_points(overlap.difference, sign=True)} (Tango), exact McNemar "
        f"{format_p_phrase(overlap.p)}. Intervals of shares: Clopper–Pearson.",
        style="dim",
    )
