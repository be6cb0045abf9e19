"""Redrawn images: as many of each stratum, each as often as any other, and the same from the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.stats.redraws import redraw_images


def draw(strata: list[int], n: int, seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    batches = list(redraw_images(strata, rng=np.random.default_rng(seed), n_resamples=n))
    assert next(part.start for part, _ in batches) == 0
    return np.concatenate([counts for _, counts in batches])


def test_every_stratum_keeps_its_size() -> None:
    strata = [3, 1, 3, 2, 1, 3]
    counts = draw(strata, 50)
    for stratum in (1, 2, 3):
        here = np.array(strata) == stratum
        assert (counts[:, here].sum(axis=1) == here.sum()).all()


def test_every_image_is_drawn_equally_often() -> None:
    counts = draw([0] * 5 + [1] * 3, 4_000)
    assert counts.mean(axis=0) == pytest.approx(np.ones(8), abs=0.06)
    # Draws of five: the variance of one image is 5 · 1/5 · 4/5.
    assert counts[:, 0].var() == pytest.approx(0.8, abs=0.05)


def test_the_same_seed_gives_the_same_draws_and_no_image_gives_none() -> None:
    assert np.array_equal(draw([0, 0, 1], 20), draw([0, 0, 1], 20))
    assert draw([], 4).shape == (4, 0)


def test_strata_are_whole_numbers() -> None:
    with pytest.raises(InputError, match="Strata are whole numbers"):
        next(redraw_images([0.5], rng=np.random.default_rng(0), n_resamples=1))
