"""What people are experts of ↔ rows."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import delete, insert, select

from regauge.records.campaigns.campaign import AnnotatorEntry
from regauge.storage.database.schema import annotators, expertises
from regauge.storage.study import Study


def find_expertises(study: Study, annotator_id: int) -> frozenset[str]:
    """What somebody is an expert of."""
    mine = expertises.c.annotator_id == annotator_id
    return frozenset(study.connection.scalars(select(expertises.c.words).where(mine)))


def list_expertises(study: Study) -> dict[int, tuple[str, ...]]:
    """Per person who is an expert of something, of what, in the order of the alphabet; those who were erased are none."""
    query = (
        select(expertises.c.annotator_id, expertises.c.words)
        .join(annotators, annotators.c.id == expertises.c.annotator_id)
        .where(annotators.c.erased_at.is_(None))
        .order_by(expertises.c.annotator_id, expertises.c.words)
    )
    found = defaultdict(list)
    for row in study.connection.execute(query):
        found[row.annotator_id].append(row.words)
    return {who: tuple(words) for who, words in found.items()}


def save_expertises(study: Study, person: AnnotatorEntry, words: frozenset[str]) -> None:
    """Let somebody be an expert of these, and of nothing else."""
    study.connection.execute(delete(expertises).where(expertises.c.annotator_id == person.id))
    rows = [{"annotator_id": person.id, "words": one, "added_at": study.around.now()} for one in sorted(words)]
    if rows:
        study.connection.execute(insert(expertises), rows)
