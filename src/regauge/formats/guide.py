"""The labeling guide ↔ a folder of Markdown: one file for each entry, with a few lines before the text that say what it is on.

    ---
    class: "n01440764"
    name: "tench"
    version: 5
    ---
    The text.

An entry on two classes has the second as `other`. What is written is JSON after each name, which is YAML, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from regauge.arrays import find_repeated
from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class
from regauge.records.guide.entries import MAX_TEXT, GuideEntry, GuideFile, GuideTopic
from regauge.records.taxonomy import Taxonomy

SUFFIX = ".md"
MAX_FILE_BYTES = 8 * MAX_TEXT
_FENCE = "---"
_FIELDS = ("class", "other", "name", "version")
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+", re.ASCII)
_MAX_STEM = 60


def name_file(topic: GuideTopic, taxonomy: Taxonomy) -> str:
    """The name of an entry's file: the indices, which tell entries apart, and names as far as every system takes them.

    The file itself says which classes it is on.
    """
    names = "-".join(_UNSAFE.sub("_", taxonomy.classes[index].name)[:_MAX_STEM] for index in topic.classes)
    return f"{'-'.join(f'{index:04d}' for index in topic.classes)}-{names}{SUFFIX}"


def write_file(entry: GuideEntry, taxonomy: Taxonomy) -> str:
    """An entry as its file has it."""
    first, *others = (taxonomy.classes[index] for index in entry.topic.classes)
    fields = {
        "class": first.id,
        **({"other": others[0].id} if others else {}),
        "name": " or ".join(one.name for one in (first, *others)),
        "version": entry.version,
    }
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items())
    return "\n".join([_FENCE, *lines, _FENCE, entry.text, ""])


def load_folder(folder: Path, taxonomy: Taxonomy) -> tuple[GuideFile, ...]:
    """The entries of all Markdown files of a folder, by name; what else lies there is not looked at.

    Raises:
        FormatError: a file is a link, too large, or does not say what it is on.
        InputError: there is no such folder, none of its files is one, or two are on the same.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; name one that has Markdown files.")
    files = tuple(_load_files(sorted(folder.glob(f"*{SUFFIX}")), taxonomy))
    if not files:
        raise InputError(f"{folder} has no file that ends in {SUFFIX}; name a folder of Markdown files.")
    repeated = find_repeated(one.topic.key for one in files)
    if repeated is not None:
        first, second, *_ = (one.source for one in files if one.topic.key == repeated)
        raise InputError(f"{first} and {second} are on the same entry; leave one of them out.")
    return files


def _load_files(paths: Iterable[Path], taxonomy: Taxonomy) -> Iterator[GuideFile]:
    for path in paths:
        if path.is_symlink() or not path.is_file():
            raise FormatError(path, "this is a link or no file; put the file itself there.")
        if path.stat().st_size > MAX_FILE_BYTES:
            raise FormatError(path, f"an entry has up to {MAX_TEXT:,} characters, and the file is larger.")
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FormatError(path, "this is not UTF-8 text; save it as UTF-8.") from None
        yield _parse(path, text.replace("\r\n", "\n").replace("\r", "\n"), taxonomy)


def _parse(path: Path, text: str, taxonomy: Taxonomy) -> GuideFile:
    lines = text.split("\n")
    if lines[0].rstrip() != _FENCE or _FENCE not in (line.rstrip() for line in lines[1:]):
        raise FormatError(
            path, 'it begins with a line ---, lines such as class: "n01440764", and another line ---.', line=1
        )
    end = next(number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE)
    fields = _read_fields(path, lines[1:end])
    if "class" not in fields:
        raise FormatError(path, "the lines before the text do not name a class.", line=1)
    version = fields.get("version", 0)
    if isinstance(version, bool) or not isinstance(version, int) or version < 0:
        raise FormatError(path, f"version is a whole number, not {version!r:.40}.")
    try:
        topic = GuideTopic(*(resolve_class(fields[name], taxonomy) for name in ("class", "other") if name in fields))
    except InputError as error:
        raise FormatError(path, str(error)) from None
    return GuideFile(topic, "\n".join(lines[end + 1 :]), version, str(path))


def _read_fields(path: Path, lines: Iterable[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for number, line in enumerate(lines, start=2):
        name, colon, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if not line.strip():
            continue
        if not colon or name not in _FIELDS or name in fields:
            raise FormatError(path, f"a line before the text is one of {', '.join(_FIELDS)}, each once.", line=number)
        fields[name] = _read_value(value)
    return fields


def _read_value(value: str) -> Any:  # noqa: ANN401 - whatever JSON has
    """What is written as JSON, or the plain words."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
