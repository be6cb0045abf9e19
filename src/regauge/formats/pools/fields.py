"""What a row of a table or an entry of a search says about a candidate: by which names its fields are understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from regauge.errors import InputError
from regauge.formats.dates import read_moment
from regauge.records.testsets.pool import FieldNames

_NO_NUMBERS = frozenset({"nan", "inf", "-inf"})
"""What Python reads in JSON although it is none."""

MAX_TEXT = 2_000
"""Characters; columns of text are as wide as their widest cell, so one cell must not fill the memory."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a row says about a candidate; empty texts where it says nothing.

    Attributes:
        image_id: its id, or empty where its file names it.
        file: its file, relative to the folder of the images.
        label: its class as it is written; None where the folder says it.
        facts: keyword, taken, uploaded, source, licence and url.
    """

    image_id: str
    file: str
    label: object
    facts: tuple[str, ...]


def read_row(row: Mapping[str, Any], *, names: FieldNames) -> Row:
    """What a row says about a candidate.

    Raises:
        InputError: a text is too long or cannot be kept, or a date is none.
    """
    image_id, file = (_read_text(names.find(row, name), name) for name in ("image_id", "file"))
    if not image_id and not file:
        raise InputError("every candidate needs an image_id or a file.")
    facts = tuple(_read_text(names.find(row, name), name) for name in ("keyword", "source", "licence", "url"))
    dates = tuple(read_moment(names.find(row, name)) for name in ("taken", "uploaded"))
    label = names.find(row, "class")
    return Row(image_id, file, label, (facts[0], *dates, *facts[1:]))


def check_text(text: str, what: str) -> str:
    """The text, if a database can keep it.

    Raises:
        InputError: the text is too long, or holds a character that no database keeps.
    """
    if len(text) > MAX_TEXT:
        raise InputError(f"the {what} has {len(text):,} characters; {MAX_TEXT:,} are the most.")
    if not text.isprintable() and any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError(f"the {what} {text[:40]!r} holds a character that is none in UTF-8.")
    return text


def _read_text(value: object, what: str) -> str:
    if isinstance(value, str):
        return check_text(value.strip(), what)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float) or str(value) in _NO_NUMBERS:
        raise InputError(f"the {what} is a text, not {str(value)[:40]!r}.")
    return check_text(str(value), what)
