"""Fewer annotators: over all ways to draw them, by hand, by plain loops over all subsets, and by simulation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from regauge.evaluation.context.basis.fewer import (
    Rivalry,
    add_up,
    count_rivals,
    count_up,
    limit_draws,
    spread_main,
    spread_rivals,
    thin_any,
)


def make(own: tuple[int, int], others: list[tuple[int, int]]) -> Rivalry:
    """One image whose dataset label was selected by the first of so many, and its other labels."""
    selected, shown = np.array(others, np.int64).reshape(-1, 2).T
    return Rivalry(np.array([own[0]]), np.array([own[1]]), np.zeros(len(others), np.int64), selected, shown)


def test_rivals_are_compared_in_whole_numbers():
    # 0.7 · 3/7 = 0.3 exactly, which no float is: 3/10 of another label is enough.
    rivalry = make((3, 7), [(3, 10), (2, 10), (10, 10)])
    assert count_rivals(rivalry, 7).tolist() == [2]
    assert count_rivals(rivalry, 10).tolist() == [1]


def test_a_label_that_nobody_selects_is_no_rival_even_of_one_that_nobody_selects():
    assert count_rivals(make((0, 9), [(0, 9), (1, 9)]), 5).tolist() == [1]


def list_subsets(selected: int, shown: int, n_left: int) -> list[int]:
    """What every way to keep so many annotators finds."""
    return [sum(one < selected for one in drawn) for drawn in combinations(range(shown), min(n_left, shown))]


def test_fewer_annotators_find_what_all_their_subsets_find_on_average():
    own, others, n_left = (3, 4), [(2, 4), (1, 3), (1, 2)], 3
    chances, means = spread_rivals(make(own, others), (5, 10), n_left=n_left, n_most=2)
    for place, tenths in enumerate((5, 10)):
        found = []
        for mine in list_subsets(*own, n_left):
            for one in list_subsets(*others[0], n_left):
                for two in list_subsets(*others[1], n_left):
                    for three in list_subsets(*others[2], n_left):
                        drawn = [(one, 3), (two, 3), (three, 2)]
                        found.append(int(count_rivals(make((mine, n_left), drawn), tenths)[0]))
        assert means[0, place] == pytest.approx(np.mean(found))
        spread = [np.mean(np.minimum(found, 2) == number) for number in range(3)]
        assert chances[0, place].tolist() == pytest.approx(spread)


def test_with_all_annotators_left_nothing_changes():
    rivalry = make((7, 9), [(4, 9), (9, 9), (0, 9)])
    chances, means = spread_rivals(rivalry, (5, 10), n_left=9, n_most=3)
    assert means[0].tolist() == pytest.approx([2, 1])
    assert chances.argmax(axis=2).tolist() == [[2, 1]]
    assert chances.max(axis=2)[0].tolist() == pytest.approx([1, 1])


def test_an_image_without_other_labels_has_no_rival():
    chances, means = spread_rivals(make((7, 9), []), (5,), n_left=5, n_most=2)
    assert chances[0, 0].tolist() == pytest.approx([1, 0, 0])
    assert means.tolist() == [[0.0]]


def test_chances_add_up_to_the_distribution_of_a_plain_loop():
    chances = np.array([0.2, 0.5, 0.9])
    found = add_up([np.array([one]) for one in chances], (1,), n_most=2)[0]
    # Nobody: 0.8 · 0.5 · 0.1; one of the three: 0.2·0.5·0.1 + 0.8·0.5·0.1 + 0.8·0.5·0.9; the rest has two or three.
    assert found.tolist() == pytest.approx([0.04, 0.41, 0.55])
    assert count_up(chances, np.zeros(3, np.int64), n_images=2, n_most=3).sum(axis=1).tolist() == [1.0, 1.0]


def test_at_least_two_of_those_left_by_hand():
    # Of 4 annotators 2 select; of the 6 pairs one has both. With 3 of 4, 2 of the 4 triples have both.
    assert thin_any(np.array([2, 2, 1]), np.array([4, 4, 4]), n_left=2, least=2).tolist() == pytest.approx(
        [1 / 6, 1 / 6, 0]
    )
    assert thin_any(np.array([2]), np.array([4]), n_left=3, least=2).tolist() == pytest.approx([0.5])
    # Who was asked by fewer keeps them all.
    assert thin_any(np.array([2]), np.array([2]), n_left=5, least=2).tolist() == [1.0]


def test_labels_of_main_objects_over_all_draws_are_those_of_a_plain_loop():
    counts, n_left = (4, 3, 2), 5
    named = [label for label, count in enumerate(counts) for _ in range(count)]
    found = [
        sum(drawn.count(label) >= 2 for label in range(3))
        for drawn in ([named[one] for one in some] for some in combinations(range(9), n_left))
    ]
    assert spread_main(counts, n_left, least=2) == pytest.approx((np.mean(found), np.var(found)))


def test_single_draws_lie_between_their_limits_as_often_as_said(rng: np.random.Generator):
    p = rng.random(400)
    low, high = limit_draws(p * (1 - p), float(p.mean()), level=0.9)
    drawn = (rng.random((4_000, 400)) < p).mean(axis=1)
    assert ((drawn >= low) & (drawn <= high)).mean() == pytest.approx(0.9, abs=0.02)
