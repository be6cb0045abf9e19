"""The participants' answers of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS, ScoreArray
from regauge.estimates import count_things
from regauge.evaluation.targets import Target, line_up, line_up_answers
from regauge.predictions.order import find_order_warning
from regauge.records.labels.label_set import Truth
from regauge.records.names import check_name
from regauge.records.predictions import Predictions
from regauge.records.studies import PredictionsEntry, TestSetEntry
from regauge.storage.events import add_event
from regauge.storage.files import hash_file
from regauge.storage.predictions import AlignedAnswers, insert_predictions
from regauge.storage.predictions import list_predictions as list_stored
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.inputs import Participant, PredictionsLike, find_participants

__all__ = [
    "AddedPredictions",
    "AlignedPredictions",
    "PredictionSource",
    "add_predictions",
    "align_predictions",
    "list_predictions",
    "store_predictions",
]


@dataclass(frozen=True, slots=True)
class PredictionSource:
    """What to add: as in `score`.

    Attributes:
        predictions: files, folders, globs (each also as NAME=PATH) or records.
        ids: a file that tells the order of arrays without ids: one id per line, or a truth whose order is meant.
        columns: what tables call our columns.
    """

    predictions: PredictionsLike
    ids: Path | None = None
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class AddedPredictions:
    """The predictions as they are stored now, and what the reader should know."""

    entries: tuple[PredictionsEntry, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AlignedPredictions:
    """What participants answered on a test set, in its row order, ready to be stored."""

    test_set: TestSetEntry
    answers: tuple[AlignedAnswers, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def add_predictions(
    study: Study,
    source: PredictionSource,
    *,
    test_set: str | None = None,
    replace: bool = False,
    allow_missing: bool = False,
) -> AddedPredictions:
    """Read, align by image id and store what participants answered on a test set; all of them or none.

    Answers that are there already are left as they are, with a note, so that a command that was stopped can be given again.

    Args:
        study: the study, inside a transaction.
        source: whose answers.
        test_set: on which test set; the only one by default.
        replace: put new answers in the place of a participant's other ones, which is an error otherwise.
        allow_missing: accept a participant that lacks some images.

    Raises:
        InputError: there is no such test set, or a participant is already there with other answers.
        MissingImagesError: some images have no answer.
    """
    aligned = align_predictions(study, source, test_set=test_set, allow_missing=allow_missing)
    return store_predictions(study, aligned, replace=replace)


def align_predictions(
    study: Study, source: PredictionSource, *, test_set: str | None = None, allow_missing: bool = False
) -> AlignedPredictions:
    """The first half of `add_predictions`, which reads files and takes its time; a transaction that reads is enough."""
    entry = get_test_set(study, test_set)
    target = line_up(Truth(load_test_set(study, entry)), n_classes=len(study.taxonomy))
    answers: list[AlignedAnswers] = []
    notes: list[str] = []
    warnings: list[str] = []
    participants = find_participants(
        source.predictions, taxonomy=study.taxonomy, ids=source.ids, columns=source.columns
    )
    for participant in study.around.track(participants, "Reading predictions"):
        one, n_extra = _align(participant, target, allow_missing=allow_missing)
        warnings += find_order_warning(participant.name, one.classes, labels=target.dataset_labels)
        notes += _note(one, n_extra, entry.name)
        answers.append(one)
    return AlignedPredictions(entry, tuple(answers), tuple(notes), tuple(warnings))


def store_predictions(study: Study, aligned: AlignedPredictions, *, replace: bool = False) -> AddedPredictions:
    """The second half of `add_predictions`, which writes.

    Raises:
        InputError: a participant is already there with other answers, or somebody new has a name that is none.
    """
    entry = aligned.test_set
    _check_names(study, [one.participant for one in aligned.answers])
    is_new = {
        answers.participant: insert_predictions(study, answers, test_set=entry, replace=replace)
        for answers in aligned.answers
    }
    entries = tuple(one for one in list_stored(study, entry) if one.participant in is_new)
    stored = {one.participant: one.sha256 for one in entries if is_new[one.participant]}
    if stored:
        add_event(study, "predictions add", {"test_set": entry.name, "predictions": stored, "replace": replace})
    there = [f"{name} is already there with the same answers." for name, new in is_new.items() if not new]
    return AddedPredictions(entries, (*aligned.notes, *there), aligned.warnings)


def list_predictions(study: Study, test_set: str | None = None) -> tuple[PredictionsEntry, ...]:
    """All predictions, or those on one test set."""
    return list_stored(study, None if test_set is None else get_test_set(study, test_set))


def _check_names(study: Study, names: Sequence[str]) -> None:
    """Make sure that those who are new to the study can be called so; whoever is there already keeps the name."""
    known = {one.participant for one in list_stored(study, None)}
    for name in (name for name in names if name not in known):
        check_name(name, what="A participant", how="as NAME=PATH", forbidden=frozenset())


def _align(participant: Participant, target: Target, *, allow_missing: bool) -> tuple[AlignedAnswers, int]:
    """The answers in the target's row order, and how many answers are on other images."""
    predictions, path = participant.load(), participant.path
    classes = line_up_answers(predictions, target, allow_missing=allow_missing)
    provenance = {} if path is None else {"file": str(path.resolve()), "sha256": hash_file(path)}
    answers = AlignedAnswers(participant.name, classes, _align_scores(predictions, target), provenance)
    return answers, len(predictions) - int((classes[:, 0] != NO_CLASS).sum())


def _align_scores(predictions: Predictions, target: Target) -> ScoreArray | None:
    if predictions.scores is None:
        return None
    ids = predictions.image_ids.tolist()
    rows = np.fromiter((target.row_by_id.get(one, -1) for one in ids), np.int64, count=len(ids))
    scores = np.full((len(target.image_ids), predictions.scores.shape[1]), np.nan, np.float32)
    scores[rows[rows >= 0]] = predictions.scores[rows >= 0]
    return scores


def _note(answers: AlignedAnswers, n_extra: int, test_set: str) -> list[str]:
    n_missing = int((answers.classes[:, 0] == NO_CLASS).sum())
    notes = []
    if n_missing:
        notes.append(f"{answers.participant} has no prediction for {n_missing:,} of {len(answers.classes):,} images.")
    if n_extra:
        notes.append(
            f"{answers.participant} also answers {count_things(n_extra, 'image that is', many='images that are')} "
            f"not in {test_set} (ignored)."
        )
    return notes
