"""JSON Lines with dataset labels, verdicts, objects and frequencies, in our field names or TFDS's → truths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.labels.evidence import (
    EVIDENCE_FIELD,
    FREQUENCY_FIELD,
    Evidence,
    make_frequencies,
    make_label_evidence,
    make_objects,
    read_evidence,
)
from regauge.formats.labels.sources import TruthSource
from regauge.formats.sizes import make_names
from regauge.formats.tables import rename_fields
from regauge.formats.text import name_from_files, read_json_lines
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth, Unlisted
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

TFDS_NAMES = {
    "original_label": "label",
    "correct_multi_labels": "correct",
    "unclear_multi_labels": "unclear",
    "wrong_multi_labels": "wrong",
    "is_problematic": "problematic",
}
"""What the TensorFlow dataset imagenet2012_multilabel calls our fields; its `file_name` gives the image id."""

VERDICT_FIELDS = ("correct", "unclear", "wrong")
UNLISTED_FIELD = "unlisted"
"""What a class in none of the lists means, where lists of wrong classes would say something else."""
KIND_FIELD = "label_kind"
"""Which accuracy the labels are for, where that is not multi-label accuracy."""

_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class TruthRow:
    """One image of a JSON Lines truth file."""

    image_id: str
    label: int
    correct: list[int]
    unclear: list[int]
    wrong: list[int]
    problematic: bool
    main: int
    fields: frozenset[str]
    evidence: Evidence
    follow_up_only: bool
    unlisted: Unlisted | None
    kind: LabelKind


def load_verdict_lines(source: TruthSource) -> Truth:
    """Dataset labels, verdicts, objects and frequencies of every image that a line of the file is about."""
    path = source.path
    rows = list(_read_rows(source))
    fields = frozenset(name for row in rows for name in row.fields)
    labelled = [row for row in rows if row.label != NO_CLASS]
    test_set = None
    if labelled:
        test_set = TestSet(
            path.stem, make_names([row.image_id for row in labelled]), np.array([row.label for row in labelled])
        )
    if not fields & {*VERDICT_FIELDS, "main", "objects", FREQUENCY_FIELD}:
        if test_set is None:
            raise FormatError(path, "no line has a label, a main label or a list of correct, unclear or wrong classes.")
        return Truth(test_set, notes=(f"{path.name}: dataset labels of {count_things(len(test_set), 'image')}.",))
    unlisted = source.unlisted or _find_common(path, UNLISTED_FIELD, (row.unlisted for row in rows))
    label_set = _make_label_set(path, rows, fields, unlisted)
    ids, evidence = [row.image_id for row in rows], [row.evidence for row in rows]
    return Truth(
        test_set,
        (label_set,),
        notes=(_describe(path, rows, label_set),),
        objects=(make_objects(path.stem, ids, evidence=evidence),) if "objects" in fields else (),
        frequencies=(make_frequencies(path.stem, ids, evidence=evidence),) if FREQUENCY_FIELD in fields else (),
        evidence=(make_label_evidence(path.stem, ids, evidence=evidence),) if EVIDENCE_FIELD in fields else (),
    )


def read_unlisted(value: object) -> Unlisted | None:
    """What a file says of classes that it does not list; None where it says nothing.

    Raises:
        InputError: it is neither of what there is.
    """
    return _read_choice(value, UNLISTED_FIELD, Unlisted)


def _read_choice(value: object, name: str, choices: type[_Choice]) -> _Choice | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in tuple(choices):
        raise InputError(f"{name} is {' or '.join(choices)}, not {value!r:.80}.")
    return choices(value)


def _find_common(path: Path, name: str, said: Iterable[_Choice | None]) -> _Choice | None:
    """What the lines say that is true of all of them; None where none says anything."""
    found = {one for one in said if one is not None}
    if len(found) > 1:
        raise FormatError(path, f"{name} means the same in every line, not {' here and '.join(sorted(found))} there.")
    return next(iter(found), None)


def _make_label_set(
    path: Path, rows: Sequence[TruthRow], fields: frozenset[str], unlisted: Unlisted | None
) -> LabelSet:
    found = LabelSet.from_lists(
        path.stem,
        make_names([row.image_id for row in rows]),
        correct=[row.correct for row in rows],
        unclear=[row.unclear for row in rows],
        wrong=[row.wrong for row in rows] if "wrong" in fields else None,
        is_problematic=[row.problematic for row in rows],
        main_labels=[row.main for row in rows],
        unlisted=unlisted,
    )
    kind = _find_common(path, KIND_FIELD, (row.kind for row in rows)) or found.kind
    return replace(found, kind=kind, is_follow_up_only=any(row.follow_up_only for row in rows))


def _describe(path: Path, rows: Sequence[TruthRow], label_set: LabelSet) -> str:
    n_with_objects = sum(bool(row.evidence.objects) for row in rows)
    objects = f" The objects in {count_things(n_with_objects, 'image')} are known." if n_with_objects else ""
    kind = " These are ReaL labels." if label_set.kind is LabelKind.REAL else ""
    return (
        f"{path.name}: {count_things(len(label_set.classes), 'verdict')} on {count_things(len(rows), 'image')}, "
        f"{int(label_set.is_problematic.sum()):,} of them problematic and left out; "
        f"a class that an image does not list is {label_set.unlisted}.{objects}{kind}"
    )


def _read_rows(source: TruthSource) -> Iterator[TruthRow]:
    seen: set[str] = set()
    path, names = source.path, source.columns
    lines = [(line, _rename(raw, names)) for line, raw in read_json_lines(path)]
    ids = _name_images(path, lines)
    for (line, raw), image_id in zip(lines, ids, strict=True):
        try:
            row = _read_row({**raw, "image_id": image_id}, source.taxonomy)
        except InputError as error:
            raise FormatError(path, str(error), line=line) from None
        if row.image_id in seen:
            raise FormatError(path, f"image {row.image_id!r} occurs a second time.", line=line)
        seen.add(row.image_id)
        yield row


def _rename(raw: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    return {TFDS_NAMES.get(name, name): value for name, value in rename_fields(raw, columns).items()}


def _name_images(path: Path, lines: Sequence[tuple[int, dict[str, Any]]]) -> list[str]:
    """The id of every line; those that give a file name instead are named as all readers of file names do."""
    files = [raw["file_name"] for _, raw in lines if "image_id" not in raw and isinstance(raw.get("file_name"), str)]
    id_of = dict(zip(files, name_from_files(files), strict=True))
    ids = []
    for line, raw in lines:
        image_id = raw.get("image_id") if "image_id" in raw else id_of.get(raw.get("file_name", ""))
        if isinstance(image_id, bool) or not isinstance(image_id, str | int) or not str(image_id):
            raise FormatError(path, "every line needs an image_id (or a file_name) that is not empty.", line=line)
        ids.append(str(image_id))
    return ids


def _read_row(row: dict[str, Any], taxonomy: Taxonomy | None) -> TruthRow:
    problematic = row.get("problematic", False)
    if not isinstance(problematic, bool | int):
        raise InputError(f"problematic must be true or false, not {problematic!r}.")
    lists = {name: _read_list(row, name, taxonomy) for name in VERDICT_FIELDS}
    _check_one_verdict(lists)
    evidence = read_evidence(row, taxonomy)
    _check_judged(lists, evidence)
    return TruthRow(
        image_id=row["image_id"],
        label=_read_optional(row, "label", taxonomy),
        main=_read_optional(row, "main", taxonomy),
        problematic=bool(problematic),
        follow_up_only=row.get("follow_up_only") is True,
        unlisted=read_unlisted(row.get(UNLISTED_FIELD)),
        # Multi-label truths do not say what they are: a line that says nothing is of one.
        kind=_read_choice(row.get(KIND_FIELD), KIND_FIELD, LabelKind) or LabelKind.MULTILABEL,
        fields=frozenset(row),
        evidence=evidence,
        **lists,
    )


def _read_optional(row: dict[str, Any], name: str, taxonomy: Taxonomy | None) -> int:
    value = row.get(name)
    return NO_CLASS if value is None else resolve_class(value, taxonomy)


def _read_list(row: dict[str, Any], name: str, taxonomy: Taxonomy | None) -> list[int]:
    values = row.get(name)
    if values is None:
        return []
    if not isinstance(values, list):
        raise InputError(f"{name} must be a list of classes, not {values!r}.")
    return list(dict.fromkeys(resolve_class(value, taxonomy) for value in values))


def _check_one_verdict(lists: dict[str, list[int]]) -> None:
    verdict_of: dict[int, str] = {}
    for name, classes in lists.items():
        for index in classes:
            if index in verdict_of:
                raise InputError(
                    f"class {index} is listed as {verdict_of[index]} and as {name}; a class has one verdict."
                )
            verdict_of[index] = name


def _check_judged(lists: dict[str, list[int]], evidence: Evidence) -> None:
    judged = {index for classes in lists.values() for index in classes}
    unknown = next((index for index in evidence.verdicts or () if index not in judged), None)
    if unknown is not None:
        raise InputError(f"class {unknown} has evidence, but no verdict.")
