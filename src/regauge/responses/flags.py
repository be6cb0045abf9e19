"""What is odd about an annotator: signs that do not drop anybody by themselves, each by a stated rule.

too-fast        median seconds per image below a third of the campaign's median over annotators, or below a floor
same-answer     nine in ten responses select every image, or nine in ten select none
same-position   nine in ten responses that select some images select the one at the same place, whatever the grid shows
same-pattern    half of the responses select the same cells, whatever the grid shows
long-runs       equal answers lie together in display order far more than on random grids, and more than others' do
agreement       two annotators answer alike far more than what others answered on the same cells explains
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, ndtr

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.records.responses.answers import ContainsResponses, MaskArray
from regauge.responses.agreement import AgreeingPair, find_agreement
from regauge.responses.medians import find_medians
from regauge.stats.multiplicity import holm

TOO_FAST, SAME_ANSWER, SAME_POSITION, SAME_PATTERN, LONG_RUNS, AGREEMENT = (
    "too-fast",
    "same-answer",
    "same-position",
    "same-pattern",
    "long-runs",
    "agreement",
)


MIN_SECONDS_PER_IMAGE = 0.1
"""A bound of ours, and a generous one: a grid of 48 images in less than five seconds, with all that is selected, grid after grid.
It only points to where to look; nobody is dropped by it."""


@dataclass(frozen=True, slots=True)
class FlagRules:
    """When something is odd.

    Attributes:
        min_tasks: annotators with fewer responses are not judged by patterns.
        fast_share: flagged below this share of the campaign's median seconds per image.
        min_seconds: flagged below so many seconds per image, whatever others take.
        same_answer_share: flagged from this share of responses on that select all images, or none.
        same_position_share: flagged from this share of responses on, of those that select some images, that select one place.
        position_excess: and that is so much more than the median of the others selects that place.
        same_pattern_share: flagged from this share of responses on that select the same cells.
        max_p: flagged below this p-value, after Holm's adjustment over all annotators, or all pairs of them.
        runs_share: long runs are flagged when the runs, as a share of what random places give, are fewer than this share of
            the median annotator's.
        min_excess: agreement is flagged when it fills at least this share of the room between chance and perfect agreement.
    """

    min_tasks: int = 3
    fast_share: float = 1 / 3
    min_seconds: float = MIN_SECONDS_PER_IMAGE
    same_answer_share: float = 0.9
    same_position_share: float = 0.9
    position_excess: float = 0.5
    same_pattern_share: float = 0.5
    max_p: float = 0.001
    runs_share: float = 0.6
    min_excess: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Flags:
    """What is odd about each annotator.

    Attributes:
        is_flagged: per kind of flag, whether each annotator has it.
        median_seconds: per annotator, the median seconds of their responses; NaN where no response has a time.
        seconds_per_image: the same per image shown.
        agreements: the pairs of annotators who agree too well, the strongest first.
        n_compared: pairs of annotators that were compared.
    """

    is_flagged: dict[str, BoolArray]
    median_seconds: FloatArray
    seconds_per_image: FloatArray
    agreements: tuple[AgreeingPair, ...]
    n_compared: int

    def describe(self, annotator: int) -> str:
        """The names of an annotator's flags, joined by |."""
        return "|".join(name for name, flagged in self.is_flagged.items() if flagged[annotator])


def find_flags(responses: ContainsResponses, *, rules: FlagRules | None = None) -> Flags:
    """Everything that is odd about the annotators, from all of their responses, accepted or not."""
    rules = rules or FlagRules()
    sizes = np.diff(responses.grids.starts)[responses.response_grids]
    n_tasks = np.bincount(responses.response_annotators, minlength=len(responses.annotator_ids))
    is_judged = n_tasks >= rules.min_tasks
    agreements, n_compared = find_agreement(responses, max_p=rules.max_p, min_excess=rules.min_excess)
    agreeing = np.zeros(len(n_tasks), np.bool_)
    agreeing[[one for pair in agreements for one in (pair.first, pair.second)]] = True
    per_image = _find_medians(responses, responses.seconds / sizes)
    return Flags(
        is_flagged={
            TOO_FAST: find_fast(per_image, share=rules.fast_share) | (is_judged & (per_image < rules.min_seconds)),
            SAME_ANSWER: is_judged & _find_same_answer(responses, sizes, share=rules.same_answer_share),
            SAME_POSITION: is_judged & _find_same_position(responses, sizes, rules=rules),
            SAME_PATTERN: is_judged & _find_same_pattern(responses, sizes, share=rules.same_pattern_share),
            LONG_RUNS: is_judged & _find_long_runs(responses, sizes, rules=rules),
            AGREEMENT: agreeing,
        },
        median_seconds=_find_medians(responses, responses.seconds),
        seconds_per_image=per_image,
        agreements=agreements,
        n_compared=n_compared,
    )


def _find_medians(responses: ContainsResponses, values: FloatArray) -> FloatArray:
    return find_medians(responses.response_annotators, values, n=len(responses.annotator_ids))


def find_fast(seconds_per_image: FloatArray, *, share: float) -> BoolArray:
    """Whose median time per image is below a share of the median annotator's; nobody's among fewer than three."""
    known = seconds_per_image[~np.isnan(seconds_per_image)]
    if known.size < 3:
        return np.zeros(seconds_per_image.shape, np.bool_)
    return np.asarray(seconds_per_image < share * np.median(known), np.bool_)


def _find_same_answer(responses: ContainsResponses, sizes: CountArray, *, share: float) -> BoolArray:
    n_selected = np.bitwise_count(responses.masks)
    # A grid of one image leaves no other answers than all and none.
    is_all, is_none = (sizes > 1) & (n_selected == sizes), (sizes > 1) & (n_selected == 0)
    n_tasks, n_all, n_none = (_count(responses, where) for where in (sizes > 1, is_all, is_none))
    return (n_tasks > 0) & (np.maximum(n_all, n_none) >= share * n_tasks)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """How often annotators select each place of a grid, in answers that select some images: others tell no place.

    Attributes:
        counts: per annotator and place, the answers that select it.
        n_mixed: per annotator, the answers that select some images.
        chance: per annotator, the mean share of images in these that are selected; NaN where there are none.
    """

    counts: CountArray
    n_mixed: CountArray
    chance: FloatArray


def count_places(
    masks: MaskArray, sizes: CountArray, *, annotators: IntArray | CountArray, n_annotators: int
) -> Places:
    """How often each annotator selects each place."""
    n_selected = np.bitwise_count(masks).astype(np.int64)
    mixed = np.flatnonzero((n_selected > 0) & (n_selected < sizes))
    mixed = mixed[np.argsort(annotators[mixed], kind="stable")]
    n_mixed = np.bincount(annotators[mixed], minlength=n_annotators)
    counts = np.zeros((n_annotators, int(sizes.max(initial=1))), np.int64)
    who, selected = np.flatnonzero(n_mixed), masks[mixed]
    heads = (np.cumsum(n_mixed) - n_mixed)[who]
    if who.size:
        # Place by place: of a million answers, all at once would need half a gigabyte.
        for place in range(counts.shape[1]):
            bits = ((selected >> np.uint64(place)) & np.uint64(1)).astype(np.int32)
            counts[who, place] = np.add.reduceat(bits, heads)
    sums = np.bincount(annotators[mixed], weights=n_selected[mixed] / sizes[mixed], minlength=n_annotators)
    with np.errstate(invalid="ignore"):
        return Places(counts, n_mixed, sums / n_mixed)


def _find_same_position(responses: ContainsResponses, sizes: CountArray, *, rules: FlagRules) -> BoolArray:
    """Who selects the image at one and the same place in nearly all answers that select some.

    Images lie at random places, so that an answer with n1 of n selected has any one place with the probability n1 / n. The
    answers that do are then no further above their mean than a binomial with the mean of these probabilities (Hoeffding 1956);
    as any place could be the favourite, the probability is multiplied by their number. Files that list controls first have
    favourites throughout; so an annotator must also stand out from the others, where there are any.
    """
    n = len(responses.annotator_ids)
    places = count_places(responses.masks, sizes, annotators=responses.response_annotators, n_annotators=n)
    largest = np.zeros(n, np.int64)
    np.maximum.at(largest, responses.response_annotators, sizes)
    is_known = places.n_mixed >= rules.min_tasks
    p = np.full(n, np.nan)
    best = places.counts.argmax(axis=1)
    most = places.counts[np.arange(n), best]
    p[is_known] = np.minimum(1.0, largest * bdtrc(most - 1, places.n_mixed, places.chance))[is_known]
    mine = most / np.maximum(places.n_mixed, 1)
    is_odd: BoolArray = is_known & (holm(p) < rules.max_p) & (mine >= rules.same_position_share)
    for one in np.flatnonzero(is_odd):
        others = is_known & (largest > best[one])
        others[one] = False
        usual = np.median(places.counts[others, best[one]] / places.n_mixed[others]) if others.any() else 0.0
        is_odd[one] = mine[one] - usual >= rules.position_excess
    return is_odd


def _find_same_pattern(responses: ContainsResponses, sizes: CountArray, *, share: float) -> BoolArray:
    """Who selects the same cells again and again, at least three of them and not nearly all."""
    n_selected = np.bitwise_count(responses.masks).astype(np.int64)
    tellable = np.flatnonzero((n_selected >= 3) & (sizes - n_selected >= 3))
    order = tellable[np.lexsort((responses.masks[tellable], sizes[tellable], responses.response_annotators[tellable]))]
    annotators = responses.response_annotators[order]
    columns = (annotators, sizes[order], responses.masks[order])
    is_new = np.ones(order.size, np.bool_)
    is_new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    heads = np.flatnonzero(is_new)
    n_alike = np.diff(np.append(heads, order.size))
    most = np.zeros(len(responses.annotator_ids), np.int64)
    np.maximum.at(most, annotators[heads], n_alike)
    return (most >= 2) & (most >= share * _count(responses, sizes > 0))


def _find_long_runs(responses: ContainsResponses, sizes: CountArray, *, rules: FlagRules) -> BoolArray:
    """Whose equal answers lie together: the runs test of Wald and Wolfowitz, over all responses of an annotator.

    With n1 selected among n cells at random places, the number of runs has mean 1 + 2·n1·n0/n and variance
    2·n1·n0·(2·n1·n0 − n)/(n²(n − 1)). Files that list cells in some order, controls first say, have long runs throughout; so an
    annotator must also stand out from the others.
    """
    n, n1 = sizes.astype(np.float64), np.bitwise_count(responses.masks).astype(np.float64)
    both = 2 * n1 * (n - n1)
    is_mixed = both > 0
    # A neighbour that differs starts a new run; the last cell has no neighbour.
    inner = np.uint64(2**63 - 1) >> (np.uint64(64) - sizes.astype(np.uint64))
    n_runs = 1 + np.bitwise_count((responses.masks ^ (responses.masks >> np.uint64(1))) & inner)
    expected = 1 + both / n
    variance = np.where(is_mixed, both * (both - n) / (n * n * np.maximum(n - 1, 1)), 0.0)
    sums = [_add(responses, np.where(is_mixed, column, 0.0)) for column in (n_runs, expected, variance)]
    observed, chance, spread = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(spread > 0, ndtr((observed - chance) / np.sqrt(spread)), np.nan)
        ratio = np.where(chance > 0, observed / chance, np.nan)
    if not np.isfinite(ratio).any():
        return np.zeros(ratio.shape, np.bool_)
    return np.asarray((holm(p) < rules.max_p) & (ratio < rules.runs_share * np.nanmedian(ratio)), np.bool_)


def _count(responses: ContainsResponses, where: BoolArray) -> CountArray:
    return np.bincount(responses.response_annotators[where], minlength=len(responses.annotator_ids))


def _add(responses: ContainsResponses, values: FloatArray) -> FloatArray:
    sums = np.bincount(responses.response_annotators, weights=values, minlength=len(responses.annotator_ids))
    return sums.astype(np.float64, copy=False)
