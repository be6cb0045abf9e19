"""Thinned counts: worked by hand, equal to SciPy's hypergeometric, and binomial again when the counts were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from regauge.errors import InputError
from regauge.stats.thinning import thin


def test_two_of_four_annotators_are_left():
    # Of 4 annotators 2 selected: both of the two left with 1/6, one with 4/6, none with 1/6.
    found = thin(np.array([2]), np.array([4]), n_left=2)
    assert found.tolist() == [pytest.approx([1 / 6, 4 / 6, 1 / 6])]


def test_all_annotators_left_change_nothing():
    found = thin(np.array([0, 3, 5]), np.array([5, 5, 5]), n_left=5)
    assert np.allclose(found, np.eye(6)[[0, 3, 5]])


@given(st.integers(1, 30), st.data())
def test_probabilities_are_those_of_scipy(n: int, data: st.DataObject):
    k, m = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    assert np.allclose(thin(np.array([k]), np.array([n]), n_left=m)[0], hypergeom(n, k, m).pmf(np.arange(m + 1)))


@given(st.integers(2, 20), st.floats(0.01, 0.99), st.data())
def test_binomial_counts_stay_binomial(n: int, share: float, data: st.DataObject):
    m = data.draw(st.integers(1, n))
    all_counts = np.arange(n + 1)
    thinned = binom(n, share).pmf(all_counts) @ thin(all_counts, np.full(n + 1, n), n_left=m)
    assert np.allclose(thinned, binom(m, share).pmf(np.arange(m + 1)))


@pytest.mark.parametrize("n_left", [0, 4])
def test_more_annotators_than_there_are_cannot_be_left(n_left: int):
    with pytest.raises(InputError, match="From 3 annotators 1 to 3 can be left"):
        thin(np.array([1, 2]), np.array([3, 9]), n_left=n_left)
