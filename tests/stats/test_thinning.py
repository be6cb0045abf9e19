"""Thinned counts: worked by hand, equal to SciPy's hypergeometric, and binomial again when the counts were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from regauge.errors import InputError
from regauge.stats.thinning import estimate_powers, thin


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


@given(st.integers(3, 15), st.floats(0.01, 0.99), st.data())
def test_those_left_out_had_no_part_in_the_count(n: int, share: float, data: st.DataObject):
    n_out = data.draw(st.integers(0, n - 1))
    m = data.draw(st.integers(1, n - n_out))
    all_counts = np.arange(n + 1)
    found = binom(n, share).pmf(all_counts) @ thin(all_counts, np.full(n + 1, n), n_left=m, n_out=n_out)
    assert np.allclose(found, binom(m, share).pmf(np.arange(m + 1)) * share**n_out)


def test_those_left_out_must_be_there():
    with pytest.raises(InputError, match="From 3 annotators 1 to 1 can be left, not 2"):
        thin(np.array([1]), np.array([3]), n_left=2, n_out=2)


@given(st.integers(4, 30), st.floats(0, 1))
def test_powers_are_estimated_without_bias(n: int, share: float):
    all_counts = np.arange(n + 1)
    found = binom(n, share).pmf(all_counts) @ estimate_powers(all_counts, np.full(n + 1, n), degree=4)
    assert np.allclose(found, share ** np.arange(5))


def test_a_power_takes_as_many_annotators():
    with pytest.raises(InputError, match="degree 4 takes 4 annotators or more; one count has 3"):
        estimate_powers(np.array([1, 2]), np.array([3, 9]), degree=4)
