"""Votes → verdicts by plurality: most votes, and a shared first place is unclear (Vasudevan et al. 2022, section 3)."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IntArray
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted, VerdictArray
from regauge.records.labels.panel import ImageVotes, PanelLabels, PanelVotes
from regauge.records.labels.verdicts import Verdict

RULE = "panel plurality: most votes; a shared first place is unclear"


def count_pair_votes(pairs: IntArray | CountArray, verdicts: IntArray | VerdictArray, *, n_pairs: int) -> CountArray:
    """Per pair, the votes for each verdict [pairs, 3], in the order of `Verdict`."""
    table = np.zeros((n_pairs, len(Verdict)), np.int64)
    np.add.at(table, (pairs, verdicts.astype(np.int64)), 1)
    return table


def find_shared(n_votes: CountArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Per pair, whether several verdicts share the first place; of no votes all do."""
    return np.asarray((n_votes == n_votes.max(axis=1, keepdims=True, initial=0)).sum(axis=1) > 1, np.bool_)


def decide_plurality(n_votes: CountArray) -> VerdictArray:
    """Per pair the verdict with the most votes; unclear where several have them.

    >>> decide_plurality(np.array([[0, 1, 2], [1, 0, 1]])).tolist()
    [2, 1]
    """
    return np.where(find_shared(n_votes), Verdict.UNCLEAR, n_votes.argmax(axis=1)).astype(np.int8)


def judge_panel(votes: PanelVotes, *, name: str, images: ImageVotes | None = None) -> PanelLabels:
    """The outcome on every (image, class) pair that somebody voted on; what the panel did not vote on is unjudged.

    Args:
        votes: the votes on classes.
        name: what to call the label set.
        images: the votes on images themselves; without them no image is problematic. Where most find the dataset label wrong,
            or the image problematic, it is; a shared first place decides nothing against an image.
    """
    stride = int(votes.classes.max()) + 1
    keys, pairs = np.unique(votes.images.astype(np.int64) * stride + votes.classes, return_inverse=True)
    n_votes = count_pair_votes(pairs, votes.verdicts, n_pairs=len(keys))
    is_shared, verdicts = find_shared(n_votes), decide_plurality(n_votes)
    rows, classes = keys // stride, (keys % stride).astype(np.int32)
    n = len(votes.image_ids)
    is_problematic = np.zeros(n, np.bool_) if images is None else find_problematic(images, n)
    label_set = LabelSet(
        name=name,
        image_ids=votes.image_ids,
        starts=np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n)))),
        classes=classes,
        verdicts=verdicts,
        kind=LabelKind.MULTILABEL,
        unlisted=Unlisted.UNJUDGED,
        is_problematic=is_problematic,
        main_labels=np.full(n, NO_CLASS, np.int32),
    )
    n_split = int(((n_votes > 0).sum(axis=1) > 1).sum())
    note = (
        f"{len(keys):,} pairs by {RULE}; the panel disagreed on {n_split:,}, and the first place was shared on "
        f"{int(is_shared.sum()):,}."
    )
    return PanelLabels(label_set, rows, classes, n_votes, verdicts, (*votes.notes, note))


def find_problematic(votes: ImageVotes, n_images: int) -> BoolArray:
    """Per image, whether most who voted on it find its dataset label wrong, or the image problematic."""
    n = np.bincount(votes.images, minlength=n_images)
    counts = (
        np.bincount(votes.images[one], minlength=n_images) for one in (votes.is_label_wrong, votes.is_problematic)
    )
    is_found = [2 * count > n for count in counts]
    return np.asarray(is_found[0] | is_found[1], np.bool_)
