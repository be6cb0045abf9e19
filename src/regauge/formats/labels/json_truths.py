"""JSON truths → records: ReaL's label lists, sets of ImageNetV2, and version 3 of the labels of Shankar et al. (2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from regauge.errors import FormatError, InputError
from regauge.estimates import count_things
from regauge.formats.classes import resolve_class
from regauge.formats.images.folders import check_collisions
from regauge.formats.labels.sources import TruthSource, name_validation_images, resolve_words
from regauge.formats.labels.verdict_lines import UNLISTED_FIELD, read_unlisted
from regauge.formats.releases.human_accuracy import HumanAccuracy, is_human_accuracy, read_human_accuracy
from regauge.formats.releases.imagenetv2 import index_wnids
from regauge.formats.sizes import make_names
from regauge.formats.tables import describe_json
from regauge.formats.text import name_from_files, parse_json, read_text
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

IMAGES = "image_filenames"
"""Where a set of ImageNetV2 lists its images."""

MAX_LISTS = 2_000_000
"""Label lists of a JSON truth; ImageNet has 1,331,167 images that are labelled for its challenge."""


def check_lists(path: Path, text: str, *, n_most: int = MAX_LISTS) -> None:
    """Refuse a list of more label lists than any test set has images, before its text is taken apart.

    Brackets are counted, which takes a moment where parsing takes minutes; a bracket inside a name counts as well, and does no
    harm unless there are so many.

    Raises:
        FormatError: the list has more label lists than any test set has images.
    """
    if text.count("[") > n_most + 1:
        raise FormatError(path, f"a JSON truth has at most {n_most:,} label lists; larger ones go into .jsonl.")


def load_json_truth(source: TruthSource) -> Truth:
    """The truth that a JSON file holds, told by its shape."""
    path, taxonomy = source.path, source.taxonomy
    text = read_text(path, has_lines=False)
    check_lists(path, text)
    content = parse_json(path, text)
    if is_human_accuracy(content):
        said = read_unlisted(content.get(UNLISTED_FIELD))
        return _make_human_labels(replace(source, unlisted=source.unlisted or said), read_human_accuracy(path, content))
    if is_set(content):
        return _load_set(source, content[IMAGES])
    if isinstance(content, list) and content and all(isinstance(entry, list) for entry in content):
        return _make_real(path, name_validation_images(len(content)), content, taxonomy)
    if isinstance(content, dict) and content and all(isinstance(entry, list) for entry in content.values()):
        ids = name_from_files(list(content))
        check_collisions(path, ids, files=list(content))
        return _make_real(path, ids, list(content.values()), taxonomy)
    raise FormatError(
        path,
        "a JSON truth is a list of label lists (ReaL), an object {file: label list}, or a set of ImageNetV2 with "
        f"image_filenames; verdicts go into .jsonl; {describe_json(content)}.",
    )


def is_set(content: object) -> bool:
    """Whether a JSON file is a set as ImageNetV2 releases them."""
    return isinstance(content, dict) and isinstance(content.get(IMAGES), list) and bool(content[IMAGES])


def _load_set(source: TruthSource, rows: Sequence[Any]) -> Truth:
    """A set of ImageNetV2: pairs of image and class id, whose order is that of all released predictions on it."""
    for number, row in enumerate(rows, start=1):
        if not (isinstance(row, list) and len(row) == 2 and all(isinstance(one, str) for one in row)):
            raise FormatError(source.path, f"entry {number:,} of {IMAGES} is [image, class id], not {str(row)[:80]}.")
    files = [row[0] for row in rows]
    ids = name_from_files(files)
    check_collisions(source.path, ids, files=files)
    found = resolve_words([row[1] for row in rows], source.taxonomy, path=source.path)
    test_set = TestSet(source.name, make_names(ids), found.indices)
    note = f"{source.path.name}: a set of ImageNetV2, dataset labels of {count_things(len(test_set), 'image')}."
    return Truth(test_set, notes=(note, *found.notes))


def _make_human_labels(source: TruthSource, found: HumanAccuracy) -> Truth:
    path, taxonomy = source.path, source.taxonomy
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
        unlisted=source.unlisted,
    )
    notes = (*found.notes, f"{path.name}: a class that an image does not list is {label_set.unlisted}.")
    return Truth(label_sets=(label_set,), notes=notes)


def _make_real(path: Path, ids: Sequence[str], lists: Sequence[list[Any]], taxonomy: Taxonomy | None) -> Truth:
    correct = [_resolve_list(path, image_id, entry, taxonomy) for image_id, entry in zip(ids, lists, strict=True)]
    label_set = LabelSet.from_lists(path.stem, make_names(ids), correct=correct, kind=LabelKind.REAL)
    n_empty = sum(not entry for entry in correct)
    empty = f", {n_empty:,} of them left out: no label" if n_empty else ""
    note = f"{path.name}: reassessed labels of {count_things(len(ids), 'image')}{empty}."
    return Truth(label_sets=(label_set,), notes=(note,))


def _resolve_list(path: Path, image_id: str, values: list[Any], taxonomy: Taxonomy | None) -> list[int]:
    try:
        return list(dict.fromkeys(resolve_class(value, taxonomy) for value in values))
    except InputError as error:
        raise FormatError(path, f"image {image_id!r}: {error}") from None
