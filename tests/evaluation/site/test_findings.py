"""What the first page says, against small data worked by hand."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from tests.report.small_reports import make_scores
from tests.sentences.site import wrong_labels

from regauge.evaluation.site.findings import tell_best


def test_those_who_share_the_highest_accuracy_are_all_named():
    # 30 of 40 is 75.0%; the exact 95% limits of 30/40 are 58.8 and 87.3.
    frame = make_scores({"a": 30, "b": 30, "c": 20}).to_frame()
    assert list(tell_best(frame, "val")) == [
        "Of 3 participants who answered 40 images of val, a and b have the highest top-1 accuracy: 75.0% [58.8, 87.3]."
    ]
    many = make_scores(dict.fromkeys("abcd", 30)).to_frame()
    assert "4 participants have the highest" in next(tell_best(many, "val"))


def test_people_who_answered_few_images_are_not_set_against_models_that_answered_all():
    models, people = (make_scores(found).to_frame() for found in ({"a": 30, "b": 20}, {"p": 40, "q": 39}))
    few = people.with_columns(n=pl.lit(40) + 5)
    told = list(tell_best(pl.concat([models, few.with_columns(pl.col("n").cast(models["n"].dtype))]), "val"))
    assert [text.partition(" has")[0] for text in told] == [
        "Of 2 participants who answered 45 images of val, p",
        "Of 2 participants who answered 40 images of val, a",
    ]


def test_label_sets_that_call_no_dataset_label_wrong_share_a_sentence():
    # Nobody of three: the limits of 0/3 are 0 and 70.8.
    assert wrong_labels(is_judged=True, n_wrong=0)(Path())[0] == (
        "No dataset label of val that was judged is wrong by people@1 (0 of 3: 0.0% [0.0, 70.8])."
    )


def test_dataset_labels_that_were_not_judged_count_for_nothing():
    # Of three judged labels one is wrong: 33.3%, limits of 1/3 are 0.8 and 90.6.
    assert next(iter(wrong_labels(is_judged=True)(Path()))) == (
        "By people@1, 1 of 3 dataset labels of val that were judged are wrong: 33.3% [0.8, 90.6]."
    )
