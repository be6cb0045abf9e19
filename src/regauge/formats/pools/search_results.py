"""What image searches give → rows: a JSON list, or an object that holds one, of one object per image.

Flickr's `flickr.photos.search`, one page or a list of them, is understood as it is; docs/formats.md says what of it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from regauge.errors import FormatError
from regauge.formats.text import read_json

LISTS = ("photos", "photo", "items", "results")
"""Where the list is, by the names that search engines have for it."""

LICENCES = (
    "All Rights Reserved",
    "CC BY-NC-SA 2.0",
    "CC BY-NC 2.0",
    "CC BY-NC-ND 2.0",
    "CC BY 2.0",
    "CC BY-SA 2.0",
    "CC BY-ND 2.0",
    "No known copyright restrictions",
    "United States Government Work",
    "CC0 1.0",
    "Public Domain Mark 1.0",
)
"""The licences by the numbers that Flickr has for them."""

_EXACT = {"0", "", "None"}
"""Flickr's granularities of dates that are right to the second, or that say nothing."""


def read_search_results(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The entries of a search with their number, from 1; of Flickr, dates and licences are made plain.

    Raises:
        FormatError: the file is not JSON, holds no list, or an entry is not an object.
    """
    for number, (entry, is_flickr) in enumerate(_find_entries(path, read_json(path), is_flickr=False), start=1):
        if not isinstance(entry, dict):
            raise FormatError(path, f"entry {number}: every result is a JSON object, not {str(entry)[:40]!r}.")
        yield number, _explain_flickr(entry) if is_flickr else entry


def _find_entries(path: Path, content: object, *, is_flickr: bool) -> Iterator[tuple[Any, bool]]:
    """Every entry, and whether it is Flickr's."""
    if isinstance(content, list):
        for one in content:
            if _is_page(one):
                yield from _find_entries(path, one, is_flickr=is_flickr)
            else:
                yield one, is_flickr
        return
    if isinstance(content, dict):
        for name in LISTS:
            if isinstance(content.get(name), list | dict):
                yield from _find_entries(path, content[name], is_flickr=is_flickr or name == "photo")
                return
    raise FormatError(
        path, f"this holds no list of results; it is a list, or an object with one as {' or '.join(LISTS)}."
    )


def _is_page(content: object) -> bool:
    """Whether this is a page of results rather than one of them."""
    return isinstance(content, dict) and any(isinstance(content.get(name), list | dict) for name in LISTS)


def _explain_flickr(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A photo of Flickr; the day it was taken is left out where Flickr guesses it, or knows the month or the year alone."""
    explained = dict(entry)
    is_unknown = str(entry.get("datetakenunknown", "0")) == "1"
    if is_unknown or str(entry.get("datetakengranularity", "0")) not in _EXACT:
        explained.pop("datetaken", None)
    licence = str(entry.get("license", ""))
    if licence.isascii() and licence.isdigit():
        number = int(licence)
        explained["license"] = LICENCES[number] if number < len(LICENCES) else f"Flickr licence {number}"
    return {"source": "flickr", **explained}
