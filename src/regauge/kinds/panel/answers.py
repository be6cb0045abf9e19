"""PANEL: stored tasks and answers as columns, and these as the lines of a file.

The subject of a task is its image; its items are the three verdicts on each prediction.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from regauge.arrays import CountArray, IntArray
from regauge.campaigns.reviews.votes import N_VOTES, list_keys, read_mask
from regauge.kinds.contract import FileType
from regauge.records.responses.ledgers import NO_ITEM, AnswerMasks, HeldAnswers, TaskColumns
from regauge.responses.decoding import find_starts

FILE = FileType("jsonl", "application/jsonl")
NEEDS_TEXTS = True
"""What is said of images, arguments and evidence are in no mask."""


def parse_tasks(texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Tasks from what they show as JSON."""
    payloads = [json.loads(text) for text in texts]
    classes = [index for one in payloads for index in one["classes"]]
    n_items = N_VOTES * len(classes)
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array([one["images"][0] for one in payloads], np.int32),
        starts=find_starts([N_VOTES * len(one["classes"]) for one in payloads]),
        items=np.repeat(np.array(classes, np.int32), N_VOTES),
        controls=np.zeros(n_items, np.uint8),
        is_alone=np.zeros(len(payloads), np.bool_),
    )


def parse_answers(texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:
    """The vote on each prediction as one of three bits."""
    masks = [
        read_mask(json.loads(text).get("verdicts", {}), list_keys(tasks, place))
        for text, place in zip(texts, places.tolist(), strict=True)
    ]
    found = np.array(masks, np.uint64)
    return AnswerMasks(found, np.zeros_like(found), np.full(len(texts), NO_ITEM, np.int32))


def make_responses(held: HeldAnswers) -> HeldAnswers:
    """The answers as they are: what was decided the discussion tells."""
    return held


def write_answers(held: HeldAnswers) -> Iterator[str]:
    """The lines of a JSON Lines file: one per answer that counts, with all that it says."""
    columns = held.columns
    for text, task, who in zip(held.texts, columns.tasks.tolist(), columns.annotators.tolist(), strict=True):
        said = {name: value for name, value in json.loads(text).items() if name != "version"}
        image_id = str(held.image_ids[held.tasks.subjects[task]])
        yield json.dumps({"image_id": image_id, "annotator_id": str(held.annotators[who]), **said}, ensure_ascii=False)
