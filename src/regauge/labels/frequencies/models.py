"""Annotator models of CONTAINS answers: the probability that an image contains a class, instead of a plain frequency.

Every (image, class) pair is a task with two labels, selected or not, and every cell of an accepted answer a vote on it. An
annotator who selects too readily, or too rarely, is thereby found out and counted accordingly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, FloatArray, IntArray
from regauge.errors import InputError
from regauge.labels.votes.labels import Fit, find_model_warnings, fit_votes
from regauge.labels.votes.tables import VoteTable, make_vote_table
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.votes import VoteSettings
from regauge.records.responses.answers import ContainsResponses, Control, Grids, MaskArray
from regauge.stats.agreement.tables import sort_votes

_LABELS = 2
_SELECTED = 1


class ContainsFit(NamedTuple):
    """What a method made of CONTAINS answers.

    Attributes:
        counts: the pairs by image and class, as `count_selections` has them, with how many annotators saw and selected each.
        probabilities: per pair, the probability that the image contains the class; NaN where no vote counts.
        fit: skills of the annotators (in the order of the responses' annotators), prevalence, convergence.
        warnings: what is probably wrong, a sentence each.
    """

    counts: SelectionCounts
    probabilities: FloatArray
    fit: Fit
    warnings: tuple[str, ...]


def fit_contains(
    responses: ContainsResponses,
    accepted: BoolArray | MaskArray,
    *,
    settings: VoteSettings,
    controls_are_known: bool = False,
) -> ContainsFit:
    """The probability of every (image, class) pair under the method of the settings.

    An annotator counts once per pair, with the first accepted answer. Memory is linear in the votes.

    Args:
        responses: the answers.
        accepted: per response, whether it counts; or the mask of its cells that count.
        settings: the method and its prior.
        controls_are_known: clamp positive controls to contained and negative ones to not contained, where all grids agree.

    Raises:
        InputError: no vote counts.
    """
    shown = _find_shown(responses, accepted)
    images, classes, cell_pairs = number_pairs(responses.grids)
    table, seen = _make_table(responses, shown, (cell_pairs, images.size), controls_are_known=controls_are_known)
    fit = fit_votes(table, settings)
    probabilities, n_shown, n_selected = np.full(images.size, np.nan), *np.zeros((2, images.size), np.int64)
    best = fit.posterior.probabilities
    probabilities[seen] = np.where(fit.posterior.labels == _SELECTED, best, 1 - best)
    n_shown[seen] = table.counts.n_votes_by_task
    n_selected[seen] = _count_selected(table)
    counts = SelectionCounts(responses.grids.image_ids, images, classes, n_shown, n_selected)
    return ContainsFit(counts, probabilities, fit, tuple(find_model_warnings(table, fit)))


def number_pairs(grids: Grids) -> tuple[IntArray, IntArray, IntArray]:
    """The image and the class of every pair that a grid shows, by image and class; and per cell, the number of its pair."""
    from regauge.labels.frequencies._kernels import sort_cells

    slots, _, _ = sort_cells(grids.starts, grids.classes, grids.cell_images, len(grids.image_ids))
    cells = (slots & np.uint64(0xFFFFFFFF)).astype(np.int64)
    images, classes = grids.cell_images[cells], (slots >> np.uint64(32)).astype(np.int32)
    is_new = np.ones(cells.size, np.bool_)
    is_new[1:] = (images[1:] != images[:-1]) | (classes[1:] != classes[:-1])
    cell_pairs = np.empty(cells.size, np.int32)
    cell_pairs[cells] = np.cumsum(is_new) - 1
    return images[is_new], classes[is_new], cell_pairs


def _find_shown(responses: ContainsResponses, accepted: BoolArray | MaskArray) -> MaskArray:
    if accepted.shape != (len(responses),):
        raise InputError(f"{len(responses):,} responses need as many marks of acceptance, not {accepted.shape}.")
    sizes = np.diff(responses.grids.starts).astype(np.uint64)
    whole = (np.uint64(2**64 - 1) >> (np.uint64(64) - sizes))[responses.response_grids]
    shown = np.where(accepted, whole, np.uint64(0)) if accepted.dtype == np.bool_ else whole & accepted
    if not shown.any():
        raise InputError("No answer counts; a model needs at least one accepted response.")
    return np.asarray(shown, np.uint64)


def _make_table(
    responses: ContainsResponses, shown: MaskArray, pairs: tuple[IntArray, int], *, controls_are_known: bool
) -> tuple[VoteTable, IntArray]:
    """The votes on the pairs that anybody saw, and which pairs these are."""
    from regauge.labels.frequencies._kernels import keep_first_votes, list_cell_votes

    cell_pairs, n_pairs = pairs
    grids, n_annotators = responses.grids, len(responses.annotator_ids)
    votes = np.empty((3, int(np.bitwise_count(shown).sum())), np.int32)
    list_cell_votes(
        shown,
        responses.masks,
        responses.response_grids,
        responses.response_annotators,
        grids.starts,
        cell_pairs,
        votes,
    )
    starts, order = sort_votes(votes[0], n_pairs)
    votes = votes if order is None else votes[:, order]
    is_kept = np.empty(votes.shape[1], np.bool_)
    keep_first_votes(starts, votes[1], n_annotators, is_kept)
    seen = np.flatnonzero(np.diff(starts)).astype(np.int32)
    place = np.cumsum(np.diff(starts) > 0, dtype=np.int32) - np.int32(1)
    tasks, annotators, answers = (column if is_kept.all() else column[is_kept] for column in votes)
    gold = _find_known(grids, cell_pairs, n_pairs)[seen] if controls_are_known else None
    sizes = (seen.size, n_annotators, _LABELS)
    return make_vote_table(place[tasks], answers, annotators=annotators, sizes=sizes, gold=gold), seen


def _find_known(grids: Grids, cell_pairs: IntArray, n_pairs: int) -> IntArray:
    """1 for a positive control, 0 for a negative one, `NO_CLASS` for what is neither, or both."""
    is_positive, is_negative = np.zeros((2, n_pairs), np.bool_)
    is_positive[cell_pairs[grids.cell_controls == Control.POSITIVE]] = True
    is_negative[cell_pairs[grids.cell_controls == Control.NEGATIVE]] = True
    return np.where(is_positive == is_negative, NO_CLASS, is_positive).astype(np.int32)


def _count_selected(table: VoteTable) -> IntArray:
    task_of = np.repeat(np.arange(table.counts.n_tasks), np.diff(table.counts.list_starts))
    is_selected = table.counts.labels == _SELECTED
    return np.bincount(task_of[is_selected], table.counts.counts[is_selected], table.counts.n_tasks).astype(np.int32)
