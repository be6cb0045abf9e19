"""Answers to the grids of a campaign in the form that screening and counting take, while people work and afterwards."""

from __future__ import annotations

import numpy as np

from regauge.arrays import IdArray, IntArray
from regauge.records.responses.answers import ContainsResponses, Grids
from regauge.records.responses.ledgers import LedgerColumns, TaskColumns
from regauge.responses.partly_shown import leave_out_cells


def make_grids(tasks: TaskColumns, *, image_ids: IdArray | None = None) -> Grids:
    """What the tasks show; hidden repeats are not grids of their own.

    Args:
        tasks: the tasks of a CONTAINS campaign.
        image_ids: per number of an image, its id; images go by their numbers by default.
    """
    is_work = tasks.is_work
    is_shown = np.repeat(is_work, tasks.sizes)
    images, cells = np.unique(tasks.items[is_shown], return_inverse=True)
    return Grids(
        task_ids=tasks.ids[is_work].astype(np.str_),
        classes=tasks.subjects[is_work],
        starts=np.concatenate(([0], np.cumsum(tasks.sizes[is_work]))),
        image_ids=images.astype(np.str_) if image_ids is None else image_ids[images],
        cell_images=cells.astype(np.int32),
        cell_controls=tasks.controls[is_shown],
    )


def find_places(tasks: TaskColumns) -> IntArray:
    """Per task, its place among those that are no hidden repeats; nothing is asked of the others."""
    return np.asarray(np.cumsum(tasks.is_work) - 1, np.int32)


def fill_grids(grids: Grids, columns: LedgerColumns, *, places: IntArray, annotators: IdArray) -> ContainsResponses:
    """Answers to grids, whatever could not be shown left out.

    Args:
        grids: what was shown.
        columns: the answers, none of them to a hidden repeat.
        places: per task, the place of its grid.
        annotators: per annotator of the columns, what they are called.
    """
    whole = ContainsResponses(
        grids=grids,
        annotator_ids=annotators,
        response_grids=places[columns.tasks],
        response_annotators=columns.annotators,
        masks=columns.masks,
        seconds=columns.seconds,
    )
    return leave_out_cells(whole, columns.not_shown)
