"""How far a confusion matrix is like people's: correlations of rates beside the diagonal, and what halves of people reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.errors import InputError
from regauge.evaluation.context.confusions.answers import GivenAnswers
from regauge.evaluation.context.confusions.halves import SplitVotes
from regauge.evaluation.context.confusions.levels import ConfusionLevel, expand_cells, find_cells
from regauge.stats.redraws import draw_images

N_SPLITS = 200
"""Random halves whose correlations are averaged."""
MAX_DRAWS = 1_000
"""Redrawn images from which limits of alignment are made; more would not move them."""
MAX_HALF_DRAWS = 400
"""Redrawn images, each with halves of its own, from which the limits of what halves reach are made."""

_N_THREADS = 2
_N_AT_ONCE, _N_HALVES_AT_ONCE = 250, 50


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceAnswers:
    """What others are compared with, and the votes behind it where they can be split."""

    answers: GivenAnswers
    votes: SplitVotes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentPlan:
    """What alignment is measured on.

    Attributes:
        labels: the dataset label of every image.
        n_bootstrap: how often images are redrawn.
        seed: start of the draws.
    """

    labels: IntArray
    n_bootstrap: int
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class LevelAlignment:
    """Correlations of several with one reference. Of every array the first column is the value, the others are redrawn images.

    Attributes:
        level: which matrix.
        n: per predictor, the images that both have.
        n_right: per predictor, on how many of them its answer is the dataset label; parts of images count as such.
        accuracies: the same as shares, top-1 on these images [predictors, 1 + redraws].
        n_rows: rows of the matrix with two images or more.
        plain: correlations on these images [predictors, 1 + redraws].
        corrected: without the noise of images: from products of different images alone.
        with_half: with random halves of the annotators; None where nobody can be split.
        ceiling: of one half with the other [1 + redraws].
    """

    level: ConfusionLevel
    n: CountArray
    n_right: FloatArray
    accuracies: FloatArray
    n_rows: int
    plain: FloatArray
    corrected: FloatArray
    with_half: FloatArray | None = None
    ceiling: FloatArray | None = None


class _Scores(NamedTuple):
    """Images with an answer, those answered rightly, and the share on all images and on redrawn ones."""

    n: CountArray
    n_right: FloatArray
    accuracies: FloatArray


class _Side(NamedTuple):
    """A predictor's pairs, cell by cell, as `correlate` takes them; and which images have an answer."""

    starts: CountArray
    pairs: tuple[CountArray, FloatArray, FloatArray]
    cells: tuple[CountArray, CountArray]
    is_given: BoolArray


class _Redrawn(NamedTuple):
    """A reference on redrawn images, as `correlate` takes it; and the sizes of rows where every image counts."""

    drawn: NDArray[np.uint8]
    cells: FloatArray
    sizes: FloatArray
    sums: FloatArray
    whole: FloatArray


def align(
    predictors: Sequence[GivenAnswers],
    reference: ReferenceAnswers,
    *,
    levels: Sequence[ConfusionLevel],
    plan: AlignmentPlan,
) -> list[LevelAlignment]:
    """The alignment of predictors with a reference at every level, on the images that both have, redrawn alike."""
    rng = np.random.default_rng(plan.seed)
    n_images = reference.answers.n
    n_draws = min(plan.n_bootstrap, MAX_DRAWS)
    drawn = np.ones((1 + n_draws, n_images), np.uint8)
    drawn[1:] = draw_images(n_images, rng=rng, n_resamples=n_draws)
    own = _restrict(predictors, reference.answers)
    scores = _score(own, plan.labels[reference.answers.is_given], drawn)
    return [_align(_Work(reference, level, plan, own), drawn, scores=scores, rng=rng) for level in levels]


def _align(work: _Work, drawn: NDArray[np.uint8], *, scores: _Scores, rng: np.random.Generator) -> LevelAlignment:
    parts = [work.correlate_all(drawn[start : start + _N_AT_ONCE]) for start in range(0, len(drawn), _N_AT_ONCE)]
    plain, corrected = np.concatenate(parts, axis=2)
    n_rows = int(np.count_nonzero(work.count_rows(drawn[:1])[0, 0] > 1))
    found = LevelAlignment(work.level, *scores, n_rows=n_rows, plain=plain, corrected=corrected)
    if work.votes is None:
        return found
    ceiling, with_half = _align_halves(work, drawn[: 1 + MAX_HALF_DRAWS], rng=rng)
    return replace(found, with_half=with_half, ceiling=ceiling)


def _align_halves(work: _Work, drawn: NDArray[np.uint8], *, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """The ceiling and the correlations with halves: averages over many halves of all images, then redrawn images."""

    def run(n: int, choose: Callable[[int], NDArray[np.uint8]]) -> FloatArray:
        seeds = rng.integers(2**63, size=n).astype(np.uint64)
        starts = range(0, n, _N_HALVES_AT_ONCE)
        blocks = [(choose(start), seeds[start : start + _N_HALVES_AT_ONCE]) for start in starts]
        with ThreadPoolExecutor(_N_THREADS) as pool:
            return np.concatenate(list(pool.map(lambda block: work.correlate_halves(*block), blocks)), axis=1)

    whole = run(N_SPLITS, lambda start: np.repeat(drawn[:1], min(_N_HALVES_AT_ONCE, N_SPLITS - start), axis=0))
    redrawn = run(len(drawn) - 1, lambda start: drawn[1 + start : 1 + start + _N_HALVES_AT_ONCE])
    joined = np.concatenate([whole.mean(axis=1, keepdims=True), redrawn], axis=1)
    return joined[0], joined[1:]


def _restrict(predictors: Sequence[GivenAnswers], reference: GivenAnswers) -> list[GivenAnswers]:
    """Each predictor on the images that the reference has, whose rows are numbered among these."""
    place = np.cumsum(reference.is_given) - 1
    restricted = []
    for one in predictors:
        kept = reference.is_given[one.rows]
        is_given = one.is_given[reference.is_given]
        columns = place[one.rows[kept]], one.classes[kept], one.weights[kept], is_given
        restricted.append(GivenAnswers(one.name, *columns, is_people=one.is_people))
    return restricted


class _Work:
    """A reference and predictors at one level, prepared so that redrawn images are looked up and added only."""

    def __init__(
        self,
        reference: ReferenceAnswers,
        level: ConfusionLevel,
        plan: AlignmentPlan,
        predictors: Sequence[GivenAnswers],
    ) -> None:
        is_given = reference.answers.is_given
        self.level = level
        self.labels = plan.labels[is_given]
        self.predictors = predictors
        (own,) = _restrict([reference.answers], reference.answers)
        self.images, self.rows = level.find_rows(self.labels)
        self.pairs = find_cells(level, own, labels=self.labels)
        cells = self.pairs.cells
        self.votes = reference.votes
        if self.votes is not None:
            place = np.cumsum(is_given) - 1
            kept = np.flatnonzero(is_given[self.votes.rows])
            rows = place[self.votes.rows[kept]]
            at, vote_cells = expand_cells(level, self.votes.classes[kept], labels=self.labels[rows])
            self.vote_pairs = kept[at], rows[at]
            cells = np.concatenate([cells, vote_cells])
        self.cells, inverse = np.unique(cells, return_inverse=True)
        self.cell_rows = self.cells // level.n_columns
        self.own_places = inverse[: self.pairs.cells.size].astype(np.int64)
        self.vote_places = inverse[self.pairs.cells.size :].astype(np.int64)
        self.is_given = is_given
        self.sides = [self._prepare(one) for one in predictors]

    def _prepare(self, one: GivenAnswers) -> _Side:
        pairs = find_cells(self.level, one, labels=self.labels)
        order = np.lexsort((pairs.rows, pairs.cells))
        rows, weights = pairs.rows[order], pairs.weights[order]
        cells, first = np.unique(pairs.cells[order], return_index=True)
        starts = np.append(first, order.size).astype(np.int64)
        n_cells = self.level.n_rows * self.level.n_columns
        keys = self.pairs.rows * n_cells + self.pairs.cells
        others = _look_up(rows * n_cells + pairs.cells[order], keys, self.pairs.weights, missing=0.0)
        places = _look_up(cells, self.cells, np.arange(self.cells.size, dtype=np.float64), missing=-1.0)
        own = cells // self.level.n_columns, places.astype(np.int64)
        return _Side(starts, (rows, weights, others), own, one.is_given)

    def count_rows(self, drawn: NDArray[np.uint8], is_given: BoolArray | None = None) -> FloatArray:
        """How many images each row has in every draw, and the sums of squares [2, draws, rows]; without a mask all count."""
        from regauge.evaluation.context.confusions._kernels import add_rows

        counted = np.ones((1, drawn.shape[1]), np.bool_) if is_given is None else np.ascontiguousarray(is_given)
        sums = np.zeros((2, len(drawn), self.level.n_rows))
        add_rows(drawn, counted, self.images, self.rows, sums)
        return sums

    def correlate_all(self, drawn: NDArray[np.uint8]) -> FloatArray:
        """Correlations with the whole reference [2, predictors, draws]."""
        from regauge.evaluation.context.confusions._kernels import add_cells

        cells = np.zeros((2, len(drawn), self.cells.size))
        entries = np.arange(self.own_places.size, dtype=np.int64)
        weights = self.pairs.weights[np.newaxis].astype(np.float32)
        add_cells(drawn, weights, entries, self.pairs.rows, self.own_places, cells)
        redrawn = self._redraw(drawn, cells, self.count_rows(drawn))
        with ThreadPoolExecutor(_N_THREADS) as pool:
            found = list(pool.map(lambda side: self._correlate(side, redrawn), self.sides))
        return np.array(found).reshape(-1, 2, len(drawn)).swapaxes(0, 1)

    def correlate_halves(self, drawn: NDArray[np.uint8], seeds: NDArray[np.uint64]) -> FloatArray:
        """Correlations of one half with the other, then of every predictor with the first [1 + predictors, draws]."""
        from regauge.evaluation.context.confusions._kernels import add_cells, correlate_halves

        if self.votes is None:
            raise InputError("Nobody's votes can be split.")
        weights, is_given = self.votes.split(seeds)
        cells = np.zeros((2, 2, len(drawn), self.cells.size))
        for half in range(2):
            add_cells(drawn, weights[half], *self.vote_pairs, self.vote_places, cells[half])
        sizes = np.concatenate([self.count_rows(drawn, one[:, self.is_given]) for one in is_given])
        ceiling = np.empty(len(drawn))
        correlate_halves(cells[0], cells[1], sizes, self.cell_rows, (self.level.n_beside, ceiling))
        redrawn = self._redraw(drawn, cells[0], sizes[:2])
        return np.array([ceiling, *(self._correlate(side, redrawn)[0] for side in self.sides)])

    def _redraw(self, drawn: NDArray[np.uint8], cells: FloatArray, sizes: FloatArray) -> _Redrawn:
        from regauge.evaluation.context.confusions._kernels import add_row_sums

        sums = np.zeros((3, len(drawn), self.level.n_rows))
        add_row_sums(cells, sizes, self.cell_rows, sums)
        return _Redrawn(drawn, cells, sizes, sums, self.count_rows(drawn))

    def _correlate(self, side: _Side, redrawn: _Redrawn) -> FloatArray:
        """The correlation of one predictor with the reference, and that without noise [2, draws]."""
        from regauge.evaluation.context.confusions._kernels import correlate

        drawn, *_, whole = redrawn
        reference = redrawn.cells, redrawn.sizes, redrawn.sums
        sizes = whole if side.is_given.all() else self.count_rows(drawn, side.is_given[np.newaxis])
        found = np.empty((2, len(drawn)))
        correlate(drawn, sizes, side.starts, side.pairs, side.cells, reference, self.level.n_beside, found)
        return found


def _score(predictors: Sequence[GivenAnswers], labels: IntArray, drawn: NDArray[np.uint8]) -> _Scores:
    """Everybody's top-1 on the drawn images."""
    right = np.zeros((len(predictors), labels.size), np.float32)
    given = np.array([one.is_given for one in predictors], np.float32).reshape(-1, labels.size)
    for place, one in enumerate(predictors):
        is_right = one.classes == labels[one.rows]
        np.add.at(right[place], one.rows[is_right], one.weights[is_right])
    is_whole = bool(given.all())
    shares = []
    for start in range(0, len(drawn), _N_AT_ONCE):
        block = drawn[start : start + _N_AT_ONCE].T.astype(np.float32)
        n = block.sum(axis=0)[np.newaxis] if is_whole else given @ block
        shares.append(divide(right @ block, n))
    n_given = given.sum(axis=1).astype(np.int64)
    return _Scores(n_given, right.sum(axis=1).astype(np.float64), np.concatenate(shares, axis=1))


def _look_up(wanted: CountArray, keys: CountArray, values: FloatArray, *, missing: float) -> FloatArray:
    """The value of each wanted key; keys are ascending."""
    if not keys.size:
        return np.full(wanted.size, missing)
    at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[at] == wanted, values[at], missing)
