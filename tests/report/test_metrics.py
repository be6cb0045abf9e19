"""What documents call metrics."""

from __future__ import annotations

import pytest

from regauge.evaluation.metrics import METRICS
from regauge.records.evaluation.scores import is_balanced
from regauge.report.metrics import get_title


def test_every_metric_has_a_title_and_a_meaning_of_its_own() -> None:
    assert all(metric.title and metric.meaning and metric.needs for metric in METRICS)
    assert len({metric.name for metric in METRICS}) == len({metric.title for metric in METRICS}) == len(METRICS)


@pytest.mark.parametrize(
    ("metric", "title"),
    [
        ("top1", "Top-1"),
        ("real_balanced", "ReaL, balanced"),
        ("second_best", "second best"),
        ("second_balanced", "second, balanced"),
    ],
)
def test_a_title_is_that_of_the_metric_or_its_own_name(metric: str, title: str) -> None:
    assert get_title(metric) == title
    assert is_balanced(metric) == title.endswith("balanced")
