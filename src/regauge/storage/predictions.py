"""Predictions ↔ a row and one or two arrays in the row order of their test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from sqlalchemy import delete, insert, select

from regauge.arrays import NO_CLASS, IntArray, ScoreArray
from regauge.errors import InputError, StorageError
from regauge.records.predictions import EVERYBODY, ParticipantChoice, Predictions
from regauge.records.studies import ParticipantEntry, PredictionsEntry, TestSetEntry
from regauge.records.testsets.test_set import TestSet
from regauge.storage.arrays import open_array, store_array
from regauge.storage.database.schema import ARRAY_COLUMNS, predictions, test_sets
from regauge.storage.participants import load_participants
from regauge.storage.study import Study

N_TIMES = 2
"""Seconds and active seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class AlignedAnswers:
    """One participant's answers in the row order of a test set.

    Attributes:
        participant: who answered.
        classes: [images, k]; a row of `NO_CLASS` where an image has no answer.
        scores: [images, k] where known; not a number where there is no answer.
        provenance: where they come from.
        seconds: [images, 2] how long each answer took from the image being shown, and how much of that was work; not a number
            where nobody knows. None where nothing is known of any.
    """

    participant: str
    classes: IntArray
    scores: ScoreArray | None
    provenance: Mapping[str, Any]
    seconds: ScoreArray | None = None


def insert_predictions(study: Study, answers: AlignedAnswers, *, test_set: TestSetEntry, anew: bool) -> bool:
    """Write the arrays, then the row that refers to them; says whether anything is new.

    Answers that are there already are left as they are, so that a command that was stopped can be given again.

    Raises:
        InputError: the participant has other predictions on the test set, and these are not to take their place (`anew`).
    """
    folder = study.paths.predictions
    sha256 = store_array(answers.classes.astype(np.int32), folder)
    scores_sha256, seconds_sha256 = (
        None if numbers is None else store_array(numbers.astype(np.float32), folder)
        for numbers in (answers.scores, answers.seconds)
    )
    mine = (predictions.c.test_set_id == test_set.id) & (predictions.c.participant == answers.participant)
    columns = [predictions.c[name] for name in ARRAY_COLUMNS]
    stored = study.connection.execute(select(*columns).where(mine)).one_or_none()
    if stored is not None and not anew:
        if tuple(stored) == (sha256, scores_sha256, seconds_sha256):
            return False
        raise InputError(
            f"{answers.participant} already has predictions on {test_set.name}, and these are others; replace them with "
            "`replace=True`, or name the new ones differently with NAME=PATH."
        )
    study.connection.execute(delete(predictions).where(mine))
    row = {
        "test_set_id": test_set.id,
        "participant": answers.participant,
        "test_set_digest": test_set.digest,
        "k": answers.classes.shape[1],
        "n_answered": int((answers.classes[:, 0] != NO_CLASS).sum()),
        "has_scores": answers.scores is not None,
        "sha256": sha256,
        "scores_sha256": scores_sha256,
        "seconds_sha256": seconds_sha256,
        "added_at": study.around.now(),
        "provenance": dict(answers.provenance),
    }
    study.connection.execute(insert(predictions), row)
    return True


def list_predictions(study: Study, test_set: TestSetEntry | None = None) -> tuple[PredictionsEntry, ...]:
    """All predictions, or those on one test set, in the order in which they were added."""
    columns = [column for column in predictions.c if column.name not in {"id", "test_set_id"}]
    query = select(test_sets.c.name.label("test_set"), *columns).join(test_sets).order_by(predictions.c.id)
    if test_set is not None:
        query = query.where(predictions.c.test_set_id == test_set.id)
    known = load_participants(study)
    found = [PredictionsEntry(**row) for row in study.connection.execute(query).mappings()]
    told = [known.get(one.participant, ParticipantEntry(one.participant)) for one in found]
    return tuple(replace(one, kind=who.kind, family=who.family) for one, who in zip(found, told, strict=True))


def get_predictions(
    study: Study, test_set: TestSetEntry, *, participants: Sequence[str] = (), chosen: ParticipantChoice = EVERYBODY
) -> tuple[PredictionsEntry, ...]:
    """The predictions on a test set of those whose names match one of the globs; everybody's without globs.

    Args:
        study: the study, inside a transaction.
        test_set: the test set.
        participants: globs on names.
        chosen: the kind and the families of those who are meant.

    Raises:
        InputError: there is nobody, or nobody matches.
    """
    known = list_predictions(study, test_set)
    if not known:
        raise InputError(
            f"Nobody has predictions on {test_set.name} yet; add them with: regauge predictions add FILE…."
        )
    for glob in participants:
        if not any(fnmatchcase(one.participant, glob) for one in known):
            names = ", ".join(one.participant for one in known[:10]) + (", …" if len(known) > 10 else "")
            raise InputError(f"No participant on {test_set.name} matches {glob!r}; there are: {names}.")
    globs = participants or ("*",)
    named = [one for one in known if any(fnmatchcase(one.participant, glob) for glob in globs)]
    return tuple(chosen.keep(named, where=f"on {test_set.name}"))


def load_first_answers(study: Study, test_set: TestSetEntry, rows: Sequence[int]) -> IntArray:
    """The first answer of every participant to some images of a test set, by participant and row; `NO_CLASS` where none.

    Predictions on another state of the test set are left out.
    """
    entries = [one for one in list_predictions(study, test_set) if one.test_set_digest == test_set.digest]
    found = np.full((len(entries), len(rows)), NO_CLASS, np.int32)
    for answers, entry in zip(found, entries, strict=True):
        shape = (test_set.n_images, entry.k)
        answers[:] = open_array(entry.sha256, study.paths.predictions, shape=shape, dtype=np.int32)[list(rows), 0]
    return found


def open_scored(study: Study, entry: PredictionsEntry, *, test_set: TestSetEntry) -> tuple[IntArray, ScoreArray]:
    """The answers and their scores [image, k] in the order of the test set, as they lie on the disk.

    Raises:
        InputError: the answers have no scores.
        StorageError: the arrays are gone or damaged, or belong to another state of the test set.
    """
    if entry.scores_sha256 is None:
        raise InputError(f"The answers of {entry.participant} have no scores.")
    if entry.test_set_digest != test_set.digest:
        raise StorageError(
            f"The predictions of {entry.participant} belong to another state of {entry.test_set}; add them again."
        )
    shape, folder = (test_set.n_images, entry.k), study.paths.predictions
    classes = open_array(entry.sha256, folder, shape=shape, dtype=np.int32)
    return classes, open_array(entry.scores_sha256, folder, shape=shape, dtype=np.float32)


def load_predictions(study: Study, entry: PredictionsEntry, *, test_set: TestSet, digest: str) -> Predictions:
    """The answers with their image ids; images without an answer are left out.

    Raises:
        StorageError: the arrays are gone or damaged, or belong to other rows than those of the test set.
    """
    if entry.test_set_digest != digest:
        raise StorageError(
            f"The predictions of {entry.participant} belong to another state of {entry.test_set}; add them again."
        )
    shape, folder = (len(test_set), entry.k), study.paths.predictions
    classes = open_array(entry.sha256, folder, shape=shape, dtype=np.int32)
    scores, seconds, active_seconds = None, None, None
    if entry.scores_sha256 is not None:
        scores = open_array(entry.scores_sha256, folder, shape=shape, dtype=np.float32)
    if entry.seconds_sha256 is not None:
        times = open_array(entry.seconds_sha256, folder, shape=(len(test_set), N_TIMES), dtype=np.float32)
        seconds, active_seconds = (None if np.isnan(one).all() else one for one in np.asarray(times).T)
    columns: dict[str, Any] = {"image_ids": test_set.image_ids, "classes": classes, "scores": scores}
    columns |= {"seconds": seconds, "active_seconds": active_seconds}
    if entry.n_answered < len(test_set):
        answered = classes[:, 0] != NO_CLASS
        columns = {name: None if column is None else column[answered] for name, column in columns.items()}
    return Predictions(entry.participant, kind=entry.kind, family=entry.family, **columns)
