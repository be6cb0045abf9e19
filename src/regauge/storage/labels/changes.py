"""Versions of labels that are stored as what changed ↔ rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Select, Table, insert, select

from regauge.arrays import NO_CLASS
from regauge.records.labels.changes import VersionChanges
from regauge.storage.database.schema import label_image_changes, verdict_changes
from regauge.storage.study import Study

_OF_IMAGES = ("image_id", "is_removed", "is_problematic", "main_label")
_OF_VERDICTS = ("image_id", "class_index", "verdict")


def insert_changes(study: Study, label_set_id: int, changes: VersionChanges) -> None:
    """Store what changed from the version before."""
    gone = [(image_id, True, False, NO_CLASS) for image_id in changes.removed.tolist()]
    columns = (changes.images, changes.is_problematic, changes.main_labels)
    other = [(image_id, False, *rest) for image_id, *rest in zip(*(one.tolist() for one in columns), strict=True)]
    _insert(study, label_image_changes, label_set_id, _OF_IMAGES, [*gone, *other])
    judged = (changes.verdict_images, changes.classes, changes.verdicts)
    rows = list(zip(*(one.tolist() for one in judged), strict=True))
    _insert(study, verdict_changes, label_set_id, _OF_VERDICTS, rows)


def load_changes(
    study: Study, chain: Sequence[int], *, image_ids: Collection[str] | None = None
) -> Iterator[VersionChanges]:
    """What changed in each of some versions, in their order; of some images alone, where they are named."""
    if not chain:
        return
    of_images = _group(study, _select(label_image_changes, _OF_IMAGES, chain, image_ids))
    of_verdicts = _group(study, _select(verdict_changes, _OF_VERDICTS, chain, image_ids))
    for one in chain:
        changed, judged = of_images.get(one, []), of_verdicts.get(one, [])
        there = [row for row in changed if not row[1]]
        yield VersionChanges(
            removed=np.array([row[0] for row in changed if row[1]], np.str_),
            images=np.array([row[0] for row in there], np.str_),
            is_problematic=np.array([row[2] for row in there], np.bool_),
            main_labels=np.array([row[3] for row in there], np.int32),
            verdict_images=np.array([row[0] for row in judged], np.str_),
            classes=np.array([row[1] for row in judged], np.int32),
            verdicts=np.array([row[2] for row in judged], np.int8),
        )


def _insert(
    study: Study, table: Table, label_set_id: int, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    if rows:
        numbered = [
            {"label_set_id": label_set_id, "place": place, **dict(zip(names, row, strict=True))}
            for place, row in enumerate(rows)
        ]
        study.connection.execute(insert(table), numbered)


def _select(table: Table, names: Sequence[str], chain: Sequence[int], image_ids: Collection[str] | None) -> Select[Any]:
    query = select(table.c.label_set_id, *(table.c[name] for name in names)).where(table.c.label_set_id.in_(chain))
    if image_ids is not None:
        query = query.where(table.c.image_id.in_(image_ids))
    return query.order_by(table.c.label_set_id, table.c.place)


def _group(study: Study, query: Select[Any]) -> dict[int, list[tuple[Any, ...]]]:
    found: dict[int, list[tuple[Any, ...]]] = {}
    for label_set_id, *row in study.connection.execute(query):
        found.setdefault(label_set_id, []).append(tuple(row))
    return found
