"""What changed from one version of a label set to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from regauge.arrays import CountArray, IdArray
from regauge.records.labels.changes import NO_VERDICT, PairedVersions
from regauge.records.labels.diffs import LabelChange, LabelDiff
from regauge.records.labels.evidence import NO_EVIDENCE, LabelEvidence
from regauge.records.labels.label_set import LabelSet, VerdictArray
from regauge.records.labels.verdicts import Verdict

UNJUDGED = "unlisted"
_NAMES = {NO_VERDICT: UNJUDGED, **{int(verdict): verdict.name.lower() for verdict in Verdict}}


def compare_labels(before: LabelSet, after: LabelSet) -> LabelDiff:
    """Every verdict that changed, every image that came or went, and every image that changed between problematic and not."""
    pairs = PairedVersions.of(before, after)
    keys, was, now = pairs.find_changed()
    codes = keys // pairs.stride
    is_shared = pairs.is_before[codes]
    keys, codes, was, now = keys[is_shared], codes[is_shared], was[is_shared], now[is_shared]
    ids = pairs.image_ids[codes].tolist()
    # As for the images of the newer version, so for their changes.
    rank = np.zeros(len(pairs.image_ids), np.int64)
    rank[pairs.codes_after] = np.arange(len(after))
    order = np.lexsort((keys % pairs.stride, rank[codes])).tolist()
    classes, olds, news = (keys % pairs.stride).tolist(), was.tolist(), now.tolist()
    return LabelDiff(
        before=before.name,
        after=after.name,
        changes=tuple(LabelChange(ids[one], classes[one], _NAMES[olds[one]], _NAMES[news[one]]) for one in order),
        added=_list(after.image_ids[~pairs.is_before[pairs.codes_after]]),
        removed=_list(before.image_ids[~pairs.is_after[pairs.codes_before]]),
        unlisted_before=before.unlisted,
        unlisted_after=after.unlisted,
        **_compare_problematic(pairs),
        **_compare_images(pairs, codes, was, now),
    )


def add_evidence(diff: LabelDiff, evidence: LabelEvidence | None) -> LabelDiff:
    """The same with what the later verdicts rest on."""
    found = {} if evidence is None else evidence.by_pair
    changes = tuple(
        replace(one, evidence=found.get((one.image_id, one.class_index), NO_EVIDENCE)) if one.after != UNJUDGED else one
        for one in diff.changes
    )
    return replace(diff, changes=changes)


def _compare_problematic(pairs: PairedVersions) -> Mapping[str, Any]:
    here = pairs.codes_after
    is_shared = pairs.is_before[here]
    was = pairs.before.is_problematic[pairs.places_before[here]]
    now = pairs.after.is_problematic
    ids = pairs.after.image_ids
    return {
        "now_problematic": _list(ids[is_shared & now & ~was]),
        "no_longer_problematic": _list(ids[is_shared & was & ~now]),
    }


def _compare_images(
    pairs: PairedVersions, codes: CountArray, was: VerdictArray, now: VerdictArray
) -> Mapping[str, Any]:
    """Images by what happened to their labels."""
    is_added, is_modified = (np.zeros(len(pairs.image_ids), np.bool_) for _ in range(2))
    is_added[codes[(was == NO_VERDICT) & (now == Verdict.CORRECT)]] = True
    is_modified[codes[was != NO_VERDICT]] = True
    here = pairs.codes_after
    is_used = pairs.is_before[here] & ~pairs.after.is_problematic
    is_used &= ~pairs.before.is_problematic[pairs.places_before[here]]
    ids = pairs.after.image_ids
    return {
        "unchanged_labels": _list(ids[is_used & ~is_added[here] & ~is_modified[here]]),
        "added_labels": _list(ids[is_used & is_added[here]]),
        "modified_labels": _list(ids[is_used & is_modified[here]]),
    }


def _list(ids: IdArray) -> tuple[str, ...]:
    return tuple(ids.tolist())
