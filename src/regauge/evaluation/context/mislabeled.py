"""Images whose dataset label nobody saw in them (Tsipras et al. 2020, appendix C.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, BoolArray, CountArray, IntArray, divide
from regauge.columns import ColumnTypes
from regauge.estimates import format_estimate, from_fields
from regauge.evaluation.context.basis.tables import (
    list_class,
    list_estimate,
    make_frame,
    put_class,
    put_limits,
    stack_frames,
)
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.labels.objects.summary import find_selected
from regauge.records.candidates import SplitPart
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.objects import ClassifyLabels
from regauge.records.responses.answers import ClassifyResponses
from regauge.stats.intervals import clopper_pearson

NEVER_CONTAINED, NEVER_CHOSEN = "selection frequency 0", "never selected in CLASSIFY"

_COUNTS = ContextTable(
    "Images whose dataset label nobody saw",
    ColumnTypes({"rule": "String", "n_images": "Int64", "n": "Int64", **list_estimate("share")}),
    ("26", "27"),
)
_IMAGES = ContextTable(
    "Possibly mislabeled images, those that most people say so of first",
    ColumnTypes(
        {
            "image_id": "String",
            "rule": "String",
            **list_class(),
            "n": "Int64",
            **list_estimate("frequency"),
            **list_class("chosen"),
            "chosen_n_selected": "Int64",
            "chosen_n": "Int64",
            **list_estimate("chosen_share"),
        }
    ),
    ("26", "27"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Suspects:
    """Images by one rule.

    Attributes:
        rule: which one.
        rows: their rows in the target.
        n_judged: images that the rule could find.
        n: per image, annotators who could have selected the dataset label; 0 where nobody knows how many.
        chosen: what they selected most, or named as main most; `NO_CLASS` where it is not known.
        chosen_n_selected: by how many.
        chosen_n: of how many.
    """

    rule: str
    rows: CountArray
    n_judged: int
    n: CountArray
    chosen: IntArray
    chosen_n_selected: CountArray
    chosen_n: CountArray


def find_never_contained(material: ContextMaterial) -> Suspects | None:
    """Images of whose viewers nobody selected the dataset label in CONTAINS; by the split where counts are not known."""
    counts = material.counts
    if counts is None:
        return _find_in_split(material)
    n_rows = len(material.target.image_ids)
    of_pair = find_target_rows(material.target, counts.image_ids)[counts.images]
    here = np.flatnonzero((of_pair != NO_PAIR) & (counts.n_shown > 0))
    rows, classes = of_pair[here], counts.classes[here]
    shown, selected = counts.n_shown[here], counts.n_selected[here]
    n_shown, n_selected = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int64)
    own = classes == material.labels[rows]
    n_shown[rows[own]], n_selected[rows[own]] = shown[own], selected[own]
    found = np.flatnonzero((n_shown > 0) & (n_selected == 0))
    # Of every image the label with the highest frequency, of equal ones that of most people, then the lower index.
    order = np.lexsort((classes, -shown, -divide(selected, shown), rows))
    first_rows, first = np.unique(rows[order], return_index=True)
    best = np.full(n_rows, -1, np.int64)
    best[first_rows] = order[first]
    top = best[found]
    is_chosen = selected[top] > 0
    return Suspects(
        NEVER_CONTAINED,
        found,
        int((n_shown > 0).sum()),
        n_shown[found],
        np.where(is_chosen, classes[top], NO_CLASS).astype(np.int32),
        np.where(is_chosen, selected[top], 0),
        np.where(is_chosen, shown[top], 0),
    )


def _find_in_split(material: ContextMaterial) -> Suspects | None:
    if material.parts is None:
        return None
    ids = material.target.image_ids.tolist()
    parts = [material.parts.get(image_id) for image_id in ids]
    found = np.array([row for row, part in enumerate(parts) if part is SplitPart.MISLABELED], np.int64)
    nothing = np.zeros(len(found), np.int64)
    n_judged = sum(part is not None for part in parts)
    chosen = np.full(len(found), NO_CLASS, np.int32)
    return Suspects(NEVER_CONTAINED, found, n_judged, nothing, chosen, nothing, nothing)


def find_never_chosen(material: ContextMaterial) -> Suspects | None:
    """Images whose dataset label no accepted annotator selected in CLASSIFY, though it was offered."""
    labels = material.classify
    if labels is None:
        return None
    rows = find_target_rows(material.target, labels.objects.image_ids)
    judged = (labels.n_accepted > 0) & (labels.dataset_labels != NO_CLASS) & (rows != NO_PAIR)
    judged &= _find_offered(labels, material.responses)
    found = np.flatnonzero(judged & ~find_selected(labels))
    n_main = _count_main(labels)
    return Suspects(
        NEVER_CHOSEN,
        rows[found],
        int(judged.sum()),
        labels.n_accepted[found],
        labels.main_labels[found],
        n_main[found],
        labels.n_accepted[found],
    )


def _find_offered(labels: ClassifyLabels, responses: ClassifyResponses | None) -> BoolArray:
    """Whether the dataset label was among the candidates; where these are not known it is taken to have been."""
    n = len(labels)
    if responses is None or responses.candidates is None or responses.candidate_starts is None:
        return np.ones(n, np.bool_)
    sizes = np.diff(responses.candidate_starts)
    owners = np.repeat(np.arange(n), sizes)
    offered = sizes == 0
    offered[owners[responses.candidates == labels.dataset_labels[owners]]] = True
    return np.asarray(offered, np.bool_)


def _count_main(labels: ClassifyLabels) -> CountArray:
    """How many named the main label as that of the main object."""
    owners = np.repeat(np.arange(len(labels)), np.diff(labels.starts))
    is_main = labels.classes == labels.main_labels[owners]
    found = np.zeros(len(labels), np.int64)
    found[owners[is_main]] = labels.n_main[is_main]
    return found


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Both rules, and the images that they find."""
    found = [one for one in (find_never_contained(material), find_never_chosen(material)) if one is not None]
    images = stack_frames(_IMAGES, (_list_images(material, one, settings) for one in found))
    tables = {"counts": _count(found, settings), "images": images}
    return ContextFindings(tables, tuple(_answer(tables["counts"])), tuple(_note(material)))


def _count(found: list[Suspects], settings: ContextSettings) -> pl.DataFrame:
    k, n = [len(one.rows) for one in found], [one.n_judged for one in found]
    limits = clopper_pearson(k, n, level=settings.level)
    columns = {"rule": [one.rule for one in found], "n_images": k, "n": n}
    return make_frame(_COUNTS, columns | put_limits("share", divide(k, n), limits=limits))


def _list_images(material: ContextMaterial, found: Suspects, settings: ContextSettings) -> pl.DataFrame:
    """Where most people say so first, then where they agree most on something else."""
    shares = divide(found.chosen_n_selected, found.chosen_n)
    order = np.lexsort((found.rows, -np.nan_to_num(shares), -found.n))
    n, k, of = (column[order] for column in (found.n, found.chosen_n_selected, found.chosen_n))
    is_known = n > 0
    frequency = np.where(is_known, 0.0, np.nan)
    columns: dict[str, Any] = {
        "image_id": material.target.image_ids[found.rows[order]].tolist(),
        "rule": [found.rule] * len(order),
        **put_class(material.labels[found.rows[order]], material.taxonomy),
        "n": [int(one) if one else None for one in n],
        **put_limits("frequency", frequency, limits=clopper_pearson(np.zeros_like(n), n, level=settings.level)),
        **put_class(found.chosen[order], material.taxonomy, name="chosen"),
        "chosen_n_selected": [int(one) if whole else None for one, whole in zip(k, of, strict=True)],
        "chosen_n": [int(one) if one else None for one in of],
        **put_limits("chosen_share", divide(k, of), limits=clopper_pearson(k, of, level=settings.level)),
    }
    return make_frame(_IMAGES, columns)


def _answer(counts: pl.DataFrame) -> Iterator[str]:
    for row in counts.to_dicts():
        share = format_estimate(from_fields(row, "share"))
        yield f"Possibly mislabeled ({row['rule']}): {row['n_images']:,} of {row['n']:,} images, {share}."


def _note(material: ContextMaterial) -> Iterator[str]:
    if material.counts is None and material.parts is not None:
        yield "Selection frequencies are not known, so images of frequency 0 are those that the split calls mislabeled."
    if material.counts is None and material.parts is None:
        yield f"Images of {NEVER_CONTAINED} left out: no selection frequencies, and no split of the images."
    if material.classify is None:
        yield f"Images {NEVER_CHOSEN} left out: no answers to CLASSIFY."


MISLABELED = Analysis(
    name="mislabeled",
    title="Possibly mislabeled images",
    help="List images whose dataset label nobody saw in them, and what people chose instead, for review.",
    needs=(ContextNeed.DATASET_LABELS,),
    tables={"counts": _COUNTS, "images": _IMAGES},
    analyse=analyse,
    needs_any=(ContextNeed.FREQUENCIES, ContextNeed.SPLIT, ContextNeed.CLASSIFY),
)
