"""What is known of the images of a test set → payloads of chunks; `images.js` and `labels.js` read them.

A label set is given in the rows of the test set: its row i is image i. Whoever voted or wrote is in no chunk, only how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray
from regauge.formats.site.packing import Packed, pack_column, pack_ids, pack_words
from regauge.records.labels.evidence import VerdictEvidence
from regauge.records.labels.label_set import LabelSet
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.testsets.pool import Exclusion
from regauge.records.testsets.sampling import Draw
from regauge.records.testsets.test_set import TestSet

Payload = Mapping[str, Any]


def pack_images(test_set: TestSet, *, n_answered: CountArray, n_right: CountArray) -> Payload:
    """The images of a set: ids, dataset labels, and how many participants answered and were right."""
    return {
        "ids": pack_ids(test_set.image_ids.tolist()),
        "labels": pack_column(test_set.labels),
        "n_answered": pack_column(n_answered),
        "n_right": pack_column(n_right),
    }


def pack_exclusions(test_set: TestSet, excluded: Mapping[str, Sequence[Exclusion]], *, keywords: IdArray) -> Payload:
    """What holds against candidates of a pool: the first rule and reason of each, and what it is the same as; their keywords."""
    held = [excluded.get(one, ()) for one in test_set.image_ids.tolist()]
    firsts = [one[0] if one else None for one in held]
    return {
        "rule": pack_words(["" if one is None else one.rule.value for one in firsts]),
        "reason": pack_words(["" if one is None else one.reason for one in firsts]),
        "same_as": pack_words(["" if one is None else one.same_as for one in firsts]),
        "keyword": pack_words(keywords.tolist()),
    }


def pack_draw(draw: Draw) -> Payload:
    """What the images of a drawn set were chosen by: how many saw each and selected its class, and what stood in for another."""
    return {
        "shown": pack_column(draw.n_shown),
        "selected": pack_column(draw.n_selected),
        "upward": pack_column(draw.is_upward),
        "carried": pack_column(draw.is_carried),
    }


def pack_firsts(firsts: NDArray[np.integer[Any]]) -> Payload:
    """One participant's first answers, by image."""
    return {"firsts": pack_column(firsts)}


def pack_block(rows: CountArray, firsts: NDArray[np.integer[Any]]) -> Payload:
    """All participants' first answers to some images, image after image."""
    return {"rows": pack_column(rows), "firsts": pack_column(firsts.T)}


def pack_class_counts(n_right: CountArray, n_answered: CountArray) -> Payload:
    """Right first answers and first answers [participants, classes], participant after participant.

    Where everybody answered every image, the second is told once.
    """
    is_alike = bool((n_answered == n_answered[:1]).all())
    return {"right": pack_column(n_right), "answered": pack_column(n_answered[:1] if is_alike else n_answered)}


def pack_wrong(starts: CountArray, *, rows: CountArray, n_participants: CountArray) -> Payload:
    """For some classes, one after the other, the images for which they were answered wrongly, and by how many."""
    return {"n": pack_column(np.diff(starts)), "rows": pack_column(rows), "by": pack_column(n_participants)}


def pack_labels(label_set: LabelSet, *, is_known: BoolArray, n_objects: IntArray | None) -> Payload:
    """The verdicts of a label set, image after image; objects are counted where they are known, 0 standing for unknown."""
    found: dict[str, Any] = {
        "known": pack_column(is_known),
        "problematic": pack_column(label_set.is_problematic),
        "n": pack_column(np.diff(label_set.starts)),
        "classes": pack_column(label_set.classes),
        "verdicts": pack_column(label_set.verdicts),
    }
    if label_set.has_main_labels:
        found["main"] = pack_column(label_set.main_labels)
    if n_objects is not None:
        found["n_objects"] = pack_column(n_objects)
    return found


def pack_objects(objects: Sequence[Sequence[Sequence[int]]], names: Sequence[Sequence[int]]) -> Payload:
    """The objects of each image, each with its labels and what it is called by."""
    flat = [labels for image in objects for labels in image]
    return {
        "n": pack_column([len(image) for image in objects]),
        "n_labels": pack_column(np.array([len(labels) for labels in flat], np.int64)),
        "classes": pack_column(np.array([index for labels in flat for index in labels], np.int64)),
        "names": pack_column(np.array([name for image in names for name in image], np.int64)),
    }


def pack_frequencies(starts: CountArray, *, classes: IntArray, n_shown: CountArray, n_selected: CountArray) -> Payload:
    """How often classes were selected, image after image."""
    return {
        "n": pack_column(np.diff(starts)),
        "classes": pack_column(classes),
        "shown": pack_column(n_shown),
        "selected": pack_column(n_selected),
    }


def pack_evidence(rows: Sequence[int], classes: Sequence[int], *, entries: Sequence[VerdictEvidence]) -> Payload:
    """What verdicts rest on: how many voted how, the rule and the reason.

    Names, notes and arguments are left out: people wrote them, and a website tells of nobody.
    """
    votes = [Counter(vote.verdict for vote in one.votes) for one in entries]
    counts = {verdict.name.lower(): [one[verdict] for one in votes] for verdict in Verdict}
    return {
        "rows": pack_column(np.array(rows, np.int64)),
        "classes": pack_column(np.array(classes, np.int64)),
        "rule": pack_words([one.rule for one in entries]),
        "reason": pack_words([one.reason for one in entries]),
        "derived": pack_column(np.array([one.is_derived for one in entries], np.bool_)),
        "expert": pack_column(np.array([one.is_expert for one in entries], np.bool_)),
        **{name: pack_column(np.array(column, np.int64)) for name, column in counts.items()},
    }


def pack_pictured(is_pictured: BoolArray) -> Payload:
    """Which images have a picture."""
    return {"has": pack_column(is_pictured)}


def pack_copied(numbers: CountArray) -> Payload:
    """The number of the copy of each image, -1 where there is none; images that are the same share one."""
    return {"numbers": pack_column(numbers)}


def pack_linked(paths: Sequence[str]) -> Payload:
    """The path of every image behind the address that all begin with, empty where there is none; quoted as addresses are."""
    return {"paths": pack_ids([quote(path) for path in paths])}


def pack_coding(coding: MistakeCoding, row_of: Mapping[str, int]) -> Payload:
    """Coded mistakes by image; what coders remarked is left out."""
    coded, overturned = coding.coded, coding.overturned
    return {
        "rows": _find_rows(coded.image_ids, row_of),
        "predictions": pack_column(coded.predictions),
        "categories": pack_column(coded.categories),
        "severities": pack_column(coded.severities),
        "category_names": list(coded.category_names),
        "overturned_rows": _find_rows(overturned.image_ids, row_of),
        "overturned_predictions": pack_column(overturned.predictions),
        "overturned_reasons": pack_words(overturned.reasons),
    }


def _find_rows(ids: IdArray, row_of: Mapping[str, int]) -> Packed:
    return pack_column(np.array([row_of.get(one, -1) for one in ids.tolist()], np.int64))
