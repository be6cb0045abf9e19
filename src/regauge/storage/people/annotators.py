"""People who work on a study ↔ rows. Links are known by their checksum alone: the table does not let anybody in."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Platform, Role
from regauge.records.names import check_new_names, fold_name
from regauge.storage.database.schema import annotators, consents, ended_sessions, studies
from regauge.storage.keys import load_key
from regauge.storage.people.identities import KEY_NAME
from regauge.storage.study import Study

NAME_TAKEN = "There already is somebody called {!r}; names are distinct."
NAME_USED = (
    "Somebody who was erased was called {!r}, or a name that looks the same; names are not used again, so nobody is taken "
    "for somebody else."
)
COUNTED = "annotator-"
"""What names begin with that are counted up."""
MAX_DIGITS = 9
ENTRY_COLUMNS = [annotators.c[name] for name in ("id", "name", "role", "created_at", "platform", "erased_at")]


def insert_annotator(
    study: Study,
    name: str,
    *,
    role: Role = Role.ANNOTATOR,
    token: str | None = None,
    platform: Platform = Platform.LINK,
) -> AnnotatorEntry:
    """Store somebody under a name, with the token of their personal link if they have one.

    Raises:
        InputError: the name is taken, or was somebody's who was erased.
    """
    if find_erased_names(study, [name]):
        raise InputError(NAME_USED.format(name))
    row = {
        "name": name,
        "role": role.value,
        "platform": platform.value,
        "token_sha256": None if token is None else hash_token(token),
        "created_at": study.around.now(),
    }
    try:
        with study.connection.begin_nested():
            study.connection.execute(insert(annotators), row)
    except IntegrityError:
        raise InputError(NAME_TAKEN.format(name)) from None
    found = find_annotator(study, name)
    assert found is not None  # noqa: S101 - it was stored just now
    return found


def insert_annotators(
    study: Study, tokens: Mapping[str, str], *, role: Role = Role.ANNOTATOR
) -> tuple[AnnotatorEntry, ...]:
    """Store many people, each under a name with the token of their personal link, all or none.

    One by one it would take minutes for a list of a hundred thousand, and nobody else could write meanwhile.

    Raises:
        InputError: a name is taken, looks like one that is, cannot be seen whole, or was somebody's who was erased.
    """
    used = find_erased_names(study, tokens)
    if used:
        raise InputError(NAME_USED.format(min(used)))
    taken = set(study.connection.scalars(select(annotators.c.name)))
    again = next((name for name in tokens if name in taken), None)
    if again is not None:
        raise InputError(NAME_TAKEN.format(again))
    check_new_names(tokens, taken, what="Somebody")
    shared = {"role": role.value, "platform": Platform.LINK.value, "created_at": study.around.now()}
    rows = [{"name": name, "token_sha256": hash_token(token), **shared} for name, token in tokens.items()]
    if rows:
        study.connection.execute(insert(annotators), rows)
    stored = {entry.name: entry for entry in list_annotators(study)}
    return tuple(stored[name] for name in tokens)


def find_erased_names(study: Study, names: Iterable[str]) -> frozenset[str]:
    """Those among the names that look like one that somebody had who was erased. What is stored tells nobody without the key.

    Names that were retired by earlier versions are known as they were written, and as they look where that is the same.
    """
    macs = set(
        study.connection.scalars(select(annotators.c.erased_name_mac).where(annotators.c.erased_name_mac.is_not(None)))
    )
    if not macs:
        return frozenset()
    key = load_key(study.paths.folder / KEY_NAME)
    return frozenset(name for name in names if {_make_mac(key, one) for one in (name, fold_name(name))} & macs)


def find_used_names(study: Study, names: Iterable[str]) -> frozenset[str]:
    """Those among the names that somebody has, or had who was erased."""
    wanted = frozenset(names)
    taken = wanted & frozenset(study.connection.scalars(select(annotators.c.name)))
    return taken | find_erased_names(study, wanted)


def take_counted_names(study: Study, n: int) -> list[str]:
    """So many names with numbers that were never given before."""
    last = study.connection.scalar(select(studies.c.last_number)) or 0
    _note_number(study, last + n)
    return [f"{COUNTED}{number:04d}" for number in range(last + 1, last + n + 1)]


def retire_name(study: Study, name: str) -> str:
    """Never give the name of somebody who is erased to anybody again; returns what is stored of it."""
    number = name.removeprefix(COUNTED)
    if number != name and number.isascii() and number.isdecimal() and len(number) < MAX_DIGITS:
        _note_number(study, int(number))
    return _make_mac(load_key(study.paths.folder / KEY_NAME), fold_name(name))


def replace_token(study: Study, annotator: AnnotatorEntry, token: str) -> None:
    """Give somebody a new link; the old one ends."""
    mine = annotators.c.id == annotator.id
    study.connection.execute(update(annotators).where(mine).values(token_sha256=hash_token(token)))


def set_sessions_from(study: Study, annotator: AnnotatorEntry) -> None:
    """Make void whatever sessions of somebody have begun before this moment."""
    mine = annotators.c.id == annotator.id
    study.connection.execute(update(annotators).where(mine).values(sessions_from=study.around.now()))
    # One moment for all takes the place of those that were ended one by one.
    study.connection.execute(delete(ended_sessions).where(ended_sessions.c.annotator_id == annotator.id))
    study.note_access_end()


def void_access(study: Study, *, manager: str) -> tuple[int, int, int]:
    """Leave nobody a link, a session or a role beyond an annotator's, but whoever is called as the manager is the role alone.

    Returns:
        How many links there were, how many people whose sessions end, and how many roles.
    """
    has_role = annotators.c.role != Role.ANNOTATOR.value
    counts = select(func.count(annotators.c.token_sha256), func.count(), func.count().filter(has_role))
    n_links, n_people, n_roles = study.connection.execute(counts.select_from(annotators)).one()
    nothing = {"token_sha256": None, "sessions_from": study.around.now(), "role": Role.ANNOTATOR.value}
    study.connection.execute(update(annotators).values(nothing))
    seat = {"role": Role.MANAGER.value, "platform": Platform.LINK.value, "erased_at": None}
    study.connection.execute(update(annotators).where(annotators.c.name == manager).values(seat))
    return n_links, n_people, n_roles


def load_session_starts(study: Study) -> dict[int, str]:
    """Per person whose sessions were ended, the moment before which one must not have begun."""
    query = select(annotators.c.id, annotators.c.sessions_from).where(annotators.c.sessions_from.is_not(None))
    return {row.id: row.sessions_from for row in study.connection.execute(query)}


def list_annotators(study: Study) -> tuple[AnnotatorEntry, ...]:
    """Everybody, in the order in which they came."""
    query = select(*ENTRY_COLUMNS).order_by(annotators.c.id)
    return tuple(make_entry(row) for row in study.connection.execute(query))


def find_annotator(study: Study, name: str | int) -> AnnotatorEntry | None:
    """Who has that name or number, or None."""
    column = annotators.c.id if isinstance(name, int) else annotators.c.name
    row = study.connection.execute(select(*ENTRY_COLUMNS).where(column == name)).one_or_none()
    return None if row is None else make_entry(row)


def get_annotator(study: Study, name: str | int) -> AnnotatorEntry:
    """Who has that name or number.

    Raises:
        InputError: no annotator has that name or number.
    """
    found = find_annotator(study, name)
    if found is None:
        raise InputError(
            f"There is no annotator {name!r}; see who there is with: regauge annotators list, or make a personal link with: "
            "regauge campaign invite NAME."
        )
    return found


def find_by_token(study: Study, token: str) -> AnnotatorEntry | None:
    """Whose link it is, or None."""
    query = select(*ENTRY_COLUMNS).where(annotators.c.token_sha256 == hash_token(token))
    row = study.connection.execute(query).one_or_none()
    return None if row is None else make_entry(row)


def hash_token(token: str) -> str:
    """The checksum by which a token is known; tokens are long and random, so nothing slower is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def insert_consent(study: Study, annotator_id: int, campaign: CampaignEntry) -> None:
    """Note down that somebody agreed to the present text; a second time changes nothing."""
    if has_consented(study, annotator_id, campaign):
        return
    row = {
        "annotator_id": annotator_id,
        "campaign_id": campaign.id,
        "version": campaign.plan.texts.version,
        "given_at": study.around.now(),
    }
    study.connection.execute(insert(consents), row)


def has_consented(study: Study, annotator_id: int, campaign: CampaignEntry) -> bool:
    """Whether somebody agreed to the present text."""
    query = select(consents.c.given_at).where(
        consents.c.annotator_id == annotator_id,
        consents.c.campaign_id == campaign.id,
        consents.c.version == campaign.plan.texts.version,
    )
    return study.connection.execute(query).first() is not None


def _note_number(study: Study, number: int) -> None:
    is_behind = studies.c.last_number.is_(None) | (studies.c.last_number < number)
    study.connection.execute(update(studies).where(is_behind).values(last_number=number))


def _make_mac(key: bytes, name: str) -> str:
    return hmac.digest(key, f"erased\0{name}".encode(), "sha256").hex()


def make_entry(row: Row[Any]) -> AnnotatorEntry:
    """Whom a row of those columns is about."""
    return AnnotatorEntry(row.id, row.name, Role(row.role), row.created_at, Platform(row.platform), row.erased_at)
