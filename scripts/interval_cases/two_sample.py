"""Classifiers that tell two sets of images apart."""

from __future__ import annotations

import numpy as np
from scripts.interval_cases.cases import Case, Found, count_covered

from regauge.arrays import FloatArray
from regauge.stats.intervals import Limits
from regauge.stats.two_sample import find_accuracy_limits, separate


def _likeness(n_pairs: int, shift: float) -> tuple[Case, Case]:
    """Two samples of 20 features, the second shifted a little in one; the truth is what such classifiers give on average."""

    def run(rng: np.random.Generator, n_studies: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        rows = []
        for _ in range(n_studies):
            first, second = (rng.normal(0, 1, (n_pairs, 20)).astype(np.float32) for _ in range(2))
            second[:, 0] += np.float32(shift)
            found = separate(first, second, folds=np.arange(n_pairs) % 5, swaps=np.zeros((0, n_pairs), np.bool_))
            n_correct = int((found.scores[0] < 0).sum() + (found.scores[1] > 0).sum())
            limits = find_accuracy_limits(n_correct, 2 * n_pairs)
            rows.append((found.auc, *map(float, found.limits), n_correct / (2 * n_pairs), *map(float, limits)))
        table = np.array(rows)
        return table[:, [0, 3]].mean(axis=0), table[:, [1, 4]], table[:, [2, 5]]

    def simulate(place: int, rng: np.random.Generator, n_studies: int) -> Found:
        means, low, high = run(rng, n_studies)
        return count_covered(Limits(low[:, place], high[:, place]), float(means[place]))

    name = f"{n_pairs} images each; {'no difference' if not shift else f'a shift of {shift:g} in one of 20 features'}"
    return (
        Case("AUC between two sets", name, 2 * n_pairs, lambda rng, n: simulate(0, rng, n)),
        Case("accuracy between two sets", name, 2 * n_pairs, lambda rng, n: simulate(1, rng, n)),
    )


CASES = tuple(case for n_pairs in (50, 200) for shift in (0.0, 0.5) for case in _likeness(n_pairs, shift))
