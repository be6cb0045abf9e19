"""What people are experts of, so that what reviewers refer reaches those who know."""

from __future__ import annotations

from collections.abc import Iterable

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AnnotatorEntry
from regauge.storage.events import add_event
from regauge.storage.people.annotators import get_annotator, list_annotators
from regauge.storage.people.expertises import find_expertises, list_expertises, save_expertises
from regauge.storage.study import Study
from regauge.taxonomy.expertise import name_expertise

MAX_EXPERTISES = 50
"""Of one person."""


def change_expertises(
    study: Study, annotator: str | int, *, add: Iterable[str] = (), remove: Iterable[str] = ()
) -> tuple[AnnotatorEntry, tuple[str, ...]]:
    """Let somebody be an expert of more, or of less; returns them and what they are an expert of then.

    Args:
        study: the study, inside a transaction that may write.
        annotator: who, by name or number.
        add: kinds of the hierarchy, such as dogs, or free words.
        remove: what they are no longer an expert of.

    Raises:
        InputError: there is nobody of that name, words are empty or too long, or they were no expert of what is removed.
    """
    person = get_annotator(study, annotator)
    own = find_expertises(study, person.id)
    less = {name_expertise(study.taxonomy, words) for words in remove}
    strange = sorted(less - own)
    if strange:
        raise InputError(f"{person.name} is not an expert of {strange[0]}.")
    return person, _save(study, person, (own - less) | {name_expertise(study.taxonomy, words) for words in add})


def set_expertises(study: Study, annotator: str | int, words: Iterable[str]) -> tuple[str, ...]:
    """Let somebody be an expert of these alone; returns them as they are written.

    Raises:
        InputError: there is nobody of that name or number, or words are empty or too long.
    """
    person = get_annotator(study, annotator)
    return _save(study, person, frozenset(name_expertise(study.taxonomy, one) for one in words))


def list_experts(study: Study) -> dict[str, tuple[str, ...]]:
    """Per name of somebody who is an expert of something, of what."""
    names = {entry.id: entry.name for entry in list_annotators(study)}
    return {names[number]: words for number, words in list_expertises(study).items()}


def list_known_expertises(study: Study) -> tuple[str, ...]:
    """What anybody of the study is an expert of, in the order of the alphabet."""
    return tuple(sorted({words for own in list_expertises(study).values() for words in own}))


def _save(study: Study, person: AnnotatorEntry, words: frozenset[str]) -> tuple[str, ...]:
    if person.erased_at is not None:
        raise InputError(f"{person.name} was erased.")
    if len(words) > MAX_EXPERTISES:
        raise InputError(f"Somebody is an expert of at most {MAX_EXPERTISES} things.")
    own = tuple(sorted(words))
    if words != find_expertises(study, person.id):
        save_expertises(study, person, words)
        add_event(study, "annotator expertise", {"annotator": person.name, "expertises": list(own)})
    return own
