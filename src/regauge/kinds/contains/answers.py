"""CONTAINS: stored tasks and answers as columns, and these as what is screened and counted, or as the lines of a file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import polars as pl

from regauge.arrays import CountArray, IntArray
from regauge.kinds.contract import FileType
from regauge.records.campaigns.campaign import NOT_SHOWN
from regauge.records.cells import format_rows
from regauge.records.responses.answers import ContainsResponses, Control, MaskArray
from regauge.records.responses.ledgers import NO_ITEM, AnswerMasks, HeldAnswers, TaskColumns
from regauge.responses.decoding import decode, find_starts
from regauge.responses.grids import fill_grids, find_places, make_grids

MASK_DIGITS = 16
CONTROL_NAMES = {Control.NONE: "", Control.POSITIVE: "positive", Control.NEGATIVE: "negative"}

FILE = FileType("csv", "text/csv")
NEEDS_TEXTS = False


def parse_tasks(texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Grids from what they show as JSON: the subject is the class, the items are images.

    Args:
        texts: the tasks.
        ids: their numbers.
        sources: the number of the task that each repeats; `NO_SOURCE` where it is not a repeat.
    """
    found = decode(texts, {"class": pl.Int32, "cells": pl.List(pl.List(pl.Int32))})
    sizes = found["cells"].list.len()
    # What has no cells would become one that is unknown.
    cells = np.array(found["cells"].filter(sizes > 0).explode().explode(), np.int32).reshape(-1, 2)
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array(found["class"], np.int32),
        starts=find_starts(sizes.to_numpy()),
        items=cells[:, 0],
        controls=cells[:, 1].astype(np.uint8),
    )


def parse_answers(texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:  # noqa: ARG001 - masks are over cells
    """The selected cells, and the cells that were not shown: none in earlier versions of answers. No main object is asked for.

    Args:
        texts: the answers as JSON.
        tasks: the tasks that they are to.
        places: per answer, the place of its task.
    """
    found = decode(texts, {"mask": pl.String, NOT_SHOWN: pl.String})
    return AnswerMasks(_read_hex(found["mask"]), _read_hex(found[NOT_SHOWN]), np.full(len(texts), NO_ITEM, np.int32))


def _read_hex(column: pl.Series) -> MaskArray:
    if column.null_count() == len(column):
        return np.zeros(len(column), np.uint64)
    digits = column.fill_null("0").str.zfill(MASK_DIGITS)
    # All digits together are turned into numbers at once; one by one it would take a second for a million.
    return np.frombuffer(bytes.fromhex("".join(digits.to_list())), ">u8").astype(np.uint64)


def make_responses(held: HeldAnswers) -> ContainsResponses:
    """The answers as screening and counting take them."""
    grids, places = make_grids(held.tasks, image_ids=held.image_ids), find_places(held.tasks)
    return fill_grids(grids, held.columns, places=places, annotators=held.annotators)


def write_answers(held: HeldAnswers) -> Iterator[str]:
    """The lines of a CSV file as `aggregate contains` reads it: one per answer and cell that was shown."""
    names = ("task_id", "annotator_id", "class", "image_id", "control", "selected", "seconds")
    return format_rows(chain([names], _list_cells(held)))


def _list_cells(held: HeldAnswers) -> Iterator[tuple[object, ...]]:
    tasks, columns = held.tasks, held.columns
    names = held.annotators.tolist()
    rows = (columns.tasks, columns.annotators, columns.masks, columns.not_shown, columns.seconds)
    for task, annotator, mask, not_shown, seconds in zip(*(column.tolist() for column in rows), strict=True):
        start, end = int(tasks.starts[task]), int(tasks.starts[task + 1])
        begin = (int(tasks.ids[task]), names[annotator], int(tasks.subjects[task]))
        ending = None if math.isnan(seconds) else seconds
        images, controls = held.image_ids[tasks.items[start:end]].tolist(), tasks.controls[start:end].tolist()
        for cell, (image_id, control) in enumerate(zip(images, controls, strict=True)):
            if not not_shown >> cell & 1:
                yield (*begin, image_id, CONTROL_NAMES[Control(control)], mask >> cell & 1, ending)
