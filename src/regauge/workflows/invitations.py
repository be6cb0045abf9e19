"""Invite the people on a list, all or none, and write their links to a file that only its owner can read."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from regauge.errors import InputError
from regauge.formats.invitations import Invited, load_invited
from regauge.records.addresses import check_base_url
from regauge.records.cells import disarm
from regauge.records.names import check_new_names, fold_name
from regauge.storage.annotators import find_used_names, list_annotators
from regauge.storage.files import open_private, write_whole
from regauge.storage.study import Study
from regauge.workflows.annotation import check_name, invite

MAX_PROBLEMS = 20
"""So many are told at a time."""

_EMAIL = re.compile(r"[^@\s,;<>\"]{1,64}@[^@\s,;<>\"]{1,255}")


@dataclass(frozen=True, slots=True)
class Link:
    """Somebody's personal link, and where to send it; shown once and stored nowhere."""

    name: str
    email: str
    link: str


def invite_listed(study: Study, path: Path, *, base_url: str) -> tuple[Link, ...]:
    """Make a personal link for everybody on a list; addresses are passed on and not stored.

    Raises:
        FormatError: the file is no list of people.
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
        Link(one.name, one.email, make_link(base_url, invitation.token))
        for one, invitation in zip(people, made, strict=True)
    )


def make_link(base_url: str, token: str) -> str:
    """The address that lets somebody in; what comes after the # is never sent to a server, so no proxy writes it down.

    Raises:
        InputError: the address is none that links can begin with.
    """
    return f"{check_base_url(base_url)}/join#{token}"


def write_links(path: Path, links: Sequence[Link]) -> None:
    """Write links as CSV `name,email,link` to a new file that only its owner can read.

    Raises:
        InputError: the file exists.
    """
    with write_whole(path) as partial, open_private(partial) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", "email", "link"))
        writer.writerows((disarm(one.name), disarm(one.email), one.link) for one in links)


def _find_problems(people: Sequence[Invited], taken: Collection[str]) -> Iterator[str]:
    """A sentence for each line that cannot be used."""
    lines: dict[str, Invited] = {}
    known = {fold_name(name): name for name in taken}
    for one in people:
        folded = fold_name(one.name)
        problem = _find_problem(one, known.get(folded), lines.get(folded))
        if problem:
            yield f"Line {one.line}: {problem}"
        lines.setdefault(folded, one)


def _find_problem(one: Invited, taken: str | None, earlier: Invited | None) -> str:
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
        return f"{one.email!r} is no address of e-mail."
    return ""
