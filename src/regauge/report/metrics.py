"""What metrics are called in documents, and what each one says in half a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from regauge.evaluation.metrics import find_metric, list_metrics
from regauge.records.evaluation.scores import BALANCED_SUFFIX, is_balanced, join_remark

MAX_MEASURES = 4
"""Of as many metrics and label sets a figure tells unless it is asked for others."""


def say_metric(metric: str) -> str:
    """What a sentence calls the metric.

    >>> say_metric("top1"), say_metric("multilabel_lenient"), say_metric("real_balanced")
    ('top-1 accuracy', 'multi-label accuracy (lenient)', 'ReaL accuracy (balanced)')
    """
    head, *rest = get_title(metric).split(", ")
    # Names with capitals inside keep them.
    head = head if any(letter.isupper() for letter in head[1:]) else head[0].lower() + head[1:]
    return f"{head} accuracy" + (f" ({', '.join(rest)})" if rest else "")


def find_place(metric: str) -> tuple[bool, int]:
    """Where the metric stands among others: balanced ones behind plain ones, and unknown ones behind known ones.

    >>> sorted(["mine", "top1_balanced", "real", "top1"], key=find_place)
    ['top1', 'real', 'mine', 'top1_balanced']
    """
    order = [one.name for one in list_metrics()]
    plain = metric.removesuffix(BALANCED_SUFFIX)
    return is_balanced(metric), order.index(plain) if plain in order else len(order)


def get_title(metric: str, remark: str | None = None) -> str:
    """What documents call the metric; its own name where it has no other.

    >>> get_title("single_object", "follow-up images only")
    'Single object, follow-up images only'
    """
    plain = metric.removesuffix(BALANCED_SUFFIX)
    known = find_metric(plain)
    title = plain.replace("_", " ") if known is None else known.title
    return join_remark(f"{title}, balanced" if is_balanced(metric) else title, remark)


def is_finding(metric: str) -> bool:
    """Whether a report may judge by the metric, in place of the dataset labels."""
    known = find_metric(metric)
    return known is not None and known.is_finding


def choose_measures(rows: pl.DataFrame, metrics: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """The metrics, each with every label set that it judges by, that a figure of these rows draws.

    Unless metrics are given, the first one and those that judge the same answers by other labels; of more than a few, by the
    label sets that were named last. Empty where a metric that was given is not in the rows.
    """
    found = list(rows.select("metric", "labels").unique(maintain_order=True).iter_rows())
    names = [metric for metric, _ in found]
    if metrics is not None:
        measures = [one for metric in dict.fromkeys(metrics) for one in found if one[0] == metric]
        return measures if set(metrics) <= set(names) else []
    plain = sorted((one for one in found if not is_balanced(one[0])), key=lambda one: find_place(one[0]))
    chosen = [one for place, one in enumerate(plain) if not place or is_finding(one[0])]
    order = list(dict.fromkeys(labels for _, labels in found))
    latest = sorted(chosen[1:], key=lambda one: -order.index(one[1]))[: MAX_MEASURES - 1]
    return [one for one in chosen if one in (chosen[0], *latest)]
