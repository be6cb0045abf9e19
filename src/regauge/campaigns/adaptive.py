"""Which pairs need more votes: those about which the draw of a test set could still go either way.

A draw needs little of a selection frequency: on which side of a threshold it lies, in which bin, or whether it is among the best
of its class. Most pairs show that after a few votes. A pair is settled when the votes that may still be asked for could not
change the decision, or when the decision is right with high probability by the distribution that all pairs show; the rest are
asked about once more.

Votes that stop by what they say are no fair sample: the raw share of a settled pair is biased away from the boundary. Its
likelihood is not, as the decision to stop depends on the votes alone, so the distribution and the posterior of every pair are
what they would be for fixed numbers of votes (Berger, Wolpert 1988, The likelihood principle). Draws therefore use decisions
and posterior means, see `settle_votes`, never raw shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.redundancy import Decisions, PairState, RedundancyRule
from regauge.records.labels.contains import FrequencyPrior
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.screening import read_share
from regauge.records.testsets.sampling import N_BINS, NO_BIN, SamplingPlan, Strategy, find_bins
from regauge.stats.beta_binomial import fit_beta

N_DRAWS = 1_000
"""Draws from the posterior that tell how probably an image is among the best of its class."""

_NUMBERS_AT_ONCE = 5_000_000


class _Judgement(NamedTuple):
    """Per pair: the decision, its probability, and whether further votes could not change it."""

    choices: IntArray
    probabilities: FloatArray
    is_fixed: BoolArray


def fit_prior(counts: SelectionCounts) -> FrequencyPrior:
    """The beta distribution of selection frequencies behind the votes of all pairs.

    Raises:
        InputError: there are no votes yet, or not two on any pair, without which they show no spread.
    """
    fit = fit_beta(counts.n_selected, counts.n_shown)
    if not fit.n_pairs:
        raise InputError("Nobody has voted on a pair yet, so nothing can be decided.")
    if counts.n_shown.max() < 2:
        raise InputError(
            "One vote on each pair does not show how frequencies are spread; ask two people or more about each."
        )
    return FrequencyPrior(fit.a, fit.b, fit.n_pairs)


def decide_pairs(
    counts: SelectionCounts, rule: RedundancyRule, *, step: int = 1, prior: FrequencyPrior | None = None
) -> Decisions:
    """Which pairs are settled, how, and which are to be asked about once more.

    Args:
        counts: the votes so far.
        rule: how the test set will be drawn, and when enough people have been asked.
        step: people whom another round would ask about a pair; a pair that would get more than may be asked is not open.
        prior: the distribution of selection frequencies; fitted to the votes by default.

    Raises:
        InputError: there are no votes yet.
    """
    if step < 1:
        raise InputError(f"A round asks at least one more person about a pair, not {step:,}.")
    prior = fit_prior(counts) if prior is None else prior
    found = _JUDGES[rule.plan.strategy](counts, rule, prior)
    is_seen = counts.n_shown > 0
    states = np.full(len(counts), PairState.OPEN, np.int32)
    states[counts.n_shown + step > rule.max_annotators] = PairState.EXHAUSTED
    # Whether votes can change a tally is a matter of counting: where no doubt may be left, a probability that rounds to 1
    # settles nothing. It says nothing about the truth of the tally: near a boundary it stays a toss-up to the last vote.
    states[is_seen & (found.probabilities >= 1 - rule.doubt) & (rule.doubt > 0)] = PairState.LIKELY
    states[is_seen & found.is_fixed] = PairState.FIXED
    states[is_seen & (counts.n_shown >= rule.max_annotators)] = PairState.SPENT
    means = (counts.n_selected + prior.a) / (counts.n_shown + prior.a + prior.b)
    choices = np.where(is_seen, found.choices, NO_BIN).astype(np.int32)
    return Decisions(counts, rule, prior, choices, found.probabilities, states, means)


def settle_votes(decisions: Decisions) -> SelectionCounts:
    """Votes as if everybody had been asked who may be, which lie where each pair was decided; for draws.

    Every pair has the expected votes of `max_annotators` people, moved into the bin or to the side that was decided where
    rounding left it. Pairs that nobody saw stay at 0 votes.
    """
    counts, rule = decisions.counts, decisions.rule
    n, is_seen = rule.max_annotators, counts.n_shown > 0
    low, high = _find_range(decisions, n)
    expected = np.clip(np.rint(decisions.posterior_means * n).astype(np.int64), low, high)
    columns = np.where(is_seen, n, 0), np.where(is_seen, expected, 0)
    return SelectionCounts(counts.image_ids, counts.images, counts.classes, *columns, counts.name)


def settle_rounds(
    known: SelectionCounts, campaign: CampaignEntry, *, rounds: Sequence[Mapping[str, Any]], plan: SamplingPlan
) -> tuple[SelectionCounts, str]:
    """The votes of a campaign that had several rounds as a draw may look at them, and a sentence about that.

    Votes that stopped when they looked clear look clearer than they are, so their raw shares are biased. The pairs count as
    they were decided instead, see `settle_votes`.

    Args:
        known: the votes.
        campaign: which campaign.
        rounds: its rounds in their order, as they are stored.
        plan: how the test set is drawn: what is decided about a pair depends on it.
    """
    last = rounds[-1]["rule"]
    rule = RedundancyRule(plan, last["max_annotators"], last["doubt"])
    decisions = decide_pairs(known, rule, step=campaign.plan.n_annotators, prior=FrequencyPrior(**rounds[0]["prior"]))
    n_open = int(decisions.is_open.sum())
    note = (
        f"Campaign {campaign.name} asked more people only where a decision was open, so raw shares of {known.name} would be "
        f"biased: its pairs count as decided for {plan.strategy}, as if {rule.max_annotators:,} people had seen each. "
        f"Still open are {n_open:,} of {len(decisions):,}."
    )
    return settle_votes(decisions), note


def _find_range(decisions: Decisions, n: int) -> tuple[CountArray, CountArray]:
    """The fewest and the most of n votes that agree with each decision."""
    plan, choices = decisions.rule.plan, decisions.choices
    if plan.strategy is Strategy.TOP_IMAGES:
        return np.zeros(len(choices), np.int64), np.full(len(choices), n, np.int64)
    if plan.strategy is Strategy.THRESHOLD:
        enough = _count_enough(plan, decisions.counts.classes, np.full(len(choices), n, np.int64))
        return np.where(choices == 1, enough, 0), np.where(choices == 1, n, enough - 1)
    ends = np.array([*(-(-n * number // N_BINS) for number in range(N_BINS)), n + 1], np.int64)
    low = ends[choices]
    # With fewer votes than bins some bins hold no share at all; the next one above is nearest.
    return low, np.maximum(ends[choices + 1] - 1, low)


def _judge_sides(counts: SelectionCounts, rule: RedundancyRule, prior: FrequencyPrior) -> _Judgement:
    """On which side of the threshold."""
    plan, most = rule.plan, np.maximum(counts.n_shown, rule.max_annotators)
    enough = _count_enough(plan, counts.classes, most)
    is_in = counts.n_selected >= enough
    is_out = counts.n_selected + (most - counts.n_shown) < enough
    thresholds = np.array([float(one) for one in _list_thresholds(plan, counts.classes)])
    above = 1 - betainc(counts.n_selected + prior.a, counts.n_shown - counts.n_selected + prior.b, thresholds)
    choices = np.where(is_in | is_out, is_in, above >= 0.5).astype(np.int32)
    return _Judgement(choices, np.where(choices == 1, above, 1 - above), is_in | is_out)


def _judge_bins(counts: SelectionCounts, rule: RedundancyRule, prior: FrequencyPrior) -> _Judgement:
    """In which bin."""
    most = np.maximum(counts.n_shown, rule.max_annotators)
    n_unselected: CountArray = counts.n_shown - counts.n_selected
    lowest, highest = find_bins(most, counts.n_selected), find_bins(most, most - n_unselected)
    is_fixed = lowest == highest
    edges = np.arange(1, N_BINS) / N_BINS
    a, b = counts.n_selected + prior.a, n_unselected + prior.b
    below = betainc(a[:, np.newaxis], b[:, np.newaxis], edges)
    shares = np.diff(np.column_stack((np.zeros(len(a)), below, np.ones(len(a)))), axis=1)
    choices = np.where(is_fixed, lowest, shares.argmax(axis=1)).astype(np.int32)
    return _Judgement(choices, np.take_along_axis(shares, choices[:, np.newaxis], axis=1)[:, 0], is_fixed)


def _judge_ranks(counts: SelectionCounts, rule: RedundancyRule, prior: FrequencyPrior) -> _Judgement:
    """Whether among the best of its class."""
    n = len(counts)
    choices, is_fixed, probabilities = np.zeros(n, np.int32), np.zeros(n, np.bool_), np.ones(n)
    for index in np.unique(counts.classes).tolist():
        mine = np.flatnonzero(counts.classes == index)
        k, shown = counts.n_selected[mine], counts.n_shown[mine]
        is_in, is_out = _compare_ranks(k, shown, rule)
        rng = np.random.default_rng([rule.plan.seed, index])
        among = _sample_ranks(k, shown, prior=prior, n_best=rule.plan.per_class, rng=rng)
        is_taken = np.where(is_in | is_out, is_in, among >= 0.5)
        choices[mine], is_fixed[mine] = is_taken, is_in | is_out
        probabilities[mine] = np.where(is_taken, among, 1 - among)
    return _Judgement(choices, probabilities, is_fixed)


def _compare_ranks(k: CountArray, shown: CountArray, rule: RedundancyRule) -> tuple[BoolArray, BoolArray]:
    """Which pairs of a class are surely among the best after all votes, and which surely are not, with ties left open."""
    n, n_best = rule.max_annotators, rule.plan.per_class
    most = np.maximum(shown, n)
    low, high = k / most, (k + most - shown) / most
    n_above_low = k.size - np.searchsorted(np.sort(high), low, side="left")
    n_above_high = k.size - np.searchsorted(np.sort(low), high, side="right")
    # The pair itself is among those that may reach its own lowest share.
    return n_above_low - 1 < n_best, n_above_high >= n_best


def _sample_ranks(
    k: CountArray, shown: CountArray, *, prior: FrequencyPrior, n_best: int, rng: np.random.Generator
) -> FloatArray:
    """How probably each is among the best n of its class: the share of draws from the posteriors in which it is."""
    if k.size <= n_best:
        return np.ones(k.size)
    n_among = np.zeros(k.size)
    n_at_once = max(1, _NUMBERS_AT_ONCE // k.size)
    for start in range(0, N_DRAWS, n_at_once):
        draws = rng.beta(k + prior.a, shown - k + prior.b, (min(n_at_once, N_DRAWS - start), k.size))
        bars = np.partition(draws, k.size - n_best, axis=1)[:, k.size - n_best]
        n_among += (draws >= bars[:, np.newaxis]).sum(axis=0)
    return n_among / N_DRAWS


def _list_thresholds(plan: SamplingPlan, classes: IntArray) -> list[float]:
    return [plan.class_thresholds.get(index, plan.threshold) for index in classes.tolist()]


def _count_enough(plan: SamplingPlan, classes: IntArray, n: CountArray) -> CountArray:
    """The fewest of n votes that reach the threshold of a class, in whole numbers."""
    pairs = list(zip(_list_thresholds(plan, classes), n.tolist(), strict=True))
    enough = {pair: ceil(read_share(pair[0]) * pair[1]) for pair in set(pairs)}
    return np.array([enough[pair] for pair in pairs], np.int64)


_JUDGES = {
    Strategy.THRESHOLD: _judge_sides,
    Strategy.MATCHED_FREQUENCY: _judge_bins,
    Strategy.TOP_IMAGES: _judge_ranks,
}
