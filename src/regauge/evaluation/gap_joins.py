"""Join what annotators said of images with what participants answered on them, by image id and dataset label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from regauge.arrays import CountArray
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.lookups import NO_PAIR, make_lookup
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.sides import Side
from regauge.evaluation.targets import Target
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.labels.frequencies import SelectionCounts


def join_counts(side: Side, target: Target, *, tables: Sequence[SelectionCounts]) -> tuple[JudgedSet, tuple[str, ...]]:
    """The images of a side that count for every participant and whose dataset label somebody was asked about.

    Args:
        side: who is right where.
        target: its images and their dataset labels.
        tables: selection counts; of a pair in several of them those of the last that somebody saw hold.

    Returns:
        The judged set, and what is left out, a sentence each.

    Raises:
        InputError: no image is left.
    """
    n_shown, n_selected = _look_up(target, tables)
    is_counted = side.is_shared
    if not is_counted.any():
        raise InputError(f"No image of {side.name} counts for every participant; leave out those who lack most images.")
    rows = np.flatnonzero(is_counted & (n_shown > 0))
    if not rows.size:
        raise InputError(
            f"No image of {side.name} has a selection frequency of its dataset label; give the table that `regauge aggregate "
            "contains` writes, with the ids of the truth."
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
    return judged, tuple(_find_left_out(side, n_shown))


def _find_left_out(side: Side, n_shown: CountArray) -> Iterator[str]:
    is_counted = side.is_shared
    n_counted, n_unseen = int(is_counted.sum()), int((is_counted & (n_shown == 0)).sum())
    n_lacking = int((side.outcomes != Outcome.NOT_COUNTED).any(axis=0).sum()) - n_counted
    if n_lacking:
        yield f"{count_things(n_lacking, 'image')} of {side.name} left out: not counted for every participant."
    if n_unseen:
        yield f"{n_unseen:,} of {n_counted:,} images of {side.name} have no selection frequency and are left out."


def gather_pool(tables: Sequence[SelectionCounts], *, original: Target) -> CandidateCounts | None:
    """The counts of all candidates, each once; None where there are no tables.

    Grids show original images as controls among the candidates, so pairs with an image of the original set are left out. Of a
    pair in several tables the last that somebody saw holds, as it does for the images of a set.

    Raises:
        InputError: no candidate is left.
    """
    if not tables:
        return None
    counts: dict[tuple[str, int], tuple[int, int]] = {}
    for image_id, index, n_shown, n_selected in _list_pairs(tables):
        if n_shown and image_id not in original.row_by_id:
            counts[image_id, index] = n_shown, n_selected
    if not counts:
        raise InputError(f"The pool has no candidate that anybody saw, besides images of {original.name}.")
    shown, selected = np.array(list(counts.values()), np.int64).T
    return CandidateCounts(shown, selected, np.array([index for _, index in counts], np.int32))


def _list_pairs(tables: Sequence[SelectionCounts]) -> Iterator[tuple[str, int, int, int]]:
    """Image, class, n_shown and n_selected of every pair of every table."""
    for table in tables:
        columns = table.image_ids[table.images], table.classes, table.n_shown, table.n_selected
        yield from zip(*(column.tolist() for column in columns), strict=True)


def find_doubts(new: Target, *, pool: Sequence[SelectionCounts]) -> Iterator[str]:
    """What is probably wrong with a set and the tables of its candidates, a sentence each."""
    n_absent = int((_look_up(new, pool)[0] == 0).sum()) if pool else 0
    if n_absent:
        yield (
            f"{n_absent:,} of {len(new.image_ids):,} images of {new.name} are not in the pool; give all candidates, the chosen "
            "ones included."
        )


def _look_up(target: Target, tables: Sequence[SelectionCounts]) -> tuple[CountArray, CountArray]:
    """Per image, how many annotators saw it and selected its dataset label; 0 where nobody is known to have."""
    n_shown, n_selected = (np.zeros(len(target.image_ids), np.int64) for _ in range(2))
    for table in tables:
        lookup = make_lookup(target, table.image_ids, images=table.images, classes=table.classes)
        places = lookup.find(target.dataset_labels)
        known = np.flatnonzero(places != NO_PAIR)
        rows = known[table.n_shown[places[known]] > 0]
        n_shown[rows], n_selected[rows] = table.n_shown[places[rows]], table.n_selected[places[rows]]
    return n_shown, n_selected
