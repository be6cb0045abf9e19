"""Tables over groups of classes: which group is taken for which, and what is confused within one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.evaluation.context.confusions.answers import GivenAnswers
from regauge.evaluation.context.confusions.cells import keep_cells, list_cells
from regauge.evaluation.context.confusions.levels import ConfusionLevel, find_cells
from regauge.evaluation.context.confusions.tables import Rows, rank_cells, tell_cells
from regauge.evaluation.context.confusions.tallies import ImageTally, add_parts, tally, tell_shares
from regauge.evaluation.context.contract import ContextMaterial
from regauge.records.evaluation.context.report import ContextSettings


def tell_groups(level: ConfusionLevel, answers: Iterable[GivenAnswers], *, labels: IntArray, confidence: float) -> Rows:
    """The matrix over groups of each predictor, cell by cell; a row without images has no shares."""
    for one in answers:
        _, rows = level.find_rows(labels[one.is_given])
        n = np.bincount(rows, minlength=level.n_rows)
        found = _count_groups(level, one, labels)
        shares = tell_shares("predicted", found, n=np.repeat(n, level.n_columns), level=confidence)
        for place, share in enumerate(shares):
            row, column = divmod(place, level.n_columns)
            yield {
                "grouping": level.grouping,
                "predictor": one.name,
                "label_group": level.names[row],
                "predicted_group": level.columns[column],
                **share,
            }


def _count_groups(level: ConfusionLevel, one: GivenAnswers, labels: IntArray) -> ImageTally:
    """The matrix over groups, row after row: who stays within a group is on its diagonal."""
    pairs = find_cells(level, one, labels=labels)
    at, group = level.find_rows(labels[one.rows])
    stays = level.find_members()[one.classes[at], group]
    at, group = at[stays], group[stays]
    keys, parts = add_parts(one.rows[at] * level.n_rows + group, one.weights[at])
    diagonal = (keys % level.n_rows) * (level.n_columns + 1)
    places = np.concatenate([pairs.cells, diagonal])
    return tally(places, np.concatenate([pairs.weights, parts]), size=level.n_rows * level.n_columns)


def tell_inside(level: ConfusionLevel, answers: Sequence[GivenAnswers], *, labels: IntArray, confidence: float) -> Rows:
    """Per group and predictor how many images are taken for another class of the group, and how many for one outside."""
    members = level.find_members()
    for group, name in enumerate(level.names):
        is_in = members[:, group]
        for one in answers:
            n = np.array([np.count_nonzero(is_in[labels[one.is_given]])])
            own, stays = labels[one.rows], is_in[one.classes]
            inside = is_in[own] & stays & (own != one.classes)
            yield {
                "grouping": level.grouping,
                "group": name,
                "predictor": one.name,
                **_tell_part("inside", one, inside, n=n, confidence=confidence),
                **_tell_part("left", one, is_in[own] & ~stays, n=n, confidence=confidence),
            }


def _tell_part(name: str, one: GivenAnswers, kept: BoolArray, *, n: CountArray, confidence: float) -> dict[str, Any]:
    _, parts = add_parts(one.rows[kept], one.weights[kept])
    (share,) = tell_shares(name, tally(np.zeros(parts.size, np.int64), parts, size=1), n=n, level=confidence)
    share[f"n_{name}_tied"] = share.pop("n_tied")
    return share


def tell_inside_cells(
    level: ConfusionLevel, answers: Sequence[GivenAnswers], *, material: ContextMaterial, settings: ContextSettings
) -> Rows:
    """The fullest cells within each group, for every predictor."""
    members = level.find_members()
    for one in answers:
        cells = list_cells(one, labels=material.labels)
        for group, name in enumerate(level.names):
            is_in = members[:, group]
            own = keep_cells(cells, is_in[cells.labels] & is_in[cells.predicted])
            ranked = rank_cells(own, n_images=one.n, settings=settings)
            for row in tell_cells(ranked, material, level=settings.level):
                yield {"grouping": level.grouping, "group": name, **row}
