"""Pools of candidates ↔ rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import bindparam, func, insert, select, update

from regauge.arrays import IdArray
from regauge.errors import InputError
from regauge.records.studies import TestSetEntry, TestSetRole
from regauge.records.testsets.fingerprints import Fingerprints
from regauge.records.testsets.pool import Exclusion, ExclusionRule, GatheredImages, PoolFacts
from regauge.storage.database.schema import campaign_images, drawn_images, exclusions, images, pool_images, test_sets
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import insert_test_set, list_image_sets

_COLUMNS = {
    "keywords": pool_images.c.keyword,
    "taken_at": pool_images.c.taken_at,
    "uploaded_at": pool_images.c.uploaded_at,
    "sources": pool_images.c.source,
    "licences": pool_images.c.licence,
    "urls": pool_images.c.url,
    "pixels_sha256": pool_images.c.pixels_sha256,
}
"""Attribute of the facts → column."""
EXCLUSION_COLUMNS = ("rule", "is_excluded", "reason", "who", "at", "same_as")
"""What is written down of an exclusion beside the image, in the order of the record."""


def insert_pool(study: Study, gathered: GatheredImages, *, provenance: Mapping[str, Any]) -> TestSetEntry:
    """Store a batch of candidates under its name.

    Raises:
        InputError: the study has images under that name.
    """
    entry = insert_test_set(study, gathered.located, provenance=provenance, role=TestSetRole.POOL)
    facts = [getattr(gathered.facts, name).tolist() for name in _COLUMNS]
    names = [column.name for column in _COLUMNS.values()]
    rows = [
        {
            "test_set_id": entry.id,
            "row": row,
            **{name: _write(name, fact) for name, fact in zip(names, one, strict=True)},
        }
        for row, one in enumerate(zip(*facts, strict=True))
    ]
    study.connection.execute(insert(pool_images), rows)
    return entry


def list_pools(study: Study) -> tuple[TestSetEntry, ...]:
    """All batches of the pool, the oldest first."""
    return tuple(entry for entry in list_image_sets(study) if entry.role is TestSetRole.POOL)


def get_pools(study: Study, names: Sequence[str] = ()) -> tuple[TestSetEntry, ...]:
    """The batches of those names; without names, all.

    Raises:
        InputError: there is no batch, or none of that name.
    """
    known = {entry.name: entry for entry in list_pools(study)}
    if not known:
        raise InputError("The study has no pool yet; gather candidates with: regauge pool add PATH.")
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise InputError(f"The study has no pool {unknown!r}; it has: {', '.join(known)}.")
    return tuple(known[name] for name in dict.fromkeys(names)) if names else tuple(known.values())


def find_asked_pools(study: Study) -> set[int]:
    """The batches whose images are in a campaign."""
    query = select(test_sets.c.id).where(
        test_sets.c.role == TestSetRole.POOL.value,
        test_sets.c.id.in_(select(campaign_images.c.test_set_id).distinct()),
    )
    return set(study.connection.scalars(query))


def find_drawn_pools(study: Study) -> set[int]:
    """The batches from which a test set was drawn."""
    return set(study.connection.scalars(select(drawn_images.c.pool_id).distinct()))


def load_facts(study: Study, entry: TestSetEntry) -> PoolFacts:
    """Where the images of a batch come from, in row order."""
    return PoolFacts(*(load_fact(study, entry, name=name) for name in _COLUMNS))


def load_fact(study: Study, entry: TestSetEntry, *, name: str) -> IdArray:
    """One column of the facts about a batch, in row order: the others may be long."""
    query = select(_COLUMNS[name]).where(pool_images.c.test_set_id == entry.id).order_by(pool_images.c.row)
    return np.array([fact or "" for fact in study.connection.scalars(query)], np.str_)


def update_checksums(study: Study, entry: TestSetEntry, prints: Fingerprints) -> None:
    """Keep the checksums of a batch that were read after it was added."""
    for column, texts in ((images.c.sha256, prints.sha256), (pool_images.c.pixels_sha256, prints.pixels_sha256)):
        table = column.table
        query = select(table.c.row).where(table.c.test_set_id == entry.id, column.is_(None))
        rows = [{"at": row, "text": str(texts[row])} for row in study.connection.scalars(query) if texts[row]]
        change = update(table).where(table.c.test_set_id == entry.id, table.c.row == bindparam("at"))
        if rows:
            study.connection.execute(change.values({column.name: bindparam("text")}), rows)


def insert_exclusions(study: Study, entry: TestSetEntry, found: Iterable[Exclusion]) -> int:
    """Write down that images of a batch are excluded, or no longer; returns how many.

    Raises:
        InputError: an image is not in the batch.
    """
    query = select(images.c.image_id, images.c.row).where(images.c.test_set_id == entry.id)
    row_of: dict[str, int] = dict(map(tuple, study.connection.execute(query)))
    at, who = study.around.now(), study.around.who
    rows = []
    for one in found:
        if one.image_id not in row_of:
            raise InputError(f"Image {one.image_id!r} is not in the pool {entry.name}.")
        facts = {"rule": one.rule.value, "is_excluded": one.is_excluded, "reason": one.reason, "same_as": one.same_as}
        rows.append({"test_set_id": entry.id, "row": row_of[one.image_id], **facts, "who": who, "at": at})
    if rows:
        study.connection.execute(insert(exclusions), rows)
    return len(rows)


def list_exclusions(study: Study, entry: TestSetEntry, *, rule: ExclusionRule | None = None) -> tuple[Exclusion, ...]:
    """All that was ever written down about images of a batch, by one rule if asked, in that order."""
    query = (
        select(images.c.image_id, *(exclusions.c[name] for name in EXCLUSION_COLUMNS))
        .join(images, (images.c.test_set_id == exclusions.c.test_set_id) & (images.c.row == exclusions.c.row))
        .where(exclusions.c.test_set_id == entry.id)
        .order_by(exclusions.c.id)
    )
    if rule is not None:
        query = query.where(exclusions.c.rule == rule.value)
    return tuple(
        Exclusion(image_id, ExclusionRule(name), *rest) for image_id, name, *rest in study.connection.execute(query)
    )


def count_exclusions(study: Study, entry: TestSetEntry) -> int:
    """How often something was written down about rows of a batch, whether they are images or not."""
    query = select(func.count()).select_from(exclusions).where(exclusions.c.test_set_id == entry.id)
    return study.connection.scalar(query) or 0


def find_excluded(
    study: Study, entry: TestSetEntry, *, rule: ExclusionRule | None = None
) -> dict[str, tuple[Exclusion, ...]]:
    """Per image that is excluded now, by one rule if asked, what holds against it, in the order in which it came up."""
    return find_holding(list_exclusions(study, entry, rule=rule))


def find_holding(written: Iterable[Exclusion]) -> dict[str, tuple[Exclusion, ...]]:
    """Per image that is excluded after all that was written down, what holds against it: the last one of every rule."""
    last = {(one.image_id, one.rule): one for one in written}
    found: dict[str, tuple[Exclusion, ...]] = {}
    for one in last.values():
        if one.is_excluded:
            found[one.image_id] = (*found.get(one.image_id, ()), one)
    return found


def _write(column: str, fact: str) -> str | None:
    """What is not known is not text where a text would be a moment or a checksum."""
    return fact or (None if column in {"taken_at", "uploaded_at", "pixels_sha256"} else "")
