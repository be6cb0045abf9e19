"""The section of benchmark and task: what is behind its lines, its files, and the finding that competes for the headlines."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from tests.report.context.small_context import make_context

from regauge.evaluation.context.registry import ANALYSES
from regauge.records.evaluation.context.report import ContextReport
from regauge.report.context.section import DRAWN, make_context_section
from regauge.report.findings.context import find_in_context
from regauge.report.findings.ranks import Question
from regauge.report.sections.blocks import Fold, list_figures


def make_all() -> list[ContextReport]:
    return [make_context(name) for name in ANALYSES]


def test_every_analysis_is_behind_a_line_and_its_tables_are_files() -> None:
    reports = make_all()
    section = make_context_section(reports)
    folds = [block for block in section.blocks if isinstance(block, Fold)]
    told = [report.title for report in reports if report.answers]
    assert [fold.title for fold in folds] == [*told, "How to read this"]
    assert section.is_folded
    assert section.gist == reports[0].answers[0]
    figures = [figure.name for figure in list_figures(section.blocks)]
    assert figures == [f"context-{name}" for name in ANALYSES if name in DRAWN and make_context(name).answers]
    names = [name for name, _ in section.frames]
    assert "context-objects-accuracies" in names
    assert all(frame.height for _, frame in section.frames)


def change(**columns: float) -> ContextReport:
    """The report of objects in which the best participant has other numbers."""
    report = make_context("objects")
    rows = report.get_table("accuracies").to_dicts()
    best = max((row for row in rows if row["metric"] == "top1"), key=lambda row: row["overall"])
    best.update(columns)
    table = report.get_table("accuracies")
    frame = pl.DataFrame(rows, schema=table.schema)
    return replace(report, tables={**report.tables, "accuracies": frame})


@pytest.mark.parametrize(
    ("limits", "claim", "is_clear"),
    [
        ((0.1, 0.3), "is right less often where images have several objects", True),
        ((-0.3, -0.1), "is right more often where images have several objects", True),
        ((-0.1, 0.3), "Whether several objects in an image matter to good is open", False),
    ],
)
def test_the_finding_says_what_the_interval_allows(limits: tuple[float, float], claim: str, *, is_clear: bool) -> None:
    (found,) = find_in_context([change(drop_low=limits[0], drop_high=limits[1])], "context")
    assert claim in found.claim
    assert (found.question, found.is_clear, found.anchor) == (Question.TASK, is_clear, "context")
    assert "(n = 3)" in found.evidence
    assert "(n = 2)" in found.evidence


def test_without_objects_nothing_is_found() -> None:
    assert list(find_in_context([make_context("frequencies")], "context")) == []
    empty = replace(
        make_context("objects"), tables={"accuracies": make_context("objects").get_table("accuracies").clear()}
    )
    assert list(find_in_context([empty], "context")) == []
