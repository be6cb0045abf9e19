"""Tables of alignment: everybody's, what halves of the annotators reach, and how it goes with top-1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from regauge.arrays import FloatArray
from regauge.evaluation.context.confusions.alignment import (
    AlignmentPlan,
    LevelAlignment,
    ReferenceAnswers,
    align,
)
from regauge.evaluation.context.confusions.answers import (
    GivenAnswers,
    find_people,
    find_seen_objects,
    take_answers,
)
from regauge.evaluation.context.confusions.halves import split_frequencies, split_main_labels
from regauge.evaluation.context.confusions.levels import CLASSES, ConfusionLevel
from regauge.evaluation.context.confusions.tables import Rows
from regauge.evaluation.context.confusions.tallies import ImageTally, tell_shares
from regauge.evaluation.context.contract import ContextMaterial
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.correlations import correlate_ranks, limit_correlation, limit_rank_correlation
from regauge.stats.intervals import Limits
from regauge.stats.resampling import percentile_limits

MIN_ROWS = 4
"""Two matrices with fewer rows have so few cells beside the diagonal that a correlation says nothing."""
MIN_PARTICIPANTS = 4


class AlignedTo(NamedTuple):
    """Everybody's alignment with one reference at one level.

    Attributes:
        reference: whose matrix it is.
        predictors: who is compared, the participants first.
        n_participants: how many of them are participants.
        found: the correlations.
    """

    reference: str
    predictors: tuple[GivenAnswers, ...]
    n_participants: int
    found: LevelAlignment


def measure_alignment(
    material: ContextMaterial, levels: Sequence[ConfusionLevel], *, settings: ContextSettings
) -> list[AlignedTo]:
    """Participants against people's matrices, and both against the matrix of the objects that people see."""
    used = [level for level in levels if level.n_rows >= MIN_ROWS]
    participants = [take_answers(material, place) for place in range(len(material.participants))]
    people = find_people(material)
    plan = AlignmentPlan(material.labels, settings.n_bootstrap, settings.seed)
    votes = [split_main_labels(material)] if material.classify is not None else []
    votes += [split_frequencies(material)] if material.counts is not None else []
    references = [ReferenceAnswers(*pair) for pair in zip(people, votes, strict=True)]
    objects = find_seen_objects(material)
    if objects is not None:
        references.append(ReferenceAnswers(objects))
    found = []
    for place, reference in enumerate(references):
        compared = participants + (people if reference.answers is objects else people[place + 1 :])
        own = [one for one in used if reference.answers is not objects or one.scope != CLASSES]
        if compared and own and reference.answers.n:
            aligned = align(compared, reference, levels=own, plan=plan)
            who = reference.answers.name, tuple(compared), len(participants)
            found += [AlignedTo(*who, one) for one in aligned]
    return found


def tell_alignment(aligned: Sequence[AlignedTo], *, level: float) -> Rows:
    """One row per reference, level and predictor."""
    for one in aligned:
        found = one.found
        right = ImageTally(found.n_right, np.floor(found.n_right + 1e-6).astype(np.int64), np.zeros_like(found.n))
        scores = tell_shares("top1", right, n=found.n, level=level)
        n_cells = found.n_rows * found.level.n_beside
        plain = _tell("correlation", found.plain, limit_spread(found.plain, level=level))
        corrected = _tell("corrected", found.corrected.clip(-1, 1), limit_corrected(found.corrected, level=level))
        halves = np.full((len(one.predictors), 2), np.nan) if found.with_half is None else found.with_half
        with_half = _tell("with_half", halves, limit_spread(halves, level=level))
        for place, predictor in enumerate(one.predictors):
            yield {
                **_tell_level(one),
                "predictor": predictor.name,
                "is_people": predictor.is_people,
                **{name: scores[place][name] for name in ("top1", "top1_low", "top1_high", "n")},
                "n_rows": found.n_rows,
                "n_cells": n_cells,
                **plain[place],
                **corrected[place],
                **with_half[place],
            }


def tell_ceilings(aligned: Sequence[AlignedTo], *, level: float) -> Rows:
    """What one half of the annotators reaches with the other."""
    for one in aligned:
        if one.found.ceiling is not None:
            values = one.found.ceiling[np.newaxis]
            (ceiling,) = _tell("correlation", values, limit_spread(values, level=level))
            n = int(one.found.n.max(initial=0))
            yield {**_tell_level(one), "n": n, "n_rows": one.found.n_rows, **ceiling}


def tell_trends(aligned: Sequence[AlignedTo], *, level: float) -> Rows:
    """The rank correlation of alignment with top-1 over participants who have both on all draws of images."""
    for one in aligned:
        plain, accuracies = (side[: one.n_participants] for side in (one.found.plain, one.found.accuracies))
        is_known = ~np.isnan(plain + accuracies).any(axis=1)
        n = int(is_known.sum())
        if n >= MIN_PARTICIPANTS:
            ranks = correlate_ranks(plain[is_known].T, accuracies[is_known].T)[np.newaxis]
            (trend,) = _tell(
                "rank_correlation", ranks, limit_rank_correlation(ranks[:, 0], ranks[:, 1:].T, level=level)
            )
            yield {**_tell_level(one), "n": n, "n_images": int(one.found.n[: one.n_participants].max()), **trend}


def limit_spread(values: FloatArray, *, level: float) -> Limits:
    """Limits around the first column by how the others spread."""
    return limit_correlation(values[:, 0], values[:, 1:].T, level=level)


def limit_corrected(values: FloatArray, *, level: float) -> Limits:
    """Quantiles of the redraws, within −1 and 1; NaN where some have no correlation, as too few images show any confusion."""
    limits = percentile_limits(values[:, 1:].T, level=level)
    return Limits(limits.low.clip(-1, 1), limits.high.clip(-1, 1))


def _tell(name: str, values: FloatArray, limits: Limits) -> list[dict[str, Any]]:
    """Each value with its limits, None where one is missing."""
    columns = np.stack([values[:, 0], limits.low, limits.high], axis=1).tolist()
    names = (name, f"{name}_low", f"{name}_high")
    return [{key: None if np.isnan(one) else one for key, one in zip(names, row, strict=True)} for row in columns]


def _tell_level(one: AlignedTo) -> dict[str, Any]:
    level = one.found.level
    return {"reference": one.reference, "scope": level.scope, "grouping": level.grouping or None}
