"""What counts as right: every metric, the truth it needs, and how it judges an answer.

To add a metric, write a function that gives the measures a target allows and list it in `METRICS`; scoring, subsets,
balanced means, intervals, comparisons and output follow by themselves. docs/contributing.md walks through an example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.evaluation.targets import Target
from regauge.records.arrays import NO_CLASS, BoolArray, IntArray
from regauge.records.labels import LabelKind, LabelSet, Unlisted, Verdict

OutcomeArray: TypeAlias = NDArray[np.int8]

DATASET_LABELS = "dataset"
"""What outputs call the dataset labels in the column `labels`."""


class Outcome(IntEnum):
    """What became of one answer."""

    WRONG = 0
    RIGHT = 1
    UNJUDGED = 2
    """Nobody has judged the predicted class on this image: right or wrong, we do not know."""
    NOT_COUNTED = 3
    """The image does not take part: no truth, problematic, or no answer."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric bound to one truth.

    Attributes:
        metric: its name in outputs.
        labels: which labels it judges by, as outputs call them.
        n_answers: how many answers per image it looks at; with fewer it does not apply.
        judge: from answers [images, k] in the target's row order to one `Outcome` per image.
    """

    metric: str
    labels: str
    n_answers: int
    judge: Callable[[IntArray], OutcomeArray]


def find_measures(target: Target) -> tuple[Measure, ...]:
    """Every measure that the target allows, in output order."""
    return tuple(measure for metric in METRICS for measure in metric(target))


def judge_hits(answers: IntArray, *, labels: IntArray, n_answers: int) -> OutcomeArray:
    """Right where one of the first answers is the label."""
    from regauge.evaluation._kernels import judge_hits as kernel

    outcomes = np.empty(len(labels), dtype=np.int8)
    kernel(answers, labels, n_answers, outcomes)
    return outcomes


def judge_verdicts(
    answers: IntArray, *, label_set: LabelSet, accepted: frozenset[Verdict], is_counted: BoolArray
) -> OutcomeArray:
    """The verdict on the first answer: right if accepted; a class without verdict is wrong or unjudged, as the set says."""
    from regauge.evaluation._kernels import judge_verdicts as kernel

    outcome_of_verdict = np.array(
        [Outcome.RIGHT if verdict in accepted else Outcome.WRONG for verdict in Verdict], dtype=np.int8
    )
    unlisted = Outcome.WRONG if label_set.unlisted is Unlisted.WRONG else Outcome.UNJUDGED
    outcomes = np.empty(len(is_counted), dtype=np.int8)
    kernel(
        answers,
        label_set.starts,
        label_set.classes,
        outcome_of_verdict,
        label_set.verdicts,
        is_counted,
        int(unlisted),
        outcomes,
    )
    return outcomes


def top_1(target: Target) -> Iterable[Measure]:
    """The first answer is the dataset label (Recht et al. 2019, §3.3)."""
    return _dataset_measures(target, "top1", n_answers=1)


def top_5(target: Target) -> Iterable[Measure]:
    """The dataset label is among the first five answers; absent for a participant who gives fewer."""
    return _dataset_measures(target, "top5", n_answers=5)


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
            yield Measure("main_label", label_set.name, 1, partial(judge_hits, labels=labels, n_answers=1))


METRICS: tuple[Callable[[Target], Iterable[Measure]], ...] = (
    top_1,
    top_5,
    multilabel_lenient,
    multilabel_strict,
    real,
    main_label,
)
"""All metrics in output order."""


def _dataset_measures(target: Target, metric: str, *, n_answers: int) -> Iterable[Measure]:
    if target.has_dataset_labels:
        judge = partial(judge_hits, labels=target.dataset_labels, n_answers=n_answers)
        yield Measure(metric, DATASET_LABELS, n_answers, judge)


def _verdict_measures(target: Target, metric: str, *, accepted: frozenset[Verdict]) -> Iterable[Measure]:
    for label_set, is_known in zip(target.label_sets, target.is_known, strict=True):
        if label_set.kind is LabelKind.MULTILABEL and label_set.has_verdicts:
            yield _verdict_measure(metric, label_set, accepted, is_known & ~label_set.is_problematic)


def _verdict_measure(metric: str, label_set: LabelSet, accepted: frozenset[Verdict], is_counted: BoolArray) -> Measure:
    judge = partial(judge_verdicts, label_set=label_set, accepted=accepted, is_counted=is_counted)
    return Measure(metric, label_set.name, 1, judge)
