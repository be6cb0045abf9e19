"""What only people can say: that somebody knows a set from outside of the study, and that two names are one person's."""

from __future__ import annotations

from datetime import date

from regauge.errors import InputError
from regauge.records.exposure.exposures import DeclaredExposure
from regauge.storage.events import add_event
from regauge.storage.exposure.people import delete_declared, insert_declared, list_declared, say_same, unsay_same
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, list_image_sets
from regauge.workflows.exposure.seen import NamesOfPeople, get_person, load_names

MAX_WHY = 500


def declare_exposure(
    study: Study, person: str, *, test_set: str | None = None, days: tuple[str, str | None], why: str
) -> DeclaredExposure:
    """Declare that somebody, such as an author of a set, knows its images from outside the study.

    Args:
        study: the study, inside a transaction.
        person: an annotator or a participant.
        test_set: which set; the only one by default.
        days: the first day and the last one, as 2026-01-31; without a last one it goes on.
        why: how they came to know them; printed with results.

    Raises:
        InputError: there is no such person or set, a day is none, or no reason is given.
    """
    found, entry = get_person(study, person), get_test_set(study, test_set)
    since, until = _read_day(days[0]), None if days[1] is None else _read_day(days[1])
    if until is not None and until < since:
        raise InputError(f"Exposure ends on {until}, before it begins on {since}; give the days in their order.")
    if since > study.around.now()[:10]:
        raise InputError(f"Exposure begins on {since}, which is in the future; declare it on that day.")
    number = insert_declared(study, found, test_set_id=entry.id, days=(since, until), why=_read_why(why))
    told = {"person": found.name, "test_set": entry.name, "since": since, "until": until, "why": why.strip()}
    add_event(study, "exposure declare", {"declaration": number, **told})
    return next(one for one in list_declared(study) if one.id == number)


def list_declarations(study: Study) -> tuple[tuple[DeclaredExposure, str], ...]:
    """What was declared, the oldest first, each with the name of its set."""
    names = {entry.id: entry.name for entry in list_image_sets(study)}
    return tuple((one, names.get(one.test_set_id, "")) for one in list_declared(study))


def retract_declaration(study: Study, number: int) -> DeclaredExposure:
    """Take back what was declared by mistake; that it was is on record.

    Raises:
        InputError: nothing of that number is declared.
    """
    found = next((one for one in list_declared(study) if one.id == number), None)
    if found is None:
        raise InputError(f"There is no declaration {number}; see them with: regauge exposure declared.")
    delete_declared(study, number)
    add_event(study, "exposure retract", {"declaration": number, "person": found.person.name})
    return found


def declare_same(study: Study, name: str, *, other: str, why: str = "") -> tuple[str, ...]:
    """Declare that two names are one person's: what was shown under either counts for both. Returns all of their names.

    Raises:
        InputError: nobody is called one of these, they are one name, or it was said already.
    """
    first, second = get_person(study, name), get_person(study, other)
    if first == second:
        raise InputError(f"{name} is one name; say which other name the same person has.")
    names = load_names(study)
    if names.find_first(first.name) == names.find_first(second.name):
        raise InputError(f"{name} and {other} are one person already.")
    say_same(study, [first, second], why=why.strip()[:MAX_WHY])
    add_event(study, "exposure alias", {"person": first.name, "also": second.name, "why": why.strip()[:MAX_WHY]})
    return _list_all(load_names(study), first.name)


def separate(study: Study, name: str) -> None:
    """Separate two names that are not the same person after all.

    Raises:
        InputError: nobody is called that, or it is no other name of anybody.
    """
    person = get_person(study, name)
    if not unsay_same(study, person):
        raise InputError(f"{name} is nobody's other name; see them with: regauge exposure aliases.")
    add_event(study, "exposure separate", {"person": person.name})


def list_aliases(study: Study) -> tuple[tuple[str, ...], ...]:
    """The names of everybody who has several, the first of each first."""
    names = load_names(study)
    return tuple((first, *others) for first, others in sorted(names.others.items()) if others)


def _list_all(names: NamesOfPeople, name: str) -> tuple[str, ...]:
    first = names.find_first(name)
    return (first, *names.others.get(first, ()))


def _read_day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise InputError(f"A day is written as 2026-01-31, not {text[:40]!r}.") from None


def _read_why(text: str) -> str:
    if not 1 <= len(text.strip()) <= MAX_WHY:
        raise InputError(f"Say why, in 1 to {MAX_WHY} characters: it is printed with results.")
    return text.strip()
