"""Participants ↔ rows: what each is, and what it belongs with. Whoever has no row is a model of no family."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, insert, select

from regauge.errors import InputError
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import ParticipantEntry
from regauge.storage.database.schema import participants
from regauge.storage.study import Study


def load_participants(study: Study) -> Mapping[str, ParticipantEntry]:
    """Everybody of whom something was said, by name.

    Raises:
        InputError: somebody is said to be neither a model nor a person.
    """
    rows = study.connection.execute(select(participants).order_by(participants.c.name)).mappings().all()
    odd = next((row for row in rows if row["kind"] not in set(ParticipantKind)), None)
    if odd is not None:
        raise InputError(f"{odd['name']!r:.80} is said to be {odd['kind']!r:.40}; participants are models or people.")
    return {row["name"]: ParticipantEntry(row["name"], ParticipantKind(row["kind"]), row["family"]) for row in rows}


def find_people(study: Study) -> frozenset[str]:
    """The names of the participants who are people."""
    query = select(participants.c.name).where(participants.c.kind == ParticipantKind.PERSON.value)
    return frozenset(study.connection.execute(query).scalars())


def save_participant(study: Study, entry: ParticipantEntry) -> None:
    """Say what a participant is, in place of what was said before."""
    study.connection.execute(delete(participants).where(participants.c.name == entry.name))
    row = {"name": entry.name, "kind": entry.kind.value, "family": entry.family}
    study.connection.execute(insert(participants), row)
