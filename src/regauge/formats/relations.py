"""Relations between classes from files: CSV, JSON, and those that come with Regauge as proposals."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class
from regauge.formats.text import read_json, read_table, require_columns
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus, Taxonomy

RELATION_FIELDS = ("kind", "first", "second", "reason", "source", "who", "at", "status")
"""What a file may say of a relation; the first three it must."""
MAX_RELATIONS = 10_000
"""A file with more is taken for something else."""
_NEEDED = RELATION_FIELDS[:3]
_PACKAGED = "imagenet-1k-relations.csv"
_SIDES = ("first", "second")

_Word = TypeVar("_Word", bound=StrEnum)


def load_relations(path: str | Path, *, taxonomy: Taxonomy | None = None) -> tuple[ClassRelation, ...]:
    """The relations of a CSV, TSV or JSON file, in its order.

    Args:
        path: a table with the columns kind, first, second and perhaps reason, source, who, at and status; or JSON, a list of
            objects with these fields or an object that holds such a list as `relations`.
        taxonomy: the classes; without it, a file must name classes by index.

    Raises:
        FormatError: the file cannot be read, or a relation is none; the error names the line, or the place in the list.
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        return _load_json(path, taxonomy)
    if path.suffix.lower() in {".csv", ".tsv"}:
        return _load_table(path, taxonomy)
    raise FormatError(path, "a file of relations ends in .csv, .tsv or .json; rename it to say which it is.")


def load_published_relations(taxonomy: Taxonomy) -> tuple[ClassRelation, ...]:
    """Relations that were published for classes of this taxonomy, as proposals with their source; classes are found by id.

    >>> from regauge.formats.taxonomies import load_taxonomy
    >>> [str(one) for one in load_published_relations(load_taxonomy("imagenet-1k"))][:3]
    ['249 ⊂ 248', '250 ⊂ 248', '385 ⊂ 101']
    """
    ids = {one.id for one in taxonomy.classes}
    with resources.as_file(resources.files("regauge.formats") / "data" / _PACKAGED) as path:
        table = read_table(path)
    rows = table.frame.iter_rows(named=True)
    return tuple(read_relation(row, taxonomy) for row in rows if {row[side] for side in _SIDES} <= ids)


def read_relation(row: Mapping[str, Any], taxonomy: Taxonomy | None) -> ClassRelation:
    """The relation that one row or object stands for; one without a status is accepted by whoever wrote the file.

    Raises:
        InputError: a field is missing or holds something else, or a class is not one of the taxonomy.
    """
    missing = next((name for name in _NEEDED if row.get(name) in (None, "")), None)
    if missing is not None:
        raise InputError(f"the field {missing} is empty; a relation needs {', '.join(_NEEDED)}.")
    first, second = (resolve_class(row[side], taxonomy) for side in _SIDES)
    texts = {name: _get_text(row, name) for name in ("reason", "source", "who", "at")}
    return ClassRelation(
        _choose(RelationKind, row["kind"], "kind"),
        first,
        second,
        **texts,
        status=_choose(RelationStatus, row.get("status") or RelationStatus.ACCEPTED, "status"),
    )


def read_relation_list(entries: object, path: Path, *, taxonomy: Taxonomy | None) -> tuple[ClassRelation, ...]:
    """The relations of a list of JSON objects.

    Raises:
        FormatError: it is not a list, or an entry is not a relation; the error names its place.
    """
    if not isinstance(entries, list):
        raise FormatError(path, f"relations are a list of objects with the fields {', '.join(RELATION_FIELDS)}.")
    _check_number(path, len(entries))
    relations = []
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise FormatError(path, f"relation {place} of the list must be an object, not {entry!r:.80}.")
        try:
            relations.append(read_relation(entry, taxonomy))
        except InputError as error:
            raise FormatError(path, f"relation {place} of the list: {error}") from None
    return tuple(relations)


def _load_json(path: Path, taxonomy: Taxonomy | None) -> tuple[ClassRelation, ...]:
    content = read_json(path)
    entries = content.get("relations") if isinstance(content, dict) else content
    return read_relation_list(entries, path, taxonomy=taxonomy)


def _load_table(path: Path, taxonomy: Taxonomy | None) -> tuple[ClassRelation, ...]:
    table = read_table(path)
    require_columns(table, _NEEDED, purpose="a table of relations")
    _check_number(path, len(table.frame))
    relations = []
    for place, row in enumerate(table.frame.iter_rows(named=True)):
        try:
            relations.append(read_relation(row, taxonomy))
        except InputError as error:
            raise table.make_error(place, str(error)) from None
    return tuple(relations)


def _check_number(path: Path, n: int) -> None:
    if n > MAX_RELATIONS:
        raise FormatError(path, f"a file holds at most {MAX_RELATIONS:,} relations, and this one {n:,}.")


def _get_text(row: Mapping[str, Any], name: str) -> str:
    """A field's text on one line; empty where the field is absent."""
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"the field {name} must be text, not {value!r:.80}.")
    text = " ".join((value or "").split())
    if not text.isprintable():
        raise InputError(f"the field {name} holds a control character: {text!r:.80}.")
    return text


def _choose(words: type[_Word], value: object, name: str) -> _Word:
    known = {word.value: word for word in words}
    word = known.get(value.strip().lower()) if isinstance(value, str) else None
    if word is None:
        raise InputError(f"the {name} of a relation is one of {', '.join(known)}, not {value!r:.80}.")
    return word
