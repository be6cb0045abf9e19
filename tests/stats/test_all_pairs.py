"""All pairs at once: counts with unjudged predictions, against a loop over pairs as `regauge score --against` has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from regauge.errors import InputError
from regauge.evaluation.comparison import Pairing, Reference, pair_with
from regauge.evaluation.outcomes import Measure, Outcome
from regauge.stats.all_pairs import count_open_pairs, find_open_p
from regauge.stats.multiplicity import holm
from regauge.stats.paired import DiscordantPairs, exact_mcnemar

MEASURE = Measure("top1", "dataset", 1, lambda answers: answers[:, 0].astype(np.int8))


def count(outcomes: np.ndarray, answers: np.ndarray):
    codes = np.asarray(outcomes)
    return count_open_pairs(
        codes == Outcome.RIGHT,
        codes == Outcome.UNJUDGED,
        is_counted=codes != Outcome.NOT_COUNTED,
        answers=answers,
    )


def test_five_images_by_hand():
    # The images: both right; only the first; the second unjudged and the first wrong; both unjudged with one class; both
    # unjudged with two classes. As scored the first is ahead by 1 to 0. At its worst the second has image 2 and one of
    # image 4's classes as well: 1 against 2. At its best it has image 4 and the second has nothing: 2 against 0.
    outcomes = np.array([[1, 1, 0, 2, 2], [1, 0, 2, 2, 2]], np.int8)
    answers = np.array([[7, 7, 7, 5, 5], [7, 8, 8, 5, 6]])
    found = count(outcomes, answers)
    assert (found.n[0, 1], found.n_both[0, 1]) == (5, 1)
    for ends, expected in ((found.value, (1, 0)), (found.lower, (1, 2)), (found.upper, (2, 0))):
        assert (ends.n_only_first[0, 1], ends.n_only_second[0, 1]) == expected
        # The second beside the first is the mirror image, with the ends exchanged.
    assert (found.lower.n_only_first[1, 0], found.lower.n_only_second[1, 0]) == (0, 2)
    assert find_open_p(found)[0, 1] == 1


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(0, 40))
def test_it_counts_what_a_comparison_with_each_as_reference_counts(seed: int, n_participants: int, n: int):
    rng = np.random.default_rng(seed)
    # What a class on an image is worth is the same for everybody; who answered is not.
    worth = rng.integers(0, 3, (n, 3))
    answers = rng.integers(0, 3, (n_participants, n)).astype(np.int32)
    is_answered = rng.random((n_participants, n)) < 0.8
    outcomes = np.where(is_answered, worth[np.arange(n), answers], Outcome.NOT_COUNTED).astype(np.int8)
    found = count(outcomes, answers)
    for j in range(n_participants):
        reference = Reference("j", answers[j], {("top1", "dataset"): outcomes[j]})
        for i in range(n_participants):
            codes = pair_with(reference, MEASURE, outcomes=outcomes[i], answers=answers[i][:, np.newaxis])
            assert codes is not None
            for ends, own in ((found.value, codes.value), (found.lower, codes.lower), (found.upper, codes.upper)):
                if i != j:
                    assert ends.n_only_first[i, j] == np.count_nonzero(own == Pairing.ONLY_FIRST)
                    assert ends.n_only_second[i, j] == np.count_nonzero(own == Pairing.ONLY_SECOND)
            assert found.n[i, j] == np.count_nonzero(codes.value != Pairing.NOT_COUNTED)


@given(st.integers(0, 2**32 - 1))
def test_no_completion_of_what_is_unjudged_has_a_larger_p(seed: int):
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, 2, (2, 12)).astype(np.int32)
    outcomes = rng.integers(0, 3, (12, 2))[np.arange(12), answers].astype(np.int8)
    p = find_open_p(count(outcomes, answers))[0, 1]
    for _ in range(20):
        # A completion says of every image and class whether it is right.
        truth = rng.random((12, 2)) < 0.5
        completed = np.where(outcomes == Outcome.UNJUDGED, truth[np.arange(12), answers], outcomes == Outcome.RIGHT)
        first, second = completed
        own = exact_mcnemar(np.count_nonzero(first & ~second), np.count_nonzero(second & ~first))
        assert own <= p + 1e-12


def test_p_values_are_those_of_the_binomial_test_and_of_statsmodels(rng: np.random.Generator):
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    multiple = pytest.importorskip("statsmodels.stats.multitest")
    right = rng.random((6, 300)) < np.linspace(0.6, 0.9, 6)[:, np.newaxis]
    found = count(right.astype(np.int8), np.zeros((6, 300), np.int32))
    p = find_open_p(found)
    for i in range(6):
        for j in range(i):
            b, c = (int(one[i, j]) for one in found.value)
            assert p[i, j] == pytest.approx(binomtest(min(b, c), b + c).pvalue, rel=1e-10)
            assert p[i, j] == pytest.approx(tables.mcnemar([[0, b], [c, 0]], exact=True).pvalue, rel=1e-10)
    family = p[np.triu_indices(6, 1)]
    np.testing.assert_allclose(holm(family), multiple.multipletests(family, method="holm")[1], rtol=1e-12)


def test_images_that_do_not_count_for_one_of_two_do_not_count():
    outcomes = np.array([[1, 1, 3, 0], [0, 3, 1, 1]], np.int8)
    found = count(outcomes, np.zeros((2, 4), np.int32))
    assert found.n[0, 1] == 2
    assert (found.value.n_only_first[0, 1], found.value.n_only_second[0, 1]) == (1, 1)
    assert isinstance(found.value, DiscordantPairs)


def test_no_shared_image_has_no_p():
    outcomes = np.array([[1, 3], [3, 0]], np.int8)
    assert np.isnan(find_open_p(count(outcomes, np.zeros((2, 2), np.int32)))[0, 1])


def test_arrays_of_other_shapes_and_types_are_refused():
    flags = np.zeros((2, 3), bool)
    with pytest.raises(InputError, match="arrays of one shape"):
        count_open_pairs(flags, flags, is_counted=flags, answers=np.zeros((2, 4), int))
    with pytest.raises(InputError, match="bool"):
        count_open_pairs(flags.astype(int), flags, is_counted=flags, answers=np.zeros((2, 3), int))
