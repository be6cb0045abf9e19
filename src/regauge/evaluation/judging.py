"""What several metrics share: whether the first answer is a label, and what it is worth under the verdicts of a label set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, IntArray
from regauge.evaluation.outcomes import Judge, Outcome, OutcomeArray
from regauge.evaluation.targets import Target
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict


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


def judge_first(answers: IntArray, *, labels: IntArray) -> OutcomeArray:
    """Right where the first answer is the label."""
    # NumPy takes a fraction of a millisecond per participant. Compiled loops take a third of that, and half a second to load.
    return leave_unanswered((answers[:, 0] == labels).astype(np.int8), answers, labels=labels)


def leave_unanswered(outcomes: OutcomeArray, answers: IntArray, *, labels: IntArray) -> OutcomeArray:
    """The same outcomes, but for images without a label or an answer, which are not counted."""
    outcomes[(labels < 0) | (answers[:, 0] < 0)] = Outcome.NOT_COUNTED
    return outcomes


def judge_verdicts(answers: IntArray, *, pairs: JudgedPairs) -> OutcomeArray:
    """What the first answer is worth under a label set."""
    first = answers[:, 0]
    outcomes: OutcomeArray = np.where(pairs.first_classes == first, pairs.first_outcomes, pairs.unlisted)
    is_listed = pairs.more_classes == first[pairs.more_rows]
    outcomes[pairs.more_rows[is_listed]] = pairs.more_outcomes[is_listed]
    outcomes[first < 0] = Outcome.NOT_COUNTED
    return outcomes


def find_multilabel_judges(target: Target, *, accepted: frozenset[Verdict]) -> Iterable[Judge]:
    """A judge per label set with verdicts on several classes of an image: right where the verdict is an accepted one."""
    for label_set, is_known in zip(target.label_sets, target.is_known, strict=True):
        if label_set.kind is LabelKind.MULTILABEL and label_set.has_verdicts:
            yield make_verdict_judge(label_set, accepted=accepted, is_counted=is_known & ~label_set.is_problematic)


def make_verdict_judge(label_set: LabelSet, *, accepted: frozenset[Verdict], is_counted: BoolArray) -> Judge:
    """The judge that goes by the verdicts of one label set, on the images that are counted."""
    pairs = _judge_pairs(label_set, accepted, is_counted)
    return Judge(label_set.name, partial(judge_verdicts, pairs=pairs))


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
