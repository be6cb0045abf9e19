"""What random halves of the annotators predict: the least that people's confusions differ from people's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, BoolArray, CountArray
from regauge.evaluation.context.confusions.answers import find_main_labels, find_part
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.records.candidates import SplitPart


class SplitHalves(NamedTuple):
    """What two halves predict in several draws.

    Attributes:
        weights: [2, draws, entries], the part of its image that each entry has.
        is_given: [2, draws or 1, images], whether the half predicts anything.
    """

    weights: NDArray[np.float32]
    is_given: BoolArray


Split: TypeAlias = Callable[[NDArray[np.uint64]], SplitHalves]
"""Draws halves, one pair for each seed."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitVotes:
    """People's votes on classes of images, and how to split the people.

    Attributes:
        rows: per entry, the row of its image, ascending.
        classes: per entry, its class.
        split: draws halves.
        n: images that both halves can say something of.
        n_single: images with one annotator, who has no halves.
    """

    rows: CountArray
    classes: CountArray
    split: Split
    n: int
    n_single: int


def split_main_labels(material: ContextMaterial) -> SplitVotes | None:
    """Halves of the annotators in CLASSIFY; None without their answers one by one.

    Easy images, which nobody was asked about, have the dataset label for both.
    """
    mains, responses = find_main_labels(material), material.responses
    if mains is None or responses is None:
        return None
    rows = find_target_rows(material.target, responses.image_ids)[responses.response_images]
    is_used = (rows != NO_PAIR) & (responses.main != NO_CLASS)
    is_used &= material.labels[rows] != NO_CLASS
    rows, given = rows[is_used], responses.main[is_used].astype(np.int64)
    order = np.argsort(rows, kind="stable")
    rows, given = rows[order], given[order]
    stride = int(given.max(initial=0)) + 1
    keys, entries = np.unique(rows * stride + given, return_inverse=True)
    n_votes = np.bincount(rows, minlength=len(material.labels))
    starts = np.concatenate(([0], np.cumsum(n_votes))).astype(np.int64)
    is_easy = (n_votes == 0) & (mains == material.labels) & (mains != NO_CLASS)
    is_given = (n_votes > 1) | (is_easy & find_part(material, SplitPart.EASY))

    def split(seeds: NDArray[np.uint64]) -> SplitHalves:
        from regauge.evaluation.context.confusions._kernels import split_mains

        weights = np.zeros((2, seeds.size, keys.size), np.float32)
        split_mains(starts, entries.astype(np.int64), seeds, weights)
        return SplitHalves(weights, np.broadcast_to(is_given, (2, 1, is_given.size)))

    n_single = int(np.count_nonzero(n_votes == 1))
    return SplitVotes(keys // stride, keys % stride, split, int(is_given.sum()), n_single)


def split_frequencies(material: ContextMaterial) -> SplitVotes | None:
    """Halves of the annotators behind each selection count; None without counts.

    Who selected what is not needed: all ways to split the people who saw a pair are equally likely.
    """
    counts = material.counts
    if counts is None:
        return None
    rows = find_target_rows(material.target, counts.image_ids)[counts.images]
    is_used = (rows != NO_PAIR) & (counts.n_selected > 0)
    is_used &= material.labels[rows] != NO_CLASS
    order = np.flatnonzero(is_used)[np.argsort(rows[is_used], kind="stable")]
    rows, classes = rows[order], counts.classes[order].astype(np.int64)
    votes = np.stack([counts.n_selected[order], counts.n_shown[order]])
    n_images = len(material.labels)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_images)))).astype(np.int64)

    def split(seeds: NDArray[np.uint64]) -> SplitHalves:
        from regauge.evaluation.context.confusions._kernels import split_counts

        weights = np.zeros((2, seeds.size, rows.size), np.float32)
        split_counts(starts, votes, seeds, weights)
        is_given = np.zeros((2, seeds.size, n_images), np.bool_)
        side, draw, entry = np.nonzero(weights)
        is_given[side, draw, rows[entry]] = True
        return SplitHalves(weights, is_given)

    most = np.zeros(n_images, np.int64)
    np.maximum.at(most, rows, votes[1])
    return SplitVotes(rows, classes, split, int((most > 1).sum()), int((most == 1).sum()))
