"""Votes lined up with the images of a test set: how often classes were selected, and which label is the main one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.estimates import count_things
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.lookups import NO_PAIR, PairLookup, find_target_rows, make_lookup
from regauge.records.candidates import SplitPart
from regauge.records.labels.frequencies import AnnotatorSpread, SelectionCounts


@dataclass(frozen=True, eq=False)
class RowVotes:
    """Selection counts by row of the images.

    Attributes:
        counts: the counts as they came.
        lookup: from a row and a class to the pair.
        rows: per pair, the row of its image; `NO_PAIR` where the images lack it.
        labels: the dataset label of each row.
    """

    counts: SelectionCounts
    lookup: PairLookup
    rows: CountArray
    labels: IntArray

    @property
    def spread(self) -> AnnotatorSpread | None:
        """How far annotators differ, where it is known who gave which vote."""
        return self.counts.spread

    def find(self, classes: IntArray) -> tuple[CountArray, CountArray]:
        """Per row, how many annotators selected the class of that row and how many were shown it; 0 of 0 where nobody was."""
        places = self.lookup.find(classes)
        is_found = places != NO_PAIR
        selected, shown = self.counts.n_selected, self.counts.n_shown
        if not len(shown):
            return np.zeros(len(classes), np.int64), np.zeros(len(classes), np.int64)
        return np.where(is_found, selected[places], 0), np.where(is_found, shown[places], 0)

    @cached_property
    def own(self) -> tuple[CountArray, CountArray]:
        """The same of the dataset labels."""
        return self.find(self.labels)

    @cached_property
    def own_frequencies(self) -> FloatArray:
        """The selection frequency of every dataset label; NaN where nobody was asked about it."""
        return divide(*self.own)

    @cached_property
    def others(self) -> CountArray:
        """The pairs that somebody was shown and that are not the dataset label of their image, which has one."""
        here = self.rows != NO_PAIR
        labels = np.where(here, self.labels[self.rows], NO_CLASS)
        is_other = here & (self.counts.n_shown > 0) & (labels != NO_CLASS) & (labels != self.counts.classes)
        return np.flatnonzero(is_other)


def line_up_selections(material: ContextMaterial) -> RowVotes | None:
    """The counts by row of the images; None where there are none."""
    counts = material.counts
    if counts is None:
        return None
    lookup = make_lookup(material.target, counts.image_ids, images=counts.images, classes=counts.classes)
    rows = find_target_rows(material.target, counts.image_ids)[counts.images]
    return RowVotes(counts, lookup, rows, material.labels)


def bound_means(selected: CountArray, shown: CountArray, *, is_counted: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Mean selection frequencies [rows] if nobody had selected what was not shown, and if everybody had; NaN without images.

    Args:
        selected: annotators who selected an answer [rows, images].
        shown: annotators who were asked about it; 0 where nobody was.
        is_counted: which answers count.
    """
    judged = is_counted & (shown > 0)
    sums = np.where(judged, selected / np.maximum(shown, 1), 0.0).sum(axis=1)
    n, n_unjudged = is_counted.sum(axis=1), (is_counted & ~judged).sum(axis=1)
    return divide(sums, n), divide(sums + n_unjudged, n)


@dataclass(frozen=True, slots=True, eq=False)
class MainLabels:
    """The main label of every image.

    Attributes:
        labels: per row; `NO_CLASS` where it is not known. That of an easy image is its dataset label.
        is_asked: which images people were asked about in CLASSIFY.
        n_named: per row, accepted annotators who named the dataset label as the main object's.
        n_accepted: per row, accepted annotators.
        n_agreeing: per row, accepted annotators who named the main label.
    """

    labels: IntArray
    is_asked: BoolArray
    n_named: CountArray
    n_accepted: CountArray
    n_agreeing: CountArray


def find_main_labels(material: ContextMaterial) -> MainLabels | None:
    """What annotators call the main object of every image; None without answers to CLASSIFY."""
    classify = material.classify
    if classify is None:
        return None
    n = len(material.labels)
    rows = find_target_rows(material.target, classify.objects.image_ids)
    here = (rows != NO_PAIR) & (classify.n_accepted > 0)
    labels, is_asked = np.full(n, NO_CLASS, np.int32), np.zeros(n, np.bool_)
    labels[rows[here]] = classify.main_labels[here]
    is_asked[rows[here]] = True
    is_easy = find_easy_rows(material) & ~is_asked
    labels[is_easy] = material.labels[is_easy]
    named, accepted, agreeing = (np.zeros(n, np.int64) for _ in range(3))
    accepted[rows[here]] = classify.n_accepted[here]
    label_rows = rows[np.repeat(np.arange(len(classify)), np.diff(classify.starts))]
    for counts, classes in ((named, material.labels), (agreeing, labels)):
        hits = (label_rows != NO_PAIR) & (classify.classes == classes[label_rows])
        counts[label_rows[hits]] = classify.n_main[hits]
    return MainLabels(labels, is_asked, named, accepted, agreeing)


def note_unanswered(material: ContextMaterial, mains: MainLabels | None) -> list[str]:
    """What of images that went to CLASSIFY and have no answer there, while all easy ones have their main labels."""
    if mains is None or not material.parts:
        return []
    parts = [material.parts.get(one) for one in material.target.image_ids.tolist()]
    n = sum(
        part is SplitPart.FOLLOW_UP and not asked for part, asked in zip(parts, mains.is_asked.tolist(), strict=True)
    )
    if not n:
        return []
    return [
        (
            f"{count_things(n, 'follow-up image has', many='follow-up images have')} no answers in CLASSIFY, so that easy "
            "images count for too much where main labels are looked at."
        )
    ]


def get_firsts(material: ContextMaterial) -> IntArray:
    """The first answers [participants, images]; nobody's where there are none."""
    return np.zeros((0, len(material.labels)), np.int32) if material.firsts is None else material.firsts


def find_easy_rows(material: ContextMaterial) -> BoolArray:
    """Which images need no CLASSIFY; none where the split is not known."""
    parts = material.parts or {}
    return np.array([parts.get(one) is SplitPart.EASY for one in material.target.image_ids.tolist()], np.bool_)


def count_objects(material: ContextMaterial) -> CountArray:
    """Per row, how many objects the image has; 0 where that is not known."""
    n_objects = np.zeros(len(material.labels), np.int64)
    objects = material.objects
    if objects is not None:
        rows = find_target_rows(material.target, objects.image_ids)
        n_objects[rows[rows != NO_PAIR]] = objects.n_objects[rows != NO_PAIR]
    return n_objects
