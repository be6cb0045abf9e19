"""Rows of answers → grids and one bit mask per response."""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.errors import InputError
from regauge.records.responses.answers import MAX_CELLS, ContainsResponses, ContainsVotes, Control, Grids, MaskArray


def group_votes(votes: ContainsVotes) -> ContainsResponses:
    """The rows of one task and one annotator as one response, in the order in which responses first occur.

    Annotators who were shown the same cells of a task share its grid, in whatever order their rows are; cell order is that
    of the first of them. Memory and time are linear in the rows.

    Raises:
        InputError: there is no row; an annotator answers for one image of a task twice, alike or not; a task has two classes or
            more cells than a mask; a cell is a control for one annotator and none for another.
    """
    if not len(votes):
        raise InputError("There are no answers; a table of answers needs at least one row.")
    starts = _find_runs(votes)
    if not _has_repeats(votes, starts[:-1]):
        return _group(votes, votes, starts=starts, rows=None)
    rows = _sort_rows(votes)
    in_order = _take(votes, rows)
    return _group(in_order, votes, starts=_find_runs(in_order), rows=rows)


def _find_runs(votes: ContainsVotes) -> CountArray:
    from regauge.responses._kernels import find_runs

    return np.asarray(find_runs(votes.tasks, votes.annotators), np.int64)


def _has_repeats(votes: ContainsVotes, heads: CountArray) -> bool:
    """Whether the rows of some response do not stand together."""
    from regauge.responses._kernels import has_repeats, sort_rows

    tasks, annotators = votes.tasks[heads], votes.annotators[heads]
    by_task = sort_rows(tasks, len(votes.task_ids), np.arange(heads.size))
    return bool(has_repeats(tasks, annotators, by_task, len(votes.annotator_ids)))


def _sort_rows(votes: ContainsVotes) -> CountArray:
    """The rows by task and annotator."""
    from regauge.responses._kernels import sort_rows

    by_annotator = sort_rows(votes.annotators, len(votes.annotator_ids), np.arange(len(votes)))
    return np.asarray(sort_rows(votes.tasks, len(votes.task_ids), by_annotator), np.int64)


def _pack(is_selected: BoolArray) -> MaskArray:
    """The answers as bits in numbers of 64, the first row lowest, with a number to spare."""
    packed = np.packbits(is_selected, bitorder="little")
    padded = np.zeros(8 * (len(packed) // 8 + 2), np.uint8)
    padded[: len(packed)] = packed
    return padded.view("<u8").astype(np.uint64, copy=False)


def _take(votes: ContainsVotes, order: CountArray) -> ContainsVotes:
    return ContainsVotes(
        votes.task_ids,
        votes.annotator_ids,
        votes.image_ids,
        tasks=votes.tasks[order],
        annotators=votes.annotators[order],
        images=votes.images[order],
        classes=votes.classes[order],
        controls=votes.controls[order],
        is_selected=votes.is_selected[order],
        seconds=None if votes.seconds is None else votes.seconds[order],
    )


def _group(
    votes: ContainsVotes, given: ContainsVotes, *, starts: CountArray, rows: CountArray | None
) -> ContainsResponses:
    from regauge.responses._kernels import FINE, group_rows

    heads = starts[:-1]
    run_order = np.arange(heads.size) if rows is None else np.argsort(rows[heads], kind="stable")
    bad, grid_tasks, grid_classes, grid_starts, cell_images, cell_controls, response_grids, masks = group_rows(
        starts,
        run_order,
        votes.tasks,
        votes.classes,
        votes.images,
        votes.controls,
        votes.is_selected.view(np.uint8),
        _pack(votes.is_selected),
        len(votes.task_ids),
        len(votes.image_ids),
    )
    if bad[0] != FINE:
        first, second = (row if rows is None else int(rows[row]) for row in bad[1:])
        raise InputError(_explain(given, bad[0], first=first, second=second))
    grids = Grids(
        votes.task_ids[grid_tasks],
        grid_classes,
        starts=grid_starts,
        image_ids=votes.image_ids,
        cell_images=cell_images,
        cell_controls=cell_controls,
    )
    seconds = _add_seconds(votes, starts)[run_order]
    annotators = votes.annotators[heads][run_order]
    return ContainsResponses(grids, votes.annotator_ids, response_grids, annotators, masks, seconds)


def _add_seconds(votes: ContainsVotes, starts: CountArray) -> FloatArray:
    """The time of each run: that of its rows where all say the same, else their sum; NaN where a row has none."""
    heads = starts[:-1]
    if votes.seconds is None:
        return np.full(heads.size, np.nan)
    low, high = (np.asarray(fold.reduceat(votes.seconds, heads)) for fold in (np.minimum, np.maximum))
    return np.where(low == high, low, np.add.reduceat(votes.seconds, heads))


def _explain(votes: ContainsVotes, kind: int, *, first: int, second: int) -> str:
    """What is wrong with two rows, in a sentence."""
    from regauge.responses._kernels import DIFFERENT_TWICE, SAME_TWICE, TOO_MANY_CELLS, TWO_CLASSES

    task = str(votes.task_ids[votes.tasks[second]])
    annotator = str(votes.annotator_ids[votes.annotators[second]])
    image = str(votes.image_ids[votes.images[second]])
    if kind == SAME_TWICE:
        return (
            f"Annotator {annotator!r} answers for image {image!r} of task {task!r} twice, both times alike; an annotator "
            "answers a task once, so remove the repeated rows."
        )
    if kind == DIFFERENT_TWICE:
        return (
            f"Annotator {annotator!r} answers for image {image!r} of task {task!r} twice, once selected and once not; an "
            "annotator answers a task once, so keep the rows that are meant."
        )
    if kind == TOO_MANY_CELLS:
        same = (votes.tasks == votes.tasks[second]) & (votes.annotators == votes.annotators[second])
        return (
            f"Task {task!r} shows annotator {annotator!r} {np.count_nonzero(same):,} images; a grid shows at most "
            f"{MAX_CELLS}, so give its parts task ids of their own."
        )
    if kind == TWO_CLASSES:
        classes = f"{votes.classes[first]} and {votes.classes[second]}"
        return f"Task {task!r} asks for two classes, {classes}; a task asks for one, so give each a task id of its own."
    marks = (Control(int(votes.controls[row])).name.lower() for row in (first, second))
    return (
        f"Image {image!r} of task {task!r} has two control marks, {' and '.join(marks)} (the latter for annotator "
        f"{annotator!r}); a cell of a grid is one or the other, so correct the column control."
    )
