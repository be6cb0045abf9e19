"""How precise a study would be: many of it are simulated, drawn and measured as real ones are.

Original images and candidates have true selection frequencies from beta distributions; annotators see them by binomial votes;
candidates are drawn by matched frequency, bin by bin and class by class, as `testsets.sampling` does; a participant is right with
a probability that rises with the true frequency, and loses the expected gap on new images.

Classes are alike, so the half-width of an interval falls with the root of their number: at most `MAX_CLASSES` are simulated, and
half-widths are brought to the number of the design. tests/evaluation/test_planning.py checks that law.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, ndtri

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.evaluation.gap_methods import make_estimates
from regauge.evaluation.gap_samples import Material, line_up_sets, resample
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.evaluation.planning import PlanPoint, PlanSettings, StudyDesign
from regauge.records.testsets.sampling import N_BINS, find_bins
from regauge.stats.intervals import newcombe

MAX_CLASSES = 50
"""Simulated at most; half-widths are scaled to the number of the design."""
N_CHECKS = 20
"""Simulated studies that tell how many candidates are needed."""
N_BOOTSTRAP = 100
"""Samples for the width of an interval."""
_PULL = 1e-3
_GRID = (np.arange(400) + 0.5) / 400


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedStudy:
    """What a study would have at hand; columns of original images, of new ones, and of the pool.

    Attributes:
        n_annotators: votes on every image.
        original_selected: votes for each original image.
        original_right: whether the participant is right on it.
        new_selected: votes for each new image.
        new_right: whether the participant is right on it.
        pool_selected: votes for each candidate that was annotated.
        naive_gap: what bins of the observed frequency would give as the gap at equal frequency, if accuracies were known.
        share_upward: the share of new images that stand in for a lower bin.
    """

    n_annotators: int
    original_selected: CountArray
    original_right: BoolArray
    new_selected: CountArray
    new_right: BoolArray
    pool_selected: CountArray
    naive_gap: float
    share_upward: float


def plan_points(design: StudyDesign, settings: PlanSettings) -> Iterator[PlanPoint]:
    """Every combination of annotators and images per class, without what it takes and costs.

    Raises:
        InputError: the method needs more annotators.
    """
    for annotators in settings.annotators:
        simulator = Simulator.make(design, annotators)
        for per_class in settings.per_class:
            yield _plan_point(simulator, settings, per_class)


def _plan_point(simulator: Simulator, settings: PlanSettings, per_class: int) -> PlanPoint:
    design = simulator.design
    rng = np.random.default_rng([settings.seed, simulator.n_annotators, per_class])
    n_candidates, share_short = simulator.find_candidates(per_class, rng=rng, max_short=settings.max_short)
    studies = [simulator.run(per_class, n_candidates, rng=rng) for _ in range(settings.n_studies)]
    raw = simulator.scale(np.array([_measure_raw(study, settings.level) for study in studies]))
    half = simulator.scale(np.array([measure_adjusted(study, settings, rng=rng) for study in studies]))
    naive = np.array([study.naive_gap for study in studies]) - design.gap
    low, high = np.quantile(half, (0.1, 0.9)).tolist()
    return PlanPoint(
        annotators=simulator.n_annotators,
        per_class=per_class,
        candidates=n_candidates,
        n_original=design.n_classes * design.original_per_class,
        n_new=design.n_classes * per_class,
        raw_half_width=float(np.median(raw)),
        raw_reached=float((raw <= settings.target).mean()),
        adjusted_half_width=float(np.median(half)),
        adjusted_low=low,
        adjusted_high=high,
        adjusted_reached=float((half <= settings.target).mean()),
        naive_bias=float(naive.mean()),
        naive_bias_error=float(naive.std(ddof=1) / np.sqrt(naive.size)),
        share_short=share_short,
        share_upward=float(np.mean([study.share_upward for study in studies])),
    )


def measure_adjusted(study: SimulatedStudy, settings: PlanSettings, *, rng: np.random.Generator) -> float:
    """The half-width of the interval of the gap at equal frequency, by the method that the real gap is split with.

    The standard deviation over bootstrap samples times the normal quantile: it needs fewer samples than the percentiles of a real
    interval, and a plan needs no more than the width.
    """
    material = _line_up(study)
    estimate = make_estimates((settings.method,), material)[settings.method]
    samples = resample(material, rng=rng, n_samples=N_BOOTSTRAP)
    remainders = np.concatenate([(estimate(some) - some.new_accuracy)[:, 0] for some in samples])
    return float(ndtri((1 + settings.level) / 2) * remainders.std(ddof=1))


def _line_up(study: SimulatedStudy) -> Material:
    n = study.n_annotators
    sets = [
        JudgedSet(name, np.arange(votes.size).astype(np.str_), np.full(votes.size, n), votes, ("",), right[np.newaxis])
        for name, votes, right in (
            ("original", study.original_selected, study.original_right),
            ("new", study.new_selected, study.new_right),
        )
    ]
    pool = CandidateCounts(np.full(study.pool_selected.size, n), study.pool_selected)
    return line_up_sets(*sets, pool=pool, is_matched=True)


@dataclass(frozen=True, slots=True, eq=False)
class Simulator:
    """Makes studies of a design with so many annotators per image."""

    design: StudyDesign
    n_annotators: int
    n_classes: int
    intercept: float

    @classmethod
    def make(cls, design: StudyDesign, n_annotators: int) -> Simulator:
        """With the accuracy of the design on original images."""
        n_classes = min(design.n_classes, MAX_CLASSES)
        return cls(design, n_annotators, n_classes, find_intercept(design))

    def scale(self, half_widths: FloatArray) -> FloatArray:
        """Half-widths of the simulated classes brought to all classes: smaller by the root, and less spread by it too."""
        factor = np.sqrt(self.n_classes / self.design.n_classes)
        middle = np.median(half_widths)
        return np.asarray(factor * (middle + factor * (half_widths - middle)), np.float64)

    def find_candidates(self, per_class: int, *, rng: np.random.Generator, max_short: float) -> tuple[int, float]:
        """The fewest candidates of a class, of some tried, with which few enough classes fall short, and how many then do.

        All there are where that is not few enough.
        """
        tried = _list_candidates(per_class, self.design.n_candidates)
        short = np.zeros(len(tried))
        for _ in range(N_CHECKS):
            drawn = self._sample(rng)
            targets = scale_rows(drawn.histograms, per_class)
            short += [(fill_rows(targets, drawn.count_members(n)).n_short > 0).mean() for n in tried]
        enough = np.flatnonzero(short / N_CHECKS <= max_short)
        chosen = int(enough[0]) if enough.size else -1
        return tried[chosen], float(short[chosen] / N_CHECKS)

    def run(self, per_class: int, n_candidates: int, *, rng: np.random.Generator) -> SimulatedStudy:
        """One simulated study."""
        drawn = self._sample(rng)
        filled = fill_rows(scale_rows(drawn.histograms, per_class), drawn.count_members(n_candidates))
        is_new = drawn.choose(filled.n_taken, n_candidates)
        votes = drawn.original_selected.ravel(), drawn.pool_selected[is_new]
        rates = (
            self._rate(drawn.original_frequencies.ravel()),
            np.clip(self._rate(drawn.pool_frequencies[is_new]) - self.design.gap, 0, 1),
        )
        right = [rng.random(rate.size) < rate for rate in rates]
        return SimulatedStudy(
            n_annotators=self.n_annotators,
            original_selected=votes[0],
            original_right=right[0],
            new_selected=votes[1],
            new_right=right[1],
            pool_selected=drawn.pool_selected[:, :n_candidates].ravel(),
            naive_gap=_compare_bins(votes, rates, self.n_annotators),
            share_upward=float(filled.n_upward.sum() / max(int(filled.n_taken.sum()), 1)),
        )

    def _rate(self, frequencies: FloatArray) -> FloatArray:
        return np.asarray(expit(self.intercept + self.design.slope * frequencies), np.float64)

    def _sample(self, rng: np.random.Generator) -> _Sampled:
        design, n = self.design, self.n_classes
        original = rng.beta(design.original.a, design.original.b, (n, design.original_per_class))
        pool = rng.beta(design.pool.a, design.pool.b, (n, design.n_candidates))
        votes = rng.binomial(self.n_annotators, original), rng.binomial(self.n_annotators, pool)
        return _Sampled(original, pool, *votes, self.n_annotators)


@dataclass(frozen=True, slots=True, eq=False)
class _Sampled:
    """Images of every class, a row each: true frequencies and votes."""

    original_frequencies: FloatArray
    pool_frequencies: FloatArray
    original_selected: CountArray
    pool_selected: CountArray
    n_annotators: int

    @property
    def histograms(self) -> CountArray:
        """Per class, its original images in every bin."""
        return self._count(self.original_selected)

    def count_members(self, n_candidates: int) -> CountArray:
        """Per class, the first candidates in every bin."""
        return self._count(self.pool_selected[:, :n_candidates])

    def choose(self, n_taken: CountArray, n_candidates: int) -> BoolArray:
        """Which candidates are taken: of every class and bin the first, which are as good as any."""
        bins = self._find_bins(self.pool_selected)
        is_taken = np.zeros(bins.shape, np.bool_)
        for number in range(N_BINS):
            is_in = bins == number
            is_taken |= is_in & (np.cumsum(is_in, axis=1) <= n_taken[:, number, np.newaxis])
        is_taken[:, n_candidates:] = False
        return is_taken

    def _count(self, selected: CountArray) -> CountArray:
        bins = self._find_bins(selected)
        return np.stack([(bins == number).sum(axis=1) for number in range(N_BINS)], axis=1)

    def _find_bins(self, selected: CountArray) -> CountArray:
        return find_bins(np.full(selected.shape, self.n_annotators), selected).astype(np.int64)


class FilledBins(NamedTuple):
    """Per class: images taken of every bin, those of them that stand in for a lower bin, and what is lacking."""

    n_taken: CountArray
    n_upward: CountArray
    n_short: CountArray


def find_intercept(design: StudyDesign) -> float:
    """The logit of accuracy at frequency 0 that gives the expected accuracy on original images, by bisection."""
    frequencies = betaincinv(design.original.a, design.original.b, _GRID)
    low, high = -120.0, 120.0
    for _ in range(60):
        middle = (low + high) / 2
        if expit(middle + design.slope * frequencies).mean() < design.accuracy:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def fit_slope(frequencies: FloatArray, is_right: BoolArray) -> float:
    """How steeply the logit of accuracy rises with frequency: a logistic regression by Newton's method.

    A weak pull towards 0 keeps it finite where right and wrong answers do not overlap.
    """
    terms = np.column_stack((np.ones(frequencies.size), frequencies - frequencies.mean()))
    coefficients = np.zeros(2)
    for _ in range(50):
        rates = expit(terms @ coefficients)
        gradient = terms.T @ (is_right - rates) - _PULL * coefficients
        curvature = (terms * (rates * (1 - rates))[:, np.newaxis]).T @ terms + _PULL * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        coefficients = coefficients + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-9:
            break
    return float(coefficients[1])


def scale_rows(histograms: CountArray, total: int) -> CountArray:
    """Every row scaled to a total by largest remainder, as `testsets.quotas.scale_counts` scales one."""
    scaled, remainders = np.divmod(histograms * total, histograms.sum(axis=1, keepdims=True))
    backwards = np.argsort(-remainders[:, ::-1], axis=1, kind="stable")
    ranks = np.argsort(backwards, axis=1)[:, ::-1]
    lacking = total - scaled.sum(axis=1, keepdims=True)
    return np.asarray(scaled + (ranks < lacking), np.int64)


def fill_rows(targets: CountArray, members: CountArray) -> FilledBins:
    """From the lowest bin up; what a bin lacks is taken from the next higher one that has images left."""
    taken, upward = np.zeros_like(targets), np.zeros_like(targets)
    lacking = np.zeros(len(targets), np.int64)
    for number in range(targets.shape[1]):
        own = np.minimum(targets[:, number], members[:, number])
        stand_ins = np.minimum(members[:, number] - own, lacking)
        taken[:, number], upward[:, number] = own + stand_ins, stand_ins
        lacking += targets[:, number] - own - stand_ins
    return FilledBins(taken, upward, lacking)


def _compare_bins(
    votes: tuple[CountArray, CountArray], rates: tuple[FloatArray, FloatArray], n_annotators: int
) -> float:
    """Σ p_new·(a_original − a_new) over bins of the observed frequency that both sets have."""
    bins = [find_bins(np.full(one.shape, n_annotators), one) for one in votes]
    sizes = [np.bincount(one, minlength=N_BINS) for one in bins]
    sums = [np.bincount(one, rate, N_BINS) for one, rate in zip(bins, rates, strict=True)]
    both = (sizes[0] > 0) & (sizes[1] > 0)
    differences = sums[0][both] / sizes[0][both] - sums[1][both] / sizes[1][both]
    return float(sizes[1][both] @ differences / max(int(sizes[1][both].sum()), 1))


def _measure_raw(study: SimulatedStudy, level: float) -> float:
    """The half-width of Newcombe's interval of the raw gap."""
    counts = [(int(right.sum()), right.size) for right in (study.original_right, study.new_right)]
    (k_a, n_a), (k_b, n_b) = counts
    low, high = newcombe(k_a, n_a, n_correct_b=k_b, n_b=n_b, level=level)
    return float(high - low) / 2


def _list_candidates(per_class: int, n_most: int) -> Sequence[int]:
    """Numbers of candidates to try, by about a quarter more each time, up to all."""
    tried = []
    n = per_class
    while n < n_most:
        tried.append(n)
        n = max(n + 1, -(-5 * n // 4))
    return [*tried, n_most]
