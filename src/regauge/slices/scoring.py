"""Score participants on a slice: what they get right, and how severe their mistakes are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from regauge.arrays import NO_CLASS, CountArray, IdArray, IntArray
from regauge.errors import InputError, MissingImagesError
from regauge.estimates import Share, count_things, make_share
from regauge.evaluation.metrics.multilabel import LENIENT, STRICT
from regauge.records.labels.label_set import LabelSet
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.predictions import ParticipantKind, Predictions
from regauge.records.slices.answers import AnswerState, StateArray
from regauge.records.slices.scores import MISTAKE_STATES, SliceMistake, SliceScore, SliceScores, SliceSettings
from regauge.records.slices.slice import Slice
from regauge.records.testsets.test_set import TestSet
from regauge.slices.majors import list_open
from regauge.slices.states import find_states, index_codes
from regauge.stats.intervals import clopper_pearson


@dataclass(frozen=True, slots=True, eq=False)
class SliceTruth:
    """What answers on a slice are held against.

    Attributes:
        label_set: which answers are right.
        codings: how severe the others are; of a pair that several have, the first one's code holds.
        dataset_labels: those of the whole test set, for top-1 accuracy; None where they are not at hand.
        choosers: participants that helped to choose the images, by name, with the checksum of their predictions.
        checksums: the checksums of the participants' predictions, where they are known: the same answers under another name
            helped to choose, too.
    """

    label_set: LabelSet
    codings: tuple[MistakeCoding, ...] = ()
    dataset_labels: TestSet | None = None
    choosers: Mapping[str, str] = field(default_factory=dict)
    checksums: Mapping[str, str] = field(default_factory=dict)


class AnswerReader:
    """First answers by image id; participants who answered the same images, as most have, are looked up in one table."""

    def __init__(self) -> None:
        self._image_ids: IdArray = np.array([], np.str_)
        self._row_of: dict[str, int] = {}
        self._rows: dict[int, tuple[IdArray, CountArray]] = {}

    def read(self, predictions: Predictions, image_ids: IdArray) -> IntArray:
        """The participant's first answer on each image; `NO_CLASS` where there is none."""
        if not np.array_equal(predictions.image_ids, self._image_ids):
            self._image_ids = predictions.image_ids
            self._row_of = {one: row for row, one in enumerate(predictions.image_ids.tolist())}
            self._rows.clear()
        known = self._rows.get(id(image_ids))
        if known is None or known[0] is not image_ids:
            rows = np.array([self._row_of.get(one, -1) for one in image_ids.tolist()], np.int64)
            self._rows[id(image_ids)] = known = (image_ids, rows)
        rows = known[1]
        return np.where(rows < 0, NO_CLASS, predictions.classes[rows, 0]).astype(np.int32)


def score_slice(
    chosen: Slice, participants: Iterable[Predictions], *, truth: SliceTruth, settings: SliceSettings | None = None
) -> SliceScores:
    """What every participant gets right on a slice, and how severe the mistakes are; the best first.

    Raises:
        InputError: a participant has answered no image of the slice, or no image of it counts.
        MissingImagesError: a participant has not answered all of them, and that is not allowed.
    """
    settings = settings or SliceSettings()
    codes, reader = index_codes(truth.codings), AnswerReader()
    accepted = STRICT if settings.is_strict else LENIENT
    names, answers, states, scores = [], [], [], []
    for predictions in participants:
        own = _line_up(predictions, chosen, reader=reader, allow_missing=settings.allow_missing)
        worth = find_states(truth.label_set, chosen.image_ids, classes=own, codes=codes, accepted=accepted)
        top1 = _find_top1(predictions, truth.dataset_labels, reader=reader, level=settings.level)
        scores.append(_score(predictions, worth, truth=truth, top1=top1, level=settings.level))
        names.append(predictions.participant)
        answers.append(own)
        states.append(worth)
    if not names:
        raise InputError(f"Nobody is there to be scored on {chosen.name}; add predictions.")
    table, worths = np.stack(answers), np.stack(states)
    order = sorted(range(len(names)), key=lambda place: (-(scores[place].correct.value or 0.0), names[place]))
    return SliceScores(
        slice=chosen.name,
        labels=truth.label_set.name,
        n_images=len(chosen),
        scores=tuple(scores[place] for place in order),
        mistakes=tuple(
            mistake
            for place in order
            for mistake in _list_mistakes(names[place], chosen.image_ids, table[place], worths[place])
        ),
        queue=list_open(chosen.image_ids, table, states=worths, names=names),
        settings=settings,
        notes=tuple(_describe(chosen, worths, codes.n_conflicts)),
    )


def share_right(n_right: int, n: int, *, level: float, n_unjudged: int = 0) -> Share[float | None]:
    """So many right answers of n by Clopper and Pearson; the upper limit is that of all unjudged ones being right.

    >>> round(share_right(42, 68, level=0.95).low, 4)
    0.4918
    """
    low, _ = clopper_pearson(n_right, n, level=level)
    _, high = clopper_pearson(n_right + n_unjudged, n, level=level)
    share = make_share(n_right, n, limits=(float(low), float(high)), method="clopper-pearson")
    return replace(share, holds_unjudged=n_unjudged > 0)


def _score(
    predictions: Predictions,
    states: StateArray,
    *,
    truth: SliceTruth,
    top1: Share[float | None] | None,
    level: float,
) -> SliceScore:
    counts = {state: int(np.count_nonzero(states == state)) for state in AnswerState}
    n = len(states) - counts[AnswerState.NOT_COUNTED]
    name = predictions.participant
    checksum = truth.checksums.get(name, "")
    is_chooser = name in truth.choosers or (bool(checksum) and checksum in truth.choosers.values())
    return SliceScore(
        participant=name,
        is_person=predictions.kind is ParticipantKind.PERSON,
        correct=share_right(counts[AnswerState.RIGHT], n, level=level, n_unjudged=counts[AnswerState.UNJUDGED]),
        counts={state: counts[state] for state in MISTAKE_STATES},
        n_not_counted=counts[AnswerState.NOT_COUNTED],
        is_comparable=not is_chooser,
        top1=top1,
    )


def _find_top1(
    predictions: Predictions, labels: TestSet | None, *, reader: AnswerReader, level: float
) -> Share[float | None] | None:
    """Accuracy against the dataset labels: of a model on the whole test set, of a person on the images that they answered.

    None where a model answered only a part.
    """
    if labels is None:
        return None
    answers = reader.read(predictions, labels.image_ids)
    is_labelled, is_answered = labels.labels != NO_CLASS, answers != NO_CLASS
    counted = is_labelled & is_answered
    is_part = bool((is_labelled & ~is_answered).any())
    if not counted.any() or (is_part and predictions.kind is not ParticipantKind.PERSON):
        return None
    n_right = int(np.count_nonzero(answers[counted] == labels.labels[counted]))
    return share_right(n_right, int(counted.sum()), level=level)


def _line_up(predictions: Predictions, chosen: Slice, *, reader: AnswerReader, allow_missing: bool) -> IntArray:
    """The first answers on the images of the slice."""
    answers = reader.read(predictions, chosen.image_ids)
    n_missing = int(np.count_nonzero(answers == NO_CLASS))
    if n_missing == len(answers):
        raise InputError(
            f"{predictions.participant} has no answer on any of the {count_things(len(answers), 'image')} of {chosen.name}: the "
            f"first of the slice is {str(chosen.image_ids[0])!r}, and that of the predictions "
            f"{str(predictions.image_ids[0])!r}."
        )
    if n_missing and not allow_missing:
        first_missing = str(chosen.image_ids[int(np.argmax(answers == NO_CLASS))])
        raise MissingImagesError(
            predictions.participant, first=first_missing, n_missing=n_missing, n_images=len(answers)
        )
    return answers


def _list_mistakes(name: str, image_ids: IdArray, classes: IntArray, states: StateArray) -> Iterator[SliceMistake]:
    for row in np.flatnonzero(np.isin(states, MISTAKE_STATES)).tolist():
        yield SliceMistake(name, str(image_ids[row]), int(classes[row]), AnswerState(int(states[row])))


def _describe(chosen: Slice, states: StateArray, n_conflicts: int) -> Iterator[str]:
    n_out = int((states == AnswerState.NOT_COUNTED).all(axis=0).sum())
    if n_out:
        yield f"{count_things(n_out, 'image')} of {chosen.name} left out for everybody: problematic, or without labels."
    if n_conflicts:
        are = count_things(n_conflicts, "prediction is", many="predictions are")
        yield f"{are} coded differently by two codings; the code of the first one named holds."
