"""Accuracies drawn anew from counts."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.stats.count_fits import resample_counts

COUNTS = np.array([[80, 100], [0, 100], [100, 100]])


def test_drawn_accuracies_have_the_mean_and_the_variance_of_a_binomial() -> None:
    drawn = resample_counts(COUNTS, COUNTS, seed=3, n_resamples=20_000)
    # 0.8 · 0.2 / 100 = 0.0016.
    assert drawn.original[:, 0].mean() == pytest.approx(0.8, abs=0.002)
    assert drawn.original[:, 0].var() == pytest.approx(0.0016, rel=0.05)
    # The two sets, and the models, are drawn independently.
    assert abs(np.corrcoef(drawn.original[:, 0], drawn.new[:, 0])[0, 1]) < 0.03


def test_accuracies_at_the_ends_vary_as_well() -> None:
    drawn = resample_counts(COUNTS, COUNTS, seed=3, n_resamples=2_000)
    assert drawn.original[:, 1].max() > 0
    assert drawn.original[:, 2].min() < 1
    assert drawn.n_original.tolist() == [100] * 2_000


def test_the_same_seed_gives_the_same_draws_and_no_draws_are_refused() -> None:
    first, second = (resample_counts(COUNTS, COUNTS, seed=3, n_resamples=5) for _ in range(2))
    assert np.array_equal(first.new, second.new)
    with pytest.raises(InputError, match="at least one resample, not 0"):
        resample_counts(COUNTS, COUNTS, seed=3, n_resamples=0)
