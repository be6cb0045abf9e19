"""Selection frequencies: worked by hand, and equal to a slow reference on random campaigns."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.responses.contains_rows import Row, draw_rows, judge, make_votes

from regauge.errors import InputError
from regauge.labels.frequencies.frequency import Selections, count_selections, subsample_frequencies
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import Control
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.grouping import group_votes
from regauge.responses.screening import screen

NONE, POSITIVE, NEGATIVE = Control


def count(rows: list[Row], rules: ScreeningRules | None = None) -> Selections:
    responses = group_votes(make_votes(rows))
    return count_selections(responses, screen(responses, rules))


def read(counts: SelectionCounts) -> dict[tuple[str, int], tuple[int, int]]:
    ids = counts.image_ids[counts.images].tolist()
    columns = (ids, counts.classes.tolist(), counts.n_shown.tolist(), counts.n_selected.tolist())
    return {(image, asked): (n, k) for image, asked, n, k in zip(*columns, strict=True)}


def answer(task: str, annotator: str, votes: str, *, asked: int = 0, n_positive: int = 0) -> list[Row]:
    """One response to a grid of images a, b, c …, the first ones positive controls; votes is a text of 0 and 1."""
    return [
        Row(task, annotator, asked, chr(97 + place), POSITIVE if place < n_positive else NONE, vote == "1")
        for place, vote in enumerate(votes)
    ]


def test_every_annotator_who_saw_a_pair_counts_once():
    rows = [*answer("t", "u", "110"), *answer("t", "v", "100"), *answer("t", "w", "101")]
    assert read(count(rows).counts) == {("a", 0): (3, 3), ("b", 0): (3, 1), ("c", 0): (3, 1)}


def test_pairs_are_ordered_by_image_and_class():
    rows = [*answer("t2", "u", "11", asked=7), *answer("t1", "u", "10", asked=3)]
    counts = count(rows).counts
    assert counts.images.tolist() == [0, 0, 1, 1]
    assert counts.classes.tolist() == [3, 7, 3, 7]


def test_the_first_answer_of_an_annotator_counts_and_repeats_are_reported():
    # v sees both pairs in two tasks and changes their mind on b; only the first answers count.
    rows = [*answer("t1", "v", "10"), *answer("t2", "v", "11"), *answer("t2", "w", "01")]
    found = count(rows)
    assert read(found.counts) == {("a", 0): (2, 1), ("b", 0): (2, 1)}
    assert (found.n_repeated.tolist(), found.n_repeated_alike.tolist()) == ([2, 0], [1, 0])


def test_a_dropped_first_answer_does_not_hide_an_accepted_second_one():
    # Positive controls a to e; v selects 1 of 5 in t1 (20% is not below 20%, but below 40%: the response goes) and 5 of 5 in
    # t2, so the votes of t2 count.
    rows = [
        *answer("t1", "v", "100000", n_positive=5),
        *answer("t2", "v", "111111", n_positive=5),
    ]
    found = count(rows, ScreeningRules())
    assert read(found.counts)["f", 0] == (1, 1)
    assert found.n_repeated.sum() == 0


def test_a_pair_without_accepted_votes_is_listed_with_zero_and_has_no_frequency():
    rows = [*answer("t1", "v", "11111", n_positive=4), *answer("t2", "w", "0000", asked=1, n_positive=3)]
    counts = count(rows, ScreeningRules()).counts
    assert read(counts)["d", 1] == (0, 0)
    assert np.isnan(counts.frequencies[counts.n_shown == 0]).all()


def test_a_vote_on_a_control_is_judged_by_the_other_controls():
    # Five positive controls, two selected: 2/5 reaches 40%, so the response and its other votes count. Without a selected
    # control it is 1/4, below 40%: those two votes do not count. Without an unselected one it is 2/4: those three do.
    rows = answer("t", "v", "110001", n_positive=5)
    found = read(count(rows, ScreeningRules()).counts)
    assert [found[image, 0] for image in "abcdef"] == [(0, 0), (0, 0), (1, 0), (1, 0), (1, 0), (1, 1)]
    plain = read(count(rows, ScreeningRules(leave_one_out=False)).counts)
    assert [plain[image, 0] for image in "abcdef"] == [(1, 1), (1, 1), (1, 0), (1, 0), (1, 0), (1, 1)]


def test_a_single_control_judges_the_rest_but_not_itself():
    found = read(count(answer("t", "v", "11", n_positive=1), ScreeningRules()).counts)
    assert found == {("a", 0): (0, 0), ("b", 0): (1, 1)}


# Above half of the share for tasks, a single vote on a control can decide about its annotator.
LIMITS = [("0.2", "0.5", "0.4"), ("0.5", "0.34", "0.5"), ("0.75", "0.5", "0"), ("0.34", "1", "0.67")]


@given(draw_rows(), st.booleans(), st.sampled_from(LIMITS))
def test_counts_are_those_of_the_slow_reference(rows, leave_one_out, limits):
    reference = judge(rows, limits=limits, leave_one_out=leave_one_out)
    low, half, task_low = map(float, limits)
    rules = ScreeningRules(low, half, task_low, leave_one_out=leave_one_out)
    if not reference.accepted:
        with pytest.raises(InputError, match="drops all"):
            count(rows, rules)
        return
    found = count(rows, rules)
    assert read(found.counts) == reference.counts
    annotators = list(dict.fromkeys(row.annotator for row in rows))
    repeats = zip(found.n_repeated.tolist(), found.n_repeated_alike.tolist(), strict=True)
    assert dict(zip(annotators, repeats, strict=True)) == {
        one: reference.repeats.get(one, (0, 0)) for one in annotators
    }


@given(draw_rows(min_positive=0))
def test_without_screening_counts_are_those_of_a_group_by(rows):
    firsts = pl.DataFrame(
        {
            "first": [min(i for i, one in enumerate(rows) if one[:2] == row[:2]) for row in rows],
            "who": [row.annotator for row in rows],
            "image": [row.image for row in rows],
            "asked": [row.asked for row in rows],
            "vote": [row.selected for row in rows],
        }
    )
    once = firsts.sort("first", maintain_order=True).unique(
        ["who", "image", "asked"], keep="first", maintain_order=True
    )
    expected = once.group_by("image", "asked").agg(pl.len(), pl.col("vote").sum().alias("k"))
    assert read(count(rows).counts) == {(i, c): (n, k) for i, c, n, k in expected.iter_rows()}


@settings(max_examples=30)
@given(st.integers(1, 700), st.integers(1, 64), st.integers(0, 2**32))
def test_grids_of_any_size_with_any_number_of_answers_are_counted(n_answers, n_cells, seed):
    rng = np.random.default_rng(seed)
    selected = rng.random((n_answers, n_cells)) < rng.random(n_cells)
    rows = [
        Row("t", f"w{who}", 3, f"i{cell}", NONE, bool(selected[who, cell]))
        for who in range(n_answers)
        for cell in range(n_cells)
    ]
    counts = count(rows).counts
    assert counts.n_shown.tolist() == [n_answers] * n_cells
    assert counts.n_selected.tolist() == selected.sum(axis=0).tolist()


def test_an_image_in_many_grids_is_sorted_by_class_too():
    rows = [Row(f"t{n}", "w", (n * 7) % 50, "a", NONE, n % 2 == 0) for n in range(100)]
    counts = count(rows).counts
    assert counts.classes.tolist() == list(range(50))
    # The one annotator answers for each pair twice, and counts once.
    assert counts.n_shown.tolist() == [1] * 50


def test_a_subsample_takes_so_many_responses_per_grid(rng):
    rows = [row for who in range(9) for row in answer("t", f"w{who}", "101")]
    rows += [row for who in range(3) for row in answer("u", f"w{who}", "01", asked=1)]
    responses = group_votes(make_votes(rows))
    counts = subsample_frequencies(responses, screen(responses, None), rng=rng, n_annotators=5)
    assert read(counts) == {("a", 0): (5, 5), ("b", 0): (5, 0), ("c", 0): (5, 5), ("a", 1): (3, 0), ("b", 1): (3, 3)}


def test_a_subsample_of_everybody_is_the_whole_and_a_seed_repeats_it():
    generator = np.random.default_rng(1)
    rows = [row for who in range(9) for row in answer("t", f"w{who}", f"{int(generator.integers(2, 2**8)):08b}")]
    responses = group_votes(make_votes(rows))
    screening = screen(responses, None)
    whole = subsample_frequencies(responses, screening, rng=generator, n_annotators=9)
    assert read(whole) == read(count_selections(responses, screening).counts)
    draws = [
        read(subsample_frequencies(responses, screening, rng=np.random.default_rng(seed), n_annotators=4))
        for seed in (5, 5, 6, 7, 8)
    ]
    assert draws[0] == draws[1]
    assert any(draw != draws[0] for draw in draws[2:])


def test_a_subsample_of_nobody_is_refused(rng):
    responses = group_votes(make_votes(answer("t", "v", "10")))
    with pytest.raises(InputError, match="at least one annotator per grid, not 0"):
        subsample_frequencies(responses, screen(responses, None), rng=rng, n_annotators=0)


def test_a_screening_of_other_responses_is_refused():
    one, two = (
        group_votes(make_votes(rows)) for rows in (answer("t", "v", "1"), answer("t", "v", "1") + answer("t", "w", "1"))
    )
    with pytest.raises(InputError, match="screening is of 2 responses, but there are 1"):
        count_selections(one, screen(two, None))
