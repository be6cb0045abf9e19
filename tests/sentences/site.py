"""Sentences of the first page of a website: who is right most often, and how many dataset labels are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.report.small_reports import make_scores
from tests.sentences.entries import Entries, Maker, Pair

from regauge.evaluation.site.findings import tell_best, tell_wrong_labels
from regauge.evaluation.targets import line_up
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.testsets.test_set import TestSet

IDS = ["a", "b", "c", "d"]


def best(*counts: int) -> Maker:
    """Participants who are right on so many of 40 images."""

    def make(_: Path) -> list[str]:
        scores = make_scores({f"m{place}": k for place, k in enumerate(counts)})
        return [*tell_best(scores.to_frame(), "val"), "(end)"]

    return make


def wrong_labels(*, is_judged: bool, n_wrong: int = 1) -> Maker:
    """Four images, of which people judged three dataset labels, one or none of them wrong; or other classes alone."""

    def make(_: Path) -> list[str]:
        shown = 0 if is_judged else 5
        label_set = LabelSet.from_lists(
            "people@1", IDS, correct=[[shown], [shown], [shown + n_wrong], []], wrong=[[], [], [shown] * n_wrong, []]
        )
        target = line_up(Truth(TestSet("val", np.array(IDS), np.zeros(4, np.int32)), (label_set,)))
        return [*tell_wrong_labels(target), "(end)"]

    return make


ENTRIES: Entries = {
    "evaluation/site/findings.py:tell_best: Of … participants who answered … of …,": Pair(best(30, 20), best(30)),
    "evaluation/site/findings.py:tell_wrong_labels: By …, … of … dataset labels of": Pair(
        wrong_labels(is_judged=True), wrong_labels(is_judged=False)
    ),
    "evaluation/site/findings.py:tell_wrong_labels: No dataset label of … that was judged": Pair(
        wrong_labels(is_judged=True, n_wrong=0), wrong_labels(is_judged=True)
    ),
}
