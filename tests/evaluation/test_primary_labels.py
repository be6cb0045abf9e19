"""Which labels a report judges by: the newest complete label set, else the dataset labels."""

from __future__ import annotations

import numpy as np
from tests.report.small_reports import make_ids, make_reviewed, make_scores

from regauge.evaluation.primary_labels import choose_measure
from regauge.records.evaluation.scores import ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.workflows.evaluation.scoring import score

COUNTS = {"a": 30, "b": 10}


def test_the_newest_complete_label_set_is_primary() -> None:
    scores = make_scores(COUNTS, label_sets=[make_reviewed("early@1"), make_reviewed("late@2")])
    assert choose_measure(scores, ("early@1", "late@2"), n_images=40) == ("multilabel_lenient", "late@2")
    assert choose_measure(scores, ("late@2", "early@1"), n_images=40) == ("multilabel_lenient", "early@1")


def test_labels_that_leave_many_answers_unjudged_or_images_out_are_not_complete() -> None:
    # 2 of 40 answers unjudged are one in twenty, 3 are more.
    for n_unjudged, labels in ((2, "late@1"), (3, "early@1")):
        sets = [make_reviewed("early@1"), make_reviewed("late@1", n_unjudged=n_unjudged)]
        found = choose_measure(make_scores(COUNTS, label_sets=sets), ("early@1", "late@1"), n_images=40)
        assert found == ("multilabel_lenient", labels)
    part = LabelSet.from_lists("part@1", make_ids()[:35], correct=[[0]] * 35)
    scores = make_scores(COUNTS, label_sets=[part])
    assert choose_measure(scores, ("part@1",), n_images=40) == ("top1", "dataset")
    assert choose_measure(scores, ("part@1",), n_images=38) == ("multilabel_lenient", "part@1")


def test_without_dataset_labels_most_images_decide_and_without_a_value_nothing_does() -> None:
    ids = make_ids(10)
    truth = Truth(None, (LabelSet.from_lists("part@1", ids[:5], correct=[[0]] * 5),))
    model = Predictions("a", ids, np.zeros(10, np.int32))
    scores = score([model], truth, settings=ScoreSettings(n_bootstrap=100))
    assert choose_measure(scores, ("part@1",), n_images=10) == ("multilabel_lenient", "part@1")
    empty = type(scores)(scores.to_frame().clear(), settings=scores.settings)
    assert choose_measure(empty, ("part@1",), n_images=10) is None
