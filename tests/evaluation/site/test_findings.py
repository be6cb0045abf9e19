"""What the first page says, against small data worked by hand."""

from __future__ import annotations

from pathlib import Path

from tests.report.small_reports import make_scores
from tests.sentences.site import wrong_labels

from regauge.evaluation.site.findings import tell_best


def test_those_who_share_the_highest_accuracy_are_all_named():
    # 30 of 40 is 75.0%; the exact 95% limits of 30/40 are 58.8 and 87.3.
    frame = make_scores({"a": 30, "b": 30, "c": 20}).to_frame()
    assert list(tell_best(frame, "val")) == [
        "Of 3 participants on val, a and b have the highest top-1 accuracy: 75.0% [58.8, 87.3], n = 40."
    ]
    many = make_scores(dict.fromkeys("abcd", 30)).to_frame()
    assert "4 participants have the highest" in next(tell_best(many, "val"))


def test_dataset_labels_that_were_not_judged_count_for_nothing():
    # Of three judged labels one is wrong: 33.3%, limits of 1/3 are 0.8 and 90.6.
    assert next(iter(wrong_labels(is_judged=True)(Path()))) == (
        "By people@1, 1 of 3 dataset labels of val that were judged are wrong: 33.3% [0.8, 90.6]."
    )
