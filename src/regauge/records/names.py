"""What things and people can be called: by one rule, and no name may look like another, nor hide anything."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from regauge.errors import InputError

MAX_NAME = 200
MAX_REASON = 1_000
"""Characters of a reason that somebody gives."""
N_QUOTED = 3
"""Names that a message quotes where many would do."""
FORBIDDEN = frozenset("/\\@")
"""Slashes lead elsewhere in addresses and folders; an @ stands before the version of a label set."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Characters that show nothing although they count as letters, marks or symbols: fillers, joiners, selectors."""


def is_blank(text: str) -> bool:
    r"""Whether a text shows nothing: empty, white, or of characters that cannot be seen.

    >>> is_blank(" \u200b\u2060"), is_blank("a")
    (True, False)
    """
    return not any(unicodedata.category(one)[0] in "LNPS" and one not in _INVISIBLE for one in text)


def fold_name(name: str) -> str:
    r"""What names that look alike have in common, whatever their case, width, ligatures and invisible characters.

    >>> fold_name("\uff21nn\u200b") == fold_name("ann")
    True
    """
    if name.isascii() and name.isprintable():
        return name.casefold().strip()
    plain = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", "".join(one for one in plain if not _is_hidden(one))).strip()


def quote_first(names: Iterable[str]) -> str:
    """The first few of some names as a message quotes them, and how many more there are.

    >>> quote_first(["a", "b"]), quote_first("abcdef")
    ("'a', 'b'", "'a', 'b', 'c' and 3 more")
    """
    listed = list(names)
    more = f" and {len(listed) - N_QUOTED:,} more" if len(listed) > N_QUOTED else ""
    return ", ".join(map(repr, listed[:N_QUOTED])) + more


def read_reason(reason: str) -> str:
    """A reason that somebody gives, on one line.

    Raises:
        InputError: it is too long, or a character of it cannot be printed.
    """
    words = " ".join(reason.split())
    if len(words) > MAX_REASON or not words.isprintable():
        raise InputError(f"A reason is a text of up to {MAX_REASON:,} printable characters, not {reason[:80]!r}.")
    return words


def check_new_names(names: Iterable[str], taken: Iterable[str], *, what: str) -> None:
    """Make sure that new things can be called so; names that are there already stay as they are.

    Args:
        names: their names.
        taken: what others of their kind are called; the very same names may be among them.
        what: what is called so, for the message.

    Raises:
        InputError: part of a name cannot be seen, or it looks like another.
    """
    known = {fold_name(one): one for one in taken}
    for name in names:
        hidden = next((one for one in name if _is_hidden(one)), None)
        if hidden is not None:
            raise InputError(
                f"{what} cannot be called {name!a}: the character U+{ord(hidden):04X} in it cannot be seen; leave it out."
            )
        alike = known.setdefault(fold_name(name), name)
        if alike != name:
            raise InputError(f"{what} cannot be called {name!r}, which looks like {alike!r}; choose another name.")


def to_part(name: str) -> str:
    """The name of a participant as a part of the name of something new.

    >>> to_part("ViT-B/32")
    'ViT-B-32'
    """
    return "".join("-" if one in FORBIDDEN else one for one in name)


def check_name(name: str, *, what: str, how: str = "with `name=…`", forbidden: frozenset[str] = FORBIDDEN) -> str:
    """The name, if something new can be called that; what has another name already keeps it.

    Characters that cannot be seen, such as line feeds, zero-width blanks, direction marks and fillers, are in no name.

    Args:
        name: the name.
        what: what it is to be the name of, for the sentence.
        how: how another name is given, likewise.
        forbidden: characters that are in no such name; none for models, of which many are called like ViT-B/32.

    Raises:
        InputError: the name cannot be used for something new.
    """
    is_plain = name.isprintable() and name == name.strip() and not forbidden & set(name) and bool(set(name) - {"."})
    if not is_plain or any(map(_is_hidden, name)) or len(name) > MAX_NAME:
        without = "without /, \\ and @, " if forbidden else ""
        raise InputError(
            f"{what} has a name of 1 to {MAX_NAME} printable characters, {without}without blanks around them and "
            f"not of dots alone; {name[:40]!r} is none. Give it another name, {how}."
        )
    return name


def _is_hidden(character: str) -> bool:
    """Whether a character shows nothing, or turns the direction of others; a blank between words is one that shows."""
    return character in _INVISIBLE or not (character.isprintable() or unicodedata.category(character) == "Zs")
