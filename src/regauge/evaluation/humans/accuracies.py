"""Accuracies of people and models on every subset, and whether a subset of classes means more than any other (Tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.evaluation.humans.judged import AnsweredSet, Who
from regauge.evaluation.humans.parts import Part, count_by_class
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.scoring import CLOPPER_PEARSON, OUTER
from regauge.evaluation.sides import score_images
from regauge.records.evaluation.humans.report import HumanSettings
from regauge.records.evaluation.humans.tables import MODELS, PEOPLE
from regauge.records.predictions import ParticipantKind
from regauge.stats.gap_limits import find_gap_limits, find_mean_limits
from regauge.stats.intervals import clopper_pearson, newcombe
from regauge.stats.subsampling import ClassSubsampling, class_subsampling, mean_class_subsampling

Row = dict[str, Any]

SCORE = "score"
"""The limits of a mean over participants."""
NEWCOMBE = "newcombe"


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """What the rows of one test set and one metric are made of.

    Attributes:
        judged: everybody.
        metric: which accuracy.
        settings: draws and level.
        used: the classes that have images.
        correct: right answers [participants, used classes].
        n: counted images, likewise.
    """

    judged: AnsweredSet
    metric: str
    settings: HumanSettings
    used: IntArray
    correct: CountArray
    n: CountArray

    def draw(self, part: Part, members: BoolArray | None = None) -> ClassSubsampling | None:
        """What as many classes as the subset has do, drawn at random: to everybody, or to the mean of some.

        None where the subset is not made of classes.
        """
        if part.classes is None:
            return None
        kept = np.isin(self.used, part.classes)
        rng, n_draws = np.random.default_rng(self.settings.seed), self.settings.n_draws
        if members is None:
            return class_subsampling(self.correct, self.n, is_kept=kept, rng=rng, n_draws=n_draws)
        return mean_class_subsampling(self.correct[members], self.n[members], is_kept=kept, rng=rng, n_draws=n_draws)


def measure_parts(judged: AnsweredSet, parts: Sequence[Part], *, metric: str, settings: HumanSettings) -> Iterator[Row]:
    """The accuracy of everybody on every subset, and after each those of the mean person and the mean model.

    With each comes the change that the subset makes, and for groups of classes the p of random ones of the same size.
    """
    used = np.unique(judged.labels[judged.labels != NO_CLASS])
    n_classes = int(judged.labels.max(initial=NO_CLASS)) + 1
    flags = judged.is_right(metric), judged.is_counted(metric)
    correct, n = (count_by_class(one, judged.labels, n_classes=n_classes)[:, used] for one in flags)
    task = _Task(judged, metric, settings, used, correct, n)
    for part in parts:
        yield from _measure_part(task, part)


def _measure_part(task: _Task, part: Part) -> Iterator[Row]:
    judged, outcomes = task.judged, task.judged.outcomes[task.metric]
    where = {
        "test_set": judged.name,
        "labels": judged.measures[task.metric],
        "metric": task.metric,
        "subset": part.name,
        "n_classes": None if part.classes is None else len(part.classes),
    }
    counts, rest = _count(outcomes, part), _count(outcomes, part, is_inside=False)
    columns = {**_find_shares(counts, task.settings), **_find_changes(counts, rest, task.settings)}
    drawn = task.draw(part)
    for place, one in enumerate(judged.who):
        cells = {name: column[place] for name, column in columns.items()}
        yield {**name_one(one), **where, **cells, **_describe_draws(drawn, place)}
    for kind, members in list_kinds(judged):
        yield {**name_group(kind, members), **where, **_measure_mean(task, part, members)}


def name_one(one: Who) -> Row:
    """The columns that tell whose a row is."""
    return {"participant": one.name, "kind": one.kind, "family": one.family, "n_participants": 1}


def list_kinds(judged: AnsweredSet) -> Iterator[tuple[ParticipantKind, BoolArray]]:
    """People and models, each with the rows that they have, where there are several."""
    for kind, members in ((ParticipantKind.PERSON, judged.is_person), (ParticipantKind.MODEL, ~judged.is_person)):
        if members.sum() > 1:
            yield kind, members


def name_group(kind: ParticipantKind, members: BoolArray) -> Row:
    """The columns that tell whose mean a row is."""
    name = PEOPLE if kind is ParticipantKind.PERSON else MODELS
    return {"participant": name, "kind": kind, "family": None, "n_participants": int(members.sum())}


def find_scores(judged: AnsweredSet, members: BoolArray, *, metric: str) -> FloatArray:
    """The score of every image, whose mean is the mean accuracy of some participants; see `sides.score_images`."""
    return score_images(judged.outcomes[metric][members])


def _count(outcomes: OutcomeArray, part: Part, *, is_inside: bool = True) -> CountArray:
    """Right, unjudged and counted images of everybody inside or outside a subset [participants, 3]."""
    images = part.is_in if is_inside else ~part.is_in
    flags = (outcomes == Outcome.RIGHT, outcomes == Outcome.UNJUDGED, outcomes != Outcome.NOT_COUNTED)
    return np.stack([np.count_nonzero(one & images, axis=1) for one in flags], axis=1).astype(np.int64)


def _find_shares(counts: CountArray, settings: HumanSettings) -> Mapping[str, Any]:
    right, unjudged, n = counts.T
    low = clopper_pearson(right, n, level=settings.level).low
    high = clopper_pearson(right + unjudged, n, level=settings.level).high
    return {
        "n": n,
        "n_correct": right,
        "value": divide(right, n),
        "low": low,
        "high": high,
        "interval": [
            None if not images else CLOPPER_PEARSON + OUTER * bool(some)
            for images, some in zip(n, unjudged, strict=True)
        ],
        "lower_bound": divide(right, n),
        "upper_bound": divide(right + unjudged, n),
        "n_unjudged": unjudged,
    }


def _find_changes(counts: CountArray, rest: CountArray, settings: HumanSettings) -> Mapping[str, Any]:
    """Accuracy on the subset less that on all images.

    It is the share of the other images times the difference from those, whose limits are Newcombe's: with the same number of
    images in every class, as a balanced sample has it, the share is no chance.
    """
    (right, _, n), (right_rest, _, n_rest) = counts.T, rest.T
    share = divide(n_rest, n + n_rest)
    low, high = newcombe(right, n, n_correct_b=right_rest, n_b=n_rest, level=settings.level)
    is_known = (n > 0) & (n_rest > 0)
    return {
        "change": np.where(is_known, share * (divide(right, n) - divide(right_rest, n_rest)), np.nan),
        "change_low": np.where(is_known, share * low, np.nan),
        "change_high": np.where(is_known, share * high, np.nan),
        "change_interval": [NEWCOMBE if known else None for known in is_known],
    }


def _describe_draws(drawn: ClassSubsampling | None, place: int) -> Row:
    if drawn is None or np.isnan(drawn.p[place]):
        return {"p_subsampling": None, "n_draws": None}
    return {"p_subsampling": float(drawn.p[place]), "n_draws": drawn.n_draws}


def _measure_mean(task: _Task, part: Part, members: BoolArray) -> Row:
    """The mean accuracy of some participants on a subset. It has limits over images; where each has images of its own, none."""
    judged, level = task.judged, task.settings.level
    if part.is_in.ndim > 1:
        return _average(judged, part, members, metric=task.metric)
    scores = find_scores(judged, members, metric=task.metric)
    counted = ~np.isnan(scores)
    inside, outside = scores[part.is_in & counted], scores[~part.is_in & counted]
    mean = find_mean_limits(inside, level=level)
    row: Row = {"n": len(inside), "value": mean.value, "low": mean.low, "high": mean.high}
    row |= {"interval": SCORE if len(inside) else None}
    if len(inside) and len(outside):
        share = len(outside) / (len(inside) + len(outside))
        change = find_gap_limits(inside, outside, level=level)
        names = ("change", "change_low", "change_high")
        row |= dict(zip(names, (share * change.value, share * change.low, share * change.high), strict=True))
        row |= {"change_interval": SCORE}
    return row | _describe_draws(task.draw(part, members), 0)


def _average(judged: AnsweredSet, part: Part, members: BoolArray, *, metric: str) -> Row:
    counts = _count(judged.outcomes[metric], part)[members]
    values = divide(counts[:, 0], counts[:, 2])
    n = int((part.is_in & judged.is_counted(metric))[members].any(axis=0).sum())
    return {"n": n, "value": None if np.isnan(values).any() else float(values.mean())}
