"""A list of people to invite: CSV `name[,email]`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from regauge.formats.text import read_table, require_columns


class Invitee(NamedTuple):
    """Somebody on the list.

    Attributes:
        line: where.
        name: what the study is to call them.
        email: where their link goes; empty where the list does not say. It is not stored in the study.
    """

    line: int
    name: str
    email: str


def load_invited(path: Path) -> tuple[Invitee, ...]:
    """Everybody on the list, whatever it says of them.

    Raises:
        FormatError: the file is no such list.
    """
    table = read_table(path)
    require_columns(table, ["name"], purpose="a list of people to invite")
    names = table.frame["name"].fill_null("").to_list()
    emails = table.frame["email"].fill_null("").to_list() if "email" in table.frame.columns else [""] * len(names)
    return tuple(
        Invitee(line, name.strip(), email.strip())
        for line, name, email in zip(table.list_lines(), names, emails, strict=True)
    )
