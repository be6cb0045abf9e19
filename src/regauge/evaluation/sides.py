"""The same models on two test sets: who is right where, on each side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IntArray
from regauge.errors import InputError
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import Measure, Outcome, OutcomeArray
from regauge.evaluation.targets import Target, line_up_answers
from regauge.predictions.order import find_order_warning
from regauge.records.evaluation.scores import BALANCED_SUFFIX, is_balanced
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.predictions import Predictions
from regauge.stats.balanced import find_balanced_limits
from regauge.stats.intervals import Limits

CHANGES = ("top1", "top5")
"""The metrics whose mean change is told beside the one that is fitted."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassCounts:
    """What the balanced accuracies of all models are made of.

    Attributes:
        n_correct: right answers [models, classes].
        n: counted images [models, classes].
    """

    n_correct: CountArray
    n: CountArray

    @property
    def means(self) -> FloatArray:
        """The mean of per-class means of every model; classes without a counted image are left out."""
        shares = np.divide(self.n_correct, self.n, out=np.zeros(self.n.shape), where=self.n > 0)
        means: FloatArray = shares.sum(axis=1) / (self.n > 0).sum(axis=1)
        return means

    def find_limits(self, *, level: float) -> Limits:
        """Limits of the means of per-class means."""
        rows = [find_balanced_limits(k, n, level=level) for k, n in zip(self.n_correct, self.n, strict=True)]
        return Limits(np.array([row.low for row in rows]), np.array([row.high for row in rows]))


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """All models on one test set.

    Attributes:
        name: the test set.
        models: the models, by name.
        outcomes: [models, images] under the metric that is compared; without images where only counts are known.
        counts: right answers and counted images per metric [models, 2]; metrics that a model does not allow are absent.
        warnings: what is probably wrong with a model's answers.
        labels: the dataset label of every image, where the truth has any.
        image_scores: per metric, the score of every image, whose mean is the mean accuracy of the models; see `score_images`.
        numbers: a number for every image; images of another side with one of these numbers are the same. None where no image
            is known to be in another set.
        by_class: counts by dataset label, where the metric that is compared is a balanced mean.
        people: those of the models that are people.
    """

    name: str
    models: tuple[str, ...]
    outcomes: OutcomeArray
    counts: dict[str, CountArray]
    warnings: tuple[str, ...]
    labels: IntArray | None = None
    image_scores: Mapping[str, FloatArray] = field(default_factory=dict)
    numbers: CountArray | None = None
    by_class: ClassCounts | None = None
    people: frozenset[str] = frozenset()

    @property
    def has_images(self) -> bool:
        """Whether it is known who is right where; else only how often."""
        return bool(self.outcomes.shape[1])

    @property
    def is_counted(self) -> BoolArray:
        """The images that count for one model at least."""
        counted: BoolArray = (self.outcomes != Outcome.NOT_COUNTED).any(axis=0)
        return counted

    @property
    def is_shared(self) -> BoolArray:
        """The images that count for every model."""
        shared: BoolArray = (self.outcomes != Outcome.NOT_COUNTED).all(axis=0)
        return shared

    @property
    def is_right(self) -> BoolArray:
        """[models, images] right or not, on the images that count for every model."""
        right: BoolArray = self.outcomes[:, self.is_shared] == Outcome.RIGHT
        return right


def judge_side(participants: Iterable[Predictions], target: Target, *, settings: ShiftSettings) -> Side:
    """Judge every model on one test set.

    Raises:
        InputError: the truth or a model does not allow the metric, or a model has no image that counts.
    """
    measures = {measure.metric: measure for measure in _choose_measures(target, settings.metric)}
    names: list[str] = []
    outcomes: dict[str, list[OutcomeArray]] = {metric: [] for metric in measures}
    counts: dict[str, list[tuple[int, int]]] = {metric: [] for metric in measures}
    warnings: list[str] = []
    people: set[str] = set()
    for predictions in participants:
        name = predictions.participant
        people |= {name} if predictions.is_person else set()
        answers = line_up_answers(predictions, target, allow_missing=settings.allow_missing)
        judged = _judge(answers, measures)
        if settings.metric not in judged:
            raise InputError(f"{name} gives too few answers for {settings.metric} on {target.name}.")
        for metric, outcome in judged.items():
            counts[metric] += _count(outcome)
            outcomes[metric].append(outcome)
        names.append(name)
        if len(counts[settings.metric]) < len(names):
            raise InputError(f"No image of {target.name} that {name} answers counts for {settings.metric}.")
        warnings += find_order_warning(name, answers, labels=target.dataset_labels)
        warnings += _find_unjudged_warning(name, judged[settings.metric])
    complete = {metric: np.array(rows, np.int64) for metric, rows in counts.items() if len(rows) == len(names)}
    stacked = {metric: np.stack(outcomes[metric]) for metric in complete}
    return Side(
        name=target.name,
        models=tuple(names),
        outcomes=stacked[settings.metric],
        counts=complete,
        warnings=tuple(warnings),
        labels=target.dataset_labels if target.has_dataset_labels else None,
        image_scores={metric: score_images(outcome) for metric, outcome in stacked.items()},
        by_class=_count_by_class(stacked[settings.metric], target) if is_balanced(settings.metric) else None,
        people=frozenset(people),
    )


def sort_side(side: Side, names: Sequence[str]) -> Side:
    """The side with its models in the order of the names."""
    order = [side.models.index(name) for name in names]
    counts = {metric: rows[order] for metric, rows in side.counts.items()}
    found = side.by_class
    by_class = None if found is None else ClassCounts(found.n_correct[order], found.n[order])
    return replace(side, models=tuple(names), outcomes=side.outcomes[order], counts=counts, by_class=by_class)


def check_same_models(original: Side, new: Side) -> None:
    """Refuse two sides that do not have the same models."""
    for one, other in ((original, new), (new, original)):
        missing = [name for name in one.models if name not in set(other.models)]
        if missing:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            what = "predictions" if one.has_images else "an accuracy"
            raise InputError(
                f"{missing[0]}{more} has {what} on {one.name} but not on {other.name}; models are matched by name, so give "
                "both sets the same names."
            )


def _judge(answers: IntArray, measures: Mapping[str, Measure]) -> dict[str, OutcomeArray]:
    """The outcomes under every metric for which each answered image has answers enough."""
    n_answers = int((answers[answers[:, 0] != NO_CLASS] != NO_CLASS).sum(axis=1).min())
    return {metric: measure.judge(answers) for metric, measure in measures.items() if measure.n_answers <= n_answers}


def _count(outcomes: OutcomeArray) -> Iterator[tuple[int, int]]:
    """Right answers and counted images, or nothing where no image counts."""
    n = int((outcomes != Outcome.NOT_COUNTED).sum())
    if n:
        yield int((outcomes == Outcome.RIGHT).sum()), n


def score_images(outcomes: OutcomeArray) -> FloatArray:
    """The share of the models that is right on each image; NaN where none counts. The mean is that of the accuracies.

    Where an image counts for some models only, each model has images of its own, and shares would not add up to the mean of
    the accuracies. The image then has the score by which it moves that mean: the mean itself, and for every model that counts
    (right − accuracy) · n / n_model over the number of models (the linear part of a mean of ratios).
    """
    counts = outcomes != Outcome.NOT_COUNTED
    is_right = outcomes == Outcome.RIGHT
    is_used = counts.any(axis=0)
    scores = np.full(outcomes.shape[1], np.nan)
    if np.array_equal(is_used, counts.all(axis=0)):
        # What does not count is not right, so that shares can be taken of all images and kept of those that count.
        return np.where(is_used, np.count_nonzero(is_right, axis=0) / len(outcomes), scores)
    n_images = counts.sum(axis=1, keepdims=True)
    accuracies = is_right.sum(axis=1, keepdims=True) / n_images
    moved = np.where(counts, is_right - accuracies, 0) * (is_used.sum() / n_images)
    scores[is_used] = accuracies.mean() + moved.mean(axis=0)[is_used]
    return scores


def _count_by_class(outcomes: OutcomeArray, target: Target) -> ClassCounts:
    def count(is_counted: BoolArray) -> CountArray:
        rows = [np.bincount(target.dataset_labels[one], minlength=target.n_strata - 1) for one in is_counted]
        return np.array(rows, np.int64)

    return ClassCounts(count(outcomes == Outcome.RIGHT), count(outcomes != Outcome.NOT_COUNTED))


def _find_unjudged_warning(name: str, outcomes: OutcomeArray) -> Iterator[str]:
    n_unjudged = int((outcomes == Outcome.UNJUDGED).sum())
    if n_unjudged:
        n = int((outcomes != Outcome.NOT_COUNTED).sum())
        yield f"{name}: {n_unjudged:,} of {n:,} predictions are unjudged and count as wrong here."


def _choose_measures(target: Target, metric: str) -> list[Measure]:
    """The measure that is compared, and those of the mean changes where the truth allows them."""
    measures = find_measures(target)
    chosen = [measure for measure in measures if measure.metric == metric.removesuffix(BALANCED_SUFFIX)]
    if len(chosen) != 1:
        known = ", ".join(dict.fromkeys(measure.metric for measure in measures)) or "none"
        found = f"are {len(chosen)} label sets" if chosen else "is nothing"
        raise InputError(f"For {metric} there {found} in the truth of {target.name}; it allows: {known}.")
    if is_balanced(metric):
        chosen = [_balance(chosen[0], metric, target)]
    return [*chosen, *(one for one in measures if one.metric in CHANGES and one.metric != metric)]


def _balance(measure: Measure, metric: str, target: Target) -> Measure:
    """The measure on the images of which the class is known, under the name of the balanced mean."""
    if not target.has_dataset_labels:
        raise InputError(f"{metric} is a mean over classes, and {target.name} has no dataset labels to tell them by.")
    return replace(
        measure, metric=metric, judge=partial(_judge_labelled, measure=measure, labels=target.dataset_labels)
    )


def _judge_labelled(answers: IntArray, *, measure: Measure, labels: IntArray) -> OutcomeArray:
    outcomes = measure.judge(answers)
    return np.where(labels == NO_CLASS, np.int8(Outcome.NOT_COUNTED), outcomes)
