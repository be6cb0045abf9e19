"""Names that are one person's, and what people know from outside of the study ↔ rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, update

from regauge.records.exposure.exposures import DeclaredExposure, NamedPerson
from regauge.storage.database.schema import (
    annotators,
    declared_exposures,
    participants,
    predictions,
    same_people,
    test_sets,
)
from regauge.storage.study import Study

MADE_OF = "made of their answers"


def find_person(study: Study, name: str) -> NamedPerson | None:
    """Somebody by a name: an annotator, else a participant; None where nobody is called that."""
    annotator_id = study.connection.scalar(select(annotators.c.id).where(annotators.c.name == name))
    if annotator_id is not None:
        return NamedPerson(name, int(annotator_id))
    is_there = select(predictions.c.participant).where(predictions.c.participant == name).limit(1)
    is_named = select(participants.c.name).where(participants.c.name == name)
    found = study.connection.scalar(is_there) or study.connection.scalar(is_named)
    return None if found is None else NamedPerson(name)


def list_same_people(study: Study) -> tuple[tuple[int, NamedPerson], ...]:
    """Names that were said to be one person's, each with the number of the person, in the order in which they were said."""
    name = func.coalesce(annotators.c.name, same_people.c.participant)
    query = (
        select(same_people.c.person, name, same_people.c.annotator_id)
        .select_from(same_people.outerjoin(annotators, annotators.c.id == same_people.c.annotator_id))
        .order_by(same_people.c.id)
    )
    return tuple((row[0], NamedPerson(row[1], row[2])) for row in study.connection.execute(query))


def list_names_of(study: Study, annotator_id: int) -> tuple[int, ...]:
    """The numbers of the annotators that are one person with one of them, that one among them."""
    person = select(same_people.c.person).where(same_people.c.annotator_id == annotator_id).scalar_subquery()
    query = select(same_people.c.annotator_id).where(
        same_people.c.person == person, same_people.c.annotator_id.is_not(None)
    )
    return tuple(study.connection.scalars(query.order_by(same_people.c.annotator_id))) or (annotator_id,)


def find_same_annotators(study: Study) -> dict[int, int]:
    """By the number of every annotator who has several names, that of the one of them that was said first."""
    first: dict[int, int] = {}
    same = {}
    for person, one in list_same_people(study):
        if one.annotator_id is not None:
            same[one.annotator_id] = first.setdefault(person, one.annotator_id)
    return same


def list_declared_of(study: Study, annotator_id: int) -> tuple[tuple[int, int, str | None], ...]:
    """The sets that somebody was declared to know, under whichever of their names: the set, its size, and the last day."""
    person = select(same_people.c.person).where(same_people.c.annotator_id == annotator_id).scalar_subquery()
    own = select(same_people.c.annotator_id, same_people.c.participant).where(same_people.c.person == person).subquery()
    is_theirs = or_(
        declared_exposures.c.annotator_id == annotator_id,
        declared_exposures.c.annotator_id.in_(select(own.c.annotator_id)),
        declared_exposures.c.participant.in_(select(own.c.participant)),
    )
    columns = (test_sets.c.id, test_sets.c.n_images, declared_exposures.c.until)
    query = select(*columns).join(declared_exposures, declared_exposures.c.test_set_id == test_sets.c.id)
    rows = study.connection.execute(query.where(is_theirs).order_by(declared_exposures.c.id))
    return tuple((row[0], row[1], row[2]) for row in rows)


def say_same(study: Study, names: Sequence[NamedPerson], *, why: str) -> None:
    """Keep that names are one person's, with all other names that any of them has."""
    known = {person: number for number, person in list_same_people(study)}
    numbers = sorted({known[one] for one in names if one in known})
    last = study.connection.scalar(select(func.max(same_people.c.person))) or 0
    number = numbers[0] if numbers else last + 1
    study.connection.execute(update(same_people).where(same_people.c.person.in_(numbers)).values(person=number))
    said = {"person": number, "why": why, "who": study.around.who, "at": study.around.now()}
    rows = [{**said, **_name(one)} for one in names if one not in known]
    if rows:
        study.connection.execute(insert(same_people), rows)


def say_participant(study: Study, annotator: NamedPerson, participant: str) -> None:
    """Keep that a participant was made of somebody's answers; where it was somebody else's before, it is no more."""
    known = {one: person for person, one in list_same_people(study)}
    made, before = NamedPerson(participant), known.get(NamedPerson(participant))
    if before is not None and before == known.get(annotator):
        return
    if any(person == before and one.annotator_id is not None for one, person in known.items()):
        unsay_same(study, made)
    say_same(study, [annotator, made], why=MADE_OF)


def unsay_same(study: Study, person: NamedPerson) -> bool:
    """Take back that a name is somebody else's, too; returns whether it was said."""
    return study.connection.execute(delete(same_people).where(_is(same_people, person))).rowcount > 0


def insert_declared(
    study: Study, person: NamedPerson, *, test_set_id: int, days: tuple[str, str | None], why: str
) -> int:
    """Keep that somebody knows a set from outside; returns the number of that."""
    row = {
        **_name(person),
        "test_set_id": test_set_id,
        "since": days[0],
        "until": days[1],
        "why": why,
        "who": study.around.who,
        "at": study.around.now(),
    }
    (number,) = study.connection.execute(insert(declared_exposures).values(row)).inserted_primary_key or (0,)
    return int(number)


def list_declared(study: Study) -> tuple[DeclaredExposure, ...]:
    """What was declared, the oldest first."""
    name = func.coalesce(annotators.c.name, declared_exposures.c.participant)
    rest = [declared_exposures.c[name] for name in ("test_set_id", "since", "until", "why", "who", "at")]
    query = (
        select(declared_exposures.c.id, name, declared_exposures.c.annotator_id, *rest)
        .select_from(declared_exposures.outerjoin(annotators, annotators.c.id == declared_exposures.c.annotator_id))
        .order_by(declared_exposures.c.id)
    )
    return tuple(
        DeclaredExposure(number, NamedPerson(who, annotator_id), *others)
        for number, who, annotator_id, *others in study.connection.execute(query)
    )


def delete_declared(study: Study, number: int) -> None:
    """Take back what was declared."""
    study.connection.execute(delete(declared_exposures).where(declared_exposures.c.id == number))


def _name(person: NamedPerson) -> dict[str, Any]:
    """The columns that name somebody: annotators by their number, for names change when people are erased."""
    is_annotator = person.annotator_id is not None
    return {"annotator_id": person.annotator_id, "participant": None if is_annotator else person.name}


def _is(table: Any, person: NamedPerson) -> ColumnElement[bool]:  # noqa: ANN401 - one of two tables
    found: ColumnElement[bool] = (
        table.c.participant == person.name
        if person.annotator_id is None
        else table.c.annotator_id == person.annotator_id
    )
    return found
