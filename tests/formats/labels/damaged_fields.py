"""Every way in which one field of a JSON file can be damaged."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

HUGE = "HUGE"
ODD: tuple[Any, ...] = (None, "x", -1, HUGE, 10**30, 10**400, [], {}, True, float("nan"), "\ud800", "a\0", [[1]], 0.5)
"""What stands in for a field; `HUGE` is written as a number that Python reads as infinite."""


def damage(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The place and the text of every file with one field, or the first of a list, replaced, removed or doubled."""
    for place in _list_places(content):
        where = ".".join(map(str, place))
        for odd in ODD:
            yield f"{where} = {odd!r:.20}", _write(_change(content, place, odd))
        yield f"{where} removed", _write(_change(content, place, None, is_removed=True))
        if isinstance(value := _find(content, place), list):
            yield f"{where} doubled", _write(_change(content, place, value * 2))
            yield f"{where} one short", _write(_change(content, place, value[:-1]))


def _list_places(value: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if place:
        yield place
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _list_places(one, (*place, key))
    elif isinstance(value, list) and value:
        yield from _list_places(value[0], (*place, 0))


def _find(content: Any, place: tuple[str | int, ...]) -> Any:
    for one in place:
        content = content[one]
    return content


def _change(content: dict[str, Any], place: tuple[str | int, ...], value: object, *, is_removed: bool = False) -> Any:
    changed = copy.deepcopy(content)
    holder = _find(changed, place[:-1])
    if is_removed:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return changed


def _write(content: object) -> str:
    return json.dumps(content).replace(f'"{HUGE}"', "1e400")
