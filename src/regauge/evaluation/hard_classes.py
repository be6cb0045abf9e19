"""Which classes a participant finds hard, what it answers instead, and mistakes to look at.

Images are grouped by dataset label, whatever labels judge the answers: it is the one class that every image has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.estimates import DEFAULT_LEVEL, Share, make_share
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.records.evaluation.details import ClassAccuracy, Confusion
from regauge.stats.intervals import clopper_pearson

N_CONFUSIONS = 3
"""Classes that are named as answered instead."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedColumns:
    """One participant's first answers, one entry per image.

    Attributes:
        labels: the dataset label of each image; `NO_CLASS` where there is none.
        answers: the first answer; `NO_CLASS` where there is none.
        outcomes: what each is worth.
    """

    labels: IntArray
    answers: IntArray
    outcomes: OutcomeArray


def measure_classes(
    judged: JudgedColumns, names: Sequence[str], *, level: float = DEFAULT_LEVEL
) -> tuple[ClassAccuracy, ...]:
    """A participant's accuracy on every class with an image that counts, the lowest first.

    A class is hard where its accuracy lies clearly below that on all other images: the upper limit of the one below the lower
    limit of the other, both at a level that holds for all classes together (Bonferroni), unjudged answers taken against the
    claim. With one class there is nothing to be harder than.

    Args:
        judged: the answers.
        names: what the classes are called, by index.
        level: nominal coverage of the limits that are shown, each by itself.
    """
    n, n_right, n_unjudged = _count(judged, len(names))
    used = np.flatnonzero(n)
    rest, rest_right, rest_unjudged = n.sum() - n, n_right.sum() - n_right, n_unjudged.sum() - n_unjudged
    # Two limits for each class, and each of them is one-sided.
    strict = 1 - (1 - level) / max(1, len(used))
    high = clopper_pearson(n_right + n_unjudged, n, level=strict).high
    low = clopper_pearson(rest_right, rest, level=strict).low
    with np.errstate(invalid="ignore"):
        is_hard = (high < low) & (rest > 0)
    shares = _make_shares(n_right, n, n_unjudged, level=level)
    rests = _make_shares(rest_right, rest, rest_unjudged, level=level)
    confusions = _find_confusions(judged, names, level=level)
    found = [
        ClassAccuracy(names[index], shares[index], rests[index], confusions.get(index, ()), bool(is_hard[index]))
        for index in used.tolist()
    ]
    return tuple(sorted(found, key=lambda one: (one.share.value or 0.0, -one.share.n, one.name)))


def choose_mistakes(judged: JudgedColumns, n: int, *, rng: np.random.Generator) -> list[int]:
    """Rows of wrong answers to look at: one of each confusion in turn, the most frequent confusion first.

    A confusion is a dataset label and what was answered instead; the images of each come in random order.
    """
    wrong = rng.permutation(np.flatnonzero((judged.outcomes == Outcome.WRONG) & (judged.answers != NO_CLASS)))
    rows_of: dict[tuple[int, int], list[int]] = {}
    for row in wrong.tolist():
        rows_of.setdefault((int(judged.labels[row]), int(judged.answers[row])), []).append(row)
    ranked = sorted(rows_of.items(), key=lambda item: (-len(item[1]), item[0]))
    in_turn = [(turn, place, row) for place, (_, rows) in enumerate(ranked) for turn, row in enumerate(rows[:n])]
    return [row for _, _, row in sorted(in_turn)[:n]]


def _count(judged: JudgedColumns, n_classes: int) -> tuple[CountArray, CountArray, CountArray]:
    """Per class, its images that count, those answered rightly, and those whose answer is unjudged."""
    is_counted = (judged.outcomes != Outcome.NOT_COUNTED) & (judged.labels != NO_CLASS)
    chosen = (
        is_counted,
        is_counted & (judged.outcomes == Outcome.RIGHT),
        is_counted & (judged.outcomes == Outcome.UNJUDGED),
    )
    n, n_right, n_unjudged = (np.bincount(judged.labels[kept], minlength=n_classes) for kept in chosen)
    return n, n_right, n_unjudged


def _make_shares(
    n_right: CountArray, n: CountArray, n_unjudged: CountArray, *, level: float
) -> list[Share[float | None]]:
    """The shares with outer limits: those of the lower and of the upper bound."""
    low = clopper_pearson(n_right, n, level=level).low.tolist()
    high = clopper_pearson(n_right + n_unjudged, n, level=level).high.tolist()
    rows = zip(n_right.tolist(), n.tolist(), low, high, strict=True)
    return [make_share(k, size, limits=limits, method="clopper-pearson") for k, size, *limits in rows]


def _find_confusions(judged: JudgedColumns, names: Sequence[str], *, level: float) -> dict[int, tuple[Confusion, ...]]:
    """By class, what was answered instead, the most frequent first."""
    is_wrong = (judged.labels != NO_CLASS) & (judged.outcomes == Outcome.WRONG) & (judged.answers != NO_CLASS)
    pairs = np.stack([judged.labels[is_wrong], judged.answers[is_wrong]], axis=1)
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    totals = np.bincount(distinct[:, 0], counts, minlength=len(names)).astype(np.int64)[distinct[:, 0]]
    shares = _make_shares(counts, totals, np.zeros_like(counts), level=level)
    found: dict[int, tuple[Confusion, ...]] = {}
    # By count, and of equal counts by class, as they are sorted already.
    for place in np.argsort(-counts, kind="stable").tolist():
        label, answer = distinct[place].tolist()
        if len(found.get(label, ())) < N_CONFUSIONS:
            found[label] = (*found.get(label, ()), Confusion(names[answer], shares[place]))
    return found
