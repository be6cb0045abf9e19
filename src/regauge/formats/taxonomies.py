"""Taxonomies from files: the packaged ones, Regauge's own JSON, plain lists in JSON, and CSV.

Every way of writing a taxonomy becomes rows first, and the rows become a `Taxonomy` in one place, so that the rules about
indices, ids and parents are the same for all. What a file says is data only: nothing in it is run or used as a path.
"""

from __future__ import annotations

import csv
import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

from regauge.errors import FormatError, InputError
from regauge.formats.relations import read_relation_list
from regauge.formats.text import parse_json, read_text
from regauge.records.cells import undo_disarm
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy, WordLists

PACKAGED = ("imagenet-1k", "cifar-10")
"""Names of the taxonomies that come with Regauge."""

FORMAT = "regauge-taxonomy"
VERSION = 1
MAX_BYTES = 64 * 2**20
"""Larger files are refused before they are read; ImageNet's 1,000 classes take a third of a mebibyte."""

_COLUMNS = ("index", "id", "names", "gloss", "link", "parents")
_TOP_FIELDS = ("format", "version", "name", "source", "classes", "nodes", "groupings", "relations")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a file something stands: what to call it and, where lines count, its line."""

    path: Path
    what: str
    line: int | None = None

    def refuse(self, problem: str) -> NoReturn:
        """Raise what is wrong here."""
        raise FormatError(self.path, problem, line=self.line)


@dataclass(frozen=True, slots=True)
class _Row:
    """A class or, without an index, an inner node, as the file has it."""

    place: _Place
    index: int | None
    id: str
    names: tuple[str, ...]
    gloss: str
    link: str
    parents: tuple[str, ...]


def load_taxonomy(name_or_path: str | Path) -> Taxonomy:
    """The taxonomy of a packaged name, or of a `.json` or `.csv` file.

    A text that is a packaged name means that taxonomy even where a file of the same name exists; a `Path` is always a file.

    Raises:
        InputError: the text is neither a packaged name nor looks like a file.
        FormatError: the file cannot be read or does not hold a taxonomy.
    """
    if isinstance(name_or_path, str) and name_or_path in PACKAGED:
        with resources.as_file(resources.files("regauge.formats") / "data" / f"{name_or_path}.json") as packaged:
            return _load_json(read_text(packaged, has_lines=False), Path(packaged.name))
    path = Path(name_or_path)
    if path.suffix.lower() == ".csv":
        return _load_csv(read_text(path, max_bytes=MAX_BYTES), path)
    if path.suffix.lower() == ".json":
        return _load_json(read_text(path, max_bytes=MAX_BYTES, has_lines=False), path)
    if path.is_file():
        raise FormatError(path, "a taxonomy file ends in .json or .csv; rename it to say which it is.")
    raise InputError(
        f"There is no taxonomy {str(name_or_path)!r}. Regauge has: {', '.join(PACKAGED)}; or give a .json or .csv file."
    )


# ---------------------------------------------------------------------------------------------------------------- CSV


def _load_csv(text: str, path: Path) -> Taxonomy:
    lines = _split_csv(text, path)
    columns = _check_columns(*next(lines))
    rows: list[_Row] = []
    for place, cells in lines:
        if len(cells) != len(columns):
            place.refuse(f"the header has {len(columns)} columns and this row {len(cells)}.")
        rows.append(_parse_cells(dict(zip(columns, cells, strict=True)), place, position=len(rows)))
    return _build(path.stem, rows, path=path)


def _split_csv(text: str, path: Path) -> Iterator[tuple[_Place, list[str]]]:
    """The rows that are not blank, each with the line on which it starts."""
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield _Place(path, "this row", line), [undo_disarm(cell).strip() for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(path, f"the row is not CSV ({error}).", line=line) from error


def _check_columns(place: _Place, header: Sequence[str]) -> list[str]:
    columns = ["names" if column.lower() == "name" else column.lower() for column in header]
    rule = f"a taxonomy has the columns {', '.join(_COLUMNS)}, of which only names is needed"
    for position, column in enumerate(columns):
        if column not in _COLUMNS:
            place.refuse(f"the column {header[position]!r:.80} is unknown; {rule}.")
        if column in columns[:position]:
            place.refuse(f"the column {column} stands there twice; {rule}.")
    if "names" not in columns:
        place.refuse(f"the column names is missing; {rule}.")
    return columns


def _parse_cells(cells: dict[str, str], place: _Place, *, position: int) -> _Row:
    number = cells.get("index", str(position))
    if number and not (number.isascii() and number.isdigit() and len(number) <= 9):
        place.refuse(f"an index is a whole number from 0 on, or empty for an inner node, not {number!r:.80}.")
    entry: dict[str, str | list[str]] = {key: cells[key] for key in cells if key != "index"}
    for key in ("names", "parents"):
        entry[key] = cells[key].split("|") if cells.get(key) else []
    return _parse_row(entry, place, index=int(number) if number else None)


# --------------------------------------------------------------------------------------------------------------- JSON


def _load_json(text: str, path: Path) -> Taxonomy:
    content = parse_json(path, text)
    if isinstance(content, list):
        return _build(path.stem, _parse_entries(content, path), path=path)
    if isinstance(content, dict) and content.get("format") == FORMAT:
        return _parse_own(content, path)
    kinds = f'a list of names, a list of objects, or an object with "format": "{FORMAT}"'
    raise FormatError(path, f"a taxonomy is {kinds}; this is none of them.")


def _parse_own(content: Mapping[str, Any], path: Path) -> Taxonomy:
    place = _Place(path, "the file")
    if content.get("version") != VERSION:
        place.refuse(f"this Regauge reads version {VERSION} of the format, not {content.get('version')!r:.80}.")
    _check_fields(content, _TOP_FIELDS, place)
    classes, nodes = (_get_list(content, key, place) for key in ("classes", "nodes"))
    for position, entry in enumerate(classes):
        if not isinstance(entry, dict) or entry.get("index") is None:
            place.refuse(f"class {position} of the list must be an object with an index.")
    for position, entry in enumerate(nodes):
        if not isinstance(entry, dict) or "index" in entry:
            place.refuse(f"node {position} of the list must be an object without an index.")
    inner = [{"index": None, **node} for node in nodes]
    rows = [*_parse_entries(classes, path), *_parse_entries(inner, path, noun="node")]
    name = _get_text(content, "name", place) or path.stem
    taxonomy = _build(name, rows, path=path, groupings=_parse_groupings(content, place))
    relations = read_relation_list(content.get("relations", []), path, taxonomy=taxonomy)
    return replace(taxonomy, relations=relations) if relations else taxonomy


def _parse_entries(entries: Sequence[object], path: Path, *, noun: str = "class") -> list[_Row]:
    """Rows of a list of names or objects; as soon as one object has an index, those without are inner nodes."""
    indexed = any(isinstance(entry, dict) and "index" in entry for entry in entries)
    rows = []
    for position, entry in enumerate(entries):
        place = _Place(path, f"{noun} {position} of the list")
        fields = {"names": [entry]} if isinstance(entry, str) else entry
        if not isinstance(fields, dict):
            place.refuse(f"{place.what} must be a name or an object, not {entry!r:.80}.")
        index = fields.get("index") if indexed else position
        if index is not None and (type(index) is not int or index < 0):
            place.refuse(f"{place.what} has the index {index!r:.80}; an index is a whole number from 0 on.")
        rows.append(_parse_row(fields, place, index=index))
    return rows


def _parse_groupings(content: Mapping[str, Any], place: _Place) -> tuple[Grouping, ...]:
    entries = _get_list(content, "groupings", place)
    groupings = tuple(
        _parse_grouping(entry, _Place(place.path, f"grouping {position} of the list"))
        for position, entry in enumerate(entries)
    )
    _refuse_repeated_names([grouping.name for grouping in groupings], place)
    return groupings


def _parse_grouping(entry: object, place: _Place) -> Grouping:
    fields = _check_fields(entry, ("name", "reference", "groups"), place)
    rules = tuple(
        _parse_rule(group, _Place(place.path, f"group {position} of {place.what}"))
        for position, group in enumerate(_get_list(fields, "groups", place))
    )
    _refuse_repeated_names([rule.name for rule in rules], place)
    return Grouping(_get_name(fields, place), rules, _get_text(fields, "reference", place))


def _parse_rule(entry: object, place: _Place) -> GroupRule:
    fields = _check_fields(entry, ("name", "within", "without"), place)
    within, without = (tuple(map(NodeId, _get_texts(fields, key, place))) for key in ("within", "without"))
    return GroupRule(_get_name(fields, place), within, without)


# --------------------------------------------------------------------------------------------- fields, whatever the file


def _parse_row(entry: Mapping[str, Any], place: _Place, *, index: int | None) -> _Row:
    if "name" in entry and "names" not in entry:
        entry = {"names" if key == "name" else key: value for key, value in entry.items()}
    _check_fields(entry, _COLUMNS, place)
    names = _get_texts(entry, "names", place)
    node = _get_text(entry, "id", place) or (names[0] if names else "")
    if not node or (index is not None and not names):
        place.refuse(f"{place.what} has no name; a class has at least one.")
    link = _get_text(entry, "link", place)
    if link and not link.startswith(("https://", "http://")):
        place.refuse(f"the link of {node!r:.80} must start with https:// or http://, not {link!r:.80}.")
    return _Row(place, index, node, names, _get_text(entry, "gloss", place), link, _get_texts(entry, "parents", place))


def _check_fields(entry: object, known: Sequence[str], place: _Place) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        place.refuse(f"{place.what} must be an object, not {entry!r:.80}.")
    for key in entry:
        if key not in known:
            place.refuse(f"{place.what} has the unknown field {key!r:.80}; the fields are {', '.join(known)}.")
    return entry


def _get_list(entry: Mapping[str, Any], key: str, place: _Place) -> list[Any]:
    value = entry.get(key, [])
    if not isinstance(value, list):
        place.refuse(f"the field {key} of {place.what} must be a list, not {value!r:.80}.")
    return value


def _get_name(entry: Mapping[str, Any], place: _Place) -> str:
    return _get_text(entry, "name", place) or place.refuse(f"{place.what} has no name.")


def _get_text(entry: Mapping[str, Any], key: str, place: _Place) -> str:
    """A field's text on one line; empty where the field is absent."""
    value = entry.get(key, "")
    if not isinstance(value, str):
        place.refuse(f"the field {key} of {place.what} must be text, not {value!r:.80}.")
    text = " ".join(value.split())
    # Control characters and lone surrogates cannot be printed, and no name needs them.
    if not text.isprintable() and any(unicodedata.category(character) in {"Cc", "Cs"} for character in text):
        place.refuse(f"the field {key} of {place.what} holds a control character: {text!r:.80}.")
    return text


def _get_texts(entry: Mapping[str, Any], key: str, place: _Place) -> tuple[str, ...]:
    """A field's texts, each once and none empty; one text alone may stand without a list."""
    value = entry.get(key, [])
    texts = tuple(_get_text({key: item}, key, place) for item in (value if isinstance(value, list) else [value]))
    if not all(texts):
        place.refuse(f"the field {key} of {place.what} holds an empty text.")
    return tuple(dict.fromkeys(texts))


def _refuse_repeated_names(names: Sequence[str], place: _Place) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            place.refuse(f"{place.what} has {count} groups or groupings called {name!r:.80}.")


# ------------------------------------------------------------------------------------------------- rows to a taxonomy


def _build(name: str, rows: Sequence[_Row], *, path: Path, groupings: tuple[Grouping, ...] = ()) -> Taxonomy:
    _refuse_repeated_ids(rows)
    classes = sorted((row for row in rows if row.index is not None), key=lambda row: row.index or 0)
    if not classes:
        raise FormatError(path, "the file has no class; a taxonomy has at least one.")
    _check_indices(classes)
    parents = {NodeId(row.id): tuple(map(NodeId, row.parents)) for row in (*classes, *rows)}
    # A parent that has no row of its own is an inner node without parents, called by its id.
    above = {parent: () for row in rows for parent in map(NodeId, row.parents) if parent not in parents}
    return Taxonomy(
        name,
        tuple(
            ImageClass(ClassIndex(i), NodeId(row.id), row.names, row.gloss, row.link) for i, row in enumerate(classes)
        ),
        parents={**parents, **above},
        node_names={NodeId(row.id): row.names for row in rows if row.index is None and row.names},
        groupings=groupings,
    )


def _refuse_repeated_ids(rows: Sequence[_Row]) -> None:
    owners: dict[str, _Row] = {}
    for row in rows:
        first = owners.setdefault(row.id, row)
        if first is not row:
            row.place.refuse(f"{row.place.what} has the id {row.id!r:.80}, which {_locate(first)} has already.")


def _check_indices(classes: Sequence[_Row]) -> None:
    for position, row in enumerate(classes):
        has = f"{row.place.what} has the index {row.index}"
        if position and row.index == classes[position - 1].index:
            row.place.refuse(f"{has}, which {_locate(classes[position - 1])} has already.")
        if row.index != position:
            row.place.refuse(f"{has}, but no class has {position}; indices run from 0 without a gap.")


def _locate(row: _Row) -> str:
    return f"line {row.place.line}" if row.place.line is not None else row.place.what


@cache
def load_word_lists() -> WordLists:
    """The packaged words that people type: kinds of things, by WordNet's ids, and everyday English."""
    everyday = _load_packaged_json("everyday-words")
    return WordLists(
        kinds={NodeId(node): tuple(names) for node, names in _load_packaged_json("wordnet-kinds")["kinds"].items()},
        everyday={word: tuple(names) for word, names in everyday["words"].items()},
        related={word: tuple(names) for word, names in everyday["related"].items()},
        forms=everyday["forms"],
    )


def _load_packaged_json(name: str) -> dict[str, Any]:
    text = (resources.files("regauge.formats") / "data" / f"{name}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
