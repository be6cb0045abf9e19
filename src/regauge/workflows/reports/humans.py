"""People beside models, for the report of a study: all tables, what exposure changes, and images that everybody misses."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from regauge.arrays import NO_CLASS, IntArray
from regauge.errors import InputError
from regauge.evaluation.humans.together import AnswersToJudge, compare_answers
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.evaluation.targets import NO_ROW, line_up
from regauge.labels.selection import keep_images
from regauge.records.evaluation.details import MeasureName
from regauge.records.evaluation.humans.report import TOP1, HumanReport, HumanSettings
from regauge.records.evaluation.humans.tables import ACCURACIES, EVERYBODY, MISSED_IMAGES, MODELS, PEOPLE
from regauge.records.evaluation.scores import WHOLE
from regauge.records.labels.label_set import LabelKind, Truth
from regauge.records.predictions import ParticipantKind
from regauge.records.studies import StudyStatus
from regauge.report.content import EvaluationPart, HumanPart, MissedPictures, Misser, SampleImage
from regauge.storage.labels.label_set import get_label_set, load_label_set
from regauge.storage.predictions import get_predictions, load_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_digests, load_places, load_test_set
from regauge.workflows.reports.pictures import PictureAlbum, name_class, show_image

N_BOOTSTRAP, N_DRAWS = 500, 200
"""Fewer than `regauge humans` takes: a report is written often, and says how many."""
MIN_COVERED = 0.9
"""The share of the images that people answered which a label set must know to judge them."""
N_SHOWN, SIDE = 4, 144
"""Pictures of each kind from each test set, and pixels of their longer side."""


def gather_humans(
    study: Study,
    status: StudyStatus,
    *,
    evaluations: Sequence[EvaluationPart],
    compared: Sequence[tuple[str, str]] = (),
) -> HumanPart | None:
    """People beside models on the test sets on which people answered; None where nobody is a person.

    Of more than two such sets, the pair is shown that is compared in the study, or that most people answered.

    Args:
        study: the study; a transaction that reads is enough. What people were shown is learned before (`learn_exposures`).
        status: what it holds.
        evaluations: of the report; people are judged by the labels that the report judges by.
        compared: the pairs of sets that are compared, the original one first.
    """
    people = [one for one in status.predictions if one.kind is ParticipantKind.PERSON]
    order = [one.name for one in status.test_sets]
    answered = {name: {one.participant for one in people if one.test_set == name} for name in order}
    answered = {name: who for name, who in answered.items() if who}
    if not answered:
        return None
    chosen = _choose_sets(answered, compared)
    measures = {name: _choose_measure(study, status, name, evaluations=evaluations) for name in chosen}
    others = tuple(name for name in answered if name not in chosen)
    settings = HumanSettings(
        metric=_choose_metrics(list(measures.values())), n_bootstrap=N_BOOTSTRAP, n_draws=N_DRAWS, allow_missing=True
    )
    try:
        answers = [_judge(study, name, measure) for name, measure in measures.items()]
        found = compare_answers(answers, taxonomy=study.taxonomy, settings=settings, track=study.around.track)
    except InputError as error:
        return HumanPart(None, str(error), others=others)
    return HumanPart(
        found,
        measures=tuple(_name_measures(found)),
        pictures=_show_missed(study, status, found),
        others=others,
    )


def find_compared(status: StudyStatus, pair: tuple[str, str], *, names: Sequence[str]) -> tuple[str, ...]:
    """Globs for those of the names whose answers to both sets are still there."""
    there = [{one.participant for one in status.predictions if one.test_set == name} for name in pair]
    return tuple(glob.escape(name) for name in names if name in there[0] & there[1])


def _choose_sets(answered: Mapping[str, set[str]], compared: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Two sets that somebody answered both of, or the first one."""
    pairs = [one for one in compared if set(one) <= set(answered)] or list(combinations(answered, 2))
    shared = [len(answered[one] & answered[other]) for one, other in pairs]
    if not any(shared):
        return (next(iter(answered)),)
    return pairs[int(np.argmax(shared))]


def _choose_measure(
    study: Study, status: StudyStatus, name: str, *, evaluations: Sequence[EvaluationPart]
) -> MeasureName | None:
    """The metric and labels that the report judges the set by, or else the newest reviewed labels of people's images."""
    part = next((one for one in evaluations if one.test_set.name == name), None)
    primary = None if part is None or part.details is None else part.details.measure
    if primary is not None and primary[1] != DATASET_LABELS:
        return primary
    images = _find_answered(study, status, name)
    for entry in reversed(status.label_sets):
        if entry.kind is not LabelKind.MULTILABEL:
            continue
        known = set(load_label_set(study, get_label_set(study, entry.full_name)).image_ids.tolist())
        if len(images & known) >= MIN_COVERED * len(images):
            return "multilabel_lenient", entry.full_name
    return primary


def _find_answered(study: Study, status: StudyStatus, name: str) -> set[str]:
    """The images of a set that some person answered."""
    entry = get_test_set(study, name)
    test_set = load_test_set(study, entry)
    found: set[str] = set()
    for one in status.predictions:
        if one.test_set == name and one.kind is ParticipantKind.PERSON:
            answers = load_predictions(study, one, test_set=test_set, digest=entry.digest)
            found.update(answers.image_ids[answers.classes[:, 0] != NO_CLASS].tolist())
    return found


def _judge(study: Study, name: str, measure: MeasureName | None) -> AnswersToJudge:
    """Everybody's answers to a set, and its truth by the labels that judge it."""
    entry = get_test_set(study, name)
    test_set = replace(load_test_set(study, entry), digests=load_digests(study, entry))
    labels = []
    if measure is not None and measure[1] != DATASET_LABELS:
        found = load_label_set(study, get_label_set(study, measure[1]))
        labels = [keep_images(found, set(test_set.image_ids.tolist()))]
    target = line_up(Truth(test_set, tuple(labels)), n_classes=len(study.taxonomy))
    predictions = (
        load_predictions(study, one, test_set=test_set, digest=entry.digest) for one in get_predictions(study, entry)
    )
    return AnswersToJudge(predictions, target)


def _choose_metrics(measures: Sequence[MeasureName | None]) -> tuple[str, ...]:
    """Nothing, so that verdicts lead where all sets have them; else what all sets are judged by, or the dataset labels."""
    metrics = {None if one is None else one[0] for one in measures}
    if all(metric is None or metric.startswith("multilabel") for metric in metrics):
        return ()
    (metric, *rest) = metrics
    return (TOP1,) if rest or metric is None else (metric,)


def _name_measures(found: HumanReport) -> Iterator[tuple[str, str, str]]:
    rows = found.get_table(ACCURACIES).filter(metric=found.metrics[0], subset=WHOLE)
    for name in found.test_sets:
        labels = rows.filter(test_set=name)["labels"]
        yield name, found.metrics[0], labels[0] if len(labels) else DATASET_LABELS


@dataclass(frozen=True, slots=True, eq=False)
class _Album:
    """A test set with everybody's first answers, by participant."""

    pictures: PictureAlbum
    row_of: Mapping[str, int]
    people: tuple[IntArray, ...]
    models: tuple[IntArray, ...]

    def show(self, image_id: str) -> SampleImage | None:
        """The picture, and what was answered most."""
        row = self.row_of[image_id]
        told = [
            text
            for kind, answers in (("people", self.people), ("models", self.models))
            if (text := self._tell(kind, [int(one[row]) for one in answers]))
        ]
        return show_image(self.pictures, row, votes="; ".join(told))

    def _tell(self, kind: str, answers: Sequence[int]) -> str:
        """The most frequent answer of a kind, and how many gave it."""
        given = [one for one in answers if one != NO_CLASS]
        if not given:
            return ""
        (answer, n), *_ = sorted(Counter(given).items(), key=lambda item: (-item[1], item[0]))
        return f"{kind}: {name_class(self.pictures.taxonomy, answer)} ({n} of {len(given)})"


def _show_missed(study: Study, status: StudyStatus, found: HumanReport) -> tuple[MissedPictures, ...] | None:
    """Some images that everybody of a kind misses; None where no image file is at hand."""
    shown: list[MissedPictures] = []
    for name, _, labels in _name_measures(found):
        missed = _find_missed(found, name)
        if not any(missed.values()):
            continue
        album = _open_album(study, status, name, labels=labels)
        if album is None:
            continue
        for who, ids in missed.items():
            images = [album.show(one) for one in ids[:N_SHOWN]]
            there = tuple(one for one in images if one is not None)
            shown += [MissedPictures(name, who, len(ids), there, len(images) - len(there))] if ids else []
    is_any = any(_find_missed(found, name)[who] for name in found.test_sets for who in Misser)
    return None if is_any and not any(one.images for one in shown) else tuple(shown)


def _find_missed(found: HumanReport, name: str) -> dict[Misser, list[str]]:
    """The images that both kinds miss, and those that all of one kind miss and not everybody."""
    rows = found.get_table(MISSED_IMAGES).filter(test_set=name)
    by_who = {who: rows.filter(who=who)["image_id"].to_list() for who in (PEOPLE, MODELS, EVERYBODY)}
    both = set(by_who[EVERYBODY])
    return {
        Misser.BOTH: by_who[EVERYBODY],
        Misser.PEOPLE: [one for one in by_who[PEOPLE] if one not in both],
        Misser.MODELS: [one for one in by_who[MODELS] if one not in both],
    }


def _open_album(study: Study, status: StudyStatus, name: str, *, labels: str) -> _Album | None:
    """The pictures of a set and everybody's answers; None where no file is known."""
    entry = get_test_set(study, name)
    places = load_places(study, entry)
    if not any(place.path for place in places):
        return None
    test_set = load_test_set(study, entry)
    label_set = None if labels == DATASET_LABELS else load_label_set(study, get_label_set(study, labels))
    row_of = {image_id: row for row, image_id in enumerate(test_set.image_ids.tolist())}
    answers: dict[ParticipantKind, list[IntArray]] = {kind: [] for kind in ParticipantKind}
    for one in status.predictions:
        if one.test_set == name:
            given = load_predictions(study, one, test_set=test_set, digest=entry.digest)
            rows = np.array([row_of.get(image_id, NO_ROW) for image_id in given.image_ids.tolist()], np.int64)
            column = np.full(len(row_of), NO_CLASS, np.int32)
            column[rows[rows != NO_ROW]] = given.classes[rows != NO_ROW, 0]
            answers[one.kind].append(column)
    known = test_set.image_ids, test_set.labels, study.taxonomy
    pictures = PictureAlbum(entry.root, places, *known, label_set, SIDE)
    people, models = (tuple(answers[kind]) for kind in (ParticipantKind.PERSON, ParticipantKind.MODEL))
    return _Album(pictures, row_of, people, models)
