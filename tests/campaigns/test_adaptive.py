"""Which pairs are settled: worked numbers, and what must hold for any votes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from regauge.arrays import BoolArray
from regauge.campaigns.adaptive import decide_pairs, fit_prior, settle_votes
from regauge.errors import InputError
from regauge.records.campaigns.redundancy import Decisions, PairState, RedundancyRule
from regauge.records.labels.contains import FrequencyPrior
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.testsets.sampling import SamplingPlan, Strategy, find_bins

FLAT = FrequencyPrior(1.0, 1.0, 10)
STRATEGIES = (Strategy.THRESHOLD, Strategy.MATCHED_FREQUENCY, Strategy.TOP_IMAGES)


def make_counts(votes: list[tuple[int, int]], classes: list[int] | None = None) -> SelectionCounts:
    """Counts of (selected, shown) pairs."""
    n = len(votes)
    shown, selected = (np.array([vote[at] for vote in votes], np.int64) for at in (1, 0))
    ids = np.array([f"i{number}" for number in range(n)])
    return SelectionCounts(ids, np.arange(n, dtype=np.int32), np.array(classes or [0] * n, np.int32), shown, selected)


def make_rule(
    strategy: Strategy = Strategy.THRESHOLD, *, most: int = 10, doubt: float = 0.05, **plan
) -> RedundancyRule:
    return RedundancyRule(SamplingPlan(strategy, **plan), most, doubt)


def test_votes_that_cannot_change_the_side_fix_it():
    # Of 10 votes 7 reach 0.7. With 7 of 7 it is reached; with 0 of 4 at most 6 of 10 are left; 1 of 4 can still become 7.
    found = decide_pairs(make_counts([(7, 7), (0, 4), (1, 4)]), make_rule(doubt=0), prior=FLAT)
    assert found.states.tolist() == [PairState.FIXED, PairState.FIXED, PairState.OPEN]
    assert found.choices[:2].tolist() == [1, 0]


def test_the_probability_of_a_side_is_that_of_the_posterior():
    # 4 of 5 under a flat prior is Beta(5, 2); above 0.7 lies 1 − (6·0.7⁵ − 5·0.7⁶) = 0.5798.
    found = decide_pairs(make_counts([(4, 5)]), make_rule(), prior=FLAT)
    assert found.probabilities[0] == pytest.approx(1 - (6 * 0.7**5 - 5 * 0.7**6))
    assert found.posterior_means[0] == pytest.approx(5 / 7)
    assert found.states.tolist() == [PairState.OPEN]


def test_a_side_that_is_probable_enough_is_settled():
    votes = make_counts([(10, 10)])
    above = float(stats.beta(11, 1).sf(0.7))
    assert decide_pairs(votes, make_rule(most=40, doubt=1 - above + 1e-9), prior=FLAT).states[0] == PairState.LIKELY
    assert decide_pairs(votes, make_rule(most=40, doubt=1 - above - 1e-9), prior=FLAT).states[0] == PairState.OPEN


def test_the_bin_has_the_probability_between_its_edges():
    # 5 of 5 under a flat prior: above 0.8 lies 1 − 0.8⁶ = 0.737856.
    found = decide_pairs(make_counts([(5, 5), (2, 5)]), make_rule(Strategy.MATCHED_FREQUENCY, most=20), prior=FLAT)
    assert found.choices.tolist() == [4, 2]
    assert found.probabilities[0] == pytest.approx(1 - 0.8**6)
    assert found.probabilities[1] == pytest.approx(stats.beta(3, 4).cdf(0.6) - stats.beta(3, 4).cdf(0.4))


def test_a_bin_is_fixed_when_all_that_may_still_come_stay_in_it():
    # Of 10 votes 8, 9 and 10 are in the last bin: 8 of 8 are fixed, 8 of 9 too, 7 of 8 not.
    votes = make_counts([(8, 8), (8, 9), (7, 8)])
    found = decide_pairs(votes, make_rule(Strategy.MATCHED_FREQUENCY, doubt=0), prior=FLAT)
    assert found.states.tolist() == [PairState.FIXED, PairState.FIXED, PairState.OPEN]


def test_ranks_are_fixed_when_nobody_can_pass():
    # With 10 votes at most: 9 of 9 ends at 0.9 or 1; 1 of 9 at 0.1 or 0.2; 6 of 9 at 0.6 or 0.7. One is taken.
    votes = make_counts([(9, 9), (1, 9), (6, 9)])
    found = decide_pairs(votes, make_rule(Strategy.TOP_IMAGES, per_class=1, doubt=0), prior=FLAT)
    assert found.states.tolist() == [PairState.FIXED] * 3
    assert found.choices.tolist() == [1, 0, 0]


def test_ranks_that_a_tie_could_decide_are_open():
    votes = make_counts([(9, 9), (9, 9), (0, 9)])
    found = decide_pairs(votes, make_rule(Strategy.TOP_IMAGES, per_class=1, doubt=0), prior=FLAT)
    assert found.states.tolist() == [PairState.OPEN, PairState.OPEN, PairState.FIXED]


def test_the_probability_of_a_rank_is_that_of_the_posteriors():
    votes = make_counts([(4, 5), (2, 5)])
    found = decide_pairs(votes, make_rule(Strategy.TOP_IMAGES, per_class=1), prior=FLAT)
    first, second = np.random.default_rng(1).beta([[5, 3]], [[2, 4]], (200_000, 2)).T
    # A thousand draws have a standard error of at most 0.016.
    assert found.probabilities[0] == pytest.approx((first > second).mean(), abs=0.05)
    assert found.probabilities.sum() == pytest.approx(2 * found.probabilities[0])


def test_a_class_with_fewer_images_than_are_taken_needs_no_votes_beyond_the_first():
    found = decide_pairs(make_counts([(1, 5), (4, 5)]), make_rule(Strategy.TOP_IMAGES, per_class=2), prior=FLAT)
    assert found.states.tolist() == [PairState.FIXED] * 2
    assert found.choices.tolist() == [1, 1]


def test_classes_have_thresholds_of_their_own():
    rule = make_rule(threshold=0.9, class_thresholds={3: 0.1}, doubt=0)
    found = decide_pairs(make_counts([(5, 8), (5, 8)], [2, 3]), rule, prior=FLAT)
    assert found.choices.tolist() == [0, 1]
    assert found.states.tolist() == [PairState.FIXED] * 2


@pytest.mark.parametrize(("threshold", "taken"), [(1e-300, [0, 1]), (0.6, [0, 1]), (0.6000000000000001, [0, 0])])
def test_a_threshold_of_many_decimals_is_kept_to_the_last(threshold: float, taken: list[int]):
    rule = make_rule(threshold=threshold, most=5, doubt=0)
    assert decide_pairs(make_counts([(0, 5), (3, 5)]), rule, prior=FLAT).choices.tolist() == taken


def test_a_pair_that_nobody_saw_is_open_and_has_no_decision():
    found = decide_pairs(make_counts([(0, 0), (3, 5)]), make_rule(), step=5)
    assert found.states[0] == PairState.OPEN
    row = found.to_frame().row(0, named=True)
    assert (row["decision"], row["probability"], row["posterior_mean"], row["state"]) == (None, None, None, "open")


def test_a_round_that_would_ask_too_many_is_not_asked():
    found = decide_pairs(make_counts([(4, 6), (4, 5)]), make_rule(most=10), step=5, prior=FLAT)
    assert found.states.tolist() == [PairState.EXHAUSTED, PairState.OPEN]


def test_without_votes_nothing_is_decided():
    with pytest.raises(InputError, match="Nobody has voted"):
        fit_prior(make_counts([(0, 0)]))
    with pytest.raises(InputError, match="at least one more person"):
        decide_pairs(make_counts([(1, 2)]), make_rule(), step=0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"doubt": 0.5}, "doubt"), ({"max_annotators": 0}, "1 to 10,000 people"), ({"doubt": -0.1}, "doubt")],
)
def test_rules_that_make_no_sense_are_refused(wrong, words):
    with pytest.raises(InputError, match=words):
        RedundancyRule(**wrong)
    with pytest.raises(InputError, match="Keywords decide nothing"):
        RedundancyRule(SamplingPlan(Strategy.KEYWORDS))


@st.composite
def ballots(draw):
    """Votes of up to 12 pairs of two classes, none of more than 12 people."""
    shown = draw(st.lists(st.integers(0, 12), min_size=1, max_size=12))
    votes = [(draw(st.integers(0, n)), n) for n in shown]
    return make_counts([*votes, (1, 2)], [draw(st.integers(0, 1)) for _ in votes] + [0])


@given(ballots(), st.sampled_from(STRATEGIES), st.integers(1, 15), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_nothing_open_would_get_more_votes_than_allowed(counts, strategy, most, step):
    found = decide_pairs(counts, make_rule(strategy, most=most, per_class=2), step=step, prior=FLAT)
    assert (counts.n_shown[found.is_open] + step <= most).all()


@given(ballots(), st.sampled_from(STRATEGIES[:2]), st.integers(12, 20))
@settings(max_examples=60, deadline=None)
def test_a_fixed_tally_is_what_all_votes_would_say(counts, strategy, most):
    found = decide_pairs(counts, make_rule(strategy, most=most, doubt=0), prior=FLAT)
    for rest in (np.zeros(len(counts), np.int64), most - counts.n_shown):
        whole = np.full(len(counts), most)
        votes = counts.n_selected + rest
        final = 10 * votes >= 7 * whole if strategy is Strategy.THRESHOLD else find_bins(whole, votes)
        fixed = found.states == PairState.FIXED
        assert (final[fixed] == found.choices[fixed]).all()


@given(ballots(), st.sampled_from(STRATEGIES[:2]), st.integers(5, 20))
@settings(max_examples=60, deadline=None)
def test_settled_votes_lie_where_the_pair_was_decided(counts, strategy, most):
    found = decide_pairs(counts, make_rule(strategy, most=most), prior=FLAT)
    settled = settle_votes(found)
    is_seen = counts.n_shown > 0
    assert (settled.n_shown == np.where(is_seen, most, 0)).all()
    taken = 10 * settled.n_selected >= 7 * settled.n_shown
    where = taken if strategy is Strategy.THRESHOLD else find_bins(settled.n_shown, settled.n_selected)
    assert (where[is_seen] == found.choices[is_seen]).all()


def test_settled_votes_of_ranks_keep_the_order_of_the_posterior_means():
    found = decide_pairs(make_counts([(1, 5), (4, 5), (15, 20)]), make_rule(Strategy.TOP_IMAGES, most=20), prior=FLAT)
    # Posterior means 2/7, 5/7 and 16/22 of 20 votes: 5.7, 14.3 and 14.5.
    assert settle_votes(found).n_selected.tolist() == [6, 14, 15]


def test_stopping_biases_raw_shares_but_not_posterior_means():
    """Votes on pairs from a known prior, stopped by the rule: the raw shares spread too far, posterior means do not."""
    rng = np.random.default_rng(3)
    prior = FrequencyPrior(2.0, 1.0, 1)
    n_pairs, step, rule = 20_000, 3, make_rule(most=15, doubt=0.1)
    true = rng.beta(prior.a, prior.b, n_pairs)
    votes = rng.random((n_pairs, rule.max_annotators)) < true[:, np.newaxis]
    shown = np.full(n_pairs, step)
    while True:
        selected = (votes & (np.arange(rule.max_annotators) < shown[:, np.newaxis])).sum(axis=1)
        counts = SelectionCounts(
            np.array([f"i{k}" for k in range(n_pairs)]),
            np.arange(n_pairs, dtype=np.int32),
            np.zeros(n_pairs, np.int32),
            shown,
            selected,
        )
        found = decide_pairs(counts, rule, step=step, prior=prior)
        if not found.is_open.any():
            break
        shown = np.where(found.is_open, shown + step, shown)
    is_high = found.choices == 1
    error = 4 * true.std() / np.sqrt(is_high.sum())
    assert counts.frequencies[is_high].mean() - true[is_high].mean() > 0.02
    assert abs(found.posterior_means[is_high].mean() - true[is_high].mean()) < error
    # What was settled is wrong no more often than allowed.
    is_likely = found.states == PairState.LIKELY
    is_wrong = (true >= 0.7) != (found.choices == 1)
    assert is_wrong[is_likely].mean() < rule.doubt
    check_errors(found, is_wrong)


def check_errors(found: Decisions, is_wrong: BoolArray) -> None:
    """The expected error of every state is the share of wrong decisions, but for chance: four standard errors."""
    expected = found.expect_errors()
    for state in PairState:
        mine = found.states == state
        error = expected[state.name.lower()]
        if not mine.any():
            assert error is None
            continue
        assert error is not None
        spread = np.sqrt((found.probabilities[mine] * (1 - found.probabilities[mine])).sum()) / mine.sum()
        assert abs(is_wrong[mine].mean() - error) <= 4 * spread + 1e-12, state


def test_where_all_votes_are_spent_the_bin_is_wrong_as_often_as_is_said():
    """20 votes on each pair of a known distribution: a third of the bins is wrong, and no state claims to be certain."""
    rng, prior = np.random.default_rng(5), FrequencyPrior(2.0, 1.0, 1)
    true = rng.beta(prior.a, prior.b, 20_000)
    votes = make_counts(list(zip(rng.binomial(20, true).tolist(), [20] * true.size, strict=True)))
    found = decide_pairs(votes, make_rule(Strategy.MATCHED_FREQUENCY, most=20), step=5, prior=prior)
    assert found.count_states() == {"open": 0, "fixed": 0, "likely": 0, "exhausted": 0, "spent": 20_000}
    is_wrong = found.choices != np.minimum((true * 5).astype(int), 4)
    assert 0.25 < is_wrong.mean() < 0.4
    assert found.probabilities.min() < 0.5
    check_errors(found, is_wrong)


def test_expected_errors_by_hand():
    # Under a flat prior 5 of 5 is above 0.8 with 1 − 0.8⁶ = 0.737856: with all votes spent the last bin is wrong with 0.262144.
    found = decide_pairs(make_counts([(5, 5), (0, 0)]), make_rule(Strategy.MATCHED_FREQUENCY, most=5), prior=FLAT)
    assert found.expect_errors() == {
        "open": None,
        "fixed": None,
        "likely": None,
        "exhausted": None,
        "spent": pytest.approx(0.8**6),
    }


def test_states_are_read_by_the_names_of_earlier_versions():
    assert PairState["CERTAIN"] is PairState.FIXED
    assert [state.name for state in PairState] == ["OPEN", "FIXED", "LIKELY", "EXHAUSTED", "SPENT"]
