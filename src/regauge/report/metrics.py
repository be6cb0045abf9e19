"""What metrics are called in documents, and what each one says in half a sentence."""

from __future__ import annotations

from regauge.evaluation.metrics import find_metric, list_metrics
from regauge.records.evaluation.scores import BALANCED_SUFFIX, join_remark


def say_metric(metric: str) -> str:
    """What a sentence calls the metric.

    >>> say_metric("top1"), say_metric("multilabel_lenient"), say_metric("real_balanced")
    ('top-1 accuracy', 'multi-label accuracy (lenient)', 'ReaL accuracy (balanced)')
    """
    head, *rest = get_title(metric).split(", ")
    # Names with capitals inside keep them.
    head = head if any(letter.isupper() for letter in head[1:]) else head[0].lower() + head[1:]
    return f"{head} accuracy" + (f" ({', '.join(rest)})" if rest else "")


def is_balanced(metric: str) -> bool:
    """Whether the metric is a mean of per-class means."""
    return metric.endswith(BALANCED_SUFFIX)


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
