"""Subset files → named lists of images or classes.

CSV `image_id,subset` or `class,subset`; JSON {subset: [image ids]} or {subset: [class indices]}; version 3 of the labels of
Shankar et al. (2020), whose lists of images are `imagenet_m` and `problematic_images`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class, resolve_column
from regauge.formats.releases.human_accuracy import (
    MAJOR_SLICE,
    PROBLEMATIC,
    HumanAccuracy,
    is_human_accuracy,
    read_human_accuracy,
)
from regauge.formats.text import read_json, read_table
from regauge.records.taxonomy import Taxonomy


@dataclass(frozen=True, slots=True)
class SubsetLists:
    """Named subsets in file order, each given by its images or by its classes."""

    images: dict[str, list[str]]
    classes: dict[str, list[int]]


def load_subsets(path: Path | str, *, taxonomy: Taxonomy | None = None) -> SubsetLists:
    """The subsets in a file."""
    path = Path(path)
    return _load_json(path, taxonomy) if path.suffix.lower() == ".json" else _load_table(path, taxonomy)


def _load_table(path: Path, taxonomy: Taxonomy | None) -> SubsetLists:
    table = read_table(path)
    columns = table.frame.columns
    members = [name for name in ("image_id", "class") if name in columns]
    if "subset" not in columns or len(members) != 1:
        raise FormatError(
            path,
            f"subsets need the columns image_id,subset or class,subset; this file has: {', '.join(columns)}.",
            line=1,
        )
    names = table.get_column("subset").to_list()
    lists: dict[str, list[Any]] = {name: [] for name in names}
    is_class = members == ["class"]
    values = resolve_column(table, "class", taxonomy).tolist() if is_class else table.get_column("image_id").to_list()
    for name, value in zip(names, values, strict=True):
        lists[name].append(value)
    return SubsetLists({}, lists) if is_class else SubsetLists(lists, {})


def _load_json(path: Path, taxonomy: Taxonomy | None) -> SubsetLists:
    content = read_json(path)
    if is_human_accuracy(content):
        return _list_human_accuracy(read_human_accuracy(path, content))
    if (
        not isinstance(content, dict)
        or not content
        or not all(isinstance(members, list) for members in content.values())
    ):
        raise FormatError(path, "subsets in JSON are an object {name: list of image ids or of class indices}.")
    images: dict[str, list[str]] = {}
    classes: dict[str, list[int]] = {}
    for name, members in content.items():
        _check_name(path, name)
        if all(isinstance(member, str) for member in members):
            images[name] = members
        elif all(isinstance(member, int) for member in members):
            classes[name] = [_resolve(path, member, taxonomy) for member in members]
        else:
            raise FormatError(path, f"subset {name!r} mixes image ids (text) and class indices (numbers).")
    return SubsetLists(images, classes)


def _list_human_accuracy(found: HumanAccuracy) -> SubsetLists:
    lists = {MAJOR_SLICE: found.major_slice, PROBLEMATIC: found.problematic}
    return SubsetLists({name: list(images) for name, images in lists.items() if images}, {})


def _check_name(path: Path, name: str) -> None:
    """JSON can write half a character (a lone surrogate), which no output can."""
    if not name.strip() or any("\ud800" <= character <= "\udfff" for character in name):
        raise FormatError(path, f"a subset needs a name of characters that can be written, not {name!r}.")


def _resolve(path: Path, member: int, taxonomy: Taxonomy | None) -> int:
    try:
        return resolve_class(member, taxonomy)
    except InputError as error:
        raise FormatError(path, str(error)) from None
