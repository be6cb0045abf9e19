"""Selection frequencies: how many distinct annotators saw an (image, class) pair, and how many of them selected it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.errors import InputError
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import ContainsResponses, Control, MaskArray
from regauge.records.responses.screening import Screening
from regauge.responses.screening import find_control_masks

SUBSAMPLE = 5
"""Annotators per grid in the check of Tsipras et al. (2020), Fig. 24, which had nine."""


class Selections(NamedTuple):
    """Counts per pair, and how annotators answered pairs that they were shown again.

    Attributes:
        counts: n_shown and n_selected of every pair that a grid shows; 0 and 0 where no vote on it counts.
        n_repeated: per annotator, accepted votes on a pair that they had voted on before; they do not count again.
        n_repeated_alike: those of them that say the same as the first.
    """

    counts: SelectionCounts
    n_repeated: CountArray
    n_repeated_alike: CountArray


def count_selections(responses: ContainsResponses, screening: Screening) -> Selections:
    """How many annotators were shown each pair and selected it, over accepted votes.

    An annotator counts once per pair, with the first accepted answer. A vote on a positive control is accepted or not by the
    other controls of its response, see `screen`; all other votes of a response are accepted with it.

    Returns:
        Counts by image, in the order of the grids' images, and class.
    """
    return _count(responses, find_shown(responses, screening))


def subsample_frequencies(
    responses: ContainsResponses, screening: Screening, *, rng: np.random.Generator, n_annotators: int = SUBSAMPLE
) -> SelectionCounts:
    """The counts from a random choice of the accepted responses to each grid: what fewer annotators would have shown.

    A frequency from fewer annotators is noisier, so what noise does to a result shows when it is repeated with them.

    Args:
        responses: the answers.
        screening: which of them are believed.
        rng: the source of the choice.
        n_annotators: how many responses per grid are drawn without replacement; all where there are not more.

    Reference:
        Tsipras et al. (2020), From ImageNet to Image Classification, Fig. 24: five annotators instead of nine.
    """
    if n_annotators < 1:
        raise InputError(f"A subsample takes at least one annotator per grid, not {n_annotators}.")
    shown = find_shown(responses, screening)
    candidates = np.flatnonzero(shown)
    shuffled = candidates[rng.permutation(candidates.size)]
    by_grid = shuffled[np.argsort(responses.response_grids[shuffled], kind="stable")]
    grids = responses.response_grids[by_grid]
    first = np.concatenate(([0], np.cumsum(np.bincount(grids, minlength=len(responses.grids)))))[grids]
    is_drawn: BoolArray = np.zeros(len(responses), np.bool_)
    is_drawn[by_grid[np.arange(by_grid.size) - first < n_annotators]] = True
    return _count(responses, np.where(is_drawn, shown, np.uint64(0))).counts


def find_shown(responses: ContainsResponses, screening: Screening) -> MaskArray:
    """Per response, the mask of the cells whose votes count."""
    if len(screening) != len(responses):
        raise InputError(f"The screening is of {len(screening):,} responses, but there are {len(responses):,}.")
    sizes = np.diff(responses.grids.starts).astype(np.uint64)
    whole = (np.uint64(2**64 - 1) >> (np.uint64(64) - sizes))[responses.response_grids]
    positive = find_control_masks(responses, Control.POSITIVE)
    shown = _keep(whole & ~positive, screening.is_accepted)
    shown |= _keep(positive & responses.masks, screening.counts_selected)
    shown |= _keep(positive & ~responses.masks, screening.counts_unselected)
    return shown


def _keep(masks: MaskArray, is_kept: BoolArray) -> MaskArray:
    """The masks, emptied where they are not kept: 0 − 1 has all bits set."""
    return np.asarray(masks & (np.uint64(0) - is_kept.astype(np.uint64)), np.uint64)


def _count(responses: ContainsResponses, shown: MaskArray) -> Selections:
    """The counts of the cells in `shown`, which is used up: repeats are taken out of it."""
    from regauge.labels.frequencies._kernels import count_cells, sort_cells, sum_pairs

    grids = responses.grids
    slots, ends, n_pairs = sort_cells(grids.starts, grids.classes, grids.cell_images, len(grids.image_ids))
    n_repeated, n_alike = _drop_repeats(responses, shown, slots=slots, ends=ends)
    by_grid = _sort(responses.response_grids, len(grids))
    cell_counts = _make_counts(responses)
    count_cells(shown, responses.masks, responses.response_grids, by_grid, grids.starts, cell_counts)
    columns = sum_pairs(slots, ends, cell_counts, len(grids.image_ids), n_pairs)
    return Selections(SelectionCounts(grids.image_ids, *columns), n_repeated, n_alike)


def _drop_repeats(
    responses: ContainsResponses, shown: MaskArray, *, slots: MaskArray, ends: IntArray
) -> tuple[CountArray, CountArray]:
    """Take repeats out of `shown`; how many each annotator gave, and how many of them like the first vote."""
    from regauge.labels.frequencies._kernels import drop_repeats, has_class_twice, number_shared_pairs

    grids, n_annotators = responses.grids, len(responses.annotator_ids)
    n_classes = int(grids.classes.max(initial=0)) + 1
    answers = (
        responses.response_grids,
        responses.response_annotators,
        _sort(responses.response_annotators, n_annotators),
    )
    if not has_class_twice(*answers, grids.classes, n_classes):
        return np.zeros(n_annotators, np.int64), np.zeros(n_annotators, np.int64)
    shared, cell_pairs, n_shared = number_shared_pairs(slots, ends, grids.starts, len(grids.image_ids))
    n_repeated, n_alike = drop_repeats(
        shown,
        responses.masks,
        *answers,
        grids.starts,
        grids.classes,
        cell_pairs,
        shared,
        n_shared,
        n_classes,
        n_annotators,
    )
    return n_repeated, n_alike


def _make_counts(responses: ContainsResponses) -> NDArray[np.unsignedinteger]:
    """Zeros for every cell, shown and selected, in numbers as small as the most answers to a grid allow."""
    most = int(np.bincount(responses.response_grids).max(initial=0))
    return np.zeros((len(responses.grids.cell_images), 2), np.min_scalar_type(most))


def _sort(codes: IntArray, n_codes: int) -> CountArray:
    """The positions by code, those of one code in their order."""
    from regauge.responses._kernels import sort_rows

    return np.asarray(sort_rows(codes, n_codes, np.arange(codes.size)), np.int64)
