"""Small multi-label truths for tests: what people found on ten images, and what some models answer there."""

from __future__ import annotations

from typing import Any

import numpy as np

from regauge.evaluation.metrics import find_measures
from regauge.evaluation.reviews.multilabel_truths import summarise_truth
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.multilabel_truths import MultilabelTruth
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.testsets.test_set import TestSet

N = 10
IDS = [f"image {row}" for row in range(N)]
ANSWERS = {"alpha": 0, "beta": 1, "gamma": 2}
"""The class that each model answers to every image, four others behind it."""


def make_truth(
    name: str = "people@1",
    *,
    answers: dict[str, int] | None = None,
    reasons: bool = False,
    correct: list[list[int]] | None = None,
    n_classes: int = 8,
    n_answers: int = 5,
    **changes: Any,
) -> MultilabelTruth:
    """Dataset labels are class 0; people found class 1 as well on four images, and judged all classes unless told otherwise."""
    correct = [[0, 1]] * 4 + [[0]] * 6 if correct is None else correct
    wrong = [[one for one in range(n_classes) if one not in mine] for mine in correct]
    label_set = LabelSet.from_lists(name, IDS, **{"correct": correct, "wrong": wrong, **changes})
    images = TestSet("drawn", IDS, [0] * N)
    target = line_up(Truth(images, (label_set,)))
    answers = ANSWERS if answers is None else answers
    given = {
        one: np.tile((np.arange(n_answers) + first) % 8, (N, 1)).astype(np.int32) for one, first in answers.items()
    }
    outcomes: dict[str, dict[str, Any]] = {}
    for measure in find_measures(target):
        for one, rows in given.items() if n_answers >= measure.n_answers else ():
            outcomes.setdefault(measure.metric, {})[one] = measure.judge(rows)
    firsts = np.array([rows[:, 0] for rows in given.values()], np.int32).reshape(len(given), N)
    why = {("image 0", 1): VerdictEvidence(reason="several objects")} if reasons else {}
    field = ReviewField(images, tuple(given), firsts, label_set)
    return summarise_truth(field, outcomes, evidence=LabelEvidence.from_pairs(name, why))
