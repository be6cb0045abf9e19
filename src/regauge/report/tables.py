"""Scores and comparisons as tables for a document: what each cell says, and the number that it sorts by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from regauge.estimates import (
    MISSING,
    Estimate,
    format_estimate,
    format_percent,
    format_plain,
    format_span,
    typeset,
    typeset_number,
)
from regauge.records.evaluation.details import EvaluationDetails
from regauge.records.evaluation.scores import WHOLE, Score, Scores, is_balanced
from regauge.records.evaluation.shifts import Shift
from regauge.records.responses.quality import AnnotatorQuality
from regauge.report.content import CampaignPart
from regauge.report.metrics import get_title
from regauge.report.sentences import list_measures


@dataclass(frozen=True, slots=True)
class TableCell:
    """What a cell says, the number behind it (None where there is none), and a note below it."""

    text: str
    value: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A title, and below it what all cells share; of ranks the lowest is the best, and words stand left."""

    title: str
    subtitle: str = ""
    n: str = ""
    is_rank: bool = False
    is_text: bool = False


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
    whole = Scores(scores.to_frame().filter(pl.col("subset") == WHOLE), settings=scores.settings, people=scores.people)
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
            f"{subset} (n = {format_span([low, high])})",
            tuple(_make_cell(found.get((subset, name))) for name in participants),
        )
        for subset, low, high in counts.iter_rows()
    )
    return DocumentTable("part", tuple(TableColumn(name) for name in participants), rows)


def make_shift_table(shift: Shift) -> DocumentTable:
    """One row per model by its rank on the original set."""
    columns = [
        TableColumn("Rank", is_rank=True),
        TableColumn(shift.original, n=describe_n([one.original.n for one in shift.models])),
        TableColumn(shift.new, n=describe_n([one.new.n for one in shift.models])),
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


def make_lifts_table(details: EvaluationDetails) -> DocumentTable:
    """One row per participant: by dataset labels and by the others on the same images, the largest change first."""
    n = describe_n([one.change.n or 0 for one in details.lifts])
    columns = (
        TableColumn("Top-1", "by dataset", n),
        TableColumn(get_title(details.measure[0]), f"by {details.measure[1]}", n),
        TableColumn("Change", "points"),
    )
    rows = tuple(
        (
            one.participant,
            (
                TableCell(format_percent(one.before), one.before),
                TableCell(format_percent(one.after), one.after),
                TableCell(typeset(one.change, scale=100, sign=True), one.change.value),
            ),
        )
        for one in sorted(details.lifts, key=lambda one: (-one.change.value, one.participant))
    )
    return DocumentTable("participant", columns, rows)


def make_classes_table(details: EvaluationDetails) -> DocumentTable:
    """One row per class, the hardest first: n, accuracy, and what is answered instead."""
    columns = (
        TableColumn("Images"),
        TableColumn(get_title(details.measure[0]), f"by {details.measure[1]}"),
        TableColumn("Mistakes"),
        TableColumn("Answered instead", "share of the mistakes", is_text=True),
    )
    rows = []
    for one in details.classes:
        n_mistakes = one.confusions[0].share.n if one.confusions else 0
        instead = "; ".join(f"{other.name} {other.share}" for other in one.confusions)
        cells = (
            TableCell(f"{one.share.n:,}", one.share.n),
            TableCell(str(one.share), one.share.value, "hard" if one.is_hard else ""),
            TableCell(f"{n_mistakes:,}", n_mistakes),
            TableCell(instead or MISSING),
        )
        rows.append((one.name, cells))
    return DocumentTable("class", columns, tuple(rows))


def make_campaigns_table(parts: Sequence[CampaignPart]) -> DocumentTable:
    """One row per campaign: who answered how much, in which time, at which cost, and how far they agree."""
    titles = ("Answers", "Seconds", "Cost", "Controls", "Agreement", "α")
    notes = ("by people", "median", "with fees", "median annotator", "median annotator", "")
    columns = (
        TableColumn("Kind", is_text=True),
        *(TableColumn(title, note) for title, note in zip(titles, notes, strict=True)),
    )
    return DocumentTable("campaign", columns, tuple((one.name, _list_campaign_cells(one)) for one in parts))


def _list_campaign_cells(part: CampaignPart) -> tuple[TableCell, ...]:
    pulse, summary = part.pulse, part.summary
    seconds, cost, alpha = pulse.median_seconds, pulse.cost_so_far, summary.alpha
    shares = [None if one is None else one.median for one in (summary.controls, summary.agreement)]
    return (
        TableCell(part.kind),
        TableCell(f"{pulse.n_answers:,}", pulse.n_answers, f"by {len(part.annotators):,}"),
        TableCell(
            MISSING if seconds is None else f"{seconds:,.0f}",
            seconds,
            f"n = {pulse.n_timed:,}" if pulse.n_timed else "",
        ),
        TableCell(MISSING if cost is None else f"{cost:,.2f} {pulse.currency}", cost),
        *(
            TableCell(format_estimate(one), None if one is None else one.value, "" if one is None else f"n = {one.n}")
            for one in shares
        ),
        TableCell(
            format_plain(alpha, decimals=2),
            None if alpha is None else alpha.value,
            "" if alpha is None else f"n = {alpha.n:,}",
        ),
    )


def make_annotators_table(part: CampaignPart) -> DocumentTable:
    """One row per annotator, by number and never by name, those with the most answers first."""
    columns = (
        TableColumn("Answers"),
        TableColumn("Controls", "right"),
        TableColumn("Agreement", "with the majority"),
        TableColumn("Repeats", "answered alike"),
        TableColumn("Seconds", "median"),
        TableColumn("Remarks", is_text=True),
    )
    rows = tuple((f"annotator {number}", _list_annotator_cells(one)) for number, one in enumerate(part.annotators, 1))
    return DocumentTable("annotator", columns, rows)


def _list_annotator_cells(one: AnnotatorQuality) -> tuple[TableCell, ...]:
    shares = (one.controls, one.agreement, one.consistency)
    seconds = one.median_seconds
    remarks = [*(["dropped"] if one.is_dropped else []), *(flag.name for flag in one.flags)]
    return (
        TableCell(f"{one.n_answers:,}", one.n_answers),
        *(TableCell(str(share), share.value, f"n = {share.n:,}" if share.n else "") for share in shares),
        TableCell(MISSING if seconds is None else f"{seconds:,.0f}", seconds),
        TableCell(", ".join(remarks) or MISSING),
    )


def make_plain_table(first: str, titles: Sequence[str], *, rows: Sequence[tuple[str, Sequence[str]]]) -> DocumentTable:
    """A table of words."""
    columns = tuple(TableColumn(title, is_text=True) for title in titles)
    return DocumentTable(first, columns, tuple((name, tuple(map(TableCell, cells))) for name, cells in rows))


def _describe_robustness(shift: Shift) -> str:
    """What effective robustness is measured against, and what its limits hold."""
    against = shift.baseline
    if against is None:
        return "points; limits of the line alone"
    return f"points above the {against.scale} fit through {against.n_models} models; {against.resample.words} resampled"


def _make_table(scores: Scores, first: str, measures: Sequence[tuple[str, str]]) -> DocumentTable:
    found = {(one.participant, one.metric, one.labels): one for one in scores}
    names = list(dict.fromkeys(one.participant for one in scores))
    columns = tuple(
        TableColumn(
            get_title(metric, _find_remark(found, metric, labels)),
            f"by {labels}",
            describe_n(_count(found, names, metric, labels)),
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


def describe_n(counts: Sequence[int]) -> str:
    """What stands over a column: of how many its shares are, from the least to the most."""
    return f"n = {format_span(counts)}" if counts else "n = 0"
