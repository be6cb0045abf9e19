"""Drawn test sets ↔ rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sqlalchemy import Column, insert, select

from regauge.arrays import CountArray
from regauge.errors import InputError
from regauge.records.studies import LocatedTestSet, TestSetEntry, TestSetRole
from regauge.records.testsets.pool import DrawAnnotators, DrawEntry, DrawSources, Exclusion, ExclusionRule
from regauge.records.testsets.sampling import Draw, SamplingPlan, Shortfall, Strategy
from regauge.storage.database.schema import class_reviews, drawn_images, draws, exclusions, images, test_sets
from regauge.storage.study import Study
from regauge.storage.testsets.pool import EXCLUSION_COLUMNS, find_holding
from regauge.storage.testsets.test_set import get_test_set, insert_test_set, list_test_sets

_COLUMNS = ("n_shown", "n_selected", "keywords", "is_carried", "is_upward")


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSet:
    """A test set that was drawn, ready to be stored.

    Attributes:
        located: its images with their labels and places, in the order of the draw.
        draw: how each was drawn.
        sources: from what.
        pool_ids: per image, the batch that it is from.
        pool_rows: per image, its row there.
    """

    located: LocatedTestSet
    draw: Draw
    sources: DrawSources
    pool_ids: CountArray
    pool_rows: CountArray


def insert_draw(study: Study, drawn: DrawnSet, *, parent: TestSetEntry | None = None) -> TestSetEntry:
    """Store a drawn test set, with how it was drawn.

    Raises:
        InputError: the study has images under that name.
    """
    draw = drawn.draw
    provenance = {"drawn": str(draw.plan.strategy), "seed": draw.plan.seed, "pools": list(drawn.sources.pools)}
    parent_id = None if parent is None else parent.id
    entry = insert_test_set(study, drawn.located, provenance=provenance, parent_id=parent_id)
    row = {
        "test_set_id": entry.id,
        "plan": dump_plan(draw.plan),
        "sources": asdict(drawn.sources),
        "shortfalls": [asdict(one) for one in draw.shortfalls],
        "excluded": [[*where, n] for where, n in draw.exclusions.items()],
    }
    study.connection.execute(insert(draws), row)
    columns = [drawn.pool_ids, drawn.pool_rows, *(getattr(draw, name) for name in _COLUMNS)]
    names = ["pool_id", "pool_row", *("keyword" if name == "keywords" else name for name in _COLUMNS)]
    rows = [
        {"test_set_id": entry.id, "row": number, **dict(zip(names, one, strict=True))}
        for number, one in enumerate(zip(*(column.tolist() for column in columns), strict=True))
    ]
    if rows:
        study.connection.execute(insert(drawn_images), rows)
    return entry


def find_draw(study: Study, entry: TestSetEntry) -> DrawEntry | None:
    """How a test set was drawn; None for one that was added as it is."""
    row = study.connection.execute(select(draws).where(draws.c.test_set_id == entry.id)).mappings().one_or_none()
    if row is None:
        return None
    return DrawEntry(
        test_set=entry.name,
        parent=_name_parent(study, entry),
        plan=load_plan(row["plan"]),
        sources=_load_sources(row["sources"]),
        shortfalls=tuple(Shortfall(**one) for one in row["shortfalls"]),
        excluded=tuple((*one,) for one in row["excluded"]),
    )


def get_draw(study: Study, entry: TestSetEntry) -> DrawEntry:
    """How a test set was drawn.

    Raises:
        InputError: it was added as it is.
    """
    found = find_draw(study, entry)
    if found is None:
        raise InputError(f"Test set {entry.name!r} was added as it is, not drawn from a pool.")
    return found


def find_originals(study: Study, names: Sequence[str] = ()) -> tuple[TestSetEntry, ...]:
    """The test sets whose images must not come back: those named, or else all that were not drawn from a pool.

    Raises:
        InputError: there is no such test set.
    """
    if not names:
        return tuple(entry for entry in list_test_sets(study) if find_draw(study, entry) is None)
    found = tuple(get_test_set(study, name) for name in names)
    pool = next((entry.name for entry in found if entry.role is TestSetRole.POOL), None)
    if pool is not None:
        raise InputError(f"{pool!r} is a pool of candidates; the original data are a test set.")
    return found


def insert_review(study: Study, entry: TestSetEntry, class_index: int) -> bool:
    """Store that somebody has looked at a class; returns False where they had before."""
    mine = {"test_set_id": entry.id, "class_index": class_index, "who": study.around.who}
    known = select(class_reviews.c.id).where(*(class_reviews.c[name] == value for name, value in mine.items()))
    if study.connection.execute(known).first() is not None:
        return False
    study.connection.execute(insert(class_reviews), {**mine, "at": study.around.now()})
    return True


def list_reviewed(study: Study, entry: TestSetEntry) -> list[int]:
    """The classes of a test set that somebody has looked at."""
    query = select(class_reviews.c.class_index).where(class_reviews.c.test_set_id == entry.id).distinct()
    return list(study.connection.scalars(query))


def load_draw(study: Study, entry: TestSetEntry) -> Draw:
    """How each image of a test set was drawn, in row order.

    Raises:
        InputError: the test set was not drawn.
    """
    found = get_draw(study, entry)
    query = (
        select(images.c.image_id, images.c.label, *_list_columns())
        .join(images, (images.c.test_set_id == drawn_images.c.test_set_id) & (images.c.row == drawn_images.c.row))
        .where(drawn_images.c.test_set_id == entry.id)
        .order_by(drawn_images.c.row)
    )
    rows = study.connection.execute(query).all()
    types = (np.str_, np.int32, np.int64, np.int64, np.str_, np.bool_, np.bool_)
    columns: dict[str, Any] = {
        name: np.array([row[place] for row in rows], kind)
        for place, (name, kind) in enumerate(zip(("image_ids", "classes", *_COLUMNS), types, strict=True))
    }
    excluded = {(index, where, reason): n for index, where, reason, n in found.excluded}
    return Draw(found.plan, **columns, shortfalls=found.shortfalls, exclusions=excluded)


def load_pool_rows(study: Study, entry: TestSetEntry) -> tuple[CountArray, CountArray]:
    """Per image of a drawn test set, the batch that it is from and its row there."""
    columns = (drawn_images.c.pool_id, drawn_images.c.pool_row)
    query = select(*columns).where(drawn_images.c.test_set_id == entry.id).order_by(drawn_images.c.row)
    # As plain tuples: NumPy asks the database's rows for names that they do not have, which takes ten times as long.
    found = np.array([tuple(row) for row in study.connection.execute(query)], np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def list_drawn_exclusions(study: Study, entry: TestSetEntry) -> tuple[Exclusion, ...]:
    """All that was ever written down in their pools about the images of a drawn test set, in that order."""
    columns = [exclusions.c[name] for name in EXCLUSION_COLUMNS]
    is_pooled = (drawn_images.c.pool_id == exclusions.c.test_set_id) & (drawn_images.c.pool_row == exclusions.c.row)
    query = (
        select(images.c.image_id, *columns)
        .join(drawn_images, is_pooled)
        .join(images, (images.c.test_set_id == drawn_images.c.test_set_id) & (images.c.row == drawn_images.c.row))
        .where(drawn_images.c.test_set_id == entry.id)
        .order_by(exclusions.c.id)
    )
    return tuple(
        Exclusion(image_id, ExclusionRule(name), *rest) for image_id, name, *rest in study.connection.execute(query)
    )


def find_barred(study: Study, entry: TestSetEntry) -> dict[str, tuple[Exclusion, ...]]:
    """The images of a drawn test set that could not be taken any more, by a review or any other rule, with what holds."""
    return find_holding(list_drawn_exclusions(study, entry))


def find_drawn_images(study: Study, entry: TestSetEntry) -> set[str]:
    """The images of a batch that a drawn test set holds."""
    is_pooled = (drawn_images.c.pool_id == images.c.test_set_id) & (drawn_images.c.pool_row == images.c.row)
    query = select(images.c.image_id).join(drawn_images, is_pooled).where(images.c.test_set_id == entry.id)
    return set(study.connection.scalars(query))


def find_pool(study: Study, entry: TestSetEntry, *, image_id: str) -> int | None:
    """The batch that an image of a drawn test set is from; None where the image is not in it."""
    query = (
        select(drawn_images.c.pool_id)
        .join(images, (images.c.test_set_id == drawn_images.c.test_set_id) & (images.c.row == drawn_images.c.row))
        .where(drawn_images.c.test_set_id == entry.id, images.c.image_id == image_id)
    )
    return study.connection.scalar(query)


def _list_columns() -> list[Column[Any]]:
    return [drawn_images.c["keyword" if name == "keywords" else name] for name in _COLUMNS]


def _name_parent(study: Study, entry: TestSetEntry) -> str:
    if entry.parent_id is None:
        return ""
    return str(study.connection.scalar(select(test_sets.c.name).where(test_sets.c.id == entry.parent_id)))


def _load_sources(stored: dict[str, Any]) -> DrawSources:
    keywords = tuple((*one,) for one in stored.get("keywords", ()))
    return DrawSources(
        pools=tuple(stored["pools"]),
        original=stored["original"],
        frequencies=tuple(stored["frequencies"]),
        annotators=DrawAnnotators(stored["annotators"]),
        keywords=keywords,
    )


def dump_plan(plan: SamplingPlan) -> dict[str, Any]:
    """A plan as JSON has it."""
    return {**asdict(plan), "class_thresholds": {str(index): share for index, share in plan.class_thresholds.items()}}


def load_plan(stored: Mapping[str, Any]) -> SamplingPlan:
    """A plan from what `dump_plan` made of it."""
    thresholds = {int(index): share for index, share in stored["class_thresholds"].items()}
    return SamplingPlan(**{**stored, "strategy": Strategy(stored["strategy"]), "class_thresholds": thresholds})
