"""What metrics are called in documents, and what each one says in half a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from regauge.records.scores import BALANCED_SUFFIX, join_remark


class MetricText(NamedTuple):
    """The title of a metric, and when an answer counts as right."""

    title: str
    meaning: str


METRIC_TEXTS: Mapping[str, MetricText] = {
    "top1": MetricText("Top-1", "the first answer is the dataset label"),
    "top5": MetricText("Top-5", "one of the first five answers is the dataset label"),
    "multilabel_lenient": MetricText(
        "Multi-label, lenient", "people found the first answer in the image, or could not decide"
    ),
    "multilabel_strict": MetricText("Multi-label, strict", "people found the first answer in the image"),
    "real": MetricText("ReaL", "the first answer is one of the reassessed labels"),
    "main_label": MetricText("Main label", "the first answer is the main object"),
    "single_object": MetricText("Single object", "the first answer names the only object in the image"),
    "multi_object": MetricText("Multi-object", "the first answer names one of the several objects in the image"),
    "top5_corrections": MetricText(
        "Top-5 corrections",
        "where only answers 2 to 5 hold the dataset label, the first is another object in the image",
    ),
    "selection_frequency": MetricText(
        "Selection frequency", "the share of people who see the first answer in the image"
    ),
}


def is_balanced(metric: str) -> bool:
    """Whether the metric is a mean of per-class means."""
    return metric.endswith(BALANCED_SUFFIX)


def find_place(metric: str) -> tuple[bool, int]:
    """Where the metric stands among others: balanced ones behind plain ones, and unknown ones behind known ones.

    >>> sorted(["mine", "top1_balanced", "real", "top1"], key=find_place)
    ['top1', 'real', 'mine', 'top1_balanced']
    """
    order = list(METRIC_TEXTS)
    plain = metric.removesuffix(BALANCED_SUFFIX)
    return is_balanced(metric), order.index(plain) if plain in order else len(order)


def get_title(metric: str, remark: str | None = None) -> str:
    """What documents call the metric; its own name where it has no other.

    >>> get_title("single_object", "follow-up images only")
    'Single object, follow-up images only'
    """
    plain = metric.removesuffix(BALANCED_SUFFIX)
    title = METRIC_TEXTS[plain].title if plain in METRIC_TEXTS else plain.replace("_", " ")
    return join_remark(f"{title}, balanced" if is_balanced(metric) else title, remark)
