"""Slices as a section of a report: what everybody gets right on each, and how severe the mistakes are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regauge.estimates import count_things
from regauge.records.slices.answers import AnswerState
from regauge.records.slices.scores import SlicePart, SliceScore
from regauge.report.sections.blocks import Block, Fold, ReportFigure, ReportTable, Section, Text
from regauge.report.slices.figures import plot_slice
from regauge.report.tables import DocumentTable, TableCell, TableColumn

SLICES = "slices"
_COLUMNS = {
    "Major": AnswerState.MAJOR,
    "Minor": AnswerState.MINOR,
    "Borderline": AnswerState.BORDERLINE,
    "Not coded": AnswerState.UNCODED,
    "Unjudged": AnswerState.UNJUDGED,
}


def make_slices(parts: Sequence[SlicePart]) -> Section:
    """Every slice with its figure and its table; several are folded one by one."""
    shown = [(part, tuple(_show(part, f"{SLICES}-{number}"))) for number, part in enumerate(parts, 1)]
    blocks: tuple[Block, ...] = shown[0][1]
    if len(shown) > 1:
        blocks = tuple(Fold(_tell_gist(part), own, is_printed=False) for part, own in shown)
    frames = [(f"{SLICES}-{number}", part.scores.to_frame()) for number, part in enumerate(parts, 1)]
    gist = _tell_gist(parts[0]) if len(parts) == 1 else count_things(len(parts), "slice")
    return Section(SLICES, "Slices", blocks, gist, is_folded=True, frames=frames, is_printed=False)


def _tell_gist(part: SlicePart) -> str:
    """The slice in a line."""
    entry = part.entry
    return f"{entry.name}: {count_things(entry.n_images, 'image')} of {entry.test_set} under {entry.labels}"


def _show(part: SlicePart, anchor: str) -> Iterator[Block]:
    yield Text(f"{part.choice}.")
    if part.entry.is_open:
        yield Text("This slice is open: predictions had not been judged or coded when it was frozen.")
    if any(one.top1 is not None and one.correct.n for one in part.scores.scores):
        text = f"Right answers on {part.entry.name} against top-1 accuracy, with intervals."
        yield ReportFigure(anchor, text, plot_slice(part.scores).to_dict(validate=False))
    caption = f"Right answers on {part.entry.name}, and how severe the mistakes are"
    yield ReportTable(f"{anchor}-table", caption, _make_table(part), can_filter=True)
    if any(not one.is_comparable for one in part.scores.scores):
        yield Text(
            "Participants whose answers helped to choose the images are not comparable with others on them.", "quiet"
        )
    if any(one.n_unjudged for one in part.scores.scores):
        yield Text(
            "Unjudged answers are neither right nor wrong; intervals reach as far as they may turn out.", "quiet"
        )


def _make_table(part: SlicePart) -> DocumentTable:
    columns = [TableColumn("Right", "Clopper–Pearson"), *map(TableColumn, _COLUMNS), TableColumn("Comparable")]
    rows = [(one.participant, tuple(_list_cells(one))) for one in part.scores.scores]
    return DocumentTable("participant", tuple(columns), tuple(rows))


def _list_cells(one: SliceScore) -> Iterator[TableCell]:
    yield TableCell(one.share_text, one.correct.value, f"{one.correct.k:,} of {one.correct.n:,}")
    for state in _COLUMNS.values():
        yield TableCell(f"{one.counts[state]:,}", one.counts[state])
    yield TableCell("yes" if one.is_comparable else "no", float(one.is_comparable))
