"""What adaptive redundancy saves: the arithmetic behind the table, and that the page quotes what was measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scripts.measure_adaptive import (
    COLUMNS,
    REAL_TRIALS,
    STRATEGIES,
    TRIALS,
    Ballot,
    compare,
    decide_truly,
    find_equal,
    make_markdown,
    make_real_ballots,
    measure,
    measure_adaptive,
    measure_fixed,
    put_table,
    take_best,
)

from regauge.records.campaigns.redundancy import RedundancyRule
from regauge.records.testsets.sampling import SamplingPlan, Strategy

DOCS = Path(__file__).resolve().parents[2] / "docs"


def make_ballot(n_pairs: int = 400, n_votes: int = 20, seed: int = 0) -> Ballot:
    rng = np.random.default_rng(seed)
    true = rng.beta(0.8, 0.5, n_pairs)
    votes = rng.random((n_pairs, n_votes)) < true[:, np.newaxis]
    return Ballot((np.arange(n_pairs) % 4).astype(np.int32), votes, true)


def test_the_page_quotes_what_was_measured():
    table = pl.read_csv(DOCS / "adaptive.csv")
    page = (DOCS / "planning.md").read_text(encoding="utf-8")
    assert table.columns == list(COLUMNS)
    assert put_table(page, table) == page
    assert len(table) == len(STRATEGIES) * len(TRIALS) + 2 * len(REAL_TRIALS)


def test_the_best_are_taken_of_every_class():
    assert take_best(np.array([0, 0, 1, 1]), np.array([0.1, 0.9, 0.5, 0.5]), 1).tolist() == [0, 1, 1, 0]


def test_a_fixed_number_is_judged_by_raw_shares():
    ballot = Ballot(np.zeros(2, np.int32), np.array([[1, 1, 0, 1], [1, 0, 0, 0]], np.bool_), np.array([0.9, 0.9]))
    assert measure_fixed(ballot, Strategy.THRESHOLD, 4).error == 0.5
    # Two pairs and six controls in one grid, shown four times: 32 cells for two pairs.
    assert measure_fixed(ballot, Strategy.THRESHOLD, 4).cells == 16


def test_settling_only_what_is_certain_decides_as_all_votes_do_with_fewer_of_them():
    ballot = make_ballot()
    for strategy in (Strategy.THRESHOLD, Strategy.MATCHED_FREQUENCY):
        found = measure_adaptive(ballot, RedundancyRule(SamplingPlan(strategy), 20, 0.0), 5)
        assert found.error == measure_fixed(ballot, strategy, 20).error
        assert found.votes <= 20
    assert measure_adaptive(ballot, RedundancyRule(SamplingPlan(Strategy.THRESHOLD), 20, 0.0), 5).votes < 19


def test_equal_error_lies_between_the_numbers_that_were_tried():
    fixed = np.array([[1.0, 2.0, 0.4], [2.0, 4.0, 0.2], [3.0, 6.0, 0.25], [4.0, 8.0, 0.1]])
    assert find_equal(fixed, 0.3) == pytest.approx((1.5, 3.0))
    # The bump at three votes is passed over.
    assert find_equal(fixed, 0.15) == pytest.approx((3.5, 7.0))
    assert find_equal(fixed, 0.2) == (2.0, 4.0)
    assert find_equal(fixed, 0.5) == (1.0, 2.0)
    assert find_equal(fixed, 0.05) == (4.0, 8.0)


def test_savings_compare_votes_at_equal_error():
    fixed = np.tile([[4.0, 8.0, 0.3], [10.0, 20.0, 0.1]], (3, 1, 1))
    found = compare(fixed, np.tile([5.0, 12.0, 0.1], (3, 1)), np.random.default_rng(0))
    assert (found["fixed_votes"], found["saved"], found["saved_cells"]) == pytest.approx((10.0, 0.5, 0.4))
    assert (found["saved_low"], found["saved_high"]) == pytest.approx((0.5, 0.5))


def test_endless_votes_decide_by_the_true_frequency():
    ballot = Ballot(np.zeros(3, np.int32), np.zeros((3, 1), np.bool_), np.array([0.2, 0.7, 1.0]))
    assert decide_truly(ballot, Strategy.THRESHOLD).tolist() == [0, 1, 1]
    assert decide_truly(ballot, Strategy.MATCHED_FREQUENCY).tolist() == [1, 3, 4]


def test_rows_have_all_columns():
    (row,) = measure("tiny", [make_ballot(60), make_ballot(60, seed=1)], STRATEGIES[:1], [(5, 20, 0.05)])
    assert set(row) == set(COLUMNS)
    assert "| tiny | threshold | 5 at a time, up to 20, doubt 0.05 |" in make_markdown(pl.DataFrame([row]))


def test_released_votes_are_shuffled_but_not_changed(published: Path):
    first, second = make_real_ballots(published, 2)
    assert first.votes.shape == (2_782, 9)
    assert (first.votes != second.votes).any()
    assert (first.votes.mean(axis=1) == second.true).all()
