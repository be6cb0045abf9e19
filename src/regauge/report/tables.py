"""Scores and comparisons as tables for a document: what each cell says, and the number that it sorts by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from regauge.estimates import Estimate, format_estimate, format_percent, typeset, typeset_number
from regauge.records.evaluation.scores import WHOLE, Score, Scores
from regauge.records.evaluation.shifts import Shift
from regauge.report.metrics import get_title, is_balanced
from regauge.report.sentences import list_measures


@dataclass(frozen=True, slots=True)
class TableCell:
    """What a cell says, the number behind it (None where there is none), and a note below it."""

    text: str
    value: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A title, and below it what all cells share; of ranks the lowest is the best."""

    title: str
    subtitle: str = ""
    n: str = ""
    is_rank: bool = False


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """A table whose first column names the rows."""

    first: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[str, tuple[TableCell, ...]], ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.columns or not self.rows


def make_participants_table(scores: Scores, *, balanced: bool = False) -> DocumentTable:
    """One row per participant, the best by the first metric first, and one column per metric on the whole test set."""
    whole = Scores(scores.to_frame().filter(pl.col("subset") == WHOLE), settings=scores.settings)
    return _make_table(
        whole, "participant", [pair for pair in list_measures(whole) if is_balanced(pair[0]) == balanced]
    )


def make_subsets_table(scores: Scores, participants: Sequence[str], *, measure: tuple[str, str]) -> DocumentTable:
    """One row per subset, in output order, and one column per participant."""
    metric, labels = measure
    frame = scores.to_frame().filter(
        (pl.col("metric") == metric) & (pl.col("labels") == labels) & (pl.col("subset") != WHOLE)
    )
    found = {(one.subset, one.participant): one for one in Scores(frame)}
    counts = frame.group_by("subset", maintain_order=True).agg(
        pl.col("n").min().alias("low"), pl.col("n").max().alias("high")
    )
    rows = tuple(
        (
            f"{subset} (n = {_span([low, high])})",
            tuple(_make_cell(found.get((subset, name))) for name in participants),
        )
        for subset, low, high in counts.iter_rows()
    )
    return DocumentTable("part", tuple(TableColumn(name) for name in participants), rows)


def make_shift_table(shift: Shift) -> DocumentTable:
    """One row per model by its rank on the original set."""
    columns = [
        TableColumn("Rank", is_rank=True),
        TableColumn(shift.original, n=_describe_n([one.original.n for one in shift.models])),
        TableColumn(shift.new, n=_describe_n([one.new.n for one in shift.models])),
        TableColumn("Gap", "points"),
        TableColumn("New rank", is_rank=True),
        TableColumn("Δ rank"),
    ]
    has_robustness = any(one.effective_robustness is not None for one in shift.models)
    rows = []
    for one in shift.models:
        cells = [
            TableCell(str(one.rank_original), one.rank_original),
            TableCell(str(one.original), one.original.value),
            TableCell(str(one.new), one.new.value),
            make_points(one.gap),
            TableCell(str(one.rank_new), one.rank_new),
            TableCell(typeset_number(one.delta_rank, decimals=0, sign=True), one.delta_rank),
        ]
        if has_robustness:
            cells.append(make_points(one.effective_robustness))
        rows.append((one.name, tuple(cells)))
    if has_robustness:
        columns.append(TableColumn("Robustness", _describe_robustness(shift)))
    return DocumentTable("model", tuple(columns), tuple(rows))


def _describe_robustness(shift: Shift) -> str:
    """What effective robustness is measured against, and what its limits hold."""
    against = shift.baseline
    if against is None:
        return "points; limits of the line alone"
    return (
        f"points above the {against.scale} fit through {against.n_models} models; {against.resample.words} drawn anew"
    )


def _make_table(scores: Scores, first: str, measures: Sequence[tuple[str, str]]) -> DocumentTable:
    found = {(one.participant, one.metric, one.labels): one for one in scores}
    names = list(dict.fromkeys(one.participant for one in scores))
    columns = tuple(
        TableColumn(
            get_title(metric, _find_remark(found, metric, labels)),
            f"by {labels}",
            _describe_n(_count(found, names, metric, labels)),
        )
        for metric, labels in measures
    )
    rows = [
        (name, tuple(_make_cell(found.get((name, metric, labels))) for metric, labels in measures)) for name in names
    ]
    if measures:
        rows.sort(key=lambda row: (row[1][0].value is None, -(row[1][0].value or 0), row[0]))
    return DocumentTable(first, columns, tuple(rows))


def _find_remark(found: dict[tuple[str, str, str], Score], metric: str, labels: str) -> str | None:
    return next((one.remark for one in found.values() if (one.metric, one.labels) == (metric, labels)), None)


def _count(found: dict[tuple[str, str, str], Score], names: Sequence[str], metric: str, labels: str) -> list[int]:
    return [found[name, metric, labels].n for name in names if (name, metric, labels) in found]


def _make_cell(score: Score | None) -> TableCell:
    if score is None or score.value is None:
        return TableCell("–")
    # A mean leaves unjudged predictions out, so that it lies between the bounds; shares count them as wrong.
    lowest = f"{format_percent(score.lower_bound)} " if score.is_mean else "up "
    note = f"{lowest}to {format_percent(score.upper_bound)}, {score.n_unjudged:,} unjudged" if score.n_unjudged else ""
    return TableCell(format_estimate(score), score.value, note)


def make_points(estimate: Estimate[float] | None) -> TableCell:
    """A difference in points with its limits."""
    return TableCell(typeset(estimate, scale=100), None if estimate is None else estimate.value)


def _describe_n(counts: Sequence[int]) -> str:
    return f"n = {_span(counts)}" if counts else "n = 0"


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
