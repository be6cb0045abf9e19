"""What is known besides verdicts ↔ rows: what they rest on, the objects of images, and how often classes were selected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Table, insert, select

from regauge.arrays import IdArray
from regauge.errors import InputError
from regauge.records.labels.evidence import NO_EVIDENCE, LabelEvidence, VerdictEvidence
from regauge.records.labels.frequencies import AnnotatorSpread, SelectionCounts
from regauge.records.labels.objects import NO_OBJECT, ImageObjects
from regauge.records.studies import LabelSetEntry
from regauge.storage.database.schema import label_frequencies, label_images, label_objects, verdict_evidence
from regauge.storage.labels.changes import load_changes
from regauge.storage.labels.label_set import list_chain, load_label_set
from regauge.storage.study import Study

SPREAD = "annotator_spread"
"""Where the provenance of a label set keeps how far the annotators behind its counts differ; older ones lack it."""


def insert_objects(study: Study, entry: LabelSetEntry, objects: ImageObjects) -> None:
    """Store the objects of a label set's images.

    Raises:
        InputError: an image is not one of the label set.
    """
    rows = _find_rows(study, entry, objects.image_ids)
    of_label = objects.label_objects
    images = objects.object_images[of_label]
    numbers = of_label - objects.object_starts[images]
    columns = {
        "row": rows[images],
        "object": numbers,
        "class_index": objects.classes,
        "is_name": objects.classes == objects.names[of_label],
        "is_main": numbers == objects.main_objects[images],
    }
    _insert(study, label_objects, entry, columns)


def insert_frequencies(study: Study, entry: LabelSetEntry, counts: SelectionCounts) -> None:
    """Store the selection counts behind a label set.

    Raises:
        InputError: an image is not one of the label set.
    """
    rows = _find_rows(study, entry, counts.image_ids)
    columns = {
        "row": rows[counts.images],
        "class_index": counts.classes,
        "n_shown": counts.n_shown,
        "n_selected": counts.n_selected,
    }
    _insert(study, label_frequencies, entry, columns)


def find_objects(study: Study, entry: LabelSetEntry) -> ImageObjects | None:
    """The objects of the label set's images, called NAME@VERSION; None where none are known."""
    found = _select(study, label_objects, entry, ("row", "object", "class_index", "is_name", "is_main"))
    if not len(found):
        return None
    ids = _load_ids(study, entry)
    objects: list[list[list[int]]] = [[] for _ in ids]
    names: list[list[int]] = [[] for _ in ids]
    main = [NO_OBJECT] * len(ids)
    for row, number, class_index, is_name, is_main in found.tolist():
        if number == len(objects[row]):
            objects[row].append([])
        objects[row][number].append(class_index)
        names[row] += [class_index] * is_name
        main[row] = number if is_main else main[row]
    return ImageObjects.from_lists(entry.full_name, ids, objects=objects, names=names, main_objects=main)


def has_frequencies(study: Study, entry: LabelSetEntry) -> bool:
    """Whether selection counts are known behind the label set."""
    query = select(label_frequencies.c.row).where(label_frequencies.c.label_set_id == entry.id).limit(1)
    return study.connection.execute(query).first() is not None


def find_frequencies(study: Study, entry: LabelSetEntry) -> SelectionCounts | None:
    """The selection counts behind the label set, called NAME@VERSION; None where none are known."""
    found = _select(study, label_frequencies, entry, ("row", "class_index", "n_shown", "n_selected"))
    if not len(found):
        return None
    rows, classes = found[:, :2].astype(np.int32).T
    return SelectionCounts(
        _load_ids(study, entry), rows, classes, found[:, 2], found[:, 3], entry.full_name, find_spread(entry)
    )


def insert_evidence(study: Study, entry: LabelSetEntry, evidence: LabelEvidence) -> None:
    """Store what the verdicts of a label set rest on; of a version that is stored as changes, what is not known already."""
    known = {} if entry.base_id is None else find_evidence(study, entry).by_pair
    rows = [
        {
            "label_set_id": entry.id,
            "place": place,
            "image_id": pair[0],
            "class_index": pair[1],
            "evidence": one.to_dict(),
        }
        for place, (pair, one) in enumerate(
            (pair, one) for pair, one in evidence.by_pair.items() if known.get(pair, NO_EVIDENCE) != one
        )
    ]
    if rows:
        study.connection.execute(insert(verdict_evidence), rows)


def find_evidence(study: Study, entry: LabelSetEntry) -> LabelEvidence:
    """What the verdicts of a label set rest on; no entries where nothing is known.

    A verdict that did not change rests on what it rested on before; one that changed, on what came with the change.
    """
    chain = list_chain(study, entry)
    columns = (verdict_evidence.c[name] for name in ("label_set_id", "image_id", "class_index", "evidence"))
    query = select(*columns).where(verdict_evidence.c.label_set_id.in_(chain))
    rows: dict[int, list[tuple[tuple[str, int], VerdictEvidence]]] = {}
    for version, image_id, class_index, stored in study.connection.execute(query.order_by(verdict_evidence.c.place)):
        rows.setdefault(version, []).append(((image_id, class_index), VerdictEvidence.from_dict(stored)))
    found = dict(rows.get(chain[0], ()))
    for version, changes in zip(chain[1:], load_changes(study, chain[1:]), strict=True):
        removed = set(changes.removed.tolist())
        if removed:
            found = {pair: one for pair, one in found.items() if pair[0] not in removed}
        for pair in zip(changes.verdict_images.tolist(), changes.classes.tolist(), strict=True):
            found.pop(pair, None)
        found |= dict(rows.get(version, ()))
    return LabelEvidence.from_pairs(entry.full_name, {pair: one for pair, one in found.items() if one != NO_EVIDENCE})


def find_spread(entry: LabelSetEntry) -> AnnotatorSpread | None:
    """How far the annotators behind the label set's counts differ; None where this was not kept."""
    kept = entry.provenance.get(SPREAD)
    return None if kept is None else AnnotatorSpread(**kept)


def _find_rows(study: Study, entry: LabelSetEntry, image_ids: IdArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    row_of = {image_id: row for row, image_id in enumerate(_load_ids(study, entry).tolist())}
    unknown = next((one for one in image_ids.tolist() if one not in row_of), None)
    if unknown is not None:
        raise InputError(f"Image {unknown!r} has objects or frequencies, but is not in the label set {entry.name}.")
    return np.array([row_of[one] for one in image_ids.tolist()], np.int64)


def _insert(study: Study, table: Table, entry: LabelSetEntry, columns: dict[str, Any]) -> None:
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    rows = [
        {"label_set_id": entry.id, "place": place, **dict(zip(columns, one, strict=True))}
        for place, one in enumerate(values)
    ]
    if rows:
        study.connection.execute(insert(table), rows)


def _select(
    study: Study, table: Table, entry: LabelSetEntry, columns: Sequence[str]
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    query = select(*(table.c[name] for name in columns)).where(table.c.label_set_id == entry.id).order_by(table.c.place)
    return np.array([tuple(row) for row in study.connection.execute(query)], np.int64).reshape(-1, len(columns))


def _load_ids(study: Study, entry: LabelSetEntry) -> IdArray:
    if entry.base_id is not None:
        return load_label_set(study, entry).image_ids
    query = select(label_images.c.image_id).where(label_images.c.label_set_id == entry.id).order_by(label_images.c.row)
    return np.array(study.connection.execute(query).scalars().all(), np.str_)
