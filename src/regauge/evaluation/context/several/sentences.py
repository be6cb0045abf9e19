"""What the analysis of objects comes to, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import regauge.frames as pl
from regauge.estimates import count_things, format_estimate, from_fields, typeset_number
from regauge.evaluation.context.basis.tables import choose_participants
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.several.answers import ABOVE, ANY_OBJECT, BELOW, LEVEL, TOP1
from regauge.evaluation.context.several.images import ObjectImages
from regauge.records.evaluation.context.report import ContextSettings

SEVERAL, OTHER_MAIN = "several objects", "main object is another"
_METRICS = {TOP1: "Top-1", ANY_OBJECT: "Accuracy when the name of any object counts"}
_SUBSETS = {SEVERAL: "images have several objects", OTHER_MAIN: "the main object is not the dataset label's"}


def answer_objects(
    material: ContextMaterial, settings: ContextSettings, *, tables: Mapping[str, pl.DataFrame]
) -> Iterator[str]:
    """What it comes to."""
    shares = {row["what"]: row for row in tables["shares"].to_dicts()}
    several, other = shares[SEVERAL], shares[OTHER_MAIN]
    yield f"Several objects: {_tell(several)} of the images whose objects are known (n = {several['n']:,})."
    if other["n"]:
        yield (
            f"Main object that is not the dataset label's: {_tell(other)} of the images with several objects "
            f"(n = {other['n']:,})."
        )
    accuracies = tables["accuracies"]
    for metric, words in _METRICS.items():
        rows = accuracies.filter((pl.col("metric") == metric) & pl.col("drop").is_not_null()).to_dicts()
        if rows:
            yield _answer_drop(words, rows)
    for subset in (SEVERAL, OTHER_MAIN):
        rows = tables["chance"].filter((pl.col("subset") == subset) & (pl.col("n") > 0)).to_dicts()
        if rows:
            yield _answer_chance(subset, rows)
    chosen = [material.participants[place] for place in choose_participants(material, settings)]
    for row in tables["corrections"].filter(pl.col("participant").is_in(chosen) & (pl.col("n") > 0)).to_dicts():
        yield (
            f"Top-5 corrections of {row['participant']} in which first answer and dataset label are two objects of the "
            f"image: {_tell(row)} (n = {row['n']:,})."
        )


def _answer_drop(words: str, rows: list[dict[str, Any]]) -> str:
    above = sum(row["drop_low"] > 0 for row in rows)
    below = sum(row["drop_high"] < 0 for row in rows)
    return (
        f"{words} on images with one object minus those with several: {_span([row['drop'] for row in rows], ' points')} over "
        f"{count_things(len(rows), 'participant')}; the limits lie above 0 for {above:,} and below 0 for "
        f"{below:,}."
    )


def _answer_chance(subset: str, rows: list[dict[str, Any]]) -> str:
    verdicts = [row["verdict"] for row in rows]
    chance = format_estimate(from_fields(rows[0], "chance"))
    span = _span([row["top1"] for row in rows], "%")
    return (
        f"Top-1 where {_SUBSETS[subset]}: {span}, against {chance} for naming an object at random (n = {rows[0]['n']:,}); of "
        f"{count_things(len(rows), 'participant')} {verdicts.count(ABOVE):,} above it, {verdicts.count(BELOW):,} below, "
        f"{verdicts.count(LEVEL):,} not told apart."
    )


def _tell(row: dict[str, Any]) -> str:
    return format_estimate(from_fields(row, "share"))


def _span(values: list[float], unit: str) -> str:
    """The least and the greatest of some shares or differences, times 100."""
    low, high = (typeset_number(100 * one) for one in (min(values), max(values)))
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def note_objects(material: ContextMaterial, images: ObjectImages) -> Iterator[str]:
    """What the reader should know, and what was left out."""
    yield from images.notes
    if material.classify is None:
        yield "Confidence left out: no answers to CLASSIFY."
    if not material.participants:
        yield "Accuracy by objects left out: no predictions."
    elif material.has_five is not None and not material.has_five.all():
        n = int((~material.has_five).sum())
        yield f"Top-5 left out for {count_things(n, 'participant')}: fewer than five answers per image."
