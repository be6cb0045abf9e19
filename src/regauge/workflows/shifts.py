"""Compare two test sets on the same models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.sides import Side, judge_side
from regauge.evaluation.targets import line_up
from regauge.formats.families import load_families
from regauge.records.progress import Track, track_silently
from regauge.records.shifts import Shift, ShiftSettings
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
    track: Track = track_silently,
) -> Shift:
    """How accuracies move from the original test set to the new one: gaps, ranks, mean changes and linear fits.

    Models are matched by name.

    Args:
        original: what models answered on the original test set, and its truth.
        new: likewise on the new one.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        settings: metric, scales, bootstrap and level.
        track: who is told how many models are judged.

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
        target = line_up(truth, n_classes=None if classes is None else len(classes))
        participants = find_participants(answers.predictions, taxonomy=classes, ids=answers.ids)
        loaded = (one.load() for one in track(participants, f"Judging on {target.name}"))
        sides.append(judge_side(loaded, target, settings=settings))
        notes += truth.notes
    result = compare_sides(sides[0], sides[1], settings=settings)
    return replace(result, notes=(*notes, *result.notes))
