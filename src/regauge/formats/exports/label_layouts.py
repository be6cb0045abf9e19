"""Label sets → files in the layouts of others: the JSON of Shankar et al. (2020), and the field names of TFDS."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.formats.labels.verdict_lines import TFDS_NAMES, UNLISTED_FIELD
from regauge.formats.releases.human_accuracy import ANNOTATIONS, MAJOR_SLICE, PROBLEMATIC
from regauge.formats.releases.imagenetv2 import index_wnids
from regauge.records.labels.label_set import LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.test_set import TestSet

SUFFIX = ".JPEG"
"""How the files of ImageNet end; both layouts name files, not images."""


class LabelLayout(StrEnum):
    """How a file of labels is laid out."""

    OWN = "regauge"
    """JSON Lines in our field names, with everything that is known."""
    TFDS = "tfds"
    """JSON Lines in the field names of the TensorFlow dataset imagenet2012_multilabel."""
    SHANKAR2020 = "shankar2020"
    """The JSON of version 3 of the labels of Shankar et al. (2020)."""


def write_tfds_truth(test_set: TestSet, label_set: LabelSet, *, path: Path) -> None:
    """JSON Lines with `file_name`, `original_label` and lists of correct, unclear and wrong classes for every image.

    Their lists leave other classes unjudged; where these are wrong, a further field says so.

    Raises:
        InputError: an image id cannot be the name of a file.
    """
    label_of = dict(zip(test_set.image_ids.tolist(), test_set.labels.tolist(), strict=True))
    name_of = {ours: theirs for theirs, ours in TFDS_NAMES.items()}
    with path.open("w", encoding="utf-8") as file:
        for row, image_id in enumerate(label_set.image_ids.tolist()):
            line: dict[str, Any] = {"file_name": _name_file(image_id)}
            label = label_of.get(image_id, NO_CLASS)
            line |= {} if label == NO_CLASS else {name_of["label"]: label}
            line |= {name_of[name]: classes for name, classes in _list_verdicts(label_set, row).items()}
            line[name_of["problematic"]] = bool(label_set.is_problematic[row])
            line |= _describe_unlisted(label_set)
            file.write(json.dumps(line) + "\n")


def write_human_accuracy(
    label_set: LabelSet, taxonomy: Taxonomy, *, path: Path, major_slice: Sequence[str] | None = None
) -> None:
    """One JSON object: verdicts by class id per file, the problematic files, and those of a slice where it is given.

    Their lists leave other classes unjudged; where these are wrong, a further field says so.

    Raises:
        InputError: the classes are not those of imagenet-1k, or an image id cannot be the name of a file.
    """
    wnids = list(index_wnids())
    if [one.id for one in taxonomy.classes] != wnids:
        raise InputError(
            f"The layout {LabelLayout.SHANKAR2020} is for the classes of imagenet-1k, not of {taxonomy.name}; write "
            f"{LabelLayout.OWN} or {LabelLayout.TFDS}."
        )
    files = [_name_file(image_id) for image_id in label_set.image_ids.tolist()]
    content: dict[str, Any] = {
        ANNOTATIONS: {
            name: {
                verdict: [wnids[index] for index in classes]
                for verdict, classes in _list_verdicts(label_set, row).items()
            }
            for row, name in enumerate(files)
        },
        PROBLEMATIC: [name for name, is_one in zip(files, label_set.is_problematic.tolist(), strict=True) if is_one],
    }
    content |= _describe_unlisted(label_set)
    if major_slice is not None:
        content[MAJOR_SLICE] = [_name_file(image_id) for image_id in major_slice]
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _list_verdicts(label_set: LabelSet, row: int) -> dict[str, list[int]]:
    """The classes of an image under each verdict."""
    judged = slice(int(label_set.starts[row]), int(label_set.starts[row + 1]))
    classes, verdicts = label_set.classes[judged], label_set.verdicts[judged]
    return {verdict.name.lower(): classes[verdicts == verdict].tolist() for verdict in reversed(Verdict)}


def _describe_unlisted(label_set: LabelSet) -> dict[str, str]:
    return {UNLISTED_FIELD: str(label_set.unlisted)} if label_set.unlisted is Unlisted.WRONG else {}


def _name_file(image_id: str) -> str:
    """The file of an image: its id with the suffix that readers take off again."""
    if "/" in image_id or "\\" in image_id:
        raise InputError(
            f"Image {image_id!r} cannot be named by a file name alone, as this layout does; write {LabelLayout.OWN}."
        )
    return f"{image_id}{SUFFIX}"
