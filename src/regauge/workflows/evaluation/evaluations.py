"""Evaluate the participants of a study, and compare two of its test sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from regauge.errors import InputError
from regauge.evaluation.metrics import list_object_metrics
from regauge.records.evaluation.class_changes import ClassChanges
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.evaluation.strategies import StrategyComparison
from regauge.records.keywords import ScoreKeywords, ShiftKeywords, choose_settings
from regauge.records.studies import Selection, TestSetEntry
from regauge.storage.evaluation.comparisons import ComparedSide, insert_comparison
from regauge.storage.evaluation.evaluations import EvaluationInputs, insert_evaluation
from regauge.storage.evaluation.evaluations import load_scores as load_stored_scores
from regauge.storage.events import add_event
from regauge.storage.study import Study
from regauge.storage.testsets.draws import find_draw
from regauge.workflows.evaluation.material import StudyMaterial, add_digests, find_material, find_materials
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.evaluation.shifts import compare_sets, shift, shift_by_class
from regauge.workflows.evaluation.stopped import list_complete, note_stopped
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.labels.frequencies import are_settled


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The number under which the scores are stored, and the scores."""

    id: int
    scores: Scores


@dataclass(frozen=True, slots=True)
class MeasuredScores:
    """Scores that are not stored yet, and what they were made from."""

    scores: Scores
    inputs: EvaluationInputs


@dataclass(frozen=True, slots=True)
class Comparison:
    """The number under which a comparison of two test sets is stored, and the comparison."""

    id: int
    shift: Shift


@dataclass(frozen=True, slots=True)
class MeasuredShift:
    """A comparison that is not stored yet, and what it was made from; by class too where that was asked for."""

    shift: Shift
    original: ComparedSide
    new: ComparedSide
    classes: ClassChanges | None = None


@dataclass(frozen=True, slots=True)
class MeasuredStrategies:
    """Several new sets beside the original, not stored yet, and what they were made from."""

    found: StrategyComparison
    original: ComparedSide
    new: tuple[ComparedSide, ...]


def evaluate(
    study: Study,
    selection: Selection | None = None,
    *,
    by: Sequence[str] = (),
    settings: ScoreSettings | None = None,
    **keywords: Unpack[ScoreKeywords],
) -> Evaluation:
    """Score participants on a test set under dataset labels and label sets, and store the result with all that made it.

    Args:
        study: the study, inside a transaction.
        selection: whom, on what and under which labels; everything by default.
        by: parts to score as well, as in `score`.
        settings: whom to compare with, missing images, level and seed; or each of them by its keyword, as in `score`.
        keywords: fields of `ScoreSettings`.

    Raises:
        InputError: there is no such test set, label set or participant.
        MissingImagesError: a participant lacks images, and the settings do not allow it.
    """
    chosen = choose_settings(ScoreSettings, settings, keywords=keywords)
    return store_evaluation(study, measure(study, selection, by=by, settings=chosen))


def measure(
    study: Study, selection: Selection | None = None, *, by: Sequence[str] = (), settings: ScoreSettings | None = None
) -> MeasuredScores:
    """The first half of `evaluate`, which computes and takes its time; a transaction that reads is enough."""
    material = find_material(study, selection or Selection())
    found = score(
        material.participants,
        material.truth,
        taxonomy=study.taxonomy,
        by=by,
        settings=settings,
        track=study.around.track,
    )
    inputs = EvaluationInputs(material.test_set, material.predictions, material.label_sets, tuple(map(str, by)))
    return MeasuredScores(found, inputs)


def store_evaluation(study: Study, measured: MeasuredScores) -> Evaluation:
    """The second half of `evaluate`, which writes."""
    inputs = measured.inputs
    number = insert_evaluation(study, measured.scores, inputs=inputs)
    labels = [entry.full_name for entry in inputs.label_sets]
    parameters = {"evaluation": number, "test_set": inputs.test_set.name, "labels": labels}
    add_event(study, "evaluate", {**parameters, "n_participants": len(inputs.predictions)})
    return Evaluation(number, measured.scores)


def compare(
    study: Study,
    original: Selection,
    new: Selection,
    *,
    settings: ShiftSettings | None = None,
    **keywords: Unpack[ShiftKeywords],
) -> Comparison:
    """How accuracies move between two test sets of the study, over the participants that have answered both; stored.

    Args:
        study: the study, inside a transaction.
        original: the original test set, its label sets, and whom.
        new: likewise for the new one.
        settings: metric, scales, bootstrap and level; or each of them by its keyword, as in `shift`.
        keywords: fields of `ShiftSettings`, words for choices.

    Raises:
        InputError: there is no such test set, or nobody has answered both.
    """
    chosen = choose_settings(ShiftSettings, settings, keywords=keywords)
    return store_comparison(study, measure_shift(study, original, new, settings=chosen))


def measure_shift(
    study: Study,
    original: Selection,
    new: Selection,
    *,
    settings: ShiftSettings | None = None,
    each: Sequence[str] | None = None,
) -> MeasuredShift:
    """The first half of `compare`, which computes and takes its time; a transaction that reads is enough.

    With `each`, the change of every class comes along, as in `shift_by_class`, and is stored with the rest.
    """
    sides = _find_common(study, (original, new))
    answers = [TestSetAnswers(side.participants, side.truth) for side in sides]
    inputs = [ComparedSide(side.test_set, side.predictions, side.label_sets) for side in sides]
    track = study.around.track
    if each is None:
        found = shift(answers[0], answers[1], taxonomy=study.taxonomy, settings=settings, track=track)
        found = replace(found, notes=(*found.notes, *note_stopped(study, (original, new))))
        return MeasuredShift(found, inputs[0], inputs[1])
    both = shift_by_class((answers[0], answers[1]), each=each, taxonomy=study.taxonomy, settings=settings, track=track)
    found = replace(both.shift, notes=(*both.shift.notes, *note_stopped(study, (original, new))))
    return MeasuredShift(found, inputs[0], inputs[1], both.classes)


def measure_strategies(
    study: Study, original: Selection, new: Sequence[Selection], *, settings: ShiftSettings | None = None
) -> MeasuredStrategies:
    """Several new test sets of the study beside the original, over the participants that have answered all of them.

    Args:
        study: the study; a transaction that reads is enough.
        original: the original test set, its label sets, and whom.
        new: likewise for two new ones or more.
        settings: metric, scales, bootstrap and level.

    Raises:
        InputError: there is no such test set, or nobody has answered all of them.
    """
    sides = _find_common(study, (original, *new))
    answers = [TestSetAnswers(side.participants, side.truth) for side in sides]
    found = compare_sets(answers[0], answers[1:], taxonomy=study.taxonomy, settings=settings, track=study.around.track)
    stopped = tuple(note_stopped(study, (original, *new)))
    found = replace(found, notes=(*found.notes, *stopped, *_note_rounds(study, [side.test_set for side in sides])))
    inputs = [ComparedSide(side.test_set, side.predictions, side.label_sets) for side in sides]
    return MeasuredStrategies(found, inputs[0], tuple(inputs[1:]))


def load_scores(study: Study, evaluation_id: int) -> Scores:
    """The scores of a stored evaluation, as they were computed.

    Raises:
        InputError: there is no evaluation of that number.
    """
    return load_stored_scores(study, evaluation_id, about_objects=list_object_metrics())


def _note_rounds(study: Study, test_sets: Sequence[TestSetEntry]) -> Iterator[str]:
    """A sentence about sets whose votes as given are biased, because more people were asked where a decision was open."""
    drawn = [(entry.name, find_draw(study, entry)) for entry in test_sets]
    names = ", ".join(name for name, draw in drawn if draw is not None and are_settled(study, draw))
    if names:
        yield (
            f"More people were asked about {names} where a decision was open, so selection frequencies by the votes as given are "
            "biased; regauge testset show gives those that were decided."
        )


def store_strategies(study: Study, measured: MeasuredStrategies) -> tuple[Comparison, ...]:
    """Keep every new set's comparison with the original as `compare` does, so that reports show them."""
    pairs = zip(measured.found.sets, measured.new, strict=True)
    return tuple(store_comparison(study, MeasuredShift(one.shift, measured.original, side)) for one, side in pairs)


def store_comparison(study: Study, measured: MeasuredShift) -> Comparison:
    """The second half of `compare`, which writes."""
    original, new = measured.original, measured.new
    number = insert_comparison(study, measured.shift, original=original, new=new, classes=measured.classes)
    sides = {"original": original.test_set.name, "new": new.test_set.name}
    add_event(study, "compare", {"comparison": number, **sides, "n_participants": len(original.predictions)})
    return Comparison(number, measured.shift)


def _find_common(study: Study, selections: Sequence[Selection]) -> list[StudyMaterial]:
    """What the selections stand for, with the participants that have answered all of them and the digests of the images."""
    materials = find_materials(study, selections)
    sides = [_take_complete(add_digests(study, one), of) for one, of in zip(materials, selections, strict=True)]
    common = set.intersection(*({one.name for one in side.participants} for side in sides))
    if not common:
        names = [side.test_set.name for side in sides]
        which = f"both {names[0]} and {names[1]}" if len(names) == 2 else f"all of {', '.join(names)}"
        raise InputError(f"No participant has predictions on {which}; add them, under the same names.")
    return [_keep(side, common) for side in sides]


def _take_complete(material: StudyMaterial, selection: Selection) -> StudyMaterial:
    """The same without people who stopped before the end, unless they are named."""
    chosen = list_complete(material.predictions, material.test_set, selection=selection)
    return _keep(material, {one.participant for one in chosen})


def _keep(material: StudyMaterial, names: set[str]) -> StudyMaterial:
    """The same with these participants only."""
    predictions = tuple(one for one in material.predictions if one.participant in names)
    participants = tuple(one for one in material.participants if one.name in names)
    return replace(material, predictions=predictions, participants=participants)
