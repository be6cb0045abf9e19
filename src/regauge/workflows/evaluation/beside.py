"""Published models beside somebody's own, and comparisons of test sets of which only accuracies are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import polars as pl

from regauge.errors import InputError
from regauge.evaluation.count_sides import choose_set, make_count_side
from regauge.evaluation.published_standings import stand_beside, stand_scores_beside
from regauge.evaluation.sides import Side
from regauge.evaluation.standing_sentences import describe_published
from regauge.formats.predictions.accuracies import load_accuracies
from regauge.records.evaluation.accuracies import AccuracyTable, Beside, SetAccuracies
from regauge.records.evaluation.scores import Scores
from regauge.records.evaluation.shifts import Shift, ShiftSettings

BesideLike: TypeAlias = str | Path | AccuracyTable | Beside
AccuraciesLike: TypeAlias = AccuracyTable | SetAccuracies


def load_set_accuracies(paths: Sequence[str | Path], *, name: str | None = None, n: int | None = None) -> SetAccuracies:
    """The accuracies on one test set, from files or packaged tables.

    Args:
        paths: the tables.
        name: which of their sets; None takes the only one.
        n: how many images there are, where no file tells.
    """
    return choose_set(_join([load_accuracies(path, n=n) for path in paths]), name)


def open_side(accuracies: AccuraciesLike, *, settings: ShiftSettings) -> Side:
    """The models of a table of accuracies as a side of a comparison; a table must have one set."""
    chosen = choose_set(accuracies) if isinstance(accuracies, AccuracyTable) else accuracies
    return make_count_side(chosen, settings=settings)


def shift_beside(shift: Shift, beside: BesideLike) -> Shift:
    """The comparison with published models beside it: their line, and where each model stands."""
    request = beside if isinstance(beside, Beside) else Beside(_keep(beside))
    return stand_beside(shift, _open(request), request)


def score_beside(scores: Scores, beside: BesideLike) -> Scores:
    """The scores with published models beside them: where each participant stands."""
    request = beside if isinstance(beside, Beside) else Beside(_keep(beside))
    if request.new_set is not None:
        raise InputError("Scores are of one test set: say which by original_set, and leave new_set out.")
    return stand_scores_beside(scores, _open(request), request)


def describe_beside(result: Shift | Scores) -> list[str]:
    """Where models stand among published ones, in sentences; none where no published models are beside them."""
    if result.published is None:
        return []
    return list(describe_published(result.published, level=result.settings.level))


def _keep(source: str | Path | AccuracyTable) -> str | AccuracyTable:
    return source if isinstance(source, AccuracyTable) else str(source)


def _open(request: Beside) -> AccuracyTable:
    sources = [request.source] if isinstance(request.source, str | AccuracyTable) else list(request.source)
    return _join([one if isinstance(one, AccuracyTable) else load_accuracies(one) for one in sources])


def _join(tables: Sequence[AccuracyTable]) -> AccuracyTable:
    """Several tables as one."""
    if not tables:
        raise InputError("Accuracies are needed: give at least one table.")
    if len(tables) == 1:
        return tables[0]
    frame = pl.concat([table.frame for table in tables])
    repeated = frame.filter(~pl.struct("model", "set", "metric").is_first_distinct())
    if repeated.height:
        model, name, metric = repeated.select("model", "set", "metric").row(0)
        raise InputError(f"Two tables of accuracies have {model!r} with {metric} on {name}; leave one out.")
    notes = tuple(note for table in tables for note in table.notes)
    citations = [table.citation for table in tables if table.citation]
    joined = " and ".join(dict.fromkeys(table.name for table in tables))
    return replace(tables[0], name=joined, frame=frame, notes=notes, citation="; ".join(citations) or None)
