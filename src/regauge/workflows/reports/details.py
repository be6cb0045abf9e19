"""A closer look at an evaluation, from the answers that it was made of: who can be told apart, hard classes, mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regauge.arrays import IntArray
from regauge.evaluation.hard_classes import JudgedColumns, choose_mistakes, measure_classes
from regauge.evaluation.lifts import measure_lift
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import DATASET_LABELS, Measure, Outcome, OutcomeArray
from regauge.evaluation.standings import find_standings
from regauge.evaluation.targets import Target, line_up, line_up_answers
from regauge.labels.selection import keep_images
from regauge.records.evaluation.details import EvaluationDetails, MeasureName
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.studies import LabelSetEntry, PredictionsEntry, TestSetEntry
from regauge.report.content import MistakeImages, ShownOutcome
from regauge.storage.labels.label_set import load_label_set
from regauge.storage.predictions import load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import load_places, load_test_set
from regauge.workflows.reports.pictures import PictureAlbum, ShownAnswer, show_image

N_SHOWN = 6
SEED = 0

_STANDINGS = {
    Outcome.RIGHT: ShownOutcome.RIGHT,
    Outcome.WRONG: ShownOutcome.WRONG,
    Outcome.UNJUDGED: ShownOutcome.UNJUDGED,
    Outcome.NOT_COUNTED: ShownOutcome.NOT_COUNTED,
}


@dataclass(frozen=True, slots=True)
class EvaluatedAnswers:
    """What an evaluation was made of, as far as it is stored unchanged.

    Attributes:
        test_set: on which images.
        label_set: the labels that the report judges by; None for the dataset labels.
        predictions: whose answers, the best by the measure first.
        measure: the metric and the labels that the report judges by.
        level: nominal coverage of every interval.
    """

    test_set: TestSetEntry
    label_set: LabelSetEntry | None
    predictions: Sequence[PredictionsEntry]
    measure: MeasureName
    level: float


def look_closer(
    study: Study, evaluated: EvaluatedAnswers, *, seed: int = SEED
) -> tuple[EvaluationDetails, MistakeImages | None]:
    """Compute what a report tells beyond scores, and choose mistakes of the best participant to look at.

    Args:
        study: the study; a transaction that reads is enough.
        evaluated: which answers, and how to judge them.
        seed: start of the draw of images.

    Returns:
        The details, and the mistakes; None in place of these where no image file is at hand.
    """
    test_set = load_test_set(study, evaluated.test_set)
    chosen = None
    if evaluated.label_set is not None:
        known = set(test_set.image_ids.tolist())
        chosen = keep_images(load_label_set(study, evaluated.label_set), known)
    target = line_up(Truth(test_set, () if chosen is None else (chosen,)), n_classes=len(study.taxonomy))
    judged = _judge(study, evaluated, target)
    details = _describe(study, evaluated, judged, labels=target.dataset_labels)
    return details, _show_mistakes(study, evaluated, judged, chosen=(target, chosen), seed=seed)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """The outcomes of all participants by measure, [participants, images], and the first answers of the best one."""

    outcomes: dict[MeasureName, OutcomeArray]
    best: IntArray


def _judge(study: Study, evaluated: EvaluatedAnswers, target: Target) -> _Judged:
    """Every participant's outcomes under the measure of the report and by dataset labels; answers are read one at a time."""
    wanted = [evaluated.measure, ("top1", DATASET_LABELS)]
    measures: dict[MeasureName, Measure] = {
        (one.metric, one.labels): one for one in find_measures(target) if (one.metric, one.labels) in wanted
    }
    outcomes: dict[MeasureName, list[OutcomeArray]] = {name: [] for name in measures}
    firsts: list[IntArray] = []
    test_set = load_test_set(study, evaluated.test_set)
    for entry in evaluated.predictions:
        predictions = load_predictions(study, entry, test_set=test_set, digest=evaluated.test_set.digest)
        answers = line_up_answers(predictions, target, allow_missing=True)
        firsts += [] if firsts else [np.array(answers[:, 0])]
        for name, measure in measures.items():
            outcomes[name].append(measure.judge(answers))
    return _Judged({name: np.stack(found) for name, found in outcomes.items()}, firsts[0])


def _describe(study: Study, evaluated: EvaluatedAnswers, judged: _Judged, *, labels: IntArray) -> EvaluationDetails:
    names = [one.participant for one in evaluated.predictions]
    level, before = evaluated.level, judged.outcomes.get(("top1", DATASET_LABELS))
    lifts = []
    if before is not None and evaluated.measure[1] != DATASET_LABELS:
        after = judged.outcomes[evaluated.measure]
        lifts = [measure_lift(name, before[row], after=after[row], level=level) for row, name in enumerate(names)]
    answers = JudgedColumns(labels, judged.best, judged.outcomes[evaluated.measure][0])
    return EvaluationDetails(
        measure=evaluated.measure,
        best=names[0],
        standings={name: find_standings(names, found, level=level) for name, found in judged.outcomes.items()},
        lifts=tuple(one for one in lifts if one is not None),
        classes=measure_classes(answers, [one.name for one in study.taxonomy.classes], level=level),
    )


def _show_mistakes(
    study: Study,
    evaluated: EvaluatedAnswers,
    judged: _Judged,
    *,
    chosen: tuple[Target, LabelSet | None],
    seed: int,
) -> MistakeImages | None:
    target, label_set = chosen
    places = load_places(study, evaluated.test_set)
    if not any(place.path for place in places):
        return None
    outcomes = judged.outcomes[evaluated.measure][0]
    answers = JudgedColumns(target.dataset_labels, judged.best, outcomes)
    rows = choose_mistakes(answers, N_SHOWN, rng=np.random.default_rng(seed))
    album = PictureAlbum(
        evaluated.test_set.root, places, target.image_ids, target.dataset_labels, study.taxonomy, label_set
    )
    shown = [
        show_image(album, row, answer=ShownAnswer(int(judged.best[row]), _STANDINGS[Outcome(outcomes[row])]))
        for row in rows
    ]
    return MistakeImages(
        participant=evaluated.predictions[0].participant,
        labels=evaluated.measure[1],
        images=tuple(image for image in shown if image is not None),
        n_wrong=int(np.count_nonzero(outcomes == Outcome.WRONG)),
        n_missing=sum(image is None for image in shown),
        seed=seed,
    )
