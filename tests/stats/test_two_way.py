"""The variance of a table of accuracies: worked numbers, properties, statsmodels, and what chance adds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from statsmodels.api import OLS

from regauge.errors import InputError
from regauge.stats.two_way import bootstrap_participant_squares, expect_image_squares, split_squares

tables = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(2, 4)), elements=st.floats(0, 1))


def test_two_participants_on_two_sets_by_hand() -> None:
    # Means of sets 0.2 and 0.5 around 0.35: 2·(0.15² + 0.15²) = 0.09; of participants 0.15 and 0.55: 2·(0.2² + 0.2²) = 0.16;
    # every cell is 0.05 off: 4·0.05² = 0.01.
    found = split_squares([[0.05, 0.25], [0.35, 0.75]])
    assert [float(part) for part in found] == pytest.approx([0.09, 0.16, 0.01])


@given(tables)
def test_the_parts_add_up_to_the_whole(table: NDArray[np.float64]) -> None:
    found = split_squares(table)
    assert min(map(float, found)) >= 0
    assert sum(map(float, found)) == pytest.approx(((table - table.mean()) ** 2).sum(), abs=1e-12)


def test_the_parts_agree_with_statsmodels(rng: np.random.Generator) -> None:
    table = rng.random((5, 3))
    participants, sets = (np.eye(n)[np.indices((5, 3))[axis].ravel()] for axis, n in ((0, 5), (1, 3)))
    designs = [np.ones((15, 1)), sets, np.concatenate([sets, participants[:, 1:]], axis=1)]
    # What each further factor takes off the residual squares, and what is left.
    left = [OLS(table.ravel(), design).fit().ssr for design in designs]
    assert list(map(float, split_squares(table))) == pytest.approx([left[0] - left[1], left[1] - left[2], left[2]])


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(InputError, match=r"\[participants, sets\]"):
        split_squares([0.1, 0.2])
    with pytest.raises(InputError, match="two images at least"):
        expect_image_squares([np.ones((2, 1), np.bool_)] * 2)


def test_participants_that_are_alike_and_sets_of_one_difficulty_leave_only_chance(rng: np.random.Generator) -> None:
    # Three participants, of whom two find the same images hard, on two sets of 30 and 50 images of one difficulty.
    n = 2_000
    observed, expected = [], []
    for _ in range(n):
        answers = []
        for size in (30, 50):
            first, last = rng.random((2, size)) < 0.7
            answers.append(np.stack([first, first ^ (rng.random(size) < 0.1), last]))
        observed.append(split_squares(np.stack([one.mean(axis=1) for one in answers], axis=-1)))
        expected.append(expect_image_squares(answers))
    differences = np.array(observed) - np.array(expected)
    # The second participant's true accuracy is 0.66, not 0.7: true parts of 0.04²·(2/3)·2 between participants, else nothing.
    truth = [0, 2 * 0.04**2 * 2 / 3, 0]
    errors = differences.std(axis=0) / np.sqrt(n)
    assert (np.abs(differences.mean(axis=0) - truth) < 4 * errors).all()


def test_redrawn_participants_lie_around_the_estimate(rng: np.random.Generator) -> None:
    table = rng.random((4, 3))
    replicates = bootstrap_participant_squares(table, rng=rng, n_resamples=40_000)
    for part, estimate in zip(replicates, split_squares(table), strict=True):
        assert part.mean() == pytest.approx(float(estimate), abs=4 * part.std() / 200)


def test_a_single_participant_cannot_be_redrawn(rng: np.random.Generator) -> None:
    found = bootstrap_participant_squares([[0.2, 0.4]], rng=rng, n_resamples=3)
    assert all(np.isnan(part).all() for part in found)


def test_sets_that_share_images_differ_by_chance_only_as_far_as_their_own_images_do(rng: np.random.Generator) -> None:
    # Two sets of 60 images of one difficulty, 40 of them the same: what chance adds must be what is seen on average.
    n = 2_000
    numbers = np.arange(60), np.concatenate([np.arange(40), np.arange(100, 120)])
    observed, expected = [], []
    for _ in range(n):
        all_answers = rng.random((3, 80)) < 0.7
        all_answers[1] = np.where(rng.random(80) < 0.8, all_answers[0], all_answers[1])
        answers = [all_answers[:, :60], all_answers[:, np.r_[:40, 60:80]]]
        observed.append(split_squares(np.stack([one.mean(axis=1) for one in answers], axis=-1)))
        expected.append(expect_image_squares(answers, numbers))
    differences = np.array(observed) - np.array(expected)
    means, errors = differences.mean(axis=0), differences.std(axis=0) / np.sqrt(n)
    assert (np.abs(means) < 4 * errors).all()
    assert float(np.mean([one.sets for one in expected])) < 0.5 * float(expect_image_squares(answers).sets)


def test_a_set_and_its_copy_do_not_differ_by_chance(rng: np.random.Generator) -> None:
    answers = rng.random((4, 50)) < 0.6
    found = expect_image_squares([answers, answers], [np.arange(50), np.arange(50)])
    assert float(found.sets) == pytest.approx(0, abs=1e-8)
    assert float(found.rest) == pytest.approx(0, abs=1e-8)
    assert float(found.participants) > 0
