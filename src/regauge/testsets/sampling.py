"""Draw a test set from a pool: by matched frequency, above a threshold, the best, or by keywords (Recht et al. 2019, §3.2).

Every class is drawn by itself, with a generator of its own, so that new candidates of one class change nothing in another. A
revision keeps every image that can still be taken and draws only what is lacking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from regauge.arrays import CountArray, IntArray
from regauge.errors import InputError
from regauge.records.responses.screening import read_share
from regauge.records.testsets.sampling import (
    ABOVE,
    BIN_NAMES,
    N_BINS,
    NO_BIN,
    Draw,
    PoolCandidates,
    SamplingPlan,
    Shortfall,
    Strategy,
    find_bins,
)
from regauge.testsets.quotas import count_to_gather, scale_counts

UNKNOWN_BIN = "no annotators"
TOO_FEW = "too few annotators"


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """What the draw imitates: the original images of every class.

    Attributes:
        histograms: per class, its annotated original images in every bin of the selection frequency.
        keywords: per class, how many of its original images each keyword has.
    """

    histograms: Mapping[int, CountArray] = field(default_factory=dict)
    keywords: Mapping[int, Mapping[str, int]] = field(default_factory=dict)


NOTHING = Original()


def count_bins(classes: IntArray, *, n_shown: CountArray, n_selected: CountArray) -> dict[int, CountArray]:
    """Per class, how many of its images lie in every bin; images that nobody saw are left out."""
    bins = find_bins(n_shown, n_selected)
    return {
        int(index): np.bincount(bins[(classes == index) & (bins != NO_BIN)], minlength=N_BINS)
        for index in np.unique(classes)
    }


def sample(
    pool: PoolCandidates, plan: SamplingPlan, *, original: Original = NOTHING, previous: Sequence[str] = ()
) -> Draw:
    """Draw the images of every class of the pool.

    Args:
        pool: the candidates.
        plan: how to draw.
        original: what to imitate, for matched frequencies and keywords.
        previous: ids of the set that this draw revises; those that can still be taken are kept.

    Raises:
        InputError: a class has too few annotated original images for its histogram, or none with a keyword.
    """
    kept = set(previous)
    is_carried = np.array([one in kept for one in pool.image_ids.tolist()], np.bool_)
    reasons = _find_reasons(pool, plan)
    taken: list[_Taken] = []
    for index in np.unique(pool.classes).tolist():
        mine = np.flatnonzero(pool.classes == index)
        usable = mine[reasons[mine] == ""]
        rng = np.random.default_rng([plan.seed, index])
        # Shuffled once, those from before first: taking the first ones is then a draw that keeps what it can.
        shuffled = rng.permutation(usable[np.argsort(pool.image_ids[usable])])
        ordered = shuffled[np.argsort(~is_carried[shuffled], kind="stable")]
        taken.append(_STRATEGIES[plan.strategy](_Class(index, mine.size, ordered, is_carried), pool, plan, original))
    return _make_draw(pool, plan, taken, is_carried, _count_reasons(pool, reasons))


@dataclass(frozen=True, slots=True, eq=False)
class _Class:
    """The candidates of a class: how many there are, and those that can be taken, in the order of the draw."""

    index: int
    n_candidates: int
    ordered: IntArray
    is_carried: np.ndarray[tuple[int], np.dtype[np.bool_]]

    def lack(self, where: str, n_missing: int, *, n_like: int) -> tuple[Shortfall, ...]:
        """What is lacking; `n_like` candidates of those gathered so far could have been taken there."""
        if n_missing <= 0:
            return ()
        n_to_gather = count_to_gather(n_missing, n_gathered=self.n_candidates, n_usable=n_like)
        return (Shortfall(self.index, where, n_missing, n_to_gather),)


@dataclass(frozen=True, slots=True, eq=False)
class _Taken:
    """What was taken of a class, which of it from a higher bin, and what is lacking."""

    rows: IntArray
    upward: frozenset[int]
    shortfalls: tuple[Shortfall, ...]


def _take_matched(group: _Class, pool: PoolCandidates, plan: SamplingPlan, original: Original) -> _Taken:
    histogram = original.histograms.get(group.index)
    n_original = 0 if histogram is None else int(histogram.sum())
    if histogram is None or n_original < plan.min_original:
        raise InputError(
            f"Class {group.index} has {n_original:,} annotated original images; {plan.min_original:,} are needed to match their "
            "selection frequencies. Ask people about more of them, or say how many are enough with `min_original=…`."
        )
    bins = find_bins(pool.n_shown[group.ordered], pool.n_selected[group.ordered])
    members = [group.ordered[bins == number] for number in range(N_BINS)]
    targets = scale_counts(histogram, plan.per_class)
    n_carried = [int(group.is_carried[rows].sum()) for rows in members]
    if sum(n_carried) > plan.per_class:
        # Fewer are wanted than before, so not all are kept: they only come first in their bins.
        n_carried = [0] * N_BINS
    deficits = _find_deficits(targets, n_carried)
    return _fill_bins(group, members, n_carried, deficits)


def _find_deficits(targets: CountArray, n_carried: Sequence[int]) -> list[int]:
    """What every bin lacks beside the images that are kept.

    One too many in a bin stands in for the next lower bin that lacks one: it was taken because that bin was short.
    """
    deficits = [0] * N_BINS
    spare = 0
    for number in reversed(range(N_BINS)):
        have = n_carried[number] + spare
        deficits[number] = max(int(targets[number]) - have, 0)
        spare = max(have - int(targets[number]), 0)
    for number in range(N_BINS):
        # Kept images below all that lack some: the set must not grow for them.
        deficits[number], spare = max(deficits[number] - spare, 0), max(spare - deficits[number], 0)
    return deficits


def _fill_bins(group: _Class, members: Sequence[IntArray], n_carried: Sequence[int], deficits: Sequence[int]) -> _Taken:
    """From the lowest bin up; what a bin lacks is taken from the next higher one that has images left."""
    rows: list[IntArray] = []
    upward: set[int] = set()
    lacking: dict[int, int] = {}
    for number, (mine, kept, deficit) in enumerate(zip(members, n_carried, deficits, strict=True)):
        own = mine[kept : kept + deficit]
        stand_ins = mine[kept + own.size : kept + own.size + sum(lacking.values())]
        rows.extend((mine[:kept], own, stand_ins))
        upward.update(stand_ins.tolist())
        lacking = {**_fill(lacking, stand_ins.size), number: deficit - own.size}
    n_like = np.cumsum([mine.size for mine in members][::-1])[::-1].tolist()
    shortfalls = [group.lack(BIN_NAMES[number], n, n_like=n_like[number]) for number, n in lacking.items()]
    return _Taken(np.concatenate(rows), frozenset(upward), tuple(chain.from_iterable(shortfalls)))


def _fill(lacking: Mapping[int, int], n: int) -> dict[int, int]:
    """What bins lack once n images have come, which go to the lowest bins first."""
    left = {}
    for number, wanted in lacking.items():
        left[number] = max(wanted - n, 0)
        n = max(n - wanted, 0)
    return left


def _take_above(group: _Class, pool: PoolCandidates, plan: SamplingPlan, _original: Original) -> _Taken:
    threshold = read_share(plan.class_thresholds.get(group.index, plan.threshold))
    sizes, places = np.unique(pool.n_shown[group.ordered], return_inverse=True)
    # In Python's whole numbers: a threshold of many decimals times many votes does not fit into 64 bits.
    enough = [-(-threshold.numerator * n // threshold.denominator) for n in sizes.tolist()]
    high = group.ordered[pool.n_selected[group.ordered] >= np.array(enough, np.int64)[places]]
    lacking = group.lack(f"{ABOVE}{float(threshold):g}", plan.per_class - high.size, n_like=high.size)
    return _Taken(high[: plan.per_class], frozenset(), lacking)


def _take_best(group: _Class, pool: PoolCandidates, plan: SamplingPlan, _original: Original) -> _Taken:
    rows = group.ordered
    shown = pool.n_shown[rows]
    # The quotient of equal shares is the same number, so shares are compared exactly.
    frequency = pool.n_selected[rows] / shown
    order = np.lexsort((pool.image_ids[rows], -shown, -frequency, ~group.is_carried[rows]))
    lacking = group.lack("", plan.per_class - rows.size, n_like=rows.size)
    return _Taken(rows[order][: plan.per_class], frozenset(), lacking)


def _take_by_keyword(group: _Class, pool: PoolCandidates, plan: SamplingPlan, original: Original) -> _Taken:
    wanted = original.keywords.get(group.index, {})
    if not wanted:
        raise InputError(
            f"Class {group.index} has no original images with a keyword, so none can be matched; name some with `keywords=…`."
        )
    names = sorted(wanted)
    targets = scale_counts(np.array([wanted[name] for name in names], np.int64), plan.per_class)
    rows: list[IntArray] = []
    lacking: list[Shortfall] = []
    for name, target in zip(names, targets.tolist(), strict=True):
        mine = group.ordered[pool.keywords[group.ordered] == name]
        rows.append(mine[:target])
        lacking.extend(group.lack(name, target - mine.size, n_like=mine.size))
    return _Taken(np.concatenate(rows), frozenset(), tuple(lacking))


_STRATEGIES: Mapping[Strategy, Callable[[_Class, PoolCandidates, SamplingPlan, Original], _Taken]] = {
    Strategy.MATCHED_FREQUENCY: _take_matched,
    Strategy.THRESHOLD: _take_above,
    Strategy.TOP_IMAGES: _take_best,
    Strategy.KEYWORDS: _take_by_keyword,
}


def _find_reasons(pool: PoolCandidates, plan: SamplingPlan) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    """Why each image cannot be taken; empty where it can. What nobody saw has no frequency to be chosen by."""
    least = plan.min_annotations if plan.strategy is Strategy.KEYWORDS else max(plan.min_annotations, 1)
    reasons = np.where(pool.n_shown < least, TOO_FEW, "")
    return np.where(pool.exclusions != "", pool.exclusions, reasons)


def _count_reasons(
    pool: PoolCandidates, reasons: np.ndarray[tuple[int], np.dtype[np.str_]]
) -> dict[tuple[int, str, str], int]:
    bins = find_bins(pool.n_shown, pool.n_selected).tolist()
    places = [UNKNOWN_BIN if number == NO_BIN else BIN_NAMES[number] for number in bins]
    found = zip(pool.classes.tolist(), places, reasons.tolist(), strict=True)
    return dict(sorted(Counter(one for one in found if one[2]).items()))


def _make_draw(
    pool: PoolCandidates,
    plan: SamplingPlan,
    taken: Sequence[_Taken],
    is_carried: np.ndarray[tuple[int], np.dtype[np.bool_]],
    exclusions: Mapping[tuple[int, str, str], int],
) -> Draw:
    rows = np.concatenate([one.rows for one in taken]) if taken else np.zeros(0, np.int64)
    upward = frozenset().union(*(one.upward for one in taken))
    return Draw(
        plan=plan,
        image_ids=pool.image_ids[rows],
        classes=pool.classes[rows],
        n_shown=pool.n_shown[rows],
        n_selected=pool.n_selected[rows],
        keywords=pool.keywords[rows],
        is_carried=is_carried[rows],
        is_upward=np.array([row in upward for row in rows.tolist()], np.bool_),
        shortfalls=tuple(shortfall for one in taken for shortfall in one.shortfalls),
        exclusions=exclusions,
    )
