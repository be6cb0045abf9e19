"""What users hand over (names, paths, records) → records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from regauge.arrays import AnyArray, find_repeated
from regauge.errors import FormatError, InputError
from regauge.evaluation.targets import Target, combine_truths, key_rows, line_up, line_up_rows
from regauge.formats.classes import check_indices
from regauge.formats.labels.truth import load_truth as read_truth
from regauge.formats.predictions.arguments import PredictionFile, find_prediction_files
from regauge.formats.predictions.arrays import ArrayInputs, Ids, holds_paths, is_array, read_arrays
from regauge.formats.predictions.files import load_predictions as read_predictions
from regauge.formats.taxonomies import load_taxonomy
from regauge.predictions.topk import find_top_k
from regauge.records.labels.label_set import LabelSet, Truth, Unlisted
from regauge.records.predictions import Logits, Predictions
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.rows import AnswerRows, LabelRows, LogitRows
from regauge.records.testsets.test_set import TestSet

TaxonomyLike: TypeAlias = Taxonomy | str | Path | None
TruthPart: TypeAlias = Truth | TestSet | LabelSet | str | Path
TruthLike: TypeAlias = TruthPart | Iterable[TruthPart]


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant whose answers are read only when they are needed."""

    name: str
    load: Callable[[], Predictions]


PredictionsPart: TypeAlias = Participant | Predictions | Logits | str | Path
PredictionsLike: TypeAlias = PredictionsPart | Iterable[PredictionsPart]
ArrayPredictions: TypeAlias = AnyArray | Mapping[str, AnyArray] | Mapping[str, str | Path]


@dataclass(frozen=True, slots=True)
class TestSetAnswers:
    """What participants answered on one test set, and its truth.

    Attributes:
        predictions: files, folders, globs or records, see `find_participants`; or an array, or a dictionary with one per model.
        truth: files, folders or records, see `load_truth`; or an array of labels.
        ids: image ids of arrays and of `.npy` logits. Arrays without them are paired row by row, and join nothing else.
        name: what outputs call the test set; as its truth is called unless given.
        unlisted: what a class in none of an image's lists means, when the truth's own sign is not to be believed.
    """

    # Told to pytest, which would otherwise take a class of this name for tests.
    __test__ = False

    predictions: PredictionsLike | ArrayPredictions
    truth: TruthLike | AnyArray
    ids: Ids = None
    name: str | None = None
    unlisted: Unlisted | None = None


@dataclass(frozen=True, slots=True, eq=False)
class OpenedAnswers:
    """A test set lined up, who answered it, and what its reader found."""

    target: Target
    participants: tuple[Participant, ...]
    notes: tuple[str, ...]
    taxonomy: Taxonomy | None = None


def open_taxonomy(taxonomy: TaxonomyLike) -> Taxonomy | None:
    """The taxonomy of that name or in that file; None stays None."""
    return load_taxonomy(taxonomy) if isinstance(taxonomy, str | Path) else taxonomy


def open_answers(answers: TestSetAnswers, *, taxonomy: Taxonomy | None) -> OpenedAnswers:
    """The truth, read and lined up, and the participants, of whom nothing is read yet."""
    arrays = read_arrays(answers.predictions, answers.truth, ids=answers.ids, taxonomy=taxonomy)
    if arrays is not None and isinstance(arrays.labels, LabelRows):
        return _open_rows(arrays, arrays.labels, answers)
    labels = None if arrays is None else arrays.labels
    given = answers.truth if labels is None else labels
    truth = load_truth(given, taxonomy=taxonomy, unlisted=answers.unlisted)  # type: ignore[arg-type]
    target = line_up(truth, n_classes=None if taxonomy is None else len(taxonomy))
    named = target if answers.name is None else replace(target, name=answers.name)
    if arrays is not None and arrays.answers is not None:
        participants = tuple(_from_array(one, named) for one in arrays.answers)
    else:
        participants = find_participants(answers.predictions, taxonomy=taxonomy, ids=_get_ids_file(answers, arrays))  # type: ignore[arg-type]
    return OpenedAnswers(named, participants, tuple(truth.notes), taxonomy if arrays is None else arrays.taxonomy)


def _open_rows(arrays: ArrayInputs, labels: LabelRows, answers: TestSetAnswers) -> OpenedAnswers:
    """Labels without ids, and the answers that are paired with them row by row."""
    classes = arrays.taxonomy
    target = line_up_rows(labels, n_classes=None if classes is None else len(classes))
    named = target if answers.name is None else replace(target, name=answers.name)
    if arrays.answers is None:
        find_participants(answers.predictions, taxonomy=classes)  # type: ignore[arg-type]
        raise InputError(
            "The labels are an array without image ids, and the predictions are keyed by them; say which image each label is of "
            "with `ids=…`."
        )
    return OpenedAnswers(named, tuple(_from_array(one, named) for one in arrays.answers), (), classes)


def _from_array(one: Predictions | Logits | AnswerRows | LogitRows, target: Target) -> Participant:
    keyed = key_rows(one, target) if isinstance(one, AnswerRows | LogitRows) else one
    return Participant(keyed.participant, partial(_rank, keyed))


def _get_ids_file(answers: TestSetAnswers, arrays: ArrayInputs | None) -> str | Path | None:
    """The file of ids that goes with files of logits; ids in an array go with arrays alone."""
    if answers.ids is None or isinstance(answers.ids, str | Path):
        return answers.ids
    if arrays is None:
        raise InputError("Neither predictions nor truth are arrays; files have their ids inside, or in a file of ids.")
    return None


def load_truth(truth: TruthLike, *, taxonomy: TaxonomyLike = None, unlisted: Unlisted | None = None) -> Truth:
    """One truth from files, records or several of them.

    Args:
        truth: a file or folder of any format in docs/formats.md, a record, or several of these to be combined.
        taxonomy: the classes; without it, files must name classes by index.
        unlisted: what a class in none of an image's lists means, when the file's own sign is not to be believed.
    """
    classes = open_taxonomy(taxonomy)
    _refuse_arrays(truth, "TestSet")
    parts = [truth] if isinstance(truth, Truth | TestSet | LabelSet | str | Path) else list(truth)
    if not parts:
        raise InputError("A truth is needed: give at least one file or record.")
    return combine_truths([_open_truth(part, classes, unlisted) for part in parts])


def load_predictions(
    predictions: str | Path, *, taxonomy: TaxonomyLike = None, ids: str | Path | None = None
) -> Predictions:
    """One participant's answers from a file of any format in docs/formats.md; logits are cut to the five best."""
    participants = find_participants(predictions, taxonomy=taxonomy, ids=ids)
    if len(participants) != 1:
        raise InputError(f"{predictions} holds {len(participants)} participants; name one file.")
    return participants[0].load()


def find_participants(
    predictions: PredictionsLike, *, taxonomy: TaxonomyLike = None, ids: str | Path | None = None
) -> tuple[Participant, ...]:
    """The participants that files, folders, globs (each also as NAME=PATH) or records stand for; nothing is read yet.

    Raises:
        InputError: there is no participant, or two have the same name.
    """
    classes = open_taxonomy(taxonomy)
    ids_path = None if ids is None else Path(ids)
    if isinstance(predictions, Mapping) and holds_paths(predictions):
        return tuple(
            _from_file(PredictionFile(str(name), Path(path)), classes, ids_path) for name, path in predictions.items()
        )
    _refuse_arrays(predictions, "Predictions")
    parts = (
        [predictions] if isinstance(predictions, Participant | Predictions | Logits | str | Path) else list(predictions)
    )
    paths = [part for part in parts if isinstance(part, str | Path)]
    found = [_from_file(file, classes, ids_path) for file in find_prediction_files(paths)]
    found += [_from_record(part, classes) for part in parts if not isinstance(part, str | Path)]
    repeated = find_repeated(participant.name for participant in found)
    if repeated is not None:
        raise InputError(f"Two participants are called {repeated!r}; rename one.")
    if not found:
        raise InputError("Predictions are needed: give at least one file or record.")
    return tuple(found)


def _refuse_arrays(given: object, record: str) -> None:
    """Arrays have no ids, and what is done here needs them."""
    records = (Truth, TestSet, LabelSet, Participant, Predictions, Logits)
    parts = given if isinstance(given, list | tuple) else [given]
    if not isinstance(given, (str, Path, Iterable, *records)):
        raise InputError(f"Files, records or arrays are needed here, not something of type {type(given).__name__}.")
    for part in parts:
        if is_array(given) or is_array(part) or isinstance(part, Mapping):
            raise InputError(
                f"An array has no image ids, which are needed here; make it a regauge.{record} with its ids."
            )
        if isinstance(given, list | tuple) and not isinstance(part, (str, Path, *records)):
            raise InputError(f"A list holds files or records, not {type(part).__name__}.")


def _open_truth(part: TruthPart, taxonomy: Taxonomy | None, unlisted: Unlisted | None) -> Truth:
    if isinstance(part, str | Path):
        return read_truth(part, taxonomy=taxonomy, unlisted=unlisted)
    if isinstance(part, TestSet):
        return _check_truth(Truth(part), taxonomy)
    return _check_truth(Truth(label_sets=(part,)) if isinstance(part, LabelSet) else part, taxonomy)


def _check_truth(truth: Truth, taxonomy: Taxonomy | None) -> Truth:
    if truth.test_set is not None:
        check_indices(truth.test_set.labels, taxonomy)
    for label_set in truth.label_sets:
        check_indices(label_set.classes, taxonomy)
        check_indices(label_set.main_labels, taxonomy)
    return truth


def _from_file(file: PredictionFile, taxonomy: Taxonomy | None, ids: Path | None) -> Participant:
    return Participant(file.participant, partial(_load_file, file, taxonomy, ids))


def _load_file(file: PredictionFile, taxonomy: Taxonomy | None, ids: Path | None) -> Predictions:
    part = read_predictions(file, taxonomy=taxonomy, ids=ids)
    try:
        return _rank(part)
    except InputError as error:
        raise FormatError(file.path, str(error)) from None


def _from_record(part: Participant | Predictions | Logits, taxonomy: Taxonomy | None) -> Participant:
    if isinstance(part, Participant):
        return part
    return Participant(part.participant, partial(_check, part, taxonomy))


def _check(part: Predictions | Logits, taxonomy: Taxonomy | None) -> Predictions:
    predictions = _rank(part)
    check_indices(predictions.classes, taxonomy)
    return predictions


def _rank(part: Predictions | Logits) -> Predictions:
    if isinstance(part, Predictions):
        return part
    top = find_top_k(part.values, image_ids=part.image_ids)
    return Predictions(part.participant, part.image_ids, top.classes, top.scores)
