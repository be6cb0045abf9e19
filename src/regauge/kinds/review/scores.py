"""Scores beside the labels of a REVIEW campaign, so that they tell as little as can be of where a label is from.

A label that no participant answers, such as most gold items and some dataset labels, has no score, and beside labels that have
one it would be known at once. So a task shows the scores of all its labels or none; and as many other tasks as cannot show any,
drawn at random, show none either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.arrays import ScoreArray
from regauge.campaigns.fields import SHOW_SCORE
from regauge.campaigns.sources import Album, AnswerScores, Sources
from regauge.fields import FieldError
from regauge.kinds.review.task import SCORES, list_items
from regauge.records.campaigns.campaign import Payload

DIGITS = 3
"""More of a score would tell of which participant it is."""


def add_scores(tasks: Sequence[Payload], sources: Sources, *, album: Album) -> list[Payload]:
    """The tasks, some of them with the scores of their labels, if the campaign shows any.

    Raises:
        FieldError: no task could show scores without telling something.
    """
    if sources.scores is None:
        return list(tasks)
    found = _find_scores(tasks, album, sources.sets[0].entry.id, sources.scores)
    has_all = np.array([not np.isnan(one).any() for one in found], np.bool_)
    n_silent = int((~has_all).sum())
    shown = np.random.default_rng([sources.seed, 1]).permutation(np.flatnonzero(has_all))[n_silent:]
    if not shown.size:
        raise FieldError(
            SHOW_SCORE.name,
            f"Of {len(tasks):,} tasks {n_silent:,} have a label that no participant answers, so scores would tell which "
            "these are; show none, trust the dataset labels, or add predictions with more answers per image.",
        )
    told = set(shown.tolist())
    return [
        {**task, SCORES: _name_scores(task, found[place])} if place in told else task
        for place, task in enumerate(tasks)
    ]


def _find_scores(tasks: Sequence[Payload], album: Album, first: int, known: AnswerScores) -> list[ScoreArray]:
    """Per task the score of each of its labels, NaN where no participant answers it; known are those of the first set."""
    places = list(album.numbers)
    pairs = [(places[image], index) for task in tasks for image in task["images"] for index in task["classes"]]
    is_own = np.array([place.test_set_id == first for place, _ in pairs], np.bool_)
    rows = np.array([place.row if own else 0 for (place, _), own in zip(pairs, is_own, strict=True)], np.int32)
    classes = np.array([index for _, index in pairs], np.int32)
    scores = np.where(is_own, known.find_highest(rows, classes), np.nan)
    ends = np.cumsum([len(task["images"]) * len(task["classes"]) for task in tasks])
    return np.split(scores, ends[:-1])


def _name_scores(task: Payload, scores: ScoreArray) -> dict[str, float]:
    """The scores by what the labels of the task are told apart by; JSON has texts for keys."""
    return {
        str(item): round(float(score), DIGITS) for item, score in zip(list_items(task), scores.tolist(), strict=True)
    }
