"""Two sides for tests: models that are right where they are said to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side, score_images
from regauge.records.evaluation.shifts import Shift, ShiftSettings

QUICK = ShiftSettings(n_bootstrap=100)
Rights = Mapping[str, Sequence[bool]]


def make_side(name: str, rights: Rights, *, top5: Rights | None = None) -> Side:
    """A side on which each model is right where it is said to be."""
    outcomes = np.array([list(right) for right in rights.values()], np.int8)
    given_metrics = {"top1": rights} | ({} if top5 is None else {"top5": top5})
    counts = {
        metric: np.array([[sum(one[model]), len(one[model])] for model in rights], np.int64)
        for metric, one in given_metrics.items()
    }
    scores = {
        metric: score_images(np.array([list(one[model]) for model in rights], np.int8))
        for metric, one in given_metrics.items()
    }
    return Side(name, tuple(rights), outcomes, counts, (), image_scores=scores)


def count_side(name: str, n: int, n_correct: Mapping[str, int]) -> Side:
    return make_side(name, {model: [place < k for place in range(n)] for model, k in n_correct.items()})


def compare(original: Mapping[str, int], new: Mapping[str, int], n: tuple[int, int], **options: Any) -> Shift:
    settings = replace(QUICK, **options)
    return compare_sides(count_side("old", n[0], original), count_side("fresh", n[1], new), settings=settings)


def make_noisy() -> tuple[Side, Side]:
    """Fourteen models whose accuracies scatter around a line."""
    rng = np.random.default_rng(11)
    skill = np.linspace(-0.5, 1.2, 14)
    sides = []
    for name, drop, n in (("old", 0.0, 600), ("fresh", 0.4, 400)):
        chance = stats.norm.cdf(1.1 * skill - drop + rng.normal(0, 0.08, 14))
        sides.append(make_side(name, {f"m{row:02}": (rng.random(n) < p).tolist() for row, p in enumerate(chance)}))
    return sides[0], sides[1]
