"""What users hand over (names, paths, records) → records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from regauge.arrays import AnyArray, find_repeated
from regauge.errors import FormatError, InputError
from regauge.evaluation.targets import Target, combine_truths, key_rows, line_up, line_up_rows
from regauge.formats.classes import check_indices
from regauge.formats.labels.truth import load_truth as read_truth
from regauge.formats.labels.truth_tables import TRUTH_FIELDS
from regauge.formats.predictions.arguments import PredictionFile, check_names, find_prediction_files
from regauge.formats.predictions.files import find_answers
from regauge.formats.predictions.in_memory import ArrayInputs, Ids, holds_paths, is_array, read_arrays
from regauge.formats.predictions.participants import Participant
from regauge.formats.predictions.tables import PREDICTION_FIELDS
from regauge.formats.relations import load_relations
from regauge.formats.tables import IMAGE_ID, parse_columns
from regauge.formats.taxonomies import load_taxonomy
from regauge.formats.text import split_part
from regauge.labels.relations import relate_truth
from regauge.predictions.topk import find_top_k
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import LabelSet, Truth, Unlisted
from regauge.records.predictions import EVERYBODY, Logits, ParticipantChoice, Predictions
from regauge.records.progress import Track, track_silently
from regauge.records.taxonomy import ClassRelation, Taxonomy
from regauge.records.testsets.rows import AnswerRows, LabelRows, LogitRows
from regauge.records.testsets.test_set import TestSet
from regauge.taxonomy.relations import check_relations

COLUMNS: Mapping[str, tuple[str, ...]] = {"truth": TRUTH_FIELDS, "predictions": PREDICTION_FIELDS}
"""Our columns that files of each kind may call otherwise, beside image_id."""

MAX_NAMED = 20
"""Of how many who are not meant the families are kept, to name them where nobody is."""

TaxonomyLike: TypeAlias = Taxonomy | str | Path | None
TruthPart: TypeAlias = Truth | TestSet | LabelSet | str | Path
TruthLike: TypeAlias = TruthPart | Iterable[TruthPart]
RelationsLike: TypeAlias = str | Path | Iterable[ClassRelation]
CountsLike: TypeAlias = SelectionCounts | str | Path


PredictionsPart: TypeAlias = Participant | Predictions | Logits | str | Path
PredictionsLike: TypeAlias = PredictionsPart | Iterable[PredictionsPart]
ArrayPredictions: TypeAlias = AnyArray | Mapping[str, AnyArray] | Mapping[str, str | Path]


@dataclass(frozen=True, slots=True)
class TestSetAnswers:
    """What participants answered on one test set, and its truth.

    Attributes:
        predictions: files, folders, globs or records, see `find_participants`; or an array, or a dictionary with one per model.
        truth: files, folders or records, see `load_truth`; or an array of labels.
        ids: image ids of arrays, which are paired row by row without them and join nothing else; or a file that tells the order
            of arrays in files: one id per line, or a truth whose order is meant.
        name: what outputs call the test set; as its truth is called by default.
        unlisted: what a class in none of an image's lists means, when the truth's own sign is not to be believed.
        columns: what tables call our columns, such as {"image_id": "ImageId", "label": "PredictionString"}.
        synsets: a file with the class ids in the order in which the ILSVRC devkit numbers them.
        relations: relations between classes that are applied to every label set of the truth, as a file or records.
        chosen: the kind and the families of the participants who are meant; everybody by default.
    """

    # Told to pytest, which would otherwise take a class of this name for tests.
    __test__ = False

    predictions: PredictionsLike | ArrayPredictions
    truth: TruthLike | AnyArray
    ids: Ids = None
    name: str | None = None
    unlisted: Unlisted | None = None
    columns: Mapping[str, str] | None = None
    synsets: Path | None = None
    relations: RelationsLike | None = None
    chosen: ParticipantChoice = EVERYBODY


@dataclass(frozen=True, slots=True, eq=False)
class OpenedAnswers:
    """A test set lined up, who answered it, and what its reader found; of the participants, who is meant."""

    target: Target
    participants: tuple[Participant, ...]
    notes: tuple[str, ...]
    taxonomy: Taxonomy | None = None
    chosen: ParticipantChoice = EVERYBODY

    def load(self, track: Track = track_silently, words: str = "Reading") -> Iterator[Predictions]:
        """The answers of those who are meant, one by one.

        Raises:
            InputError: nobody is meant, which only shows when all are read.
        """
        passed: list[Predictions] = []
        is_anybody = False
        for participant in track(self.participants, words):
            found = participant.load()
            if self.chosen.has(found):
                is_anybody = True
                yield found
            elif found.family and len(passed) < MAX_NAMED:
                passed.append(found)
        if not is_anybody:
            self.chosen.refuse(passed)


def read_columns(text: str | None, *, of: Iterable[str] = tuple(COLUMNS)) -> dict[str, str]:
    """What `--columns image_id=ImageId,label=Class` means: our name of a column → the file's.

    Args:
        text: the pairs with commas between; None means none.
        of: of which files, `truth` or `predictions` or both.

    Raises:
        InputError: a pair is none, or names a column that such files do not have.
    """
    return parse_columns(text, (IMAGE_ID, *dict.fromkeys(name for kind in of for name in COLUMNS[kind])))


def open_taxonomy(taxonomy: TaxonomyLike) -> Taxonomy | None:
    """The taxonomy of that name or in that file; None stays None."""
    return load_taxonomy(taxonomy) if isinstance(taxonomy, str | Path) else taxonomy


def open_answers(answers: TestSetAnswers, *, taxonomy: Taxonomy | None) -> OpenedAnswers:
    """The truth, read and lined up, and the participants, of whom nothing is read yet."""
    arrays = read_arrays(answers.predictions, answers.truth, ids=answers.ids, taxonomy=taxonomy)
    if arrays is not None and isinstance(arrays.labels, LabelRows):
        return _open_rows(arrays, arrays.labels, answers)
    labels = None if arrays is None else arrays.labels
    ids = _get_ids_file(answers, arrays)
    truth = load_truth(
        answers.truth if labels is None else labels,  # type: ignore[arg-type]
        taxonomy=taxonomy,
        unlisted=answers.unlisted,
        columns=answers.columns,
        synsets=answers.synsets,
        ids=ids,
    )
    if answers.relations is not None:
        truth = relate_truth(truth, open_relations(answers.relations, taxonomy=taxonomy))
    target = line_up(truth, n_classes=None if taxonomy is None else len(taxonomy))
    named = target if answers.name is None else replace(target, name=answers.name)
    if arrays is not None and arrays.answers is not None:
        participants = tuple(_from_array(one, named) for one in arrays.answers)
    else:
        order = ids or _find_own_order(answers)
        participants = find_participants(
            answers.predictions,  # type: ignore[arg-type]
            taxonomy=taxonomy,
            ids=order,
            columns=answers.columns,
        )
    classes = taxonomy if arrays is None else arrays.taxonomy
    return OpenedAnswers(named, participants, tuple(truth.notes), classes, answers.chosen)


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
    notes: tuple[str, ...] = ()
    if answers.relations is not None:
        rows = Truth(TestSet(labels.name, target.image_ids, labels.labels))
        notes = relate_truth(rows, open_relations(answers.relations, taxonomy=classes)).notes
    participants = tuple(_from_array(one, named) for one in arrays.answers)
    return OpenedAnswers(named, participants, notes, classes, answers.chosen)


def open_relations(relations: RelationsLike, *, taxonomy: Taxonomy | None = None) -> tuple[ClassRelation, ...]:
    """Relations from a file or records, of which those that are accepted can hold together.

    Raises:
        InputError: accepted relations contradict each other, or a class is not one of the taxonomy.
    """
    if not isinstance(relations, str | Path):
        given = tuple(relations)
        check_relations((one for one in given if one.is_accepted), taxonomy)
        return given
    read = load_relations(relations, taxonomy=taxonomy)
    try:
        check_relations((one for one in read if one.is_accepted), taxonomy)
    except InputError as error:
        raise FormatError(relations, str(error)) from None
    return read


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


def _find_own_order(answers: TestSetAnswers) -> Path | None:
    """The one file that holds both answers and truth: its rows are in the order of its rows."""
    both = (answers.predictions, answers.truth)
    paths = [{str(part) for part in _list_parts(side) if isinstance(part, str | Path)} for side in both]
    shared = paths[0] & paths[1]
    return Path(shared.pop()) if len(shared) == 1 and paths[0] == paths[1] else None


def _list_parts(given: object) -> list[object]:
    return list(given) if isinstance(given, tuple | list) else [given]


def load_truth(  # noqa: PLR0913 - what a file cannot say of itself, all by name
    truth: TruthLike,
    *,
    taxonomy: TaxonomyLike = None,
    unlisted: Unlisted | None = None,
    columns: Mapping[str, str] | None = None,
    synsets: str | Path | None = None,
    ids: str | Path | None = None,
) -> Truth:
    """One truth from files, records or several of them.

    Args:
        truth: a file or folder of any format in docs/formats.md, a record, or several of these to be combined.
        taxonomy: the classes; without it, files must name classes by index.
        unlisted: what a class in none of an image's lists means, when the file's own sign is not to be believed.
        columns: what tables call our columns, such as {"image_id": "ImageId", "label": "PredictionString"}.
        synsets: a file with the class ids in the order in which the ILSVRC devkit numbers them.
        ids: a file with the image ids of an array of labels, one per line.
    """
    classes = open_taxonomy(taxonomy)
    _refuse_arrays(truth, "TestSet")
    parts = [truth] if isinstance(truth, Truth | TestSet | LabelSet | str | Path) else list(truth)
    if not parts:
        raise InputError("A truth is needed: give at least one file or record.")
    read = partial(
        read_truth,
        taxonomy=classes,
        unlisted=unlisted,
        columns=columns,
        synsets=None if synsets is None else Path(synsets),
        ids=None if ids is None else Path(ids),
    )
    return combine_truths(
        [read(part) if isinstance(part, str | Path) else _open_record(part, classes) for part in parts]
    )


def load_predictions(
    predictions: str | Path,
    *,
    taxonomy: TaxonomyLike = None,
    ids: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> Predictions:
    """One participant's answers from a file of any format in docs/formats.md; logits are cut to the five best."""
    participants = find_participants(predictions, taxonomy=taxonomy, ids=ids, columns=columns)
    if len(participants) != 1:
        raise InputError(f"{predictions} holds {len(participants)} participants; name one file.")
    return participants[0].load()


def find_participants(
    predictions: PredictionsLike,
    *,
    taxonomy: TaxonomyLike = None,
    ids: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[Participant, ...]:
    """The participants that files, folders, globs (each also as NAME=PATH) or records stand for.

    Nothing is read yet, but for tables that hold several participants and name them.

    Raises:
        InputError: there is no participant, or two have the same name.
    """
    classes = open_taxonomy(taxonomy)
    ids_path = None if ids is None else Path(ids)
    parts: list[PredictionsPart] = []
    if isinstance(predictions, Mapping) and holds_paths(predictions):
        chosen = ((str(name), *split_part(path)) for name, path in predictions.items())
        files = tuple(PredictionFile(name, path, part=part) for name, path, part in chosen)
    else:
        _refuse_arrays(predictions, "Predictions")
        is_one = isinstance(predictions, Participant | Predictions | Logits | str | Path)
        parts = [predictions] if is_one else list(predictions)  # type: ignore[list-item, arg-type]
        files = find_prediction_files([part for part in parts if isinstance(part, str | Path)])
    found: list[Participant] = []
    for file in files:
        for name, read in find_answers(file, taxonomy=classes, ids=ids_path, columns=columns).items():
            found.append(Participant(name, partial(_load_file, read, file.path), file.path))
    check_names((one.name, one.path) for one in found if one.path is not None)
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


def _open_record(part: Truth | TestSet | LabelSet, taxonomy: Taxonomy | None) -> Truth:
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


def _load_file(read: Callable[[], Predictions | Logits], path: Path) -> Predictions:
    part = read()
    try:
        return _rank(part)
    except InputError as error:
        raise FormatError(path, str(error)) from None


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
