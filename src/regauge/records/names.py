"""What the things of a study may be called: test sets, batches of a pool, label sets and campaigns, by one rule."""

from __future__ import annotations

from regauge.errors import InputError

MAX_NAME = 200
FORBIDDEN = frozenset("/\\@")
"""Slashes lead elsewhere in addresses and folders; an @ stands before the version of a label set."""


def check_name(name: str, *, what: str) -> str:
    """The name, if something new can be called that; what has another name already keeps it.

    Characters that cannot be seen, such as line feeds, zero-width blanks and direction marks, are not printable.

    Args:
        name: the name.
        what: what it is to be the name of, for the sentence.

    Raises:
        InputError: it cannot.
    """
    is_plain = name.isprintable() and name == name.strip() and not FORBIDDEN & set(name) and bool(set(name) - {"."})
    if not is_plain or len(name) > MAX_NAME:
        raise InputError(
            f"{what} has a name of 1 to {MAX_NAME} printable characters, without /, \\ and @, without blanks around them and "
            f"not of dots alone; {name[:40]!r} is none. Give it another name, with --name."
        )
    return name
