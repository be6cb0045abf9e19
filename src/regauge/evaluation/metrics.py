"""What counts as right: every metric, the truth it needs, and how it judges an answer.

To add a metric, write a function that gives the measures a target allows and list it in `METRICS`; scoring, subsets,
balanced means, intervals, comparisons and output follow by themselves. docs/contributing.md walks through an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from regauge.evaluation.objects import multi_object, single_object, top_5_corrections
from regauge.evaluation.outcomes import Measure, Outcome, OutcomeArray
from regauge.evaluation.targets import Target
from regauge.records.arrays import NO_CLASS, BoolArray, IntArray
from regauge.records.labels import LabelKind, LabelSet, Unlisted, Verdict
from regauge.records.scores import FOLLOW_UP_ONLY

__all__ = ["DATASET_LABELS", "METRICS", "Measure", "Outcome", "OutcomeArray", "find_measures"]

DATASET_LABELS = "dataset"
"""What outputs call the dataset labels in the column `labels`."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """What an answer is worth under a label set: the class that each image lists first, and the entries that follow.

    Attributes:
        first_classes: per image, the first class with a verdict; below `NO_CLASS` where there is none.
        first_outcomes: per image, what that class is worth.
        more_rows: the image of every further entry.
        more_classes: its class.
        more_outcomes: what it is worth.
        unlisted: per image, what a class without verdict is worth: wrong, unjudged, or not counted at all.
    """

    first_classes: IntArray
    first_outcomes: OutcomeArray
    more_rows: IntArray
    more_classes: IntArray
    more_outcomes: OutcomeArray
    unlisted: OutcomeArray


def find_measures(target: Target) -> tuple[Measure, ...]:
    """Every measure that the target allows, in output order."""
    return tuple(measure for metric in METRICS for measure in metric(target))


def judge_first(answers: IntArray, *, labels: IntArray) -> OutcomeArray:
    """Right where the first answer is the label."""
    from regauge.evaluation._kernels import judge_first as kernel

    outcomes = np.empty(len(labels), dtype=np.int8)
    kernel(answers, labels, outcomes)
    return outcomes


def judge_five(answers: IntArray, *, labels: IntArray) -> OutcomeArray:
    """Right where one of the first five answers is the label."""
    from regauge.evaluation._kernels import judge_five as kernel

    outcomes = np.empty(len(labels), dtype=np.int8)
    kernel(answers, labels, outcomes)
    return outcomes


def judge_verdicts(answers: IntArray, *, pairs: JudgedPairs) -> OutcomeArray:
    """What the first answer is worth under a label set."""
    from regauge.evaluation._kernels import judge_verdicts as kernel

    outcomes = np.empty(len(pairs.unlisted), dtype=np.int8)
    kernel(
        answers,
        pairs.first_classes,
        pairs.first_outcomes,
        pairs.more_rows,
        pairs.more_classes,
        pairs.more_outcomes,
        pairs.unlisted,
        outcomes,
    )
    return outcomes


def top_1(target: Target) -> Iterable[Measure]:
    """The first answer is the dataset label (Recht et al. 2019, §3.3)."""
    if target.has_dataset_labels:
        yield Measure("top1", DATASET_LABELS, 1, partial(judge_first, labels=target.dataset_labels))


def top_5(target: Target) -> Iterable[Measure]:
    """The dataset label is among the first five answers; absent for a participant who gives fewer."""
    if target.has_dataset_labels:
        yield Measure("top5", DATASET_LABELS, 5, partial(judge_five, labels=target.dataset_labels))


def multilabel_lenient(target: Target) -> Iterable[Measure]:
    """The first answer was judged correct or unclear (the released evaluation of Vasudevan et al. 2022)."""
    return _verdict_measures(target, "multilabel_lenient", accepted=frozenset({Verdict.CORRECT, Verdict.UNCLEAR}))


def multilabel_strict(target: Target) -> Iterable[Measure]:
    """The first answer was judged correct (Shankar et al. 2020, §3.2)."""
    return _verdict_measures(target, "multilabel_strict", accepted=frozenset({Verdict.CORRECT}))


def real(target: Target) -> Iterable[Measure]:
    """The first answer is in the image's reassessed list; an image with an empty list is left out (Beyer et al. 2020)."""
    for label_set in target.label_sets:
        if label_set.kind is LabelKind.REAL:
            is_counted = (np.diff(label_set.starts) > 0) & ~label_set.is_problematic
            yield _verdict_measure("real", label_set, frozenset({Verdict.CORRECT, Verdict.UNCLEAR}), is_counted)


def main_label(target: Target) -> Iterable[Measure]:
    """The first answer is the main label that annotators gave the image (Tsipras et al. 2020, §5.1)."""
    for label_set in target.label_sets:
        if label_set.has_main_labels:
            labels = np.where(label_set.is_problematic, NO_CLASS, label_set.main_labels).astype(np.int32)
            remark = FOLLOW_UP_ONLY if label_set.is_follow_up_only else None
            yield Measure("main_label", label_set.name, 1, partial(judge_first, labels=labels), remark)


METRICS: tuple[Callable[[Target], Iterable[Measure]], ...] = (
    top_1,
    top_5,
    multilabel_lenient,
    multilabel_strict,
    real,
    main_label,
    single_object,
    multi_object,
    top_5_corrections,
)
"""All metrics in output order."""


def _verdict_measures(target: Target, metric: str, *, accepted: frozenset[Verdict]) -> Iterable[Measure]:
    for label_set, is_known in zip(target.label_sets, target.is_known, strict=True):
        if label_set.kind is LabelKind.MULTILABEL and label_set.has_verdicts:
            yield _verdict_measure(metric, label_set, accepted, is_known & ~label_set.is_problematic)


def _verdict_measure(metric: str, label_set: LabelSet, accepted: frozenset[Verdict], is_counted: BoolArray) -> Measure:
    pairs = _judge_pairs(label_set, accepted, is_counted)
    return Measure(metric, label_set.name, 1, partial(judge_verdicts, pairs=pairs))


def _judge_pairs(label_set: LabelSet, accepted: frozenset[Verdict], is_counted: BoolArray) -> JudgedPairs:
    worth = np.array([Outcome.RIGHT if verdict in accepted else Outcome.WRONG for verdict in Verdict], dtype=np.int8)
    rows = label_set.rows
    outcomes = np.where(is_counted[rows], worth[label_set.verdicts], np.int8(Outcome.NOT_COUNTED))
    is_first = label_set.positions == 0
    first_classes = np.full(len(label_set), NO_CLASS - 1, dtype=np.int32)
    first_outcomes = np.full(len(label_set), Outcome.NOT_COUNTED, dtype=np.int8)
    first_classes[rows[is_first]] = label_set.classes[is_first]
    first_outcomes[rows[is_first]] = outcomes[is_first]
    unlisted = Outcome.WRONG if label_set.unlisted is Unlisted.WRONG else Outcome.UNJUDGED
    return JudgedPairs(
        first_classes=first_classes,
        first_outcomes=first_outcomes,
        more_rows=rows[~is_first].astype(np.int32),
        more_classes=label_set.classes[~is_first],
        more_outcomes=outcomes[~is_first],
        unlisted=np.where(is_counted, unlisted, Outcome.NOT_COUNTED).astype(np.int8),
    )
