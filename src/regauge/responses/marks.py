"""Controls among the items of tasks, as masks: which there are, and how many were shown and selected."""

from __future__ import annotations

import numpy as np

from regauge.arrays import CountArray
from regauge.records.responses.answers import Control, ControlArray, MaskArray
from regauge.records.responses.ledgers import LedgerColumns, TaskColumns


def mark_items(starts: CountArray, controls: ControlArray, *, control: Control) -> MaskArray:
    """Per task, the items that are controls of a kind, or none.

    Args:
        starts: where the items of each task start [n + 1].
        controls: per item, a `Control`.
        control: which kind.
    """
    from regauge.responses._kernels import mark_cells

    return np.asarray(mark_cells(starts, controls, int(control)), np.uint64)


def count_marked(marks: MaskArray, masks: MaskArray) -> tuple[CountArray, CountArray]:
    """Per answer, how many items are marked, and how many of these were selected."""
    return np.bitwise_count(marks).astype(np.int64), np.bitwise_count(marks & masks).astype(np.int64)


def count_controls(tasks: TaskColumns, columns: LedgerColumns, *, control: Control) -> tuple[CountArray, CountArray]:
    """Per answer to a campaign, how many controls of a kind were shown, and how many of these were selected."""
    marks = mark_items(tasks.starts, tasks.controls, control=control)[columns.tasks]
    return count_marked(marks & ~columns.not_shown, columns.masks)
