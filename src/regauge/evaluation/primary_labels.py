"""Which labels a report judges by, where there are several."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from regauge.evaluation.metrics import METRICS
from regauge.evaluation.outcomes import DATASET_LABELS, RightOrWrong
from regauge.records.evaluation.details import MeasureName
from regauge.records.evaluation.scores import WHOLE, Scores

MIN_COVERED = 0.9
"""The share of a test set's images that must count under a label set; problematic images never do."""
MAX_UNJUDGED = 0.05
"""The share of anybody's answers that may be unjudged."""


def choose_measure(scores: Scores, label_sets: Sequence[str], *, n_images: int) -> MeasureName | None:
    """The metric and the labels that a report judges by: those of the newest complete label set, else the dataset labels.

    A label set is complete where nine images in ten count under it and at most one answer in twenty of anybody is unjudged. Its
    measure is the first that reports may judge by (`Metric.is_finding`). Where there are no dataset labels either, it is
    the metric under which most images count.

    Args:
        scores: of all participants.
        label_sets: the label sets as score tables name them, the oldest first.
        n_images: how many images the test set has.

    Returns:
        None where nobody has a value under any metric.
    """
    rows = scores.to_frame().filter(pl.col("subset") == WHOLE, pl.col("value").is_not_null())
    metrics = [one.name for one in METRICS if isinstance(one.outcome, RightOrWrong) and one.n_answers == 1]
    verdicts = [one.name for one in METRICS if one.is_finding]
    for labels in reversed(label_sets):
        metric = next((one for one in verdicts if _is_complete(_choose(rows, one, labels), n_images)), None)
        if metric is not None:
            return metric, labels
    if _choose(rows, metrics[0], DATASET_LABELS).height:
        return metrics[0], DATASET_LABELS
    rest = rows.filter(pl.col("metric").is_in(metrics)).sort("n", descending=True, maintain_order=True)
    return (rest["metric"][0], rest["labels"][0]) if rest.height else None


def _choose(rows: pl.DataFrame, metric: str, labels: str) -> pl.DataFrame:
    return rows.filter(pl.col("metric") == metric, pl.col("labels") == labels)


def _is_complete(rows: pl.DataFrame, n_images: int) -> bool:
    if not rows.height:
        return False
    is_judged = (rows["n_unjudged"] <= MAX_UNJUDGED * rows["n"]).all()
    return bool(is_judged) and int(rows["n"].to_numpy().max()) >= MIN_COVERED * n_images
