"""Answers to the grids of a ledger in the form that the stages for finished campaigns take."""

from __future__ import annotations

import numpy as np

from regauge.records.arrays import CountArray
from regauge.records.campaigns import ResponseStatus
from regauge.records.ledgers import CODE_OF, NO_SOURCE, TaskColumns
from regauge.records.responses import ContainsResponses, Grids
from regauge.responses.live.ledger import Ledger
from regauge.responses.partly_shown import leave_out_cells

_COUNTED = CODE_OF[ResponseStatus.COUNTED]
_REPEAT = CODE_OF[ResponseStatus.REPEAT]


class GridMemory:
    """The grids of a ledger, which are made once: they are many, and new ones are hidden repeats as a rule."""

    def __init__(self) -> None:
        self._n_tasks = -1
        self._grids: Grids | None = None
        self._places: CountArray = np.zeros(0, np.int64)

    def copy_responses(self, ledger: Ledger, *, only_counted: bool = False) -> ContainsResponses:
        """The answers as they are now but those to hidden repeats; images, tasks and annotators go by their numbers.

        Args:
            ledger: the answers.
            only_counted: whether answers that do not count are left out too.
        """
        columns = ledger.columns
        is_one = columns.statuses == _COUNTED if only_counted else columns.statuses != _REPEAT
        rows = np.flatnonzero(is_one)
        rows = rows[np.argsort(columns.firsts[rows], kind="stable")]
        whole = ContainsResponses(
            grids=self._get_grids(ledger.tasks),
            annotator_ids=columns.annotator_ids.astype(np.str_),
            response_grids=self._places[columns.tasks[rows]].astype(np.int32),
            response_annotators=columns.annotators[rows],
            masks=columns.masks[rows],
            seconds=columns.seconds[rows],
        )
        return leave_out_cells(whole, columns.not_shown[rows])

    def _get_grids(self, tasks: TaskColumns) -> Grids:
        if self._grids is None or self._n_tasks != len(tasks):
            is_work = tasks.sources == NO_SOURCE
            places = np.cumsum(is_work) - 1
            if self._grids is None or len(self._grids) != int(is_work.sum()):
                self._grids = _make_grids(tasks)
            self._places, self._n_tasks = places, len(tasks)
        return self._grids


def _make_grids(tasks: TaskColumns) -> Grids:
    work = np.flatnonzero(tasks.sources == NO_SOURCE)
    is_shown = np.repeat(tasks.sources == NO_SOURCE, tasks.sizes)
    images, cells = np.unique(tasks.items[is_shown], return_inverse=True)
    return Grids(
        task_ids=tasks.ids[work].astype(np.str_),
        classes=tasks.subjects[work],
        starts=np.concatenate(([0], np.cumsum(tasks.sizes[work]))),
        image_ids=images.astype(np.str_),
        cell_images=cells.astype(np.int32),
        cell_controls=tasks.controls[is_shown],
    )
