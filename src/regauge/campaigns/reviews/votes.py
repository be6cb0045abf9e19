"""Verdicts on pairs of image and class as they stand in masks: three bits for each pair, whatever kind of task asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.records.labels.verdicts import Verdict
from regauge.records.responses.ledgers import COUNTED, LedgerColumns, TaskColumns

VOTES = tuple(verdict.name.lower() for verdict in sorted(Verdict))
"""What one can say, by the number of the verdict."""
VERDICT_OF = {verdict.name.lower(): verdict for verdict in Verdict}
N_VOTES = len(VOTES)
MAX_PAIRS = 21
"""An answer is a mask of three bits for each pair, and a mask has 64."""


class LongVotes(NamedTuple):
    """Votes one below the other: whose answer, on which pair of its task, and which verdict."""

    rows: CountArray
    places: IntArray
    verdicts: IntArray


def list_keys(tasks: TaskColumns, place: int) -> list[str]:
    """What answers to a task call its pairs."""
    items = tasks.items[tasks.starts[place] : tasks.starts[place + 1] : N_VOTES].tolist()
    return [str(one) for one in (range(len(items)) if tasks.subjects[place] < 0 else items)]


def read_mask(verdicts: Mapping[str, str], keys: Sequence[str]) -> int:
    """The verdicts of an answer as one mask, by what it calls the pairs."""
    said = [(place, verdicts[key]) for place, key in enumerate(keys) if key in verdicts]
    return sum(1 << (N_VOTES * place + VOTES.index(word)) for place, word in said)


def list_votes(columns: LedgerColumns) -> LongVotes:
    """Every vote of some answers, by answer and then by pair."""
    found = []
    for bit in range(64 // N_VOTES * N_VOTES):
        rows = np.flatnonzero(columns.masks >> np.uint64(bit) & np.uint64(1))
        found.append((rows, np.full(len(rows), bit // N_VOTES), np.full(len(rows), bit % N_VOTES)))
    rows, places, verdicts = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((places, rows))
    return LongVotes(rows[order], places[order].astype(np.int32), verdicts[order].astype(np.int32))


def find_pair_numbers(tasks: TaskColumns, columns: LedgerColumns, *, votes: LongVotes) -> CountArray:
    """Per vote, the number of the pair that it is on, counted through all tasks."""
    return tasks.starts[columns.tasks[votes.rows]] // N_VOTES + votes.places


def find_pairs(tasks: TaskColumns) -> tuple[IntArray, IntArray]:
    """Per number of a pair, its image and its class."""
    items, subjects = tasks.items[::N_VOTES], np.repeat(tasks.subjects, tasks.sizes // N_VOTES)
    is_grid = subjects < 0
    return np.where(is_grid, items, subjects).astype(np.int32), np.where(is_grid, -1 - subjects, items).astype(np.int32)


def compare_verdicts(
    tasks: TaskColumns, columns: LedgerColumns, *, is_known: BoolArray | None = None
) -> tuple[CountArray, CountArray]:
    """Per answer, pairs on which the others have one most frequent verdict, and those on which the answer has it too.

    Args:
        tasks: all tasks.
        columns: the answers, by whole tasks.
        is_known: per pair, whether its verdict was known beforehand, so that it is not compared; None where none was.
    """
    votes = list_votes(columns)
    pairs = find_pair_numbers(tasks, columns, votes=votes)
    table = np.zeros((len(tasks.items) // N_VOTES, N_VOTES), np.int64)
    is_counted = (columns.statuses == COUNTED)[votes.rows]
    np.add.at(table, (pairs[is_counted], votes.verdicts[is_counted]), 1)
    others = table[pairs]
    others[np.arange(len(pairs)), votes.verdicts] -= is_counted
    most = others.max(axis=1, initial=0)
    has_most = (most > 0) & ((others == most[:, np.newaxis]).sum(axis=1) == 1)
    if is_known is not None:
        has_most &= ~is_known[pairs]
    is_theirs = has_most & (others[np.arange(len(pairs)), votes.verdicts] == most)
    n = np.bincount(votes.rows[has_most], minlength=len(columns))
    return n, np.bincount(votes.rows[is_theirs], minlength=len(columns))


def read_verdicts(tasks: TaskColumns, columns: LedgerColumns, *, row: int) -> dict[int, int]:  # noqa: ARG001 - the mask tells
    """The verdict of an answer on each pair of its task, by the place of the pair."""
    votes = list_votes(columns.keep(np.array([row])))
    return dict(zip(votes.places.tolist(), votes.verdicts.tolist(), strict=True))
