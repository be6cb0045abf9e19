"""Who was shown which image, as what, in which campaign, the first and the last time ↔ rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, func, select

from regauge.records.campaigns.campaign import AssignmentId
from regauge.records.exposure.exposures import AT_WORK, ExposureRole, NewExposure, StoredExposure
from regauge.storage.database.batches import merge_rows
from regauge.storage.database.schema import annotators, assignments, campaign_images, exposures, tasks
from regauge.storage.study import Study

CHUNK = 20_000
"""Rows that are read or written at a time."""

_IN_TASKS = [role.value for role in ExposureRole if role in AT_WORK or role is ExposureRole.TRAINEE]
_COLUMNS = [exposures.c[name] for name in StoredExposure._fields]


def store_exposures(study: Study, found: Iterable[StoredExposure]) -> None:
    """Keep that people were shown images; what is there already only grows at its ends.

    People who were erased, even while this waited, are left out.
    """
    merged: dict[tuple[Any, ...], tuple[str, str]] = {}
    for one in found:
        *key, first_at, last_at = one
        before = merged.get(tuple(key), (first_at, last_at))
        merged[tuple(key)] = (min(before[0], first_at), max(before[1], last_at))
    known = _find_known(study, {int(key[0]) for key in merged})
    rows = [
        dict(zip(StoredExposure._fields, (*key, *ends), strict=True)) for key, ends in merged.items() if key[0] in known
    ]
    for start in range(0, len(rows), CHUNK):
        merge_rows(study, exposures, rows[start : start + CHUNK], least="first_at", most="last_at")


def store_new(study: Study, sent: Sequence[NewExposure]) -> None:
    """Keep that images were sent just now."""
    store_exposures(study, (StoredExposure(*one[:5], one.at, one.at) for one in sent))


def count_rows(study: Study, annotator_ids: Collection[int]) -> int:
    """How many rows there are of some people."""
    query = select(func.count()).select_from(exposures).where(exposures.c.annotator_id.in_(annotator_ids))
    return study.connection.scalar(query) or 0


def list_exposures(
    study: Study, *, annotator_ids: Collection[int] | None = None, since: str = ""
) -> Iterator[StoredExposure]:
    """What people were shown, of everybody by default, with what was shown once more since a moment."""
    wanted: list[ColumnElement[bool]] = [exposures.c.last_at >= since] if since else []
    if annotator_ids is not None:
        wanted.append(exposures.c.annotator_id.in_(annotator_ids))
    for rows in study.connection.execute(select(*_COLUMNS).where(*wanted)).partitions(CHUNK):
        yield from map(_make, rows)


def delete_unshown(study: Study, assignment_id: AssignmentId, numbers: Collection[int]) -> None:
    """Take back that images of a task were sent, by their numbers in the campaign, for the page says that they were not shown.

    What somebody was shown of the campaign before the task was theirs stays.
    """
    columns = (assignments.c.annotator_id, assignments.c.leased_at, tasks.c.campaign_id)
    query = select(*columns).join(tasks, tasks.c.id == assignments.c.task_id).where(assignments.c.id == assignment_id)
    annotator_id, leased_at, campaign_id = study.connection.execute(query).one()
    shown = campaign_images.c
    places = select(shown.test_set_id, shown.row).where(shown.campaign_id == campaign_id, shown.number.in_(numbers))
    for test_set_id, row in study.connection.execute(places).all():
        unshown = (
            exposures.c.annotator_id == annotator_id,
            exposures.c.test_set_id == test_set_id,
            exposures.c.row == row,
            exposures.c.role.in_(_IN_TASKS),
            exposures.c.campaign_id == campaign_id,
            exposures.c.first_at >= leased_at,
        )
        study.connection.execute(delete(exposures).where(*unshown))


def _find_known(study: Study, annotator_ids: Collection[int]) -> frozenset[int]:
    """Those of some people who are there and were not erased."""
    if not annotator_ids:
        return frozenset()
    query = select(annotators.c.id).where(annotators.c.id.in_(annotator_ids), annotators.c.erased_at.is_(None))
    return frozenset(study.connection.scalars(query))


def _make(row: Row[Any]) -> StoredExposure:
    annotator_id, test_set_id, number, role, *rest = tuple(row)
    return StoredExposure(annotator_id, test_set_id, number, ExposureRole(role), *rest)
