"""The heaviest cut against arithmetic, all assignments, and the rule for ties."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray

from regauge.labels.objects._kernels import MAX_VERTICES, make_scratch, search_partitions

Matrix = NDArray[np.int64]


class Partition(NamedTuple):
    """The group of every label, how many pairs the cut keeps apart, and how many partitions keep as many apart."""

    groups: tuple[int, ...]
    cut_weight: int
    n_best: int


def divide(weights: ArrayLike, n_groups: int) -> Partition:
    matrix, code = np.array(weights, np.int64), np.zeros(MAX_VERTICES, np.int32)
    inside, n_best = search_partitions(matrix, len(matrix), n_groups, code, *make_scratch())
    return Partition(tuple(code[: len(matrix)].tolist()), int(np.triu(matrix, 1).sum() - inside), n_best)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Matrix, int]:
    n = draw(st.integers(1, 6))
    upper = draw(st.lists(st.integers(0, 3), min_size=n * n, max_size=n * n))
    half = np.triu(np.array(upper, np.int64).reshape(n, n), 1)
    return half + half.T, draw(st.integers(1, n))


def number_groups(code: tuple[int, ...]) -> tuple[int, ...]:
    names: dict[int, int] = {}
    return tuple(names.setdefault(group, len(names)) for group in code)


def list_cuts(weights: Matrix, n_groups: int) -> dict[tuple[int, ...], int]:
    """The cut of every partition into exactly that many groups."""
    n = len(weights)
    codes = {number_groups(code) for code in product(range(n_groups), repeat=n) if len(set(code)) == n_groups}
    apart = {code: [(i, j) for i in range(n) for j in range(i) if code[i] != code[j]] for code in codes}
    return {code: int(sum(weights[i, j] for i, j in pairs)) for code, pairs in apart.items()}


def test_a_ball_and_two_breeds_are_two_objects() -> None:
    # Five annotators chose ball and Scotch terrier, four ball and toy terrier: ball | both breeds cuts 5 + 4 = 9 pairs,
    # ball and toy | Scotch cuts 5, ball and Scotch | toy cuts 4.
    found = divide([[0, 5, 4], [5, 0, 0], [4, 0, 0]], 2)
    assert found == ((0, 1, 1), 9, 1)


def test_of_equal_cuts_the_one_that_keeps_earlier_labels_apart_wins() -> None:
    # Three labels, all chosen together once: every division into two cuts 2 of the 3 pairs.
    found = divide([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 2)
    assert found == ((0, 1, 1), 2, 3)


def test_without_any_weight_every_partition_ties() -> None:
    # Four labels fall into two groups in S(4, 2) = 7 ways.
    found = divide(np.zeros((4, 4), np.int64), 2)
    assert found == ((0, 1, 1, 1), 0, 7)


def test_as_many_groups_as_labels_cut_everything_and_one_group_cuts_nothing() -> None:
    weights = np.ones((5, 5), np.int64)
    assert divide(weights, 5).groups == (0, 1, 2, 3, 4)
    assert divide(weights, 5).cut_weight == 10
    assert divide(weights, 1).groups == (0, 0, 0, 0, 0)
    assert divide([[0]], 1).groups == (0,)


@given(graphs())
def test_all_assignments_give_the_same_weight_number_of_ties_and_choice(graph: tuple[Matrix, int]) -> None:
    weights, n_groups = graph
    cuts = list_cuts(weights, n_groups)
    best = max(cuts.values())
    found = divide(weights, n_groups)
    assert found.cut_weight == best
    assert found.n_best == sum(cut == best for cut in cuts.values())
    assert found.groups == max(code for code, cut in cuts.items() if cut == best)


def test_eight_labels_are_searched_completely() -> None:
    # All pairs alike: 8 labels in 4 groups cut most when every group has two, 28 − 4 = 24; there are 8!/(2!⁴·4!) = 105 ways.
    found = divide(np.ones((8, 8), np.int64), 4)
    assert (found.cut_weight, found.n_best) == (24, 105)
