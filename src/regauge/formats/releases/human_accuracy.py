"""Version 3 of the labels of Shankar et al. (2020): one JSON object, `human_accuracy_v3.0.0.json`.

`initial_annots` has, per file name, lists of class ids under correct, wrong and unclear; `problematic_images` and `imagenet_m`
name files, as a list or as the keys of an object. What is not so is passed over and counted aloud.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regauge.errors import FormatError
from regauge.formats.images.folders import check_collisions
from regauge.formats.releases.imagenetv2 import find_index
from regauge.formats.text import name_from_file, read_json

ANNOTATIONS = "initial_annots"
PROBLEMATIC = "problematic_images"
MAJOR_SLICE = "imagenet_m"
VERDICTS = ("correct", "unclear", "wrong")
VALIDATION_PREFIX = "ILSVRC2012_val_"


@dataclass(frozen=True, slots=True)
class HumanAccuracy:
    """The verdicts on every annotated image, and two lists of images.

    Attributes:
        verdicts: per image, the classes that are correct, unclear and wrong.
        problematic: images that are left out.
        major_slice: the images of ImageNet-M.
        notes: what was found and passed over.
    """

    verdicts: dict[str, dict[str, list[int]]]
    problematic: tuple[str, ...]
    major_slice: tuple[str, ...]
    notes: tuple[str, ...]


def is_human_accuracy(content: object) -> bool:
    """Whether the content of a JSON file is of this kind."""
    return isinstance(content, dict) and isinstance(content.get(ANNOTATIONS), dict)


def load_human_accuracy(path: Path) -> HumanAccuracy:
    """The file's verdicts and lists."""
    return read_human_accuracy(path, read_json(path))


def read_human_accuracy(path: Path, content: Mapping[str, Any]) -> HumanAccuracy:
    """The verdicts and lists in the content of a file.

    Raises:
        FormatError: the content has no annotations, or two files have the same image id.
    """
    if not is_human_accuracy(content) or not content[ANNOTATIONS]:
        raise FormatError(path, f"this has no {ANNOTATIONS}, an object of file names.")
    files = list(content[ANNOTATIONS])
    ids = [name_from_file(file_name) for file_name in files]
    check_collisions(path, ids, files=files)
    oddities: Counter[str] = Counter()
    verdicts = {
        image: _read_entry(content[ANNOTATIONS][name], oddities) for image, name in zip(ids, files, strict=True)
    }
    lists = [_read_names(content.get(key)) for key in (PROBLEMATIC, MAJOR_SLICE)]
    notes = tuple(_describe(path, verdicts, lists, oddities))
    return HumanAccuracy(verdicts, lists[0] or (), lists[1] or (), notes)


def _read_entry(entry: object, oddities: Counter[str]) -> dict[str, list[int]]:
    """The classes under each verdict. A class under two verdicts is unclear."""
    if not isinstance(entry, dict):
        oddities["images without lists of classes"] += 1
        return {verdict: [] for verdict in VERDICTS}
    found: dict[int, str] = {}
    for verdict in VERDICTS:
        members = entry.get(verdict) or ()
        for wnid in members if isinstance(members, list | dict) else ():
            index = find_index(wnid)
            if index is None:
                oddities["class ids that ImageNet does not have"] += 1
                continue
            if found.get(index, verdict) != verdict:
                oddities["classes under two verdicts, which count as unclear"] += 1
                found[index] = "unclear"
            else:
                found[index] = verdict
    oddities["other lists of an image, which are not read"] += len(set(entry) - set(VERDICTS))
    return {verdict: [index for index, one in found.items() if one == verdict] for verdict in VERDICTS}


def _read_names(content: object) -> tuple[str, ...] | None:
    """The images of a list or of an object's keys; None where there is neither."""
    if not isinstance(content, list | dict):
        return None
    return tuple(dict.fromkeys(name_from_file(name) for name in content if isinstance(name, str)))


def _describe(
    path: Path,
    verdicts: Mapping[str, Mapping[str, list[int]]],
    lists: list[tuple[str, ...] | None],
    oddities: Counter[str],
) -> Iterator[str]:
    n_validation = sum(image.startswith(VALIDATION_PREFIX) for image in verdicts)
    counts = {verdict: sum(len(one[verdict]) for one in verdicts.values()) for verdict in VERDICTS}
    listed = ", ".join(f"{n:,} {verdict}" for verdict, n in counts.items())
    yield (
        f"{path.name}: verdicts on {len(verdicts):,} images, {n_validation:,} of them of the validation set: {listed}."
    )
    for name, found in zip((PROBLEMATIC, MAJOR_SLICE), lists, strict=True):
        yield f"{path.name}: {name} " + ("is not there." if found is None else f"lists images: {len(found):,}.")
    for what, n in oddities.items():
        if n:
            yield f"{path.name}: {what}: {n:,}."
