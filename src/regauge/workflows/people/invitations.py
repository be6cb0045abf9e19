"""Personal links: for people by name or by number, for those on a list, all or none, and files that only their owner can read."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from regauge.errors import InputError
from regauge.formats.invitations import Invitee, load_invited
from regauge.records.addresses import check_base_url
from regauge.records.campaigns.campaign import MANAGER, AnnotatorEntry, Role
from regauge.records.cells import format_rows
from regauge.records.names import check_new_names, fold_name
from regauge.storage.events import add_event
from regauge.storage.files import open_private, write_whole
from regauge.storage.people.annotators import (
    NAME_TAKEN,
    find_annotator,
    find_by_token,
    find_used_names,
    insert_annotator,
    insert_annotators,
    list_annotators,
    replace_token,
    set_sessions_from,
    take_counted_names,
)
from regauge.storage.study import Study

TOKEN_BYTES = 24
"""Of a personal link. They come from the system, not from the study's generator, whose next draws could be worked out from
those that people see."""
MAX_ANNOTATOR_NAME = 200
MAX_PROBLEMS = 20
"""So many are told at a time."""

_EMAIL = re.compile(r"[^@\s,;<>\"]{1,64}@[^@\s,;<>\"]{1,255}")


@dataclass(frozen=True, slots=True)
class Invitation:
    """Somebody's personal link: the token that goes after the # of the address. It is shown once and stored nowhere."""

    annotator: AnnotatorEntry
    token: str


@dataclass(frozen=True, slots=True)
class PersonalLink:
    """Somebody's personal link, and where to send it; shown once and stored nowhere."""

    name: str
    email: str
    link: str


def invite(study: Study, names: Sequence[str], *, role: Role = Role.ANNOTATOR) -> tuple[Invitation, ...]:
    """Make a personal link for each name.

    Raises:
        InputError: a name is taken, or is not a name.
    """
    for name in names:
        check_name(name, role=role)
    tokens = {name: secrets.token_hex(TOKEN_BYTES) for name in names}
    if len(tokens) < len(names):
        raise InputError(NAME_TAKEN.format(Counter(names).most_common(1)[0][0]))
    made = insert_annotators(study, tokens, role=role)
    add_event(study, "invite", {"role": role.value, "n": len(names)})
    return tuple(Invitation(one, tokens[one.name]) for one in made)


def invite_many(study: Study, n: int) -> tuple[Invitation, ...]:
    """Make so many personal links, with names that are counted up and never given again."""
    names: list[str] = []
    while len(names) < n:
        # Somebody may have been given such a name by hand.
        counted = take_counted_names(study, n - len(names))
        used = find_used_names(study, counted)
        names += [name for name in counted if name not in used]
    return invite(study, names)


def check_name(name: str, *, role: Role = Role.ANNOTATOR) -> None:
    """Make sure that somebody can be called that.

    Raises:
        InputError: the name cannot be given to a new annotator.
    """
    if not 1 <= len(name) <= MAX_ANNOTATOR_NAME or name != name.strip() or not name.isprintable():
        raise InputError(
            f"Somebody is called by 1 to {MAX_ANNOTATOR_NAME} printable characters without blanks around them, not {name!r}."
        )
    if fold_name(name) == MANAGER and role is not Role.MANAGER:
        raise InputError(f"{MANAGER!r} is the manager of the study; call the annotator something else.")


def renew_link(study: Study, name: str, *, role: Role, ends_sessions: bool = True) -> Invitation:
    """A new link for somebody, who is added if there is no such person; an old link ends.

    Unless told otherwise it ends their sessions too: whoever had the old link is out.
    """
    token = secrets.token_hex(TOKEN_BYTES)
    found = find_annotator(study, name)
    if found is None:
        return Invitation(insert_annotator(study, name, role=role, token=token), token)
    replace_token(study, found, token)
    if ends_sessions:
        set_sessions_from(study, found)
    return Invitation(found, token)


def come_in(study: Study, token: str) -> AnnotatorEntry | None:
    """Whose link this is; None where it is nobody's."""
    return find_by_token(study, token)


def invite_listed(study: Study, path: Path, *, base_url: str) -> tuple[PersonalLink, ...]:
    """Make a personal link for everybody on a list; addresses are passed on and not stored.

    Raises:
        FormatError: the file is not a list of people.
        InputError: some lines cannot be used; the message names each of them, and nobody is invited.
    """
    people = load_invited(path)
    taken = {one.name for one in list_annotators(study)} | find_used_names(study, [one.name for one in people])
    problems = list(_find_problems(people, taken))
    if problems:
        told = " ".join(problems[:MAX_PROBLEMS])
        more = f" And {len(problems) - MAX_PROBLEMS:,} more." if len(problems) > MAX_PROBLEMS else ""
        raise InputError(f"{path}: nobody was invited. {told}{more}")
    made = invite(study, [one.name for one in people])
    return tuple(
        PersonalLink(one.name, one.email, make_link(base_url, invitation.token))
        for one, invitation in zip(people, made, strict=True)
    )


def make_link(base_url: str, token: str) -> str:
    """The address that lets somebody in; what comes after the # is never sent to a server, so no proxy writes it down.

    Raises:
        InputError: the address is none that links can begin with.
    """
    return f"{check_base_url(base_url)}/join#{token}"


def write_links(path: Path, links: Sequence[PersonalLink]) -> None:
    """Write links as CSV `name,email,link` to a new file that only its owner can read.

    Raises:
        InputError: the file exists.
    """
    with write_whole(path) as partial, open_private(partial) as file:
        rows = (("name", "email", "link"), *((one.name, one.email, one.link) for one in links))
        file.writelines(f"{line}\n" for line in format_rows(rows))


def _find_problems(people: Sequence[Invitee], taken: Collection[str]) -> Iterator[str]:
    """A sentence for each line that cannot be used."""
    lines: dict[str, Invitee] = {}
    known = {fold_name(name): name for name in taken}
    for one in people:
        folded = fold_name(one.name)
        problem = _find_problem(one, known.get(folded), lines.get(folded))
        if problem:
            yield f"Line {one.line}: {problem}"
        lines.setdefault(folded, one)


def _find_problem(one: Invitee, taken: str | None, earlier: Invitee | None) -> str:
    try:
        check_name(one.name)
        check_new_names([one.name], (), what="Somebody")
    except InputError as error:
        return str(error)
    if earlier is not None:
        alike = "is" if earlier.name == one.name else f"looks like {earlier.name!r}, who is"
        return f"{one.name!r} {alike} on line {earlier.line} already; names are distinct."
    if taken is not None:
        alike = "" if taken == one.name else f", which {one.name!r} looks like,"
        return f"There already is or was somebody called {taken!r}{alike} in the study; names are distinct and not used again."
    if one.email and not _EMAIL.fullmatch(one.email):
        return f"{one.email!r} is not an address of e-mail."
    return ""
