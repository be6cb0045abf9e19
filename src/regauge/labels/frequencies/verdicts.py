"""Selection frequencies, or probabilities by a model of the annotators → verdicts, by a named rule."""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, FloatArray
from regauge.errors import InputError
from regauge.records.labels.frequencies import POSTERIOR_RULE, FrequencyRule, SelectionCounts
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted, VerdictArray
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.screening import read_share

UNJUDGED = -1
"""Stands for the verdict on a pair that too few annotators saw."""


def judge_counts(
    counts: SelectionCounts, rule: FrequencyRule, *, probabilities: FloatArray | None = None
) -> VerdictArray:
    """One `Verdict` per pair, or `UNJUDGED`.

    Args:
        counts: how many annotators saw each pair and selected it.
        rule: which share, or which probability, makes which verdict.
        probabilities: per pair, by a model of the annotators; a posterior rule needs them.

    Raises:
        InputError: the rule asks for probabilities, and there are none.
    """
    if rule.name == POSTERIOR_RULE:
        if probabilities is None:
            raise InputError(
                "Verdicts by the posterior need a model of the annotators: choose the method majority, dawid-skene or one-coin."
            )
        reached = [np.asarray(probabilities >= share, np.bool_) for share in (rule.unclear, rule.correct)]
    else:
        reached = [_reaches(counts, share) for share in (rule.unclear, rule.correct)]
    verdicts = np.where(reached[1], Verdict.CORRECT, np.where(reached[0], Verdict.UNCLEAR, Verdict.WRONG))
    return np.where(counts.n_shown >= rule.min_shown, verdicts, UNJUDGED).astype(np.int8)


def _reaches(counts: SelectionCounts, share: float) -> BoolArray:
    exact = read_share(share)
    return np.asarray(counts.n_selected * exact.denominator >= exact.numerator * counts.n_shown, np.bool_)


def make_frequency_labels(
    counts: SelectionCounts, rule: FrequencyRule, *, name: str, probabilities: FloatArray | None = None
) -> LabelSet:
    """The verdicts as a label set; a class that it does not list is unjudged.

    Every image of the counts is in it, also one whose pairs are all unjudged. No image is problematic and no main label is
    known: frequencies do not tell.
    """
    verdicts = judge_counts(counts, rule, probabilities=probabilities)
    is_judged = verdicts != UNJUDGED
    n = len(counts.image_ids)
    order = np.argsort(counts.images[is_judged], kind="stable")
    return LabelSet(
        name=name,
        image_ids=counts.image_ids,
        starts=np.concatenate(([0], np.cumsum(np.bincount(counts.images[is_judged], minlength=n)))),
        classes=counts.classes[is_judged][order],
        verdicts=verdicts[is_judged][order],
        kind=LabelKind.MULTILABEL,
        unlisted=Unlisted.UNJUDGED,
        is_problematic=np.zeros(n, np.bool_),
        main_labels=np.full(n, NO_CLASS, np.int32),
    )


def count_verdicts(label_set: LabelSet) -> dict[str, int]:
    """How many (image, class) pairs have each verdict, by its name, correct first."""
    return {verdict.name.lower(): int(np.count_nonzero(label_set.verdicts == verdict)) for verdict in reversed(Verdict)}
