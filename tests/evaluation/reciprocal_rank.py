"""The mean reciprocal rank of the dataset label among the first five answers: a metric that gives every image a value."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from regauge.arrays import IntArray
from regauge.evaluation.outcomes import DATASET_LABELS, MeanValue, Metric, Need, Rating, Values
from regauge.evaluation.targets import Target
from regauge.stats.intervals import Limits


def rate_rank(answers: IntArray, *, labels: IntArray) -> Values:
    """One over the place of the label; 0 where it is not among the five, NaN where it is not known."""
    hits = answers[:, :5] == labels[:, np.newaxis]
    values = np.where(labels < 0, np.nan, hits.any(axis=1) / (1.0 + hits.argmax(axis=1)))

    def limit(rows: IntArray, level: float) -> Limits:
        mean, error = values[rows].mean(), values[rows].std(ddof=1) / np.sqrt(len(rows))
        return Limits(np.maximum(mean - 4.48 * error, 0), np.minimum(mean + 4.48 * error, 1))

    return Values(values, answers[:, 0] >= 0, limit, "Chebyshev")


def find_ratings(target: Target) -> Iterable[Rating]:
    """By the dataset labels."""
    if target.has_dataset_labels:
        yield Rating(DATASET_LABELS, partial(rate_rank, labels=target.dataset_labels))


RECIPROCAL_RANK = Metric(
    name="reciprocal_rank",
    title="Reciprocal rank",
    meaning="one over the place of the dataset label among the first five answers",
    needs=(Need.DATASET_LABEL,),
    outcome=MeanValue(find_ratings, caption="Reciprocal ranks are of the n images whose label is known."),
    n_answers=5,
)
