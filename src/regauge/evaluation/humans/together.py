"""From answers to one test set or two to all tables: everybody is judged, and images that both sets share count once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from regauge.arrays import CountArray
from regauge.evaluation.humans.analysis import compare_people_and_models
from regauge.evaluation.humans.judged import AnsweredSet, choose_metrics, judge_set
from regauge.evaluation.shared_images import find_shared_images
from regauge.evaluation.targets import Target
from regauge.records.evaluation.humans.report import HumanReport, HumanSettings
from regauge.records.predictions import Predictions
from regauge.records.progress import Track, track_silently
from regauge.records.taxonomy import Taxonomy
from regauge.records.testsets.shared_images import SharedImages


class AnswersToJudge(NamedTuple):
    """What everybody answered on a test set, and what is true."""

    predictions: Iterable[Predictions]
    target: Target


def compare_answers(
    answers: Sequence[AnswersToJudge],
    *,
    taxonomy: Taxonomy | None,
    settings: HumanSettings,
    track: Track = track_silently,
) -> HumanReport:
    """Every table of people and models, with a note on images that both sets share.

    Args:
        answers: on the original set, and on the new one if there is one.
        taxonomy: the classes, which tell objects from organisms.
        settings: metrics, who is a person, draws and level.
        track: who is told how far it has come.

    Raises:
        InputError: a truth does not allow a metric, a model lacks images, or as in `compare_people_and_models`.
    """
    targets = [one.target for one in answers]
    metrics = choose_metrics(targets, settings)
    sets = [judge_set(one.predictions, one.target, metrics=metrics, settings=settings) for one in answers]
    if len(sets) == 1:
        return compare_people_and_models(sets, taxonomy=taxonomy, settings=settings, track=track)
    shared = _keep(find_shared_images(targets[0], targets[1], by=settings.shared), sets)
    found = compare_people_and_models(sets, taxonomy=taxonomy, settings=settings, shared=shared, track=track)
    return replace(found, notes=(*shared.describe(sets[0].name, sets[1].name), *found.notes))


def _keep(shared: SharedImages, sets: Sequence[AnsweredSet]) -> SharedImages:
    """The shared images that take part, by their rows among those that do."""
    sizes = [int(max(rows.max(initial=-1), judged.rows.max(initial=-1))) + 1 for rows, judged in _pair(shared, sets)]
    kept = [np.isin(np.arange(size), judged.rows) for size, judged in zip(sizes, sets, strict=True)]
    return replace(shared.keep(kept[0], kept[1]), n_by_id=0, n_open=shared.n_open)


def _pair(shared: SharedImages, sets: Sequence[AnsweredSet]) -> list[tuple[CountArray, AnsweredSet]]:
    return list(zip((shared.rows_original, shared.rows_new), sets, strict=True))
