"""Codings ↔ rows; a version, once stored, never changes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Row, RowMapping, Select, case, func, insert, select, update

from regauge.errors import InputError
from regauge.records.mistakes.coded import SEVERITIES, CodedMistakes, DefinedCategory, Severity, name_categories
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding, OverturnedMistakes
from regauge.records.names import check_name, check_new_names
from regauge.records.studies import SUPERSEDED
from regauge.storage.database.schema import coded_mistakes, label_sets, mistake_codings, test_sets
from regauge.storage.labels.label_set import find_version, get_label_set
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set

_MAJOR = SEVERITIES.index(Severity.MAJOR)


def insert_coding(study: Study, coding: MistakeCoding) -> CodingEntry:
    """Store a coding as the next version of its name.

    Raises:
        InputError: there is no such test set or label set, or the coding cannot be called that: the name is another's.
    """
    versions = find_versions(study, coding.name)
    if not versions:
        taken = study.connection.scalars(select(mistake_codings.c.name))
        check_new_names([check_name(coding.name, what="A coding")], taken, what="A coding")
    elif (versions[-1].participant, versions[-1].test_set) != (coding.participant, coding.test_set):
        raise InputError(
            f"The coding {coding.name} holds mistakes of {versions[-1].participant} on {versions[-1].test_set}, so those of "
            f"{coding.participant} on {coding.test_set} are no new version of it; give them another name with `name=…`."
        )
    row = {
        "name": coding.name,
        "version": len(versions) + 1,
        "participant": coding.participant,
        "test_set_id": get_test_set(study, coding.test_set).id,
        "label_set_id": get_label_set(study, coding.labels).id,
        "source": coding.source,
        "categories": [[str(one.name), one.definition] for one in coding.categories],
        "who": coding.who or study.around.who,
        "at": coding.at or study.around.now(),
        "provenance": dict(coding.provenance),
    }
    new_id = study.connection.execute(insert(mistake_codings).returning(mistake_codings.c.id), row).scalar_one()
    rows = [{"coding_id": new_id, "place": place, **one} for place, one in enumerate(_list_mistakes(coding))]
    if rows:
        study.connection.execute(insert(coded_mistakes), rows)
    return find_versions(study, coding.name)[-1]


def void_coding(study: Study, entry: CodingEntry, *, by: str | None) -> None:
    """Mark a version that was made with answers that were erased since, and take out what coders wrote; its codes stay.

    Args:
        study: the study, inside a transaction that may write.
        entry: the version.
        by: what takes its place, NAME@VERSION; None for nothing.
    """
    mark = {SUPERSEDED: {"at": study.around.now(), "by": by, "why": "erasure"}}
    change = update(mistake_codings).where(mistake_codings.c.id == entry.id)
    study.connection.execute(change.values(provenance={**entry.provenance, **mark}))
    study.connection.execute(update(coded_mistakes).where(coded_mistakes.c.coding_id == entry.id).values(note=""))


def list_codings(study: Study, *, participant: str | None = None) -> tuple[CodingEntry, ...]:
    """All versions of all codings in the order in which they were added, or those of one participant's mistakes."""
    query = _select_entries()
    if participant is not None:
        query = query.where(mistake_codings.c.participant == participant)
    return tuple(map(_make_entry, study.connection.execute(query).mappings()))


def find_versions(study: Study, name: str) -> tuple[CodingEntry, ...]:
    """All versions of one coding, the oldest first; none where there is no such coding."""
    query = _select_entries().where(mistake_codings.c.name == name)
    return tuple(map(_make_entry, study.connection.execute(query).mappings()))


def get_coding(study: Study, name: str) -> CodingEntry:
    """The version that NAME@VERSION stands for; of a plain NAME, the latest.

    Raises:
        InputError: there is no such coding or version.
    """
    found = find_version(name, partial(find_versions, study), what="Coding")
    if found is not None:
        return found
    known = ", ".join(dict.fromkeys(entry.name for entry in list_codings(study)))
    hint = f"it has: {known}." if known else "add one with: regauge mistakes add FILE."
    raise InputError(f"The study has no coding {name!r}; {hint}")


def load_coding(study: Study, entry: CodingEntry) -> MistakeCoding:
    """The coding of that version, called NAME@VERSION so that results say which it was; its mistakes as the participant."""
    kept = select(mistake_codings.c.categories).where(mistake_codings.c.id == entry.id)
    categories = tuple(DefinedCategory(*one) for one in study.connection.execute(kept).scalar_one())
    query = select(coded_mistakes).where(coded_mistakes.c.coding_id == entry.id).order_by(coded_mistakes.c.place)
    rows = study.connection.execute(query).all()
    coded = [row for row in rows if not row.is_overturned]
    overturned = [row for row in rows if row.is_overturned]
    return MistakeCoding(
        name=entry.full_name,
        participant=entry.participant,
        test_set=entry.test_set,
        labels=entry.labels,
        source=entry.source,
        coded=_make_coded(entry.participant, coded, category_names=name_categories(categories)),
        overturned=OverturnedMistakes(
            *_make_pairs(overturned), tuple(row.reason for row in overturned), tuple(row.note for row in overturned)
        ),
        categories=categories,
        who=entry.who,
        at=entry.at,
        provenance=entry.provenance,
        id=entry.id,
        remarks=tuple(row.note for row in coded),
    )


def _list_mistakes(coding: MistakeCoding) -> list[dict[str, Any]]:
    """The columns of each mistake: those that remain in their order, then those that were overturned in theirs."""
    coded, overturned = coding.coded, coding.overturned
    columns = (coded.image_ids, coded.predictions, coded.categories, coded.severities)
    remaining = [
        (*codes, "", remark, False)
        for *codes, remark in zip(*(column.tolist() for column in columns), coding.remarks, strict=True)
    ]
    pairs = zip(overturned.image_ids.tolist(), overturned.predictions.tolist(), strict=True)
    gone = [
        (*pair, None, None, reason, note, True)
        for pair, reason, note in zip(pairs, overturned.reasons, overturned.notes, strict=True)
    ]
    names = ("image_id", "prediction", "category", "severity", "reason", "note", "is_overturned")
    return [dict(zip(names, one, strict=True)) for one in (*remaining, *gone)]


def _make_pairs(rows: Sequence[Row[Any]]) -> tuple[Any, Any]:
    return np.array([row.image_id for row in rows], np.str_), np.array([row.prediction for row in rows], np.int32)


def _make_coded(name: str, rows: Sequence[Row[Any]], *, category_names: tuple[str, ...]) -> CodedMistakes:
    if any(row.category is None or row.severity is None for row in rows):
        raise InputError(f"A coded mistake of {name} has no category or no severity, and is not overturned either.")
    return CodedMistakes(
        name,
        *_make_pairs(rows),
        categories=np.array([row.category for row in rows], np.int8),
        severities=np.array([row.severity for row in rows], np.int8),
        category_names=category_names,
    )


def _select_entries() -> Select[Any]:
    names = ("id", "name", "version", "participant", "source", "who", "at", "provenance")
    counts = (
        _count(coded_mistakes.c.is_overturned.is_(False)).label("n_coded"),
        _count(coded_mistakes.c.severity == _MAJOR).label("n_major"),
        _count(coded_mistakes.c.is_overturned.is_(True)).label("n_overturned"),
    )
    counted = select(coded_mistakes.c.coding_id, *counts).group_by(coded_mistakes.c.coding_id).subquery()
    return (
        select(
            *(mistake_codings.c[name] for name in names),
            test_sets.c.name.label("test_set"),
            label_sets.c.name.label("labels"),
            label_sets.c.version.label("labels_version"),
            *(func.coalesce(counted.c[one.name], 0).label(one.name) for one in counts),
        )
        .join(test_sets, mistake_codings.c.test_set_id == test_sets.c.id)
        .join(label_sets, mistake_codings.c.label_set_id == label_sets.c.id)
        .outerjoin(counted, counted.c.coding_id == mistake_codings.c.id)
        .order_by(mistake_codings.c.id)
    )


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _make_entry(row: RowMapping) -> CodingEntry:
    columns = dict(row)
    columns["labels"] = f"{columns['labels']}@{columns.pop('labels_version')}"
    return CodingEntry(**columns)
