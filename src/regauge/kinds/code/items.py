"""CODE: what was said of every mistake so far, and one answer in words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regauge.kinds.code.answers import find_classes, find_overturning
from regauge.kinds.code.task import CATEGORY, OVERTURNED, SEVERITY, tell_note
from regauge.records.campaigns.campaign import Payload, ResponseStatus
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.items import STATES, ItemState, ItemTable
from regauge.responses.ledger import Ledger


def count_items(ledger: Ledger, *, n_annotators: int) -> ItemTable:
    """Every mistake; whoever overturns it finds the prediction correct, and whoever codes it wrong."""
    tasks, columns = ledger.tasks, ledger.columns
    held = columns.keep(columns.find_rows((ResponseStatus.COUNTED,)))
    work = np.flatnonzero(tasks.is_work)
    row_of = np.full(len(tasks), -1, np.int64)
    row_of[work] = np.arange(len(work))
    rows = row_of[held.tasks]
    verdicts = np.where(find_overturning(held), Verdict.CORRECT, Verdict.WRONG)
    table = np.zeros((len(work), len(Verdict)), np.int64)
    np.add.at(table, (rows, verdicts), 1)
    last = np.zeros(len(work), np.int64)
    np.maximum.at(last, rows, held.received)
    is_open = table.sum(axis=1) < tasks.count_wanted(n_annotators)[work]
    is_split = table[:, Verdict.CORRECT] == table[:, Verdict.WRONG]
    places = {state: place for place, state in enumerate(STATES)}
    states = np.where(is_split, places[ItemState.SPLIT], places[ItemState.SETTLED])
    return ItemTable(
        images=tasks.subjects[work],
        classes=find_classes(tasks)[work],
        tasks=tasks.ids[work],
        n_votes=table,
        states=np.where(is_open, places[ItemState.OPEN], states).astype(np.int32),
        last=last,
        is_control=np.zeros(len(work), np.bool_),
        vote_rows=rows,
        vote_people=held.annotator_ids[held.annotators],
    )


def tell_answer(task: Payload, answer: Payload, *, image: int, name: Callable[[int], str]) -> tuple[str, str]:  # noqa: ARG001 - a task has one
    """What an answer says of the prediction, and the note."""
    said = f"no mistake: {answer[OVERTURNED]}" if OVERTURNED in answer else f"{answer[CATEGORY]}, {answer[SEVERITY]}"
    return f"{name(task['class'])}: {said}", tell_note(answer)
