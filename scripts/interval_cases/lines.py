"""Lines through the accuracies of models on two test sets: slopes with models, or images, drawn anew."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import expit, ndtri
from scripts.interval_cases.cases import Case, Claim, Found, count_covered

from regauge.arrays import BoolArray, FloatArray
from regauge.stats.fits import bootstrap_lines, fit_line, line_limits
from regauge.stats.image_fits import bootstrap_image_lines
from regauge.stats.intervals import Limits

N_RESAMPLES = 1_000
DIFFICULTY = 2.0
"""Standard deviation over images of what makes them hard for all models, in logits."""


def _with_models(n_models: int) -> Case:
    """Models are a sample: original accuracies spread evenly, new ones a line with a spread around it."""
    slope, spread, lowest, highest = 1.1, 0.01, 0.5, 0.8

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        found = []
        for study in range(n_studies):
            x = rng.uniform(lowest, highest, n_models)
            y = slope * x - 0.18 + rng.normal(0, spread, n_models)
            found.append(line_limits(bootstrap_lines(x, y, seed=study, n_resamples=N_RESAMPLES)).slope)
        oracle = 2 * ndtri(0.975) * spread / np.sqrt(n_models * (highest - lowest) ** 2 / 12)
        return count_covered(_join(found), slope, oracle_width=float(oracle))

    claim = Claim.HOLDS if n_models >= 60 else Claim.SHORT
    return Case("slope, models drawn anew", f"{n_models} models; linear", n_models, simulate, claim)


def _with_images(n_models: int, n_images: int) -> Case:
    """Images are the sample: all models see the same ones, and some images are hard for all of them."""
    abilities = np.linspace(0.5, 2.5, n_models)

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        # What a model's accuracy would be on all images of a kind, found once on very many.
        many = rng.normal(0, DIFFICULTY, 200_000)
        x, y = (np.array([expit(one - drop + many).mean() for one in abilities]) for drop in (0.0, 1.0))
        truth = fit_line(x, y).slope
        found = []
        for study in range(n_studies):
            sides = [_answer(abilities - drop, n_images, rng) for drop in (0.0, 1.0)]
            replicates = bootstrap_image_lines(*sides, seed=study, n_resamples=N_RESAMPLES // 4)
            found.append(line_limits(replicates.lines).slope)
        return count_covered(_join(found), truth)

    # Noise in the original accuracies flattens a line, and redrawn images flatten it once more.
    claim = Claim.HOLDS if n_images >= 10_000 else Claim.SHORT
    return Case("slope, images drawn anew", f"{n_images:,} images each; {n_models} models", n_images, simulate, claim)


def _answer(abilities: FloatArray, n_images: int, rng: np.random.Generator) -> BoolArray:
    chances = expit(abilities[:, np.newaxis] + rng.normal(0, DIFFICULTY, n_images))
    is_right: BoolArray = rng.random(chances.shape) < chances
    return is_right


def _join(limits: list[Limits]) -> Limits:
    return Limits(*(np.array([float(one) for one in side]) for side in zip(*limits, strict=True)))


def _list_cases() -> Iterator[Case]:
    for n_models in (10, 30, 64):
        yield _with_models(n_models)
    for n_images in (1_000, 10_000):
        yield _with_images(20, n_images)


CASES = tuple(_list_cases())
