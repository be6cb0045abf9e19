"""What becomes of models from one test set to another: mean changes, gaps of sets that share images, effective robustness."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import expit, ndtr
from scripts.interval_cases.cases import Case, Found, count_covered

from regauge.arrays import BoolArray, FloatArray
from regauge.evaluation.robustness import measure_robustness
from regauge.evaluation.side_pairs import Pair
from regauge.evaluation.sides import Side, score_images
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.testsets.shared_images import SharedImages
from regauge.stats.gap_limits import find_gap_limits
from regauge.stats.intervals import Limits

DIFFICULTY = 2.0
"""Standard deviation over images of what makes them hard for all models, in logits."""
DROP = 0.6
"""How much harder the new set is, in logits."""


def _score(abilities: FloatArray, n_images: int, rng: np.random.Generator) -> FloatArray:
    """The share of the models that is right on each of some images, which all of them see."""
    chances = expit(abilities[:, np.newaxis] + rng.normal(0, DIFFICULTY, n_images))
    scores: FloatArray = (rng.random(chances.shape) < chances).mean(axis=0)
    return scores


def _join(found: list[tuple[float, float]]) -> Limits:
    low, high = np.array(found).T
    return Limits(low, high)


def _change(n_models: int, n_original: int, n_new: int) -> Case:
    """The mean change over models, with images drawn anew."""
    abilities = np.linspace(0.5, 2.5, n_models) if n_models > 1 else np.array([1.5])

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        many = rng.normal(0, DIFFICULTY, 1_000_000)
        true = [np.mean([expit(one - drop + many).mean() for one in abilities]) for drop in (0.0, DROP)]
        gaps = [
            find_gap_limits(_score(abilities, n_original, rng), _score(abilities - DROP, n_new, rng))
            for _ in range(n_studies)
        ]
        return count_covered(_join([(gap.low, gap.high) for gap in gaps]), float(true[0] - true[1]))

    models = "1 model" if n_models == 1 else f"{n_models} models"
    return Case("mean change, images drawn anew", f"{n_original:,} and {n_new:,} images; {models}", n_new, simulate)


def _gap(part: float, n: int) -> Case:
    """One model on two sets of one size, a part of whose images is in both."""
    n_both, chances = round(part * n), (0.8, 0.55, 0.45)

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        truth, rows = (n - n_both) / n * (chances[1] - chances[2]), np.arange(n_both)
        shared = SharedImages(rows, rows)
        found = []
        for _ in range(n_studies):
            both = (rng.random(n_both) < chances[0]).astype(float)
            own = [(rng.random(n - n_both) < chance).astype(float) for chance in chances[1:]]
            gap = find_gap_limits(*(np.concatenate([both, one]) for one in own), shared=shared)
            found.append((gap.low, gap.high))
        return count_covered(_join(found), truth)

    return Case("gap of two sets that share images", f"{n} images each; {part:.0%} in both", n, simulate)


def judge(name: str, is_right: BoolArray) -> Side:
    """Models that are right on these images [models, images]."""
    outcomes = is_right.astype(np.int8)
    counts = {"top1": np.stack([is_right.sum(axis=1), np.full(len(is_right), is_right.shape[1])], axis=1)}
    names = tuple(f"m{row:02}" for row in range(len(is_right)))
    return Side(name, names, outcomes, counts, (), image_scores={"top1": score_images(outcomes)})


def _robustness(n_models: int, n_original: int, n_new: int) -> Case:
    """Models around a line, and one that lies three points above it."""

    def answer(chances: FloatArray, n: int, rng: np.random.Generator) -> BoolArray:
        hard = rng.standard_normal(n) + rng.standard_normal((len(chances), n))
        is_right: BoolArray = ndtr(hard / np.sqrt(2)) < chances[:, np.newaxis]
        return is_right

    def simulate(rng: np.random.Generator, n_studies: int) -> Found:
        names, found = [f"m{row:02}" for row in range(n_models)], []
        for study in range(n_studies):
            x = rng.uniform(0.4, 0.9, n_models)
            y = 0.95 * x - 0.1 + rng.normal(0, 0.01, n_models)
            original = judge("original", answer(np.append(x, 0.7), n_original, rng))
            new = judge("new", answer(np.append(y, 0.595), n_new, rng))
            _, low, high = measure_robustness(
                Pair(original, new, ShiftSettings(n_bootstrap=200, seed=study)), names
            ).columns
            found.append((float(low[-1]), float(high[-1])))
        return count_covered(_join(found), 0.03)

    name = f"{n_original} and {n_new} images; baseline of {n_models} models"
    return Case("effective robustness", name, n_new, simulate)


def _list_cases() -> Iterator[Case]:
    for n_models in (1, 5, 60):
        for n_original, n_new in ((50, 20), (1_000, 200)):
            yield _change(n_models, n_original, n_new)
    for part in (0.0, 0.3, 0.6, 0.9):
        yield _gap(part, 150)
    for n_models in (8, 20, 60):
        yield _robustness(n_models, 300, 200)


CASES = tuple(_list_cases())
