"""Relations between classes ↔ rows; a decision is a new row, which supersedes those before it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Row, insert, select

from regauge.records.labels.relations import RelationEntry, RelationSupport
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.storage.database.schema import class_relations
from regauge.storage.study import Study


def insert_relations(study: Study, entries: Iterable[RelationEntry]) -> None:
    """Write down relations, each with what was decided about it by whom and when."""
    rows = [_make_row(entry) for entry in entries]
    if rows:
        study.connection.execute(insert(class_relations), rows)


def list_relations(study: Study) -> tuple[RelationEntry, ...]:
    """Every relation with what was decided last, in the order in which they were first written down."""
    found: dict[tuple[RelationKind, int, int], RelationEntry] = {}
    for row in study.connection.execute(select(class_relations).order_by(class_relations.c.id)):
        entry = _make_entry(row)
        found[entry.relation.key] = entry
    return tuple(found.values())


def list_accepted(study: Study) -> tuple[ClassRelation, ...]:
    """The relations that hold at present."""
    return tuple(entry.relation for entry in list_relations(study) if entry.relation.is_accepted)


def _make_row(entry: RelationEntry) -> dict[str, object]:
    one = entry.relation
    kind, first, second = one.key
    texts = {name: getattr(one, name) for name in ("reason", "source", "who", "at")}
    support = {} if entry.support is None else entry.support.to_dict()
    return {
        "kind": kind.value,
        "first_class": first,
        "second_class": second,
        "status": one.status.value,
        **texts,
        "support": support,
    }


def _make_entry(row: Row[tuple[object, ...]]) -> RelationEntry:
    relation = ClassRelation(
        RelationKind(row.kind),
        row.first_class,
        row.second_class,
        row.reason,
        row.source,
        row.who,
        row.at,
        RelationStatus(row.status),
    )
    return RelationEntry(relation, RelationSupport.from_dict(row.support) if row.support else None)
