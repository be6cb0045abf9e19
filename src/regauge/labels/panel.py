"""Votes of an expert panel → verdicts: plurality, and a shared first place is unclear (Vasudevan et al. 2022, section 3)."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS
from regauge.labels.plurality import count_pair_votes, decide_plurality, find_shared
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.panel import PanelLabels, PanelVotes

RULE = "panel plurality: most votes; a shared first place is unclear"


def judge_panel(votes: PanelVotes, *, name: str) -> PanelLabels:
    """The outcome on every (image, class) pair that somebody voted on; what the panel did not vote on is unjudged."""
    stride = int(votes.classes.max()) + 1
    keys, pairs = np.unique(votes.images.astype(np.int64) * stride + votes.classes, return_inverse=True)
    n_votes = count_pair_votes(pairs, votes.verdicts, n_pairs=len(keys))
    is_shared, verdicts = find_shared(n_votes), decide_plurality(n_votes)
    images, classes = keys // stride, (keys % stride).astype(np.int32)
    n = len(votes.image_ids)
    label_set = LabelSet(
        name=name,
        image_ids=votes.image_ids,
        starts=np.concatenate(([0], np.cumsum(np.bincount(images, minlength=n)))),
        classes=classes,
        verdicts=verdicts,
        kind=LabelKind.MULTILABEL,
        unlisted=Unlisted.UNJUDGED,
        is_problematic=np.zeros(n, np.bool_),
        main_labels=np.full(n, NO_CLASS, np.int32),
    )
    n_split = int(((n_votes > 0).sum(axis=1) > 1).sum())
    note = (
        f"{len(keys):,} pairs by {RULE}; the panel was not of one mind on {n_split:,}, and the first place was shared on "
        f"{int(is_shared.sum()):,}."
    )
    return PanelLabels(label_set, images, classes, n_votes, verdicts, (*votes.notes, note))
