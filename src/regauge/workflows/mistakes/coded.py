"""Coded mistakes by name: a file of them, or a coding of a study."""

from __future__ import annotations

from pathlib import Path

from regauge.errors import InputError
from regauge.formats.mistakes.coded import SUFFIXES
from regauge.records.mistakes.coding import CodingEntry, MistakeCoding
from regauge.storage.mistakes.codings import get_coding, load_coding
from regauge.storage.study import Study


def is_coded_file(name: str) -> bool:
    """Whether this names a file of coded mistakes, [NAME=]PATH[#MODEL], rather than a coding of a study."""
    path = name.partition("=")[2] or name
    return Path(name).exists() or any(Path(one).suffix.lower() in SUFFIXES for one in (path, path.rpartition("#")[0]))


def load_coded(study: Study, name: str) -> tuple[CodingEntry, MistakeCoding]:
    """A coding of a study, NAME@VERSION or NAME for the latest.

    Raises:
        InputError: there is no such coding, or all of its mistakes were overturned.
    """
    entry = get_coding(study, name)
    coding = load_coding(study, entry)
    if not len(coding.coded):
        raise InputError(f"Every mistake of {entry.full_name} was overturned; there is none left to analyse.")
    return entry, coding
