"""Benchmark and task as a section of a report: each analysis behind a line, with its answers and its figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from regauge.records.evaluation.context.report import ContextReport
from regauge.report.context.figures import can_plot, plot_context
from regauge.report.sections.blocks import Block, Fold, ReportFigure, Section, Text

CONTEXT = "context"
DRAWN = ("objects", "cooccurrence", "disagreement", "validation", "ambiguous", "frequencies")
"""Analyses with a figure on the page; the others, which are large, have their tables beside it."""


def make_context_section(reports: Sequence[ContextReport]) -> Section:
    """All analyses of a test set, folded; their tables are files beside the page."""
    first = reports[0]
    notes = dict.fromkeys(note for report in reports for note in report.notes)
    blocks: tuple[Block, ...] = (
        Text(
            f"What people say of the images of {first.test_set}, beside their dataset labels and what participants answer."
        ),
        *(
            Fold(report.title, tuple(_show(report)), f"{CONTEXT}-{report.analysis}", is_printed=False)
            for report in reports
            if report.answers
        ),
        Text(_tell_draws(first), "quiet"),
        Fold("How to read this", tuple(Text(note, "quiet") for note in notes), is_printed=False),
    )
    frames = [
        (f"{CONTEXT}-{report.analysis}-{name}", frame)
        for report in reports
        for name, frame in report.tables.items()
        if frame.height
    ]
    gist = next((answer for report in reports for answer in report.answers), "")
    return Section(CONTEXT, "Benchmark and task", blocks, gist, is_folded=True, frames=frames, is_printed=False)


def _show(report: ContextReport) -> Iterator[Block]:
    for answer in report.answers:
        yield Text(answer)
    if report.analysis in DRAWN and can_plot(report):
        text = f"{report.title}: {report.answers[0]}"
        yield ReportFigure(f"{CONTEXT}-{report.analysis}", text, plot_context(report).to_dict(validate=False))


def _tell_draws(report: ContextReport) -> str:
    settings = report.settings
    return (
        f"{100 * settings.level:g}% intervals; those of means come from {settings.n_bootstrap:,} bootstrap samples of the "
        "images, fewer than `regauge context` takes. The files in tables/ have all numbers; `regauge context ANALYSIS "
        "--figure FILE` draws the other analyses."
    )
