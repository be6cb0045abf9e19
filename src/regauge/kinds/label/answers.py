"""LABEL: stored tasks and answers as columns, and these as what participants are made of, or as the lines of a file.

A task has a subject, its image, and no items: any class may be named. So the mask of an answer is the number of the class plus
one, and 0 where none was named.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from regauge.arrays import CountArray, FloatArray, IntArray
from regauge.kinds.contract import FileType
from regauge.records.campaigns.times import read_flags
from regauge.records.responses.ledgers import NO_ITEM, AnswerMasks, HeldAnswers, LedgerColumns, TaskColumns
from regauge.records.responses.named import NamedClasses
from regauge.responses.decoding import decode

FILE = FileType("jsonl", "application/jsonl")
NEEDS_TEXTS = False


def parse_tasks(texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Tasks from what they show as JSON: the subject is the image, and there are no items."""
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array([json.loads(text)["image"] for text in texts], np.int32),
        starts=np.zeros(len(texts) + 1, np.int64),
        items=np.zeros(0, np.int32),
        controls=np.zeros(0, np.uint8),
    )


def parse_answers(texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:  # noqa: ARG001 - no items
    """The class that each answer names, plus one."""
    named = decode(texts, {"class": pl.Int64})["class"].fill_null(-1).to_numpy()
    masks = (named + 1).astype(np.uint64)
    return AnswerMasks(masks, np.zeros_like(masks), np.full(len(texts), NO_ITEM, np.int32))


def find_named(columns: LedgerColumns) -> IntArray:
    """The class that each answer names; `NO_CLASS` where it names none."""
    return (columns.masks.astype(np.int64) - 1).astype(np.int32)


def find_active(columns: LedgerColumns) -> FloatArray:
    """The seconds without pauses, to the millisecond; never more than those from image shown to answer.

    Both are measured by clocks of their own, and pages of earlier versions rounded this one to a tenth.
    """
    active = np.where(columns.seconds > columns.shown_seconds, columns.shown_seconds, columns.seconds)
    return np.asarray(np.round(active, 3), np.float64)


def make_responses(held: HeldAnswers) -> NamedClasses:
    """Who named which class for which image, and how long it took."""
    columns = held.columns
    return NamedClasses(
        images=held.tasks.subjects[columns.tasks],
        image_ids=held.image_ids,
        annotators=columns.annotators,
        annotator_ids=columns.annotator_ids,
        names=held.annotators,
        classes=find_named(columns),
        seconds=columns.shown_seconds,
        active_seconds=find_active(columns),
        time_flags=columns.time_flags,
        received=columns.received,
    )


def write_answers(held: HeldAnswers) -> Iterator[str]:
    """The lines of a JSON Lines file: one per answer, with both times and what is odd about them."""
    columns, names = held.columns, held.annotators.tolist()
    image_ids = held.image_ids[held.tasks.subjects[columns.tasks]].tolist()
    rows = (columns.annotators, find_named(columns), columns.shown_seconds, find_active(columns), columns.time_flags)
    revisions = columns.revisions.tolist()
    for row, (annotator, named, seconds, active, flags) in enumerate(zip(*(one.tolist() for one in rows), strict=True)):
        yield json.dumps(
            {
                "image_id": image_ids[row],
                "annotator_id": names[annotator],
                "class": named,
                "seconds": _show(seconds),
                "active_seconds": _show(active),
                "time_flags": [one.value for one in read_flags(flags)],
                "revision": revisions[row],
            }
        )


def _show(seconds: float) -> float | None:
    return None if math.isnan(seconds) else round(seconds, 3)
