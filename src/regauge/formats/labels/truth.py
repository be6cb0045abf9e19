"""Truth files → dataset labels and label sets.

CSV `image_id,label`; JSON Lines with verdicts, in our field names or TFDS's; ReaL JSON; version 3 of the labels of Shankar et al.
(2020); a folder with one folder per class. docs/formats.md shows one of each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS, IdArray
from regauge.errors import FormatError, InputError
from regauge.formats.classes import resolve_class, resolve_column
from regauge.formats.images.folders import check_collisions, load_image_folder
from regauge.formats.labels.evidence import FREQUENCY_FIELD, Evidence, make_frequencies, make_objects, read_evidence
from regauge.formats.releases.human_accuracy import HumanAccuracy, is_human_accuracy, read_human_accuracy
from regauge.formats.releases.imagenetv2 import index_wnids
from regauge.formats.sizes import make_names
from regauge.formats.text import (
    Table,
    name_from_file,
    parse_json,
    read_json_lines,
    read_table,
    read_text,
    require_columns,
)
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

DIGEST_COLUMN = "sha256"
"""An optional column of truth tables: of each image's bytes, so that images of two sets can be told to be the same."""

VERDICT_FIELDS = ("correct", "unclear", "wrong")

MAX_LISTS = 2_000_000
"""Label lists of a JSON truth; ImageNet has 1,331,167 images that are labelled for its challenge."""


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


def load_truth(path: Path | str, *, taxonomy: Taxonomy | None = None, unlisted: Unlisted | None = None) -> Truth:
    """The truth in a file or folder; its kind is told by its extension and content.

    Args:
        path: the file, or a folder with one folder of images per class.
        taxonomy: the classes; without it, classes must be given by index.
        unlisted: what a class in none of an image's lists means, when the file's own sign is not to be believed.
    """
    path = Path(path)
    try:
        return _load(path, taxonomy, unlisted)
    except FormatError:
        raise
    except InputError as error:
        raise FormatError(path, str(error)) from None


def _load(path: Path, taxonomy: Taxonomy | None, unlisted: Unlisted | None) -> Truth:
    if path.is_dir():
        located = load_image_folder(path, taxonomy=taxonomy)
        return Truth(located.test_set, notes=located.notes)
    suffix = path.suffix.lower()
    if suffix in {".csv", ".tsv"}:
        return _load_table(path, taxonomy)
    if suffix in {".jsonl", ".ndjson"}:
        return _load_rows(path, taxonomy, unlisted)
    if suffix == ".json":
        return _load_json(path, taxonomy, unlisted)
    if not path.exists():
        raise FormatError(path, "there is no such file or folder.")
    raise FormatError(
        path, f"a truth is a .csv, .tsv, .jsonl or .json file or a folder of images, not {suffix or 'this'}."
    )


def _load_table(path: Path, taxonomy: Taxonomy | None) -> Truth:
    table = read_table(path)
    require_columns(table, ("image_id", "label"), purpose="a truth table")
    image_ids = table.get_column("image_id")
    table.check_distinct(image_ids, "image")
    labels = resolve_column(table, "label", taxonomy)
    test_set = TestSet(path.stem, make_names(image_ids), labels, _read_digests(table))
    return Truth(test_set, notes=(f"{path.name}: dataset labels of {len(test_set):,} images.",))


def _read_digests(table: Table) -> IdArray | None:
    """The optional column of digests, in small letters; a cell may be empty where one is not known."""
    if DIGEST_COLUMN not in table.frame.columns:
        return None
    column = table.frame[DIGEST_COLUMN].fill_null("").str.strip_chars().str.to_lowercase()
    wrong = (~column.str.contains("^([0-9a-f]{64})?$")).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise table.make_error(row, f"{DIGEST_COLUMN} is 64 hexadecimal digits or empty, not {column[row]!r}.")
    return column.to_numpy().astype(np.str_)


def check_lists(path: Path, text: str, *, n_most: int = MAX_LISTS) -> None:
    """Refuse a list of more label lists than any test set has images, before its text is taken apart.

    Brackets are counted, which takes a moment where parsing takes minutes; a bracket inside a name counts as well, and does no
    harm unless there are so many.

    Raises:
        FormatError: the list has more label lists than any test set has images.
    """
    if text.count("[") > n_most + 1:
        raise FormatError(path, f"a JSON truth has at most {n_most:,} label lists; larger ones go into .jsonl.")


def _load_json(path: Path, taxonomy: Taxonomy | None, unlisted: Unlisted | None) -> Truth:
    text = read_text(path, has_lines=False)
    check_lists(path, text)
    content = parse_json(path, text)
    if is_human_accuracy(content):
        return _make_human_labels(path, read_human_accuracy(path, content), taxonomy, unlisted)
    if isinstance(content, list) and content and all(isinstance(entry, list) for entry in content):
        ids = [f"ILSVRC2012_val_{position + 1:08d}" for position in range(len(content))]
        return _make_real(path, ids, content, taxonomy)
    if isinstance(content, dict) and content and all(isinstance(entry, list) for entry in content.values()):
        ids = [name_from_file(file_name) for file_name in content]
        check_collisions(path, ids, files=list(content))
        return _make_real(path, ids, list(content.values()), taxonomy)
    raise FormatError(
        path, "a JSON truth is a list of label lists (ReaL) or an object {file: label list}; verdicts go into .jsonl."
    )


def _make_human_labels(path: Path, found: HumanAccuracy, taxonomy: Taxonomy | None, unlisted: Unlisted | None) -> Truth:
    if taxonomy is not None and [one.id for one in taxonomy.classes] != list(index_wnids()):
        raise FormatError(path, f"these labels are of the classes of imagenet-1k, not of {taxonomy.name}.")
    problematic = set(found.problematic)
    label_set = LabelSet.from_lists(
        path.stem,
        list(found.verdicts),
        correct=[one["correct"] for one in found.verdicts.values()],
        unclear=[one["unclear"] for one in found.verdicts.values()],
        wrong=[one["wrong"] for one in found.verdicts.values()],
        is_problematic=[image in problematic for image in found.verdicts],
        unlisted=unlisted,
    )
    notes = (*found.notes, f"{path.name}: a class that an image does not list is {label_set.unlisted}.")
    return Truth(label_sets=(label_set,), notes=notes)


def _make_real(path: Path, ids: Sequence[str], lists: Sequence[list[Any]], taxonomy: Taxonomy | None) -> Truth:
    correct = [_resolve_list(path, image_id, entry, taxonomy) for image_id, entry in zip(ids, lists, strict=True)]
    label_set = LabelSet.from_lists(path.stem, make_names(ids), correct=correct, kind=LabelKind.REAL)
    n_empty = sum(not entry for entry in correct)
    note = (
        f"{path.name}: reassessed labels of {len(ids):,} images, {n_empty:,} of them without any, which are left out."
    )
    return Truth(label_sets=(label_set,), notes=(note,))


def _load_rows(path: Path, taxonomy: Taxonomy | None, unlisted: Unlisted | None) -> Truth:
    rows = list(_read_rows(path, taxonomy))
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
        return Truth(test_set, notes=(f"{path.name}: dataset labels of {len(test_set):,} images.",))
    label_set = _make_label_set(path, rows, fields, unlisted)
    ids, evidence = [row.image_id for row in rows], [row.evidence for row in rows]
    return Truth(
        test_set,
        (label_set,),
        notes=(_describe(path, rows, label_set),),
        objects=(make_objects(path.stem, ids, evidence=evidence),) if "objects" in fields else (),
        frequencies=(make_frequencies(path.stem, ids, evidence=evidence),) if FREQUENCY_FIELD in fields else (),
    )


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
    return replace(found, is_follow_up_only=any(row.follow_up_only for row in rows))


def _describe(path: Path, rows: Sequence[TruthRow], label_set: LabelSet) -> str:
    n_with_objects = sum(bool(row.evidence.objects) for row in rows)
    objects = f" The objects of {n_with_objects:,} images are known." if n_with_objects else ""
    return (
        f"{path.name}: {len(label_set.classes):,} verdicts on {len(rows):,} images, "
        f"{int(label_set.is_problematic.sum()):,} of them problematic and left out; "
        f"a class that an image does not list is {label_set.unlisted}.{objects}"
    )


def _read_rows(path: Path, taxonomy: Taxonomy | None) -> Iterator[TruthRow]:
    seen: set[str] = set()
    for line, raw in read_json_lines(path):
        try:
            row = _read_row({TFDS_NAMES.get(name, name): value for name, value in raw.items()}, taxonomy)
        except InputError as error:
            raise FormatError(path, str(error), line=line) from None
        if row.image_id in seen:
            raise FormatError(path, f"image {row.image_id!r} occurs a second time.", line=line)
        seen.add(row.image_id)
        yield row


def _read_row(row: dict[str, Any], taxonomy: Taxonomy | None) -> TruthRow:
    problematic = row.get("problematic", False)
    if not isinstance(problematic, bool | int):
        raise InputError(f"problematic must be true or false, not {problematic!r}.")
    lists = {name: _read_list(row, name, taxonomy) for name in VERDICT_FIELDS}
    _check_one_verdict(lists)
    return TruthRow(
        image_id=_read_image_id(row),
        label=_read_optional(row, "label", taxonomy),
        main=_read_optional(row, "main", taxonomy),
        problematic=bool(problematic),
        follow_up_only=row.get("follow_up_only") is True,
        fields=frozenset(row),
        evidence=read_evidence(row, taxonomy),
        **lists,
    )


def _read_image_id(row: dict[str, Any]) -> str:
    if "image_id" in row:
        image_id = row["image_id"]
        if isinstance(image_id, str | int) and not isinstance(image_id, bool) and str(image_id):
            return str(image_id)
    elif isinstance(row.get("file_name"), str) and name_from_file(row["file_name"]):
        return name_from_file(row["file_name"])
    raise InputError("every line needs an image_id (or a file_name) that is not empty.")


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


def _resolve_list(path: Path, image_id: str, values: list[Any], taxonomy: Taxonomy | None) -> list[int]:
    try:
        return list(dict.fromkeys(resolve_class(value, taxonomy) for value in values))
    except InputError as error:
        raise FormatError(path, f"image {image_id!r}: {error}") from None
