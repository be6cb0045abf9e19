"""Compare two test sets on the same models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.targets import line_up
from regauge.formats.families import load_families
from regauge.records.labels import Truth
from regauge.records.shifts import Shift, ShiftSettings
from regauge.records.taxonomy import Taxonomy
from regauge.workflows.inputs import (
    PredictionsLike,
    TaxonomyLike,
    TruthLike,
    find_participants,
    load_truth,
    open_taxonomy,
)

__all__ = ["TestSetAnswers", "load_families", "shift"]


@dataclass(frozen=True, slots=True)
class TestSetAnswers:
    """What models answered on one test set, and its truth; both as in `score`.

    Attributes:
        predictions: files, folders, globs or records.
        truth: files, folders or records.
        ids: image ids of `.npy` logits.
    """

    # Told to pytest, which would otherwise take a class of this name for tests.
    __test__ = False

    predictions: PredictionsLike
    truth: TruthLike
    ids: Path | None = None


def shift(
    original: TestSetAnswers,
    new: TestSetAnswers,
    *,
    taxonomy: TaxonomyLike = None,
    settings: ShiftSettings | None = None,
) -> Shift:
    """How accuracies move from the original test set to the new one: gaps, ranks, mean changes and linear fits.

    Models are matched by name.

    >>> import regauge
    >>> old = regauge.TestSet("old", ["a", "b", "c", "d"], [0, 1, 1, 0])
    >>> fresh = regauge.TestSet("fresh", ["e", "f"], [0, 1])
    >>> model = regauge.Predictions("model", ["a", "b", "c", "d"], [0, 1, 1, 1])
    >>> again = regauge.Predictions("model", ["e", "f"], [0, 0])
    >>> moved = regauge.shift(regauge.TestSetAnswers(model, old), regauge.TestSetAnswers(again, fresh))
    >>> moved.get_model("model").gap
    0.25
    """
    settings = settings or ShiftSettings()
    classes = open_taxonomy(taxonomy)
    sides: list[Side] = []
    notes: list[str] = []
    for answers in (original, new):
        truth = load_truth(answers.truth, taxonomy=classes)
        sides.append(_judge(answers, truth, classes, settings))
        notes += truth.notes
    result = compare_sides(sides[0], sides[1], settings=settings)
    return replace(result, notes=(*notes, *result.notes))


def _judge(answers: TestSetAnswers, truth: Truth, taxonomy: Taxonomy | None, settings: ShiftSettings) -> Side:
    target = line_up(truth, n_classes=None if taxonomy is None else len(taxonomy))
    participants = find_participants(answers.predictions, taxonomy=taxonomy, ids=answers.ids)
    return judge_side((one.load() for one in participants), target, settings=settings)
