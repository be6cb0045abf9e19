"""Sum up label sets as multi-label truths: several right labels, and multi-label against top-1 and top-5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from regauge.arrays import IntArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import DATASET_LABELS, OutcomeArray
from regauge.evaluation.reviews.multilabel_sentences import describe_open, describe_truth
from regauge.evaluation.reviews.multilabel_truths import AGAINST, TRUTH_METRICS, allows_several, summarise_truth
from regauge.evaluation.targets import line_up, line_up_answers
from regauge.labels.selection import keep_images
from regauge.records.evaluation.multilabel_truths import MultilabelTruth
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.records.testsets.test_set import TestSet
from regauge.storage.labels.evidence import find_evidence
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.predictions import get_predictions, list_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set


@dataclass(frozen=True, slots=True, eq=False)
class SummarisedLabels:
    """What a label set says, and what to say of it."""

    truth: MultilabelTruth
    sentences: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """First answers [participants, images], and outcomes by labels, metric and participant."""

    participants: tuple[str, ...]
    answers: IntArray
    outcomes: dict[str, dict[str, dict[str, OutcomeArray]]]


def summarise_labels(
    study: Study,
    name: str,
    *,
    test_set: str | None = None,
    participants: Sequence[str] = (),
    level: float = DEFAULT_LEVEL,
) -> SummarisedLabels:
    """What a label set says of the images of a test set, and of the participants on it, if there are any.

    Args:
        study: the study; a transaction that reads is enough.
        name: the label set, NAME@VERSION or NAME for the latest.
        test_set: on which test set; the only one by default.
        participants: globs on names; everybody by default.
        level: of all limits.

    Raises:
        InputError: there is no such label set, test set or participant, or the label set judges no image of the test set.
    """
    check_level(level)
    entry, labels = get_test_set(study, test_set), get_label_set(study, name)
    asked = get_predictions(study, entry, participants=participants) if participants else list_predictions(study, entry)
    (truth,) = _summarise(
        study, entry, labels=[(labels, load_label_set(study, labels))], predictions=asked, level=level
    )
    return SummarisedLabels(truth, tuple(describe_truth(truth)), tuple(describe_open(truth)))


def summarise_evaluated(
    study: Study,
    test_set: TestSetEntry,
    *,
    labels: Sequence[LabelSetEntry],
    predictions: Sequence[PredictionsEntry],
    level: float = DEFAULT_LEVEL,
) -> tuple[MultilabelTruth, ...]:
    """The same for every one of some label sets under which an image can have several right labels; answers are read once."""
    known = set(load_test_set(study, test_set).image_ids.tolist())
    loaded = [(entry, keep_images(load_label_set(study, entry), known)) for entry in labels]
    chosen = [(entry, label_set) for entry, label_set in loaded if len(label_set) and allows_several(label_set)]
    return _summarise(study, test_set, labels=chosen, predictions=predictions, level=level)


def _summarise(
    study: Study,
    entry: TestSetEntry,
    *,
    labels: Sequence[tuple[LabelSetEntry, LabelSet]],
    predictions: Sequence[PredictionsEntry],
    level: float,
) -> tuple[MultilabelTruth, ...]:
    images = load_test_set(study, entry)
    known = set(images.image_ids.tolist())
    kept = [keep_images(label_set, known) for _, label_set in labels]
    empty = next((one for one in kept if not len(one)), None)
    if empty is not None:
        raise InputError(
            f"Label set {empty.name} judges no image of {images.name}; name a test set of the same images with `test_set=…`."
        )
    judged = _judge(study, entry, images, label_sets=kept, predictions=predictions)
    people = frozenset(one.participant for one in predictions if one.kind is ParticipantKind.PERSON)
    found = (
        summarise_truth(
            ReviewField(images, judged.participants, judged.answers, label_set),
            {**judged.outcomes.get(label_set.name, {}), **judged.outcomes.get(DATASET_LABELS, {})},
            evidence=find_evidence(study, one),
            level=level,
        )
        for (one, _), label_set in zip(labels, kept, strict=True)
    )
    return tuple(replace(one, people=people) for one in found)


def _judge(
    study: Study,
    entry: TestSetEntry,
    images: TestSet,
    *,
    label_sets: Sequence[LabelSet],
    predictions: Sequence[PredictionsEntry],
) -> _Judged:
    """What became of everybody's answers under every metric; answers are read one participant at a time."""
    target = line_up(Truth(images, tuple(label_sets)), n_classes=len(study.taxonomy))
    wanted = {DATASET_LABELS: AGAINST}
    measures = [one for one in find_measures(target) if one.metric in wanted.get(one.labels, TRUTH_METRICS)]
    outcomes: dict[str, dict[str, dict[str, OutcomeArray]]] = {}
    firsts = np.empty((len(predictions), len(images)), np.int32)
    for row, one in enumerate(predictions):
        found = load_predictions(study, one, test_set=images, digest=entry.digest)
        answers = line_up_answers(found, target, allow_missing=True)
        firsts[row] = answers[:, 0]
        for measure in measures:
            if answers.shape[1] >= measure.n_answers:
                by_metric = outcomes.setdefault(measure.labels, {})
                by_metric.setdefault(measure.metric, {})[one.participant] = measure.judge(answers)
    return _Judged(tuple(one.participant for one in predictions), firsts, outcomes)
