"""CODE: stored tasks and answers as columns, and these as what coders said, or as the lines of a file.

The subject of a task is its image. Its items are what one can say, by the bit of an answer's mask: the three severities, the
three reasons why it is not a mistake, and then the categories; as a number each is the class that was answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.kinds.code.task import CATEGORIES, CATEGORY, OVERTURNED, SEVERITY, SEVERITY_WORDS, tell_note
from regauge.kinds.contract import FileType
from regauge.records.mistakes.coders import CODER_REASONS, NO_CODE, CoderVotes
from regauge.records.responses.ledgers import NO_ITEM, AnswerMasks, HeldAnswers, LedgerColumns, TaskColumns
from regauge.responses.decoding import find_starts

FILE = FileType("jsonl", "application/jsonl")
NEEDS_TEXTS = True
"""The names of categories, and notes, are in no mask."""
N_SEVERITIES = len(SEVERITY_WORDS)
N_FIXED = N_SEVERITIES + len(CODER_REASONS)
"""Bits before those of the categories."""
GONE = np.uint64(sum(1 << bit for bit in range(N_SEVERITIES, N_FIXED)))
"""The bits of those who overturn a mistake."""


def parse_tasks(texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Tasks from what they show as JSON."""
    payloads = [json.loads(text) for text in texts]
    sizes = [N_FIXED + len(one[CATEGORIES]) for one in payloads]
    items = np.repeat(np.array([one["class"] for one in payloads], np.int32), sizes)
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array([one["image"] for one in payloads], np.int32),
        starts=find_starts(sizes),
        items=items,
        controls=np.zeros(len(items), np.uint8),
    )


def parse_answers(texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:  # noqa: ARG001 - all tasks have one layout
    """What each says as bits; which of the categories it is, stands in the texts alone."""
    masks = np.array([_read_mask(json.loads(text)) for text in texts], np.uint64)
    return AnswerMasks(masks, np.zeros_like(masks), np.full(len(texts), NO_ITEM, np.int32))


def _read_mask(answer: Mapping[str, Any]) -> int:
    if OVERTURNED in answer:
        return 1 << N_SEVERITIES + CODER_REASONS.index(answer[OVERTURNED])
    return 1 << SEVERITY_WORDS.index(answer[SEVERITY]) if SEVERITY in answer else 0


def find_classes(tasks: TaskColumns) -> IntArray:
    """Per task, the class that was answered."""
    return tasks.items[tasks.starts[:-1]]


def find_overturning(columns: LedgerColumns) -> BoolArray:
    """Per answer, whether it says that it is not a mistake."""
    return np.asarray((columns.masks & GONE) != 0, np.bool_)


def make_responses(held: HeldAnswers) -> CoderVotes:
    """What every coder says of every mistake; of one person on a mistake the last."""
    kept = _keep_last(held)
    said = [json.loads(held.texts[row]) for row in kept]
    tasks = held.columns.tasks[kept]
    return CoderVotes(
        image_ids=held.image_ids,
        names=held.annotators,
        images=held.tasks.subjects[tasks],
        predictions=find_classes(held.tasks)[tasks],
        coders=held.columns.annotators[kept],
        categories=tuple(one.get(CATEGORY, "") for one in said),
        severities=np.array(
            [NO_CODE if OVERTURNED in one else SEVERITY_WORDS.index(one[SEVERITY]) for one in said], np.int8
        ),
        reasons=tuple(one.get(OVERTURNED, "") for one in said),
        notes=tuple(map(tell_note, said)),
        received=held.columns.received[kept],
    )


def _keep_last(held: HeldAnswers) -> CountArray:
    """The rows of answers, one of each person to each mistake, the last that they gave."""
    tasks = held.columns.tasks
    keys = np.stack(
        (held.tasks.subjects[tasks], find_classes(held.tasks)[tasks], held.columns.annotators), axis=1
    ).astype(np.int64)
    if not len(keys):
        return np.zeros(0, np.int64)
    order = np.argsort(held.columns.ids, kind="stable")[::-1]
    _, first = np.unique(keys[order], axis=0, return_index=True)
    return np.sort(order[first])


def write_answers(held: HeldAnswers) -> Iterator[str]:
    """The lines of a JSON Lines file: one for each coder and mistake."""
    votes = make_responses(held)
    columns = (votes.images, votes.predictions, votes.coders, votes.severities)
    rows = zip(*(one.tolist() for one in columns), votes.categories, votes.reasons, votes.notes, strict=True)
    for image, prediction, coder, severity, category, reason, note in rows:
        codes = {CATEGORY: category, SEVERITY: "" if severity == NO_CODE else SEVERITY_WORDS[severity]}
        said = {**codes, OVERTURNED: reason, "note": note}
        line = {
            "image_id": str(votes.image_ids[image]),
            "prediction": prediction,
            "annotator_id": str(votes.names[coder]),
        }
        yield json.dumps(line | {name: value for name, value in said.items() if value}, ensure_ascii=False)
