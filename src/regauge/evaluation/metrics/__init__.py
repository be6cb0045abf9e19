"""What counts as right: every metric with its title, its meaning, the truth it needs and how it judges.

A metric has a module of its own, or shares it with one that differs in a word. To add a metric, write a module and list its
metric in `METRICS`; scoring, subsets, balanced means, intervals, comparisons, notes, tables, figures and reports follow by
themselves. docs/contributing.md walks through an example.
"""

from __future__ import annotations

from regauge.evaluation.metrics.main_label import MAIN_LABEL
from regauge.evaluation.metrics.multilabel import MULTILABEL_LENIENT, MULTILABEL_STRICT
from regauge.evaluation.metrics.object_names import MULTI_OBJECT, SINGLE_OBJECT
from regauge.evaluation.metrics.real import REAL
from regauge.evaluation.metrics.selection_frequency import SELECTION_FREQUENCY
from regauge.evaluation.metrics.top1 import TOP_1
from regauge.evaluation.metrics.top5 import TOP_5
from regauge.evaluation.metrics.top5_corrections import TOP_5_CORRECTIONS
from regauge.evaluation.outcomes import MeanMeasure, MeanValue, Measure, Metric, Need, RightOrWrong
from regauge.evaluation.targets import Target

METRICS: tuple[Metric, ...] = (
    TOP_1,
    TOP_5,
    MULTILABEL_LENIENT,
    MULTILABEL_STRICT,
    REAL,
    MAIN_LABEL,
    SINGLE_OBJECT,
    MULTI_OBJECT,
    TOP_5_CORRECTIONS,
    SELECTION_FREQUENCY,
)
"""All metrics in output order."""


def list_metrics() -> tuple[Metric, ...]:
    """All metrics in output order."""
    return METRICS


def find_metric(name: str) -> Metric | None:
    """The metric of that name; None where there is none, as an evaluation of another version may have others."""
    return next((metric for metric in METRICS if metric.name == name), None)


def find_measures(target: Target) -> tuple[Measure, ...]:
    """Every measure of right and wrong that the target allows, in output order."""
    return tuple(
        Measure(metric.name, one.labels, metric.n_answers, one.judge, one.remark)
        for metric in METRICS
        if isinstance(metric.outcome, RightOrWrong)
        for one in metric.outcome.find(target)
    )


def find_mean_measures(target: Target) -> tuple[MeanMeasure, ...]:
    """Every real-valued measure that the target allows, in output order."""
    return tuple(
        MeanMeasure(metric.name, one.labels, metric.n_answers, one.rate, one.remark)
        for metric in METRICS
        if isinstance(metric.outcome, MeanValue)
        for one in metric.outcome.find(target)
    )


def list_needs() -> list[str]:
    """What a truth may hold that something can be scored by, in the order of the metrics."""
    return list(dict.fromkeys(need.value for metric in METRICS for need in metric.needs))


def list_object_metrics() -> tuple[str, ...]:
    """The metrics that are about the objects of images or the main one of them."""
    return tuple(metric.name for metric in METRICS if {Need.MAIN_LABEL, Need.OBJECT} & set(metric.needs))
