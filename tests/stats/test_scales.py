"""Accuracies on the linear, probit and logit scales and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from regauge.errors import InputError
from regauge.records.evaluation.fits import Scale
from regauge.stats.scales import from_scale, move_inside, to_scale

every_scale = pytest.mark.parametrize("scale", list(Scale))
curved_scales = pytest.mark.parametrize("scale", [Scale.PROBIT, Scale.LOGIT])


def test_three_quarters_by_hand() -> None:
    # Φ(0.67449) = 0.75; log(0.75/0.25) = log 3 = 1.098612.
    assert to_scale(0.75, Scale.LINEAR) == 0.75
    assert to_scale(0.75, Scale.PROBIT) == pytest.approx(0.67449, abs=1e-5)
    assert to_scale(0.75, Scale.LOGIT) == pytest.approx(np.log(3), rel=1e-15)


@every_scale
@given(accuracy=st.floats(1e-9, 1 - 1e-9))
def test_there_and_back_gives_the_accuracy(scale: Scale, accuracy: float) -> None:
    assert from_scale(to_scale(accuracy, scale), scale) == pytest.approx(accuracy, rel=1e-12)


@curved_scales
@given(accuracy=st.floats(0.001, 0.999))
def test_right_and_wrong_mirror_each_other(scale: Scale, accuracy: float) -> None:
    assert to_scale(1 - accuracy, scale) == pytest.approx(-float(to_scale(accuracy, scale)), abs=1e-10)


def test_scipy_gives_the_same() -> None:
    shares = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(to_scale(shares, Scale.PROBIT), stats.norm.ppf(shares), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(to_scale(shares, Scale.LOGIT), stats.logistic.ppf(shares), rtol=1e-12, atol=1e-15)


@curved_scales
@pytest.mark.parametrize("bad", [0, 1, -0.2, 71.3])
def test_an_accuracy_without_a_finite_place_is_named(scale: Scale, bad: float) -> None:
    with pytest.raises(InputError, match=rf"An accuracy of {bad:g} has no finite {scale}: .* linear scale\.$"):
        to_scale([0.5, bad, 1], scale)


@every_scale
def test_missing_stays_missing_and_the_input_is_left_as_it_was(scale: Scale) -> None:
    accuracies = np.array([0.5, np.nan])
    accuracies.flags.writeable = False
    for transform in (to_scale, from_scale):
        values = transform(accuracies, scale)
        np.testing.assert_array_equal(np.isnan(values), [False, True])
        values[0] = 7
    assert accuracies[0] == 0.5


def test_scales_have_the_names_that_users_write() -> None:
    assert [str(scale) for scale in Scale] == ["linear", "probit", "logit"]


@given(n=st.integers(1, 10_000), k=st.integers(0, 10_000))
def test_only_the_ends_are_moved_inside_and_the_order_stays(n: int, k: int) -> None:
    k = min(k, n)
    moved = float(move_inside(k / n, n))
    assert moved == (0.5 / n if k == 0 else 1 - 0.5 / n if k == n else k / n)
    if 0 < k < n:
        assert float(move_inside(0, n)) < moved < float(move_inside(1, n))


def test_half_an_answer_by_hand() -> None:
    # 0 of 10 counts as 0.5 of 10, 40 of 40 as 39.5 of 40; their probits are finite and of opposite sign.
    assert move_inside([0, 1, np.nan], [10, 40, 5]).tolist()[:2] == [0.05, 0.9875]
    assert to_scale(move_inside([0, 1], 20), Scale.PROBIT) == pytest.approx([-1.959964, 1.959964], abs=1e-6)
