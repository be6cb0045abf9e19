"""Images that only one of two participants gets right, for all pairs at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from statsmodels.stats.contingency_tables import mcnemar

from regauge.errors import InputError
from regauge.stats import discordance
from regauge.stats.discordance import count_discordant_pairs
from regauge.stats.paired import exact_mcnemar


def test_three_participants_by_hand() -> None:
    # a is right on images 0, 1, 2; b on 1, 3; c on none. a without b: 0, 2; b without a: 3.
    right = np.array([[1, 1, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]], bool)
    pairs = count_discordant_pairs(right)
    np.testing.assert_array_equal(pairs.n_only_first, [[0, 2, 3], [1, 0, 2], [0, 0, 0]])
    np.testing.assert_array_equal(pairs.n_only_second, pairs.n_only_first.T)
    assert pairs.n_only_first.dtype == np.int64


@given(st.integers(0, 2**32), st.integers(0, 8), st.integers(0, 300), st.floats(0, 1))
def test_a_loop_over_pairs_gives_the_same(seed: int, n_participants: int, n_images: int, share: float) -> None:
    right = np.random.default_rng(seed).random((n_participants, n_images)) < share
    pairs = count_discordant_pairs(right)
    assert pairs.n_only_first.shape == (n_participants, n_participants)
    for i, first in enumerate(right):
        for j, second in enumerate(right):
            assert pairs.n_only_first[i, j] == np.sum(first & ~second)
            assert pairs.n_only_second[i, j] == np.sum(second & ~first)


def test_counts_stay_exact_where_floats_of_32_bits_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    right = np.ones((2, 2**24 + 3), bool)
    right[1, ::2] = False
    np.testing.assert_array_equal(count_discordant_pairs(right).n_only_first, [[0, 2**23 + 2], [0, 0]])
    monkeypatch.setattr(discordance, "_MAX_EXACT", 2)
    small = right[:, :101]
    np.testing.assert_array_equal(count_discordant_pairs(small).n_only_first, [[0, 51], [0, 0]])


def test_with_mcnemar_all_pairs_have_the_p_of_statsmodels(rng: np.random.Generator) -> None:
    right = rng.random((6, 400)) < rng.uniform(0.6, 0.8, (6, 1))
    p = exact_mcnemar(*count_discordant_pairs(right))
    np.testing.assert_array_equal(p, p.T)
    for i in range(6):
        for j in range(6):
            table = [[np.sum(right[i] & right[j]), np.sum(right[i] & ~right[j])], [np.sum(~right[i] & right[j]), 0]]
            assert p[i, j] == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-10)


@pytest.mark.parametrize("right", [[True, False], [[1, 0], [0, 1]], [[0.5]]])
def test_what_is_not_right_or_wrong_is_refused(right: ArrayLike) -> None:
    with pytest.raises(InputError, match=r"bool \[participants, images\], not"):
        count_discordant_pairs(right)
