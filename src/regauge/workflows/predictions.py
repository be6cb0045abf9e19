"""The participants' answers of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from regauge.arrays import NO_CLASS, ScoreArray
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.targets import Target, line_up, line_up_answers
from regauge.formats.predictions.participants import Participant
from regauge.predictions.order import find_order_warning
from regauge.records.keywords import choose_word
from regauge.records.labels.label_set import Truth
from regauge.records.names import check_name
from regauge.records.predictions import EVERYBODY, ParticipantChoice, ParticipantKind, Predictions
from regauge.records.studies import ParticipantEntry, PredictionsEntry, TestSetEntry
from regauge.storage.events import add_event
from regauge.storage.files import hash_file
from regauge.storage.participants import load_participants, save_participant
from regauge.storage.predictions import AlignedAnswers, insert_predictions
from regauge.storage.predictions import list_predictions as list_stored
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set, load_test_set
from regauge.workflows.inputs import PredictionsLike, find_participants

__all__ = [
    "AddedPredictions",
    "AlignedPredictions",
    "PredictionSource",
    "add_predictions",
    "align_predictions",
    "list_predictions",
    "mark_participants",
    "store_predictions",
]


@dataclass(frozen=True, slots=True)
class PredictionSource:
    """What to add: as in `score`.

    Attributes:
        predictions: files, folders, globs (each also as NAME=PATH) or records.
        ids: a file that tells the order of arrays without ids: one id per line, or a truth whose order is meant.
        columns: what tables call our columns.
        kind: what all of them are, whatever their files say; None where the files say it, or else what is known of them.
        family: what all of them belong with, likewise.
        provenance: where records come from; files are named themselves.
    """

    predictions: PredictionsLike
    ids: Path | None = None
    columns: Mapping[str, str] | None = None
    kind: ParticipantKind | str | None = None
    family: str | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddedPredictions:
    """The predictions as they are stored now, and what the reader should know."""

    entries: tuple[PredictionsEntry, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AlignedPredictions:
    """What participants answered on a test set, in its row order, ready to be stored, and what their files call them."""

    test_set: TestSetEntry
    answers: tuple[AlignedAnswers, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    told: tuple[ToldParticipant, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldParticipant:
    """What is said of somebody with the answers; None where nothing is.

    Attributes:
        name: of whom.
        kind: a model or a person.
        family: what it belongs with.
        is_asked: whether the caller says so, not a file, so that it holds whatever was said before.
    """

    name: str
    kind: ParticipantKind | None
    family: str | None
    is_asked: bool = False


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
    told: list[ToldParticipant] = []
    notes: list[str] = []
    warnings: list[str] = []
    participants = find_participants(
        source.predictions, taxonomy=study.taxonomy, ids=source.ids, columns=source.columns
    )
    for participant in study.around.track(participants, "Reading predictions"):
        predictions = participant.load()
        from_where = _find_provenance(participant, source)
        one, n_extra = _align(predictions, target, provenance=from_where, allow_missing=allow_missing)
        told.append(_describe(predictions, source))
        warnings += find_order_warning(participant.name, one.classes, labels=target.dataset_labels)
        notes += _note(one, n_extra, entry.name)
        answers.append(one)
    return AlignedPredictions(entry, tuple(answers), tuple(notes), tuple(warnings), tuple(told))


def store_predictions(study: Study, aligned: AlignedPredictions, *, replace: bool = False) -> AddedPredictions:
    """The second half of `add_predictions`, which writes.

    Raises:
        InputError: a participant is already there with other answers, or somebody new has a name that is none.
    """
    entry = aligned.test_set
    _check_names(study, [one.participant for one in aligned.answers])
    _save_told(study, aligned.told)
    is_new = {
        answers.participant: insert_predictions(study, answers, test_set=entry, anew=replace)
        for answers in aligned.answers
    }
    entries = tuple(one for one in list_stored(study, entry) if one.participant in is_new)
    stored = {one.participant: one.sha256 for one in entries if is_new[one.participant]}
    if stored:
        add_event(study, "predictions add", {"test_set": entry.name, "predictions": stored, "replace": replace})
    there = [f"{name} is already there with the same answers." for name, new in is_new.items() if not new]
    return AddedPredictions(entries, (*aligned.notes, *there), aligned.warnings)


def list_predictions(
    study: Study, test_set: str | None = None, *, chosen: ParticipantChoice = EVERYBODY
) -> tuple[PredictionsEntry, ...]:
    """All predictions, or those on one test set; of everybody, or of those who are meant."""
    found = list_stored(study, None if test_set is None else get_test_set(study, test_set))
    return tuple(chosen.keep(found))


def mark_participants(
    study: Study, names: Sequence[str], *, kind: ParticipantKind | str | None = None, family: str | None = None
) -> tuple[ParticipantEntry, ...]:
    """Say what participants are, and what they belong with; what is not said stays as it was.

    Args:
        study: the study, inside a transaction.
        names: globs on the names of participants.
        kind: models or people.
        family: models of one architecture, people of one group; an empty text means none.

    Raises:
        InputError: nothing is said, or a glob matches nobody.
    """
    if kind is None and family is None:
        raise InputError("Say what these participants are with `kind=…`, or what they belong with with `family=…`.")
    everybody = list(dict.fromkeys(one.participant for one in list_stored(study, None)))
    for glob in names:
        if not any(fnmatchcase(name, glob) for name in everybody):
            there = ", ".join(everybody[:10]) + (", …" if len(everybody) > 10 else "")
            raise InputError(f"No participant matches {glob!r}; there are: {there or 'none'}.")
    known = load_participants(study)
    said = None if kind is None else choose_word(ParticipantKind, kind, name="kind")
    marked = []
    for name in (name for name in everybody if any(fnmatchcase(name, glob) for glob in names)):
        before = known.get(name, ParticipantEntry(name))
        after = ParticipantEntry(name, said or before.kind, before.family if family is None else family or None)
        if after != before:
            save_participant(study, after)
        marked.append(after)
    add_event(study, "predictions mark", {"participants": [one.name for one in marked], "kind": said, "family": family})
    return tuple(marked)


def _describe(predictions: Predictions, source: PredictionSource) -> ToldParticipant:
    asked = None if source.kind is None else choose_word(ParticipantKind, source.kind, name="kind")
    family = predictions.family if source.family is None else source.family
    return ToldParticipant(predictions.participant, asked or predictions.kind, family, asked is not None)


def _save_told(study: Study, told: Sequence[ToldParticipant]) -> None:
    """Keep what participants are, where that is news.

    Raises:
        InputError: a file calls somebody a model who is a person in the study, or the other way round.
    """
    known = load_participants(study)
    for one in told:
        before = known.get(one.name, ParticipantEntry(one.name))
        if one.kind is not None and not one.is_asked and one.name in known and one.kind is not before.kind:
            raise InputError(
                f"{one.name} is a {before.kind} in this study, and a {one.kind} by these answers; say which with "
                "`kind=…`."
            )
        after = ParticipantEntry(one.name, one.kind or before.kind, one.family or before.family)
        if after != before:
            save_participant(study, after)


def _check_names(study: Study, names: Sequence[str]) -> None:
    """Make sure that those who are new to the study can be called so; whoever is there already keeps the name."""
    known = {one.participant for one in list_stored(study, None)}
    for name in (name for name in names if name not in known):
        check_name(name, what="A participant", how="as NAME=PATH", forbidden=frozenset())


def _find_provenance(participant: Participant, source: PredictionSource) -> Mapping[str, str]:
    """Where somebody's answers come from."""
    path = participant.path
    return source.provenance if path is None else {"file": str(path.resolve()), "sha256": hash_file(path)}


def _align(
    predictions: Predictions, target: Target, *, provenance: Mapping[str, str], allow_missing: bool
) -> tuple[AlignedAnswers, int]:
    """The answers in the target's row order, and how many answers are on other images."""
    classes = line_up_answers(predictions, target, allow_missing=allow_missing)
    scores, seconds = (
        None if numbers is None else _align_numbers(predictions, numbers, target)
        for numbers in (predictions.scores, _stack_seconds(predictions))
    )
    answers = AlignedAnswers(predictions.participant, classes, scores, provenance, seconds)
    return answers, len(predictions) - int((classes[:, 0] != NO_CLASS).sum())


def _align_numbers(predictions: Predictions, numbers: ScoreArray, target: Target) -> ScoreArray:
    """Rows of numbers in the target's row order; not a number where an image has none."""
    ids = predictions.image_ids.tolist()
    rows = np.fromiter((target.row_by_id.get(one, -1) for one in ids), np.int64, count=len(ids))
    aligned = np.full((len(target.image_ids), numbers.shape[1]), np.nan, np.float32)
    aligned[rows[rows >= 0]] = numbers[rows >= 0]
    return aligned


def _stack_seconds(predictions: Predictions) -> ScoreArray | None:
    """Seconds and active seconds, side by side; None where neither is known."""
    known = (predictions.seconds, predictions.active_seconds)
    if all(column is None for column in known):
        return None
    blank = np.full(len(predictions), np.nan, np.float32)
    return np.stack([blank if column is None else column for column in known], axis=1)


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
