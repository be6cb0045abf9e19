"""What remains of mistakes after a review, as a section: the flow, categories and severities, accuracies before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from regauge.estimates import MISSING, Share, format_points, to_fields
from regauge.records.mistakes.coded import FOLDED_SEVERITIES
from regauge.records.mistakes.flows import AccuracyChange, MistakeFlow
from regauge.records.mistakes.summaries import FileSummary
from regauge.report.content import ReviewedMistakes
from regauge.report.findings.mistakes import find_in_mistakes, tell_mistakes
from regauge.report.mistakes.figures import plot_flow
from regauge.report.sections.blocks import Block, Fold, ReportFigure, ReportTable, Section, Text
from regauge.report.tables import DocumentTable, TableCell, TableColumn

MISTAKES = "mistakes"
N_DRAWN = 2
"""How many flows are drawn; the rest is in tables."""


def make_mistakes(parts: Sequence[ReviewedMistakes]) -> Section:
    """Everybody whose mistakes were reviewed, the first at once, the others behind a line each."""
    shown = [
        tuple(_show(part, f"{MISTAKES}-{number}", is_drawn=number <= N_DRAWN)) for number, part in enumerate(parts, 1)
    ]
    rest = (
        Fold(f"{part.participant} on {part.test_set}", blocks, is_printed=False)
        for part, blocks in zip(parts[1:], shown[1:], strict=True)
    )
    frames = [frame for number, part in enumerate(parts, 1) for frame in _list_frames(part, f"{MISTAKES}-{number}")]
    gist = f"{parts[0].participant}: {' '.join(tell_mistakes(parts[0]))}"
    return Section(
        MISTAKES, "Mistakes that remain", (*shown[0], *rest), gist, is_folded=True, frames=frames, is_printed=False
    )


def _show(part: ReviewedMistakes, anchor: str, *, is_drawn: bool) -> Iterator[Block]:
    for one in find_in_mistakes(part, MISTAKES):
        yield Text(f"{one.claim} {one.evidence}")
    if part.flow is not None and is_drawn:
        text = f"The mistakes of {part.participant} from one label set to the next, with counts."
        yield ReportFigure(f"{anchor}-flow", text, plot_flow(part.flow).to_dict())
    if part.summary is not None:
        caption = f"Coded mistakes of {part.participant} ({part.coding}) by category and severity"
        yield ReportTable(f"{anchor}-codes", caption, _make_codes(part.summary))
        if part.summary.n_borderline:
            yield Text(
                f"Borderline mistakes, {part.summary.n_borderline:,} of {part.summary.n:,}, count as minor.", "quiet"
            )
    if part.accuracies and part.flow is not None:
        caption = f"Accuracy of {part.participant} by {part.flow.labels[0]} and by {part.flow.labels[-1]}"
        yield ReportTable(f"{anchor}-accuracies", caption, _make_accuracies(part.accuracies))
    for note in part.notes:
        yield Text(note, "quiet")


def _make_codes(summary: FileSummary) -> DocumentTable:
    """One row per category: its share of all, and the share of major ones within it."""
    columns = (TableColumn("Mistakes", "of all"), TableColumn("Major", "of the category"))
    rows = [
        (name, (_make_cell(share), _make_cell(major)))
        for name, share, major in zip(
            summary.category_names, summary.categories, summary.major_by_category, strict=True
        )
    ]
    rows.append(("all", (TableCell(f"{summary.n:,}", summary.n), _make_cell(summary.severities[0]))))
    return DocumentTable("category", columns, tuple(rows))


def _make_accuracies(accuracies: Sequence[AccuracyChange]) -> DocumentTable:
    """One row per group of classes."""
    columns = (TableColumn("Before"), TableColumn("After"), TableColumn("Change", "points"))
    rows = [
        (
            one.subset,
            (
                _make_cell(one.before),
                _make_cell(one.after),
                TableCell(format_points(one.change, sign=True), one.change.value),
            ),
        )
        for one in accuracies
    ]
    return DocumentTable("images", columns, tuple(rows))


def _make_cell(share: Share[float | None]) -> TableCell:
    return TableCell(str(share) if share.n else MISSING, share.value, f"{share.k:,} of {share.n:,}")


def _list_frames(part: ReviewedMistakes, anchor: str) -> Iterator[tuple[str, pl.DataFrame]]:
    if part.flow is not None:
        yield f"{anchor}-flow", _frame_flow(part.flow)
    if part.summary is not None:
        yield f"{anchor}-codes", _frame_codes(part.participant, part.summary)
    if part.accuracies:
        yield f"{anchor}-accuracies", _frame_accuracies(part.participant, part.accuracies)


def _frame_flow(flow: MistakeFlow) -> pl.DataFrame:
    """One row per step and reason, and one for what remains."""
    rows = [
        {
            "participant": flow.participant,
            "before": step.before,
            "after": step.after,
            "n": step.n,
            "what": what,
            "n_what": n,
        }
        for step in flow.steps
        for what, n in (*step.left, ("remain", step.n_remaining), ("new", step.n_joined))
    ]
    rows += [
        {
            "participant": flow.participant,
            "before": flow.coding,
            "after": "",
            "n": flow.n_end,
            "what": what,
            "n_what": n,
        }
        for what, n in flow.ends
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _frame_codes(participant: str, summary: FileSummary) -> pl.DataFrame:
    rows = [
        {"participant": participant, "category": name, "severity": severity.value, "n": one.k, "n_total": one.n}
        | to_fields(one, value="share")
        for name, cells in zip(summary.category_names, summary.table, strict=True)
        for severity, one in zip(FOLDED_SEVERITIES, cells, strict=True)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _frame_accuracies(participant: str, accuracies: Sequence[AccuracyChange]) -> pl.DataFrame:
    rows = [
        {"participant": participant, "subset": one.subset, "n_before": one.before.n, **to_fields(one.before, "before")}
        | {"n_after": one.after.n, **to_fields(one.after, "after"), **to_fields(one.change, "change")}
        for one in accuracies
    ]
    return pl.DataFrame(rows, infer_schema_length=None)
