"""What a study holds → the chunks that every page of a website begins with: the index, the scores, the classes, and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import regauge
from regauge.arrays import BoolArray, IntArray
from regauge.formats.site.packing import pack_column, pack_words
from regauge.records.mistakes.coding import CodingEntry
from regauge.records.predictions import ParticipantKind
from regauge.records.site import SiteSettings, SiteTable
from regauge.records.studies import LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.draws import describe_plan
from regauge.records.testsets.pool import DrawEntry

VERSION = 1
"""Of what chunks hold."""

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SiteStudy:
    """Which study a website is of."""

    name: str
    about: str
    taxonomy: str
    n_classes: int
    at: str


@dataclass(frozen=True, slots=True)
class SiteNames:
    """Whoever and whatever pages refer to by number."""

    participants: Sequence[PredictionsEntry]
    labels: Sequence[LabelSetEntry]
    codings: Sequence[CodingEntry]


@dataclass(frozen=True, slots=True, eq=False)
class SetFacts:
    """What a website says of a set before anybody opens it.

    Attributes:
        entry: which one.
        n_labelled: images with a dataset label.
        participants: numbers of those who answered, in the order of their answers.
        labels: numbers of the label-set versions that cover an image of it.
        covered: images of the set that each of these covers.
        counted: those among them behind which selection counts are known, with the images of the set that these are about.
        codings: numbers of the codings of mistakes on it.
        drawn: how it was drawn from a pool; None where it was not.
        slices: by name, which images each slice has.
        blocks: how many chunks hold answers by image, and wrong answers by class.
    """

    entry: TestSetEntry
    n_labelled: int
    participants: tuple[int, ...]
    labels: tuple[int, ...]
    covered: tuple[int, ...]
    counted: Mapping[int, int]
    codings: tuple[int, ...]
    drawn: DrawEntry | None
    slices: Mapping[str, BoolArray]
    blocks: tuple[int, int]


def pack_index(
    study: SiteStudy,
    *,
    settings: SiteSettings,
    sets: Sequence[SetFacts],
    names: SiteNames,
    tables: Mapping[str, str],
) -> Payload:
    """What every page needs; everything else is asked for by the names that follow from it."""
    return {
        "version": VERSION,
        "program": regauge.__version__,
        "study": {
            "name": study.name,
            "about": study.about,
            "taxonomy": study.taxonomy,
            "n_classes": study.n_classes,
            "at": study.at,
        },
        "pictures": {"mode": settings.pictures.value, "prefix": settings.link_prefix},
        "sets": [_pack_set(one) for one in sets],
        "participants": [_pack_participant(one) for one in names.participants],
        "labels": [_pack_label_set(one) for one in names.labels],
        "codings": [_pack_coding(one) for one in names.codings],
        "tables": [{"name": name, "title": title} for name, title in tables.items()],
    }


def pack_scores(frame: pl.DataFrame, metrics: Mapping[str, tuple[str, str]]) -> Payload:
    """Scores in columns, limits with about seven digits; the metrics with their titles and meanings."""
    if not frame.height:
        return {"size": 0, "metrics": {}}
    numbers = {name: _fill(frame[name]) for name in ("value", "low", "high", "upper_bound")}
    counts = {name: frame[name].fill_null(-1).to_numpy() for name in ("n", "n_correct", "n_unjudged", "set")}
    words = {
        name: frame[name].fill_null("").to_list() for name in ("participant", "metric", "labels", "interval", "remark")
    }
    return {
        "size": frame.height,
        "metrics": {name: {"title": title, "meaning": meaning} for name, (title, meaning) in metrics.items()},
        **{name: pack_column(column) for name, column in {**numbers, **counts}.items()},
        **{name: pack_words(column) for name, column in words.items()},
    }


def pack_classes(taxonomy: Taxonomy, groups: Mapping[str, Mapping[str, IntArray]]) -> Payload:
    """Ids and first names of the classes, and which groups they are in."""
    return {
        "ids": [one.id for one in taxonomy.classes],
        "names": [one.name for one in taxonomy.classes],
        "groupings": [
            {
                "name": name,
                "groups": [{"name": group, "members": pack_column(members)} for group, members in found.items()],
            }
            for name, found in groups.items()
        ],
    }


def pack_links(taxonomy: Taxonomy) -> Payload:
    """Where to read about a class, for those whose taxonomy says so; only addresses of the web."""
    return {
        "links": {str(one.index): one.link for one in taxonomy.classes if one.link.startswith(("https://", "http://"))}
    }


def pack_table(table: SiteTable) -> Payload:
    """A table as the page of tables has it."""
    return {
        "name": table.name,
        "title": table.title,
        "about": list(table.about),
        "set": table.test_set,
        "columns": list(table.columns),
        "rows": [[_write_cell(cell) for cell in row] for row in table.rows],
    }


def _pack_set(one: SetFacts) -> Payload:
    entry, drawn = one.entry, one.drawn
    found: dict[str, Any] = {
        "name": entry.name,
        "role": entry.role.value,
        "n": entry.n_images,
        "n_labelled": one.n_labelled,
        "participants": list(one.participants),
        "labels": list(one.labels),
        "covered": list(one.covered),
        "counted": list(one.counted),
        "n_counted": list(one.counted.values()),
        "codings": list(one.codings),
        "slices": [{"name": name, "rows": pack_column(rows)} for name, rows in one.slices.items()],
        "blocks": one.blocks[0],
        "shards": one.blocks[1],
    }
    if drawn is not None:
        plan = {name: str(value) for name, value in describe_plan(drawn.plan).items()}
        lacks = [[short.class_index, short.where, short.n_missing] for short in drawn.shortfalls]
        sources = drawn.sources
        found["drawn"] = {
            "parent": drawn.parent,
            "plan": plan,
            "pools": list(sources.pools),
            "original": sources.original,
            "per_class": drawn.plan.per_class,
            "strategy": drawn.plan.strategy.value,
            "lacks": lacks,
        }
    return found


def _pack_participant(one: PredictionsEntry) -> Payload:
    family = {} if one.family is None else {"family": one.family}
    kind = {} if one.kind is ParticipantKind.MODEL else {"kind": one.kind.value}
    return {"name": one.participant, **kind, **family}


def _pack_label_set(one: LabelSetEntry) -> Payload:
    return {
        "name": one.name,
        "version": one.version,
        "kind": one.kind.value,
        "unlisted": one.unlisted.value,
        "n_images": one.n_images,
        "n_verdicts": one.n_verdicts,
        "n_problematic": one.n_problematic,
        "parent": one.parent,
        "at": one.added_at[:10],
        "campaign": one.campaign,
    }


def _pack_coding(one: CodingEntry) -> Payload:
    return {
        "name": one.full_name,
        "participant": one.participant,
        "set": one.test_set,
        "labels": one.labels,
        "n_coded": one.n_coded,
        "n_major": one.n_major,
        "n_overturned": one.n_overturned,
    }


def _fill(column: pl.Series) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The numbers, NaN where there is none."""
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _write_cell(cell: object) -> object:
    """A cell as JSON has it; what is no number there is nothing."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    return None if isinstance(cell, float) and not np.isfinite(cell) else cell
