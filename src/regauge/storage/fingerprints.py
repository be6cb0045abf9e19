"""Checksums of images that were read before: kept in the study's cache, one file per folder of images, only ever added to.

An entry holds as long as the file has the same size and was not written since. A command that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from regauge.records.studies import ImagePlace
from regauge.storage.files import make_private, make_private_folder
from regauge.storage.study import Study

Key: TypeAlias = tuple[Any, ...]
Checksums: TypeAlias = tuple[str, str, str]

_VERSION = 1
_KEY, _ENTRY = 5, 8


def make_keys(root: Path, places: Iterable[ImagePlace]) -> list[Key]:
    """What stands for the content of each image: its place, and the size and time of its file."""
    found: dict[str, tuple[int, int]] = {}
    keys = []
    for place in places:
        if place.path not in found:
            found[place.path] = _look(root / place.path)
        keys.append((place.path, place.offset, place.n_bytes, *found[place.path]))
    return keys


def load_checksums(study: Study, root: Path) -> dict[Key, Checksums]:
    """What is known about the images below a folder."""
    known: dict[Key, Checksums] = {}
    with suppress(FileNotFoundError), _find_path(study, root).open(encoding="utf-8") as lines:
        for line in lines:
            # The last line of a process that was killed may be cut.
            with suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, list) and len(entry) == _ENTRY:
                    known[tuple(entry[:_KEY])] = (str(entry[5]), str(entry[6]), str(entry[7]))
    return known


def add_checksums(study: Study, root: Path, *, keys: Sequence[Key], checksums: Sequence[Checksums]) -> None:
    """Store the checksums of some files."""
    path = _find_path(study, root)
    make_private_folder(path.parent)
    make_private(path)
    lines = [json.dumps([*key, *found]) for key, found in zip(keys, checksums, strict=True)]
    with path.open("a", encoding="utf-8") as file:
        # It begins with a line feed, in case the line before was cut.
        file.write("\n" + "\n".join(lines) + "\n")


def _find_path(study: Study, root: Path) -> Path:
    name = hashlib.sha256(str(root).encode(errors="surrogateescape")).hexdigest()[:32]
    return study.paths.cache / "checksums" / f"{_VERSION}-{name}.jsonl"


def _look(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:
        return -1, -1
    return facts.st_size, facts.st_mtime_ns
