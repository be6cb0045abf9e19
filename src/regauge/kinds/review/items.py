"""REVIEW: what was said of every class of every image so far, and one answer in words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regauge.arrays import BoolArray, CountArray
from regauge.campaigns.comments import is_returned
from regauge.kinds.review.answers import (
    N_VOTES,
    LongVotes,
    find_controls,
    find_pair_numbers,
    find_pairs,
    list_votes,
    tell_note,
)
from regauge.kinds.review.task import REFERS, is_grid, list_keys
from regauge.labels.plurality import count_pair_votes, find_shared
from regauge.records.campaigns.campaign import Payload, ResponseStatus
from regauge.records.responses.answers import Control
from regauge.records.responses.items import STATES, ItemState, ItemTable
from regauge.records.responses.ledgers import LedgerColumns, TaskColumns
from regauge.responses.ledger import Ledger


def count_items(ledger: Ledger, *, n_annotators: int) -> ItemTable:
    """Every pair that tasks ask about, with the votes on it that count; of two of one person the last."""
    tasks, columns = ledger.tasks, ledger.columns
    held = columns.keep(columns.find_rows((ResponseStatus.COUNTED,)))
    sizes = tasks.sizes // N_VOTES
    owners = np.repeat(np.arange(len(tasks)), sizes)
    is_work = tasks.is_work[owners]
    images, classes = find_pairs(tasks)
    keys = images.astype(np.int64) << 32 | classes
    distinct, rows = np.unique(keys[is_work], return_inverse=True)
    row_of = np.full(len(keys), -1, np.int64)
    row_of[is_work] = rows
    votes = _keep_last(tasks, held, row_of=row_of)
    vote_rows = row_of[find_pair_numbers(tasks, held, votes=votes)]
    table = count_pair_votes(vote_rows, votes.verdicts, n_pairs=len(distinct))
    n_answers = np.bincount(held.tasks, minlength=len(tasks))
    waiting = np.maximum(0, tasks.count_wanted(n_annotators) - n_answers)[owners[is_work]]
    last_of_task = np.zeros(len(tasks), np.int64)
    np.maximum.at(last_of_task, held.tasks, held.received)
    last, last_task = np.zeros(len(distinct), np.int64), np.zeros(len(distinct), np.int64)
    np.maximum.at(last, rows, last_of_task[owners[is_work]])
    np.maximum.at(last_task, rows, tasks.ids[owners[is_work]])
    is_gold = np.zeros(len(distinct), np.bool_)
    np.logical_or.at(is_gold, rows, find_controls(tasks)[is_work] != Control.NONE)
    is_alone = tasks.is_alone[owners[is_work]]
    is_open, is_referred, is_waiting = (
        np.bincount(rows, weights=one, minlength=len(distinct)) > 0 for one in (waiting, is_alone, is_alone * waiting)
    )
    by_expert = np.unique(vote_rows[tasks.is_alone[held.tasks[votes.rows]]])
    return ItemTable(
        images=(distinct >> 32).astype(np.int32),
        classes=(distinct & 0xFFFFFFFF).astype(np.int32),
        tasks=last_task,
        n_votes=table,
        states=_find_states(table, is_open, n_annotators, referred=(is_referred, is_waiting, by_expert)),
        last=last,
        is_control=is_gold,
        vote_rows=vote_rows,
        vote_people=held.annotator_ids[held.annotators[votes.rows]],
    )


def _find_states(
    table: CountArray, is_open: BoolArray, n_annotators: int, *, referred: tuple[BoolArray, BoolArray, CountArray]
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """How far each pair is; of those that were referred an expert's verdict settles one, and nothing else does.

    What an expert leaves out, or hands back, waits for another; where nobody will be asked any more, it was skipped.
    """
    n = table.sum(axis=1)
    is_referred, is_waiting, by_expert = referred
    places = {state: place for place, state in enumerate(STATES)}
    judged = np.where(find_shared(table), places[ItemState.SPLIT], places[ItemState.SETTLED])
    done = np.where(n < n_annotators, places[ItemState.SKIPPED], judged)
    states = np.where(is_open, places[ItemState.OPEN], done).astype(np.int32)
    states[is_referred] = np.where(is_waiting[is_referred], places[ItemState.REFERRED], places[ItemState.SKIPPED])
    states[by_expert] = places[ItemState.SETTLED]
    return states


def _keep_last(tasks: TaskColumns, held: LedgerColumns, *, row_of: CountArray) -> LongVotes:
    """Votes on pairs of work, one of each person: that of an expert, or of a pair that was asked again the later one."""
    votes = list_votes(held)
    rows = row_of[find_pair_numbers(tasks, held, votes=votes)]
    order = np.lexsort((held.ids[votes.rows], tasks.is_alone[held.tasks[votes.rows]]))
    order = order[rows[order] >= 0][::-1]
    whose = rows[order] * max(1, len(held.annotator_ids)) + held.annotators[votes.rows[order]]
    _, first = np.unique(whose, return_index=True)
    kept = np.sort(order[first])
    return LongVotes(votes.rows[kept], votes.places[kept], votes.verdicts[kept])


def tell_answer(task: Payload, answer: Payload, *, image: int, name: Callable[[int], str]) -> tuple[str, str]:
    """What an answer says of an image: verdicts with their reasons, and the note."""
    if is_returned(answer):
        return "returned without a verdict", tell_note(answer)
    verdicts, reasons = answer.get("verdicts", {}), answer.get("reasons", {})
    if is_grid(task):
        keys = [(key, task["classes"][0]) for key in list_keys(task) if task["images"][int(key)] == image]
    else:
        keys = [(key, int(key)) for key in list_keys(task)]
    refers = {key: f"referred to {words}" for key, words in answer.get(REFERS, {}).items()}
    words = {**refers, **verdicts}
    said = [_tell_one(name(index), words.get(key, "skipped"), reasons.get(key, "")) for key, index in keys]
    said += [f"{name(index)}: added" for index in answer.get("more", ())]
    said += list(answer.get("problems", ()))
    said += ["nothing more"] if answer.get("nothing_more") else []
    return "; ".join(said), tell_note(answer)


def _tell_one(name: str, verdict: str, reason: str) -> str:
    return f"{name}: {verdict}{f' ({reason})' if reason else ''}"
