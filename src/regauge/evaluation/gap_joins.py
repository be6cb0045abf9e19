"""Join what annotators said of images with what participants answered on them, by image id and dataset label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from regauge.errors import InputError
from regauge.evaluation.lookups import NO_PAIR, make_lookup
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.sides import Side
from regauge.evaluation.targets import Target
from regauge.records.arrays import CountArray
from regauge.records.frequencies import SelectionCounts
from regauge.records.judged_sets import CandidateCounts, JudgedSet


def join_counts(side: Side, target: Target, *, tables: Sequence[SelectionCounts]) -> tuple[JudgedSet, tuple[str, ...]]:
    """The images of a side that count for every participant and whose dataset label somebody was asked about.

    Args:
        side: who is right where.
        target: its images and their dataset labels.
        tables: selection counts; of a pair in several of them those of the last hold.

    Returns:
        The judged set, and what is left out in a sentence.

    Raises:
        InputError: no image is left.
    """
    n_shown, n_selected = _look_up(target, tables)
    is_counted = (side.outcomes != Outcome.NOT_COUNTED).all(axis=0)
    rows = np.flatnonzero(is_counted & (n_shown > 0))
    if not rows.size:
        raise InputError(
            f"No image of {side.name} has a selection frequency of its dataset label; give the table that `regauge aggregate "
            "contains` writes, with the ids of the truth."
        )
    n_unseen = int((is_counted & (n_shown == 0)).sum())
    notes = (
        (
            f"{n_unseen:,} of {int(is_counted.sum()):,} images of {side.name} have no selection frequency and are left out.",
        )
        if n_unseen
        else ()
    )
    judged = JudgedSet(
        name=side.name,
        image_ids=target.image_ids[rows],
        n_shown=n_shown[rows],
        n_selected=n_selected[rows],
        participants=side.models,
        is_correct=side.outcomes[:, rows] == Outcome.RIGHT,
        classes=target.dataset_labels[rows],
    )
    return judged, notes


def gather_pool(tables: Sequence[SelectionCounts], *, original: Target) -> CandidateCounts | None:
    """The counts of all candidates; None where there are no tables.

    Grids show original images as controls among the candidates, so pairs with an image of the original set are left out.

    Raises:
        InputError: no candidate is left.
    """
    if not tables:
        return None
    shown, selected, classes = [], [], []
    for table in tables:
        is_original = np.array([one in original.row_by_id for one in table.image_ids.tolist()], np.bool_)
        is_candidate = ~is_original[table.images] & (table.n_shown > 0)
        shown.append(table.n_shown[is_candidate])
        selected.append(table.n_selected[is_candidate])
        classes.append(table.classes[is_candidate])
    if not sum(map(len, shown)):
        raise InputError(f"The pool has no candidate that anybody saw, besides images of {original.name}.")
    return CandidateCounts(np.concatenate(shown), np.concatenate(selected), np.concatenate(classes))


def _look_up(target: Target, tables: Sequence[SelectionCounts]) -> tuple[CountArray, CountArray]:
    """Per image, how many annotators saw it and selected its dataset label; 0 where nobody is known to have."""
    n_shown, n_selected = (np.zeros(len(target.image_ids), np.int64) for _ in range(2))
    for table in tables:
        lookup = make_lookup(target, table.image_ids, images=table.images, classes=table.classes)
        places = lookup.find(target.dataset_labels)
        rows = np.flatnonzero(places != NO_PAIR)
        n_shown[rows], n_selected[rows] = table.n_shown[places[rows]], table.n_selected[places[rows]]
    return n_shown, n_selected
