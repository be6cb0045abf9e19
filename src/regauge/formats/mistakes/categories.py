"""A study's own list of categories from a file: a table with the columns `name` and perhaps `definition`, or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regauge.errors import FormatError, InputError
from regauge.formats.text import read_json, read_table, require_columns
from regauge.records.mistakes.coded import DefinedCategory, name_categories


def load_categories(path: Path | str) -> tuple[DefinedCategory, ...]:
    """The categories of a CSV, TSV or JSON file, in its order.

    JSON is an object {name: definition}, or a list of objects with `name` and perhaps `definition`.

    Raises:
        FormatError: the file cannot be read, or there are none or too many, or two of one name.
    """
    path = Path(path)
    rows = _read_json(path) if _is_json(path) else _read_table(path)
    try:
        categories = tuple(DefinedCategory(name.strip(), " ".join(definition.split())) for name, definition in rows)
        name_categories(categories)
    except InputError as error:
        raise FormatError(path, str(error)) from None
    return categories


def _is_json(path: Path) -> bool:
    """Whether a file is JSON by how it begins; what a form sends along has no name of its own."""
    if not path.is_file():
        return path.suffix.lower() == ".json"
    with path.open("rb") as file:
        return file.read(1_000).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["}


def _read_table(path: Path) -> list[tuple[str, str]]:
    table = read_table(path)
    require_columns(table, ("name",), purpose="a list of categories")
    names = table.get_column("name").to_list()
    has_definitions = "definition" in table.frame.columns
    definitions = table.frame["definition"].fill_null("").to_list() if has_definitions else [""] * len(names)
    return list(zip(names, definitions, strict=True))


def _read_json(path: Path) -> list[tuple[str, str]]:
    content = read_json(path)
    entries: list[Any] = (
        [{"name": name, "definition": definition} for name, definition in content.items()]
        if isinstance(content, dict)
        else content
        if isinstance(content, list)
        else [content]
    )
    rows = [
        (one["name"], one.get("definition", "")) if isinstance(one, dict) and "name" in one else None for one in entries
    ]
    if not all(row is not None and all(isinstance(part, str) for part in row) for row in rows):
        raise FormatError(
            path, "a list of categories is an object {name: definition}, or a list of objects with name and definition."
        )
    return [row for row in rows if row is not None]
