"""Ledgers for tests, from tasks and answers that are written down by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from regauge.kinds.classify import answers as classify_answers
from regauge.kinds.classify import figures as classify_figures
from regauge.kinds.contains import answers as contains_answers
from regauge.kinds.contains import figures as contains_figures
from regauge.records.campaigns.campaign import ResponseStatus
from regauge.records.responses.ledgers import CODE_OF, AnswerColumns
from regauge.responses.ledger import AnswerKind, Ledger
from regauge.responses.live.figures import Tally
from regauge.responses.live.kinds import FigureKind

COUNTED, SURPLUS, DROPPED, REPEAT = (
    ResponseStatus.COUNTED,
    ResponseStatus.SURPLUS,
    ResponseStatus.DROPPED,
    ResponseStatus.REPEAT,
)
Row = tuple[int, int, object]
"""A task, an annotator, and what they answered: a mask, or the classes with the main one first."""


def get_figures(ledger: Ledger) -> FigureKind:
    """What tells the figures of the kind that a ledger is of."""
    return contains_figures if ledger.kind is contains_answers else classify_figures


def make_tally(ledger: Ledger) -> Tally:
    """The figures of a ledger."""
    return Tally(ledger, get_figures(ledger))


def make_grids(*grids: Sequence[tuple[int, int]], sources: Sequence[int] = ()) -> Ledger:
    """A ledger of CONTAINS tasks 1, 2, …, each with (image, control) cells; task i is about class i."""
    texts = [json.dumps({"version": 1, "class": place, "cells": cells}) for place, cells in enumerate(grids, 1)]
    return _make(contains_answers, texts, sources)


def make_choices(*candidates: Sequence[int], sources: Sequence[int] = ()) -> Ledger:
    """A ledger of CLASSIFY tasks 1, 2, …; task i is about image i."""
    texts = [json.dumps({"version": 1, "image": place, "candidates": one}) for place, one in enumerate(candidates, 1)]
    return _make(classify_answers, texts, sources)


def book(
    ledger: Ledger,
    *rows: Row,
    first: int = 1,
    status: ResponseStatus = COUNTED,
    revisions: Sequence[int] = (),
    seconds: Sequence[float] = (),
    claimed: Sequence[float] = (),
) -> Ledger:
    """The ledger with more answers, numbered from `first` on, one a second."""
    n = len(rows)
    answers = AnswerColumns(
        ids=np.arange(first, first + n),
        tasks=np.array([row[0] for row in rows], np.int64),
        annotators=np.array([row[1] for row in rows], np.int64),
        statuses=np.full(n, CODE_OF[status], np.uint8),
        revisions=np.array(revisions or [0] * n, np.int32),
        received=1_000 * np.arange(first, first + n),
        seconds=np.array(seconds or [np.nan] * n, np.float64),
        claimed=np.array(claimed or seconds or [np.nan] * n, np.float64),
        texts=tuple(_write(row[2]) for row in rows),
    )
    ledger.add_answers(answers)
    return ledger


def _make(kind: AnswerKind, texts: Sequence[str], sources: Sequence[int]) -> Ledger:
    ledger = Ledger(kind)
    repeated = np.array(sources or [0] * len(texts), np.int64)
    ledger.add_tasks(texts, ids=np.arange(1, len(texts) + 1), sources=repeated)
    return ledger


def _write(answer: object) -> str:
    if isinstance(answer, int):
        return json.dumps({"version": 1, "mask": f"{answer:x}"})
    assert isinstance(answer, list)
    return json.dumps({"version": 1, "selected": sorted(answer), "main": answer[0] if answer else None})
