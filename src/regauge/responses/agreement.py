"""Annotators who answer alike far more than what they saw explains."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from regauge.arrays import CountArray, FloatArray
from regauge.records.responses.answers import ContainsResponses
from regauge.stats.multiplicity import holm

ByteArray: TypeAlias = NDArray[np.uint8]

MIN_ANSWERS = 4
"""Answers to a grid from which on two of them are compared: two at least must tell what the others see."""

MAX_PARTNERS = 64
"""With how many of those after it an answer to a grid is compared, so that grids with thousands stay affordable."""


class AgreeingPair(NamedTuple):
    """Two annotators who agree more than chance would have it.

    Attributes:
        first: position of the one annotator.
        second: position of the other.
        n_grids: grids that both answered.
        n_cells: their cells.
        n_agreed: cells on which both gave the same answer.
        n_expected: how many chance gives.
        excess: (n_agreed − n_expected)/(n_cells − n_expected): 1 is perfect agreement, 0 is chance.
        p: after Holm's adjustment over all pairs compared.
    """

    first: int
    second: int
    n_grids: int
    n_cells: int
    n_agreed: int
    n_expected: float
    excess: float
    p: float


class ComparedPairs(NamedTuple):
    """Compared pairs, one entry each; cells [pairs, strata]."""

    firsts: CountArray
    seconds: CountArray
    n_grids: CountArray
    n_cells: CountArray
    n_agreed: CountArray


def find_agreement(
    responses: ContainsResponses, *, max_p: float, min_excess: float
) -> tuple[tuple[AgreeingPair, ...], int]:
    """The pairs of annotators who agree too well on grids that both answered, and how many pairs were compared.

    Honest annotators agree because they see the same images. So cells are divided into five strata by how many of the *other*
    annotators selected them (none, up to a third, up to two thirds, more, all), and within a stratum chance is what the two
    would agree at their own rates of selecting: r·s + (1 − r)(1 − s). The sum over cells is compared with what was observed by a
    normal test, one-sided, adjusted by Holm over all pairs. Strata leave some of what images have in common unexplained, which
    many cells would make significant; so the excess must be large too.

    Args:
        responses: the answers.
        max_p: the largest adjusted p-value.
        min_excess: the smallest excess.
    """
    return judge_pairs(*_compare(responses), max_p=max_p, min_excess=min_excess)


def judge_pairs(
    pairs: ComparedPairs, rates: FloatArray, *, max_p: float, min_excess: float
) -> tuple[tuple[AgreeingPair, ...], int]:
    """The pairs that agree far more than their own rates [annotators, strata] explain, and how many there are."""
    if not len(pairs.firsts):
        return (), 0
    r, s = rates[pairs.firsts], rates[pairs.seconds]
    chance = r * s + (1 - r) * (1 - s)
    expected = (pairs.n_cells * chance).sum(axis=1)
    spread = np.sqrt((pairs.n_cells * chance * (1 - chance)).sum(axis=1))
    n_cells = pairs.n_cells.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Half a cell is taken off, as the count is whole and the normal curve is not.
        p = np.where(spread > 0, ndtr(-(pairs.n_agreed - expected - 0.5) / spread), 1.0)
        excess = np.where(n_cells > expected, (pairs.n_agreed - expected) / (n_cells - expected), 0.0)
    adjusted = holm(p)
    found = np.flatnonzero((adjusted < max_p) & (excess >= min_excess))
    found = found[np.lexsort((found, -excess[found]))]
    columns = (pairs.firsts, pairs.seconds, pairs.n_grids, n_cells, pairs.n_agreed, expected, excess, adjusted)
    rows = zip(*(column[found].tolist() for column in columns), strict=True)
    return tuple(AgreeingPair(*row) for row in rows), len(pairs.firsts)


def _compare(responses: ContainsResponses) -> tuple[ComparedPairs, FloatArray]:
    """Every pair of annotators with a grid in common, and the rates of selecting [annotators, strata]."""
    from regauge.responses._kernels import compare_answers, count_partners, sort_rows

    n_annotators = len(responses.annotator_ids)
    n_answers = np.bincount(responses.response_grids, minlength=len(responses.grids))
    by_grid = sort_rows(responses.response_grids, len(responses.grids), np.arange(len(responses)))
    by_grid = by_grid[n_answers[responses.response_grids[by_grid]] >= MIN_ANSWERS]
    compared = np.flatnonzero(n_answers >= MIN_ANSWERS)
    keys, n_cells, n_agreed, n_seen, n_taken = compare_answers(
        responses.masks,
        responses.response_annotators,
        by_grid,
        np.cumsum(n_answers[compared]),
        np.diff(responses.grids.starts)[compared],
        n_annotators,
        MAX_PARTNERS,
        count_partners(n_answers[compared], MAX_PARTNERS),
    )
    return add_up(keys, n_cells, n_agreed=n_agreed, n_annotators=n_annotators), find_rates(n_taken, n_seen)


def find_rates(n_taken: CountArray, n_seen: CountArray) -> FloatArray:
    """The rates of annotators, each taken to have seen one cell more, half selected, so that none is exactly 0 or 1."""
    return (n_taken + 0.5) / (n_seen + 1.0)


def add_up(keys: CountArray, n_cells: ByteArray, *, n_agreed: ByteArray, n_annotators: int) -> ComparedPairs:
    """One entry per pair from one per pair and grid."""
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    heads = np.flatnonzero(np.diff(in_order, prepend=-1))
    if not heads.size:
        nothing = np.zeros(0, np.int64)
        return ComparedPairs(nothing, nothing, nothing, np.zeros((0, n_cells.shape[1]), np.int64), nothing)
    firsts, seconds = np.divmod(in_order[heads], n_annotators)
    return ComparedPairs(
        firsts,
        seconds,
        n_grids=np.diff(np.append(heads, order.size)),
        n_cells=np.add.reduceat(n_cells[order], heads, axis=0, dtype=np.int64),
        n_agreed=np.add.reduceat(n_agreed[order], heads, dtype=np.int64),
    )
