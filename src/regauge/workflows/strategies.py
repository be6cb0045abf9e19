"""Compare several new test sets with one original, on the same models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from regauge.evaluation.strategies import ComparedSet, compare_strategies, find_mean_frequency
from regauge.records.progress import Track, track_silently
from regauge.records.shifts import ShiftSettings
from regauge.records.strategies import StrategyComparison
from regauge.workflows.inputs import TaxonomyLike, TestSetAnswers, open_taxonomy
from regauge.workflows.shifts import find_common_images, judge_answers

__all__ = ["compare_sets"]


def compare_sets(
    original: TestSetAnswers,
    new: Sequence[TestSetAnswers],
    *,
    taxonomy: TaxonomyLike = None,
    settings: ShiftSettings | None = None,
    track: Track = track_silently,
) -> StrategyComparison:
    """How accuracies move from the original test set to each of the new ones, and whether sets or models differ more.

    Mean selection frequencies are told where a truth holds frequencies.

    Args:
        original: what models answered on the original test set, and its truth.
        new: likewise on two new ones or more.
        taxonomy: the classes, by name (imagenet-1k, cifar-10), file or record.
        settings: metric, scales, bootstrap and level.
        track: who is told how many models are judged.
    """
    settings = settings or ShiftSettings()
    classes = open_taxonomy(taxonomy)
    judged = [judge_answers(one, taxonomy=classes, settings=settings, track=track) for one in (original, *new)]
    sides, common = find_common_images(judged, by=settings.shared)
    sets = [
        ComparedSet(side, find_mean_frequency(one.target, settings=settings))
        for side, one in zip(sides, judged, strict=True)
    ]
    found = compare_strategies(sets[0], sets[1:], settings=settings)
    notes = dict.fromkeys(note for one in judged for note in one.notes)
    return replace(found, notes=(*notes, *common, *found.notes))
