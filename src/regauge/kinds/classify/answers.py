"""CLASSIFY: stored tasks and answers as columns, and these as what is screened and counted, or as the lines of a file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, CountArray, IntArray
from regauge.kinds.contract import FileType
from regauge.records.responses.answers import ClassifyResponses
from regauge.records.responses.ledgers import NO_ITEM, AnswerMasks, HeldAnswers, LedgerColumns, TaskColumns
from regauge.responses.decoding import decode, find_starts

FILE = FileType("jsonl", "application/jsonl")
NEEDS_TEXTS = False


def parse_tasks(texts: Sequence[str], *, ids: CountArray, sources: CountArray) -> TaskColumns:
    """Tasks from what they show as JSON: the subject is the image, the items are its candidates.

    Args:
        texts: the tasks.
        ids: their numbers.
        sources: the number of the task that each repeats; `NO_SOURCE` where it is not a repeat.
    """
    payloads = [json.loads(text) for text in texts]
    items = np.array([label for payload in payloads for label in payload["candidates"]], np.int32)
    return TaskColumns(
        ids=ids,
        sources=sources,
        subjects=np.array([payload["image"] for payload in payloads], np.int32),
        starts=find_starts([len(payload["candidates"]) for payload in payloads]),
        items=items,
        controls=np.zeros(len(items), np.uint8),
    )


def parse_answers(texts: Sequence[str], *, tasks: TaskColumns, places: IntArray) -> AnswerMasks:
    """The selected labels as masks over the candidates, and the main ones; an image is shown, or there is no answer.

    Args:
        texts: the answers as JSON.
        tasks: the tasks that they are to.
        places: per answer, the place of its task.
    """
    found = decode(texts, {"selected": pl.List(pl.Int32), "main": pl.Int32})
    sizes = found["selected"].list.len().to_numpy()
    labels = found["selected"].list.explode(empty_as_null=False, keep_nulls=False) if len(texts) else pl.Series([])
    owners = np.repeat(np.arange(len(texts)), sizes)
    items = _find_items(tasks, places[owners], classes=labels.to_numpy().astype(np.int32))
    known = items != NO_ITEM
    masks = np.zeros(len(texts), np.uint64)
    np.bitwise_or.at(masks, owners[known], np.uint64(1) << items[known].astype(np.uint64))
    main = found["main"].fill_null(NO_CLASS).to_numpy().astype(np.int32)
    return AnswerMasks(masks, np.zeros_like(masks), _find_items(tasks, places, classes=main))


def _find_items(tasks: TaskColumns, places: IntArray, *, classes: IntArray) -> IntArray:
    """Which item of its task each class is; `NO_ITEM` where it is none of them."""
    found = np.full(len(places), NO_ITEM, np.int32)
    starts, sizes = tasks.starts[places], tasks.sizes[places]
    for item in range(int(sizes.max(initial=0))):
        has = np.flatnonzero(sizes > item)
        found[has[tasks.items[starts[has] + item] == classes[has]]] = item
    return found


def make_responses(held: HeldAnswers) -> ClassifyResponses:
    """The answers as screening and counting take them, on all images that are asked about."""
    tasks, columns, is_work = held.tasks, held.columns, held.tasks.is_work
    starts, selected = list_selected(tasks, columns)
    return ClassifyResponses(
        image_ids=held.image_ids[tasks.subjects[is_work]],
        annotator_ids=held.annotators,
        response_images=(np.cumsum(is_work) - 1)[columns.tasks].astype(np.int32),
        response_annotators=columns.annotators,
        starts=starts,
        selected=selected,
        main=find_mains(tasks, columns),
        candidate_starts=find_starts(tasks.sizes[is_work]),
        candidates=tasks.items[np.repeat(is_work, tasks.sizes)],
        seconds=columns.seconds,
    )


def list_selected(tasks: TaskColumns, columns: LedgerColumns) -> tuple[CountArray, IntArray]:
    """The labels that each answer selects, in the order of the candidates, and where those of each start [n + 1]."""
    n_items = int(tasks.sizes.max(initial=1))
    octets = columns.masks.astype("<u8").view(np.uint8).reshape(-1, 8)
    rows, items = np.nonzero(np.unpackbits(octets, axis=1, count=n_items, bitorder="little"))
    selected = tasks.items[tasks.starts[columns.tasks[rows]] + items]
    return find_starts(np.bitwise_count(columns.masks).astype(np.int64)), selected


def find_mains(tasks: TaskColumns, columns: LedgerColumns) -> IntArray:
    """The class of the main object that each answer names; `NO_CLASS` where it names none."""
    mains = np.full(len(columns), NO_CLASS, np.int32)
    named = np.flatnonzero(columns.mains != NO_ITEM)
    mains[named] = tasks.items[tasks.starts[columns.tasks[named]] + columns.mains[named]]
    return mains


def write_answers(held: HeldAnswers) -> Iterator[str]:
    """The lines of a JSON Lines file as `aggregate classify` reads it: one per answer."""
    tasks, columns = held.tasks, held.columns
    starts, selected = list_selected(tasks, columns)
    names = held.annotators.tolist()
    rows = (columns.tasks, columns.annotators, find_mains(tasks, columns), columns.seconds)
    for row, (task, annotator, main, seconds) in enumerate(zip(*(column.tolist() for column in rows), strict=True)):
        yield json.dumps(
            {
                "image_id": str(held.image_ids[tasks.subjects[task]]),
                "annotator_id": names[annotator],
                "selected": selected[starts[row] : starts[row + 1]].tolist(),
                "main": None if main == NO_CLASS else main,
                "candidates": tasks.items[tasks.starts[task] : tasks.starts[task + 1]].tolist(),
                "seconds": None if math.isnan(seconds) else seconds,
            }
        )
