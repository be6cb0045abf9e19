"""VERIFY: stored tasks and answers as columns, and these as votes, or as the lines of a file.

The subject of a task is its image; its items are the three verdicts on the label, each with the class.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from tests.verify.task import VOTES

from regauge.arrays import CountArray, IdArray, IntArray
from regauge.kinds.contract import FileType
from regauge.records.cells import format_rows
from regauge.records.responses.ledgers import NO_ITEM, AnswerMasks, HeldAnswers, LedgerColumns, TaskColumns
from regauge.responses.decoding import decode, find_starts

FILE = FileType("csv", "text/csv")
NEEDS_TEXTS = False


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What was said of pairs in their last round: per vote, its pair, who gave it, and the verdict by its number."""

    image_ids: IdArray
    images: IntArray
    classes: IntArray
    pairs: IntArray
    annotators: IntArray
    votes: IntArray
    names: IdArray

    def __len__(self) -> int:
        return len(self.pairs)


def parse_tasks(texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Tasks from what they show as JSON."""
    payloads = [json.loads(text) for text in texts]
    classes = np.array([payload["class"] for payload in payloads], np.int32)
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array([payload["image"] for payload in payloads], np.int32),
        starts=find_starts([len(VOTES)] * len(payloads)),
        items=np.repeat(classes, len(VOTES)),
        controls=np.zeros(len(VOTES) * len(payloads), np.uint8),
    )


def parse_answers(texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:
    """The verdict that each answer selects."""
    found = decode(texts, {"vote": pl.String})["vote"].to_list()
    masks = np.array([1 << VOTES.index(one) if one else 0 for one in found], np.uint64)
    return AnswerMasks(masks, np.zeros_like(masks), np.full(len(texts), NO_ITEM, np.int32))


def find_votes(columns: LedgerColumns) -> IntArray:
    """Per answer, the number of its verdict."""
    return np.log2(columns.masks.astype(np.float64)).astype(np.int32)


def find_pairs(tasks: TaskColumns) -> tuple[IntArray, IntArray]:
    """Per task, the place of its pair in the order of image and class; and the place of the last task that asks about the pair.

    Hidden repeats ask nothing new: what they are for is counted elsewhere.
    """
    keys = tasks.subjects.astype(np.int64) << 32 | tasks.items[tasks.starts[:-1]]
    _, pairs = np.unique(keys, return_inverse=True)
    last = np.zeros(pairs.max(initial=-1) + 1, np.int32)
    work = np.flatnonzero(tasks.is_work).astype(np.int32)
    np.maximum.at(last, pairs[work], work)
    return pairs.astype(np.int32), last


def make_responses(held: HeldAnswers) -> Votes:
    """The votes of the last round of each pair."""
    tasks, (pairs, last) = held.tasks, find_pairs(held.tasks)
    columns = held.columns.keep(np.flatnonzero(np.isin(held.columns.tasks, last)))
    return Votes(
        image_ids=held.image_ids,
        images=tasks.subjects[last],
        classes=tasks.items[tasks.starts[last]],
        pairs=pairs[columns.tasks],
        annotators=columns.annotators,
        votes=find_votes(columns),
        names=held.annotators,
    )


def write_answers(held: HeldAnswers) -> Iterator[str]:
    """The lines of a CSV file: one per answer."""
    tasks, columns = held.tasks, held.columns
    given = zip(columns.tasks, columns.annotators, find_votes(columns), strict=True)
    rows = (
        (
            tasks.ids[task],
            str(held.annotators[annotator]),
            str(held.image_ids[tasks.subjects[task]]),
            tasks.items[tasks.starts[task]],
            VOTES[vote],
        )
        for task, annotator, vote in given
    )
    return format_rows([("task_id", "annotator_id", "image_id", "class", "vote"), *rows])
