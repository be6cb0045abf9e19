"""What is odd about annotators: each kind planted among honest ones is found, and honest ones are left alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import norm

from regauge.arrays import BoolArray, FloatArray
from regauge.records.responses.answers import ContainsResponses, Grids
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.agreement import find_agreement
from regauge.responses.annotators import describe_annotators
from regauge.responses.flags import (
    AGREEMENT,
    LONG_RUNS,
    SAME_ANSWER,
    SAME_PATTERN,
    SAME_POSITION,
    TOO_FAST,
    Flags,
    find_fast,
    find_flags,
)
from regauge.responses.screening import screen

N_CELLS = 48


def make_responses(selected: BoolArray, *, seconds: FloatArray | None = None) -> ContainsResponses:
    """Answers [annotators, grids, cells], where everybody answers every grid; the first five cells are positive controls."""
    n, n_grids, n_cells = selected.shape
    grids = Grids(
        np.array([f"t{grid}" for grid in range(n_grids)]),
        np.zeros(n_grids, np.int32),
        starts=np.arange(n_grids + 1) * n_cells,
        image_ids=np.array([f"i{cell}" for cell in range(n_grids * n_cells)]),
        cell_images=np.arange(n_grids * n_cells, dtype=np.int32),
        cell_controls=np.tile((np.arange(n_cells) < 5).astype(np.uint8), n_grids),
    )
    masks = (selected.reshape(-1, n_cells).astype(np.uint64) << np.arange(n_cells, dtype=np.uint64)).sum(
        axis=1, dtype=np.uint64
    )
    return ContainsResponses(
        grids,
        np.array([f"w{who}" for who in range(n)]),
        np.tile(np.arange(n_grids, dtype=np.int32), n),
        np.repeat(np.arange(n, dtype=np.int32), n_grids),
        masks,
        np.full(n * n_grids, np.nan) if seconds is None else seconds.ravel(),
    )


def draw_honest(rng: np.random.Generator, *, n: int = 12, n_grids: int = 20) -> BoolArray:
    """Annotators of differing strictness who see pictures of differing clarity, each with errors of their own."""
    clarity = rng.normal(0, 2.5, (n_grids, N_CELLS))
    strictness = rng.normal(0, 0.5, (n, 1, 1))
    return rng.logistic(0, 1, (n, n_grids, N_CELLS)) < clarity - strictness


def find(flags: Flags, kind: str) -> list[int]:
    return np.flatnonzero(flags.is_flagged[kind]).tolist()


def test_honest_annotators_have_no_flags(rng):
    seconds = rng.lognormal(4, 0.4, (12, 20))
    flags = find_flags(make_responses(draw_honest(rng), seconds=seconds))
    assert {kind: find(flags, kind) for kind in flags.is_flagged} == {kind: [] for kind in flags.is_flagged}
    # Everybody shares grids with everybody: 12 · 11/2 pairs.
    assert flags.n_compared == 66


def test_an_annotator_far_below_the_median_time_is_too_fast(rng):
    seconds = np.full((4, 3), 96.0)
    seconds[2] = [20, 31, 40]
    flags = find_flags(make_responses(draw_honest(rng, n=4, n_grids=3), seconds=seconds))
    # 31/48 s per image is below a third of 96/48.
    assert find(flags, TOO_FAST) == [2]
    assert flags.median_seconds.tolist() == [96, 96, 31, 96]
    assert flags.seconds_per_image[2] == 31 / 48


def test_a_third_itself_is_not_too_fast_and_two_annotators_cannot_tell():
    assert find_fast(np.array([3.0, 3.0, 1.0]), share=1 / 3).tolist() == [False] * 3
    assert find_fast(np.array([3.0, 3.0, 0.99]), share=1 / 3).tolist() == [False, False, True]
    assert find_fast(np.array([3.0, 0.1, np.nan]), share=1 / 3).tolist() == [False] * 3


def test_the_median_of_an_even_number_of_times_is_between_them(rng):
    seconds = np.array([[1.0, 2.0, 4.0, np.nan], [1.0, 2.0, 4.0, 9.0], [np.nan] * 4])
    flags = find_flags(make_responses(draw_honest(rng, n=3, n_grids=4), seconds=seconds))
    assert flags.median_seconds[:2].tolist() == [2, 3]
    assert np.isnan(flags.median_seconds[2])


@pytest.mark.parametrize("answer", [True, False])
def test_selecting_always_all_or_none_is_flagged(answer, rng):
    selected = draw_honest(rng)
    selected[3] = answer
    # Once in ten somebody who otherwise selects all does not: still flagged; in a quarter of cases: not.
    selected[4] = answer
    selected[4, :2, 7] = not answer
    selected[5] = answer
    selected[5, :5, 7] = not answer
    assert find(find_flags(make_responses(selected)), SAME_ANSWER) == [3, 4]


def test_the_same_cells_on_half_of_the_grids_are_flagged(rng):
    selected = draw_honest(rng)
    selected[7, ::2] = np.arange(N_CELLS) % 3 == 0
    selected[8, ::3] = np.arange(N_CELLS) % 3 == 0
    flags = find_flags(make_responses(selected))
    assert find(flags, SAME_PATTERN) == [7]
    assert flags.describe(7) == SAME_PATTERN


def test_answers_in_long_runs_are_flagged(rng):
    selected = draw_honest(rng)
    for grid in range(20):
        # The first cells of every grid, each time another number of them.
        selected[2, grid] = np.arange(N_CELLS) < 10 + grid
    assert find(find_flags(make_responses(selected)), LONG_RUNS) == [2]


def test_files_that_list_selected_cells_first_flag_nobody(rng):
    selected = -np.sort(-draw_honest(rng).astype(np.int8), axis=2) > 0
    assert find(find_flags(make_responses(selected)), LONG_RUNS) == []


def test_those_who_copy_each_other_are_found(rng):
    selected = draw_honest(rng)
    copies = rng.random(selected.shape[1:]) < 0.95
    selected[9] = np.where(copies, selected[1], selected[9])
    flags = find_flags(make_responses(selected))
    assert find(flags, AGREEMENT) == [1, 9]
    (pair,) = flags.agreements
    assert (pair.first, pair.second, pair.n_grids, pair.n_cells) == (1, 9, 20, 960)
    assert pair.n_agreed == np.count_nonzero(selected[1] == selected[9])
    assert pair.excess > 0.5
    assert pair.p < 0.001


def test_agreement_by_hand():
    # Four annotators, one grid of four cells. a and b answer 1100, c and d answer 1010. For the pair (a, b) the others say:
    # cell 0 all, cell 1 none, cell 2 all, cell 3 none. a and b select one of two cells where all others do, one of two where
    # none do. For (a, c) the others b and d say 2, 1, 1 and 0 of 2; and so on: cells of stratum 2 are split between the two.
    selected = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 0]], np.bool_)[:, np.newaxis]
    responses = make_responses(selected)
    pairs, n_compared = find_agreement(responses, max_p=2.0, min_excess=-10.0)
    assert n_compared == 6
    first = next(pair for pair in pairs if (pair.first, pair.second) == (0, 1))
    # a is compared three times. Stratum 4 (all others): with b cells 0 and 2, with c and d cell 0 each: 4 cells, 3 selected.
    # Stratum 0 (none): with b cells 1 and 3, with c and d cell 3: 4 cells, 1 selected. Rates with half a cell: 3.5/5 and 1.5/5.
    # b has the same. Chance per cell: 0.7² + 0.3² = 0.58 in both strata, so 4 · 0.58 = 2.32 of 4 cells.
    assert first.n_expected == pytest.approx(2.32)
    assert first.n_agreed == 4
    assert first.excess == pytest.approx(1.0)
    p = norm.sf((4 - 2.32 - 0.5) / np.sqrt(4 * 0.58 * 0.42))
    assert first.p == pytest.approx(min(1.0, 6 * p))


def expect_agreement(selected: BoolArray) -> dict[tuple[int, int], float]:
    """The agreement that chance gives every pair, cell by cell in fractions."""

    def find_stratum(a: int, b: int, cell: int) -> int:
        others = np.delete(answers[:, cell], [a, b])
        share = Fraction(int(others.sum()), others.size)
        return (
            0
            if share == 0
            else 4
            if share == 1
            else 1
            if share <= Fraction(1, 3)
            else 2
            if share <= Fraction(2, 3)
            else 3
        )

    n, answers = len(selected), selected.reshape(len(selected), -1)
    strata = {
        (a, b, cell): find_stratum(a, b, cell) for a, b in permutations(range(n), 2) for cell in range(answers.shape[1])
    }
    seen = {
        (a, s): [answers[a, cell] for (one, _, cell), t in strata.items() if (one, t) == (a, s)]
        for a in range(n)
        for s in range(5)
    }
    rates = {key: (sum(votes) + 0.5) / (len(votes) + 1) for key, votes in seen.items()}
    expected = dict.fromkeys(combinations(range(n), 2), 0.0)
    for (a, b, _), stratum in strata.items():
        if a < b:
            r, s = rates[a, stratum], rates[b, stratum]
            expected[a, b] += r * s + (1 - r) * (1 - s)
    return expected


def test_chance_is_that_of_a_slow_count(rng):
    selected = draw_honest(rng, n=6, n_grids=3)
    pairs, _ = find_agreement(make_responses(selected), max_p=2.0, min_excess=-100.0)
    found = {(pair.first, pair.second): pair.n_expected for pair in pairs}
    assert found == pytest.approx(expect_agreement(selected))


def test_grids_with_fewer_than_four_answers_compare_nobody(rng):
    pairs, n_compared = find_agreement(make_responses(draw_honest(rng, n=3)), max_p=0.5, min_excess=0.0)
    assert (pairs, n_compared) == ((), 0)


def test_a_grid_with_very_many_answers_compares_each_with_the_next_ones_only(rng):
    selected = draw_honest(rng, n=100, n_grids=1)
    _, n_compared = find_agreement(make_responses(selected), max_p=0.001, min_excess=0.5)
    # The first 36 have 64 after them, the rest have 63, 62, … 0.
    assert n_compared == 36 * 64 + 64 * 63 // 2


def test_false_alarms_about_agreement_are_rare(rng):
    """Honest campaigns, 40 of them with 66 pairs each: at most one pair in 2,640 may be flagged by chance."""
    n_flagged = sum(
        len(find_agreement(make_responses(draw_honest(rng, n_grids=6)), max_p=0.001, min_excess=0.5)[0])
        for _ in range(40)
    )
    assert n_flagged <= 1


def test_the_table_of_annotators_has_accuracies_with_intervals_and_reasons(rng):
    selected = draw_honest(rng, n=4, n_grids=3)
    selected[:, :, :5] = True
    selected[1, :, :5] = False
    selected[1, 0, 0] = True
    responses = make_responses(selected)
    screening = screen(responses, ScreeningRules())
    repeats = (np.zeros(4, np.int64), np.zeros(4, np.int64))
    frame = describe_annotators(responses, screening, flags=find_flags(responses), repeats=repeats).to_frame()
    row = frame.row(1, named=True)
    # 1 of 15 positive controls; Clopper–Pearson limits of 1/15 are 0.17% and 31.9%.
    assert (row["n_positive"], row["n_positive_right"]) == (15, 1)
    assert (row["positive_low"], row["positive_high"]) == pytest.approx((0.0017, 0.3195), abs=1e-4)
    assert (row["n_tasks"], row["n_poor_tasks"], row["n_accepted"]) == (3, 2, 0)
    assert (row["dropped"], row["restored"]) == (True, False)
    assert row["reason"] == "selected less than 20% of the positive controls on 2 of 3 tasks"
    # There are no negative controls and no times: no values, and no zeros.
    assert [row[name] for name in ("negative_accuracy", "negative_low", "median_seconds")] == [None] * 3


def test_a_lone_clicker_is_too_fast_whatever_others_take():
    rng = np.random.default_rng(7)
    selected = draw_honest(rng, n=1, n_grids=10)
    # 48 images in 3 s are 0.06 s each, in 6 s 0.125 s; nobody else is there to compare with.
    for seconds, is_odd in ((3.0, True), (6.0, False)):
        flags = find_flags(make_responses(selected, seconds=np.full((1, 10), seconds)))
        assert flags.is_flagged[TOO_FAST].tolist() == [is_odd]
    # Two answers make no median to judge by.
    few = find_flags(make_responses(selected[:, :2], seconds=np.full((1, 2), 3.0)))
    assert not few.is_flagged[TOO_FAST].any()


def test_who_always_selects_the_same_place_is_flagged_alone_and_among_others():
    rng = np.random.default_rng(8)
    honest = draw_honest(rng, n=5, n_grids=10)
    clicker = np.zeros((1, 10, N_CELLS), np.bool_)
    clicker[:, :, 7] = True
    # Now and then another image as well: no pattern of cells comes back, but the place does.
    clicker[0, np.arange(0, 10, 2), rng.integers(8, N_CELLS, 5)] = True
    alone = find_flags(make_responses(clicker))
    assert alone.is_flagged[SAME_POSITION].tolist() == [True]
    assert not alone.is_flagged[SAME_PATTERN].any()
    among = find_flags(make_responses(np.concatenate([honest, clicker])))
    assert among.is_flagged[SAME_POSITION].tolist() == [False] * 5 + [True]


def test_a_file_that_lists_controls_first_makes_nobody_odd():
    rng = np.random.default_rng(9)
    selected = rng.random((6, 12, N_CELLS)) < 0.2
    selected[:, :, :5] = True
    assert not find_flags(make_responses(selected)).is_flagged[SAME_POSITION].any()


@pytest.mark.parametrize("n", [1, 8])
def test_honest_annotators_are_hardly_ever_said_to_have_a_favourite_place(n):
    rng = np.random.default_rng(10)
    flagged = [
        find_flags(make_responses(rng.random((n, n_grids, N_CELLS)) < rng.uniform(0.05, 0.6))).is_flagged[SAME_POSITION]
        for n_grids in (3, 5, 10, 20)
        for _ in range(100)
    ]
    # By the rule less than one campaign in a thousand has anybody flagged wrongly; here none of 400 has.
    assert sum(one.any() for one in flagged) == 0
