"""What changed from one version of a label set to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from regauge.records.labels.label_set import LabelSet, Verdict

UNJUDGED = "unlisted"


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One (image, class) pair whose verdict changed; `unlisted` where a version does not list the class."""

    image_id: str
    class_index: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class LabelDiff:
    """The difference between two versions.

    Attributes:
        before: the older version.
        after: the newer version.
        changes: pairs whose verdict changed, on images that both have, by image and class.
        added: images that only the newer one has.
        removed: images that only the older one has.
        now_problematic: images that became problematic.
        no_longer_problematic: images that are problematic no more.
    """

    before: str
    after: str
    changes: tuple[LabelChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    now_problematic: tuple[str, ...]
    no_longer_problematic: tuple[str, ...]


def compare_labels(before: LabelSet, after: LabelSet) -> LabelDiff:
    """Every verdict that changed, every image that came or went, and every image that changed between problematic and not."""
    old, new = _read(before), _read(after)
    bad_before, bad_after = (set(one.image_ids[one.is_problematic].tolist()) for one in (before, after))
    shared = [image_id for image_id in new if image_id in old]
    return LabelDiff(
        before=before.name,
        after=after.name,
        changes=tuple(change for image_id in shared for change in _compare(image_id, old[image_id], new[image_id])),
        added=tuple(image_id for image_id in new if image_id not in old),
        removed=tuple(image_id for image_id in old if image_id not in new),
        now_problematic=tuple(one for one in shared if one in bad_after - bad_before),
        no_longer_problematic=tuple(one for one in shared if one in bad_before - bad_after),
    )


def _read(label_set: LabelSet) -> dict[str, dict[int, str]]:
    """The verdicts of every image, by class."""
    names = {int(verdict): verdict.name.lower() for verdict in Verdict}
    found: dict[str, dict[int, str]] = {image_id: {} for image_id in label_set.image_ids.tolist()}
    judged = zip(
        label_set.image_ids[label_set.rows].tolist(),
        label_set.classes.tolist(),
        label_set.verdicts.tolist(),
        strict=True,
    )
    for image_id, index, verdict in judged:
        found[image_id][index] = names[verdict]
    return found


def _compare(image_id: str, old: dict[int, str], new: dict[int, str]) -> Iterator[LabelChange]:
    for index in sorted({*old, *new}):
        before, after = old.get(index, UNJUDGED), new.get(index, UNJUDGED)
        if before != after:
            yield LabelChange(image_id, index, before, after)
