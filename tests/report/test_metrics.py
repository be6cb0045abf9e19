"""What documents call metrics."""

from __future__ import annotations

import pytest

from regauge.evaluation.metrics import METRICS
from regauge.report.metrics import METRIC_TEXTS, get_title, is_balanced


def test_every_metric_has_a_title_and_a_meaning() -> None:
    names = [metric.__name__.replace("top_", "top") for metric in METRICS]
    # There may be texts of further quantities behind them.
    assert list(METRIC_TEXTS)[: len(names)] == names
    assert all(text.title and text.meaning for text in METRIC_TEXTS.values())
    assert len({text.title for text in METRIC_TEXTS.values()}) == len(METRIC_TEXTS)


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
