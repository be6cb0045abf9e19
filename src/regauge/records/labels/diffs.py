"""What changed from one version of a label set to another, as it is told."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.records.labels.evidence import NO_EVIDENCE, VerdictEvidence
from regauge.records.labels.label_set import Unlisted


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One (image, class) pair whose verdict changed; `unlisted` where a version does not list the class.

    `evidence` is what the later verdict rests on, where that is known.
    """

    image_id: str
    class_index: int
    before: str
    after: str
    evidence: VerdictEvidence = NO_EVIDENCE


@dataclass(frozen=True, slots=True)
class LabelDiff:
    """The difference between two versions.

    The last three say what happened to the labels of the images that both have and neither calls problematic, as Shankar et al.
    2020 (section 4.3) count them: an image can have labels added and others modified, and is unchanged if neither.

    Attributes:
        before: the older version.
        after: the newer version.
        changes: pairs whose verdict changed, on images that both have, by image and class.
        added: images that only the newer one has.
        removed: images that only the older one has.
        now_problematic: images that became problematic.
        no_longer_problematic: images that are problematic no more.
        unchanged_labels: images of which neither holds.
        added_labels: images on which a class that had no verdict is correct now.
        modified_labels: images on which a class that had a verdict has another one now, or none.
        unlisted_before: what it means in the older one when a class is unlisted.
        unlisted_after: what it means in the newer one; where that is something else, all unlisted classes changed at once, and
            are not among the changes.
    """

    before: str
    after: str
    changes: tuple[LabelChange, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    now_problematic: tuple[str, ...]
    no_longer_problematic: tuple[str, ...]
    unchanged_labels: tuple[str, ...] = ()
    added_labels: tuple[str, ...] = ()
    modified_labels: tuple[str, ...] = ()
    unlisted_before: Unlisted = Unlisted.UNJUDGED
    unlisted_after: Unlisted = Unlisted.UNJUDGED
