"""How far apart benchmark and task are: what several objects, or people's eyes, do to the best participant's accuracy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from regauge.estimates import format_estimate, format_points, from_fields
from regauge.records.evaluation.context.report import ContextReport
from regauge.report.findings.ranks import Question, ReportFinding

OBJECTS = "objects"


def find_in_context(reports: Sequence[ContextReport], anchor: str) -> Iterator[ReportFinding]:
    """Whether the best participant is right less often where images have several objects; nothing where that is not known."""
    for report in reports:
        if report.analysis != OBJECTS:
            continue
        rows = [row for row in report.get_table("accuracies").to_dicts() if row["metric"] == "top1"]
        known = [row for row in rows if row["drop"] is not None and row["overall"] is not None]
        if known:
            best = max(known, key=lambda row: row["overall"])
            claim, is_clear = _claim(best)
            yield ReportFinding(Question.TASK, claim, _tell(best), is_clear=is_clear, anchor=anchor)


def _claim(row: Mapping[str, Any]) -> tuple[str, bool]:
    """What the interval of the difference allows to say, and whether it leaves a doubt."""
    who = row["participant"]
    if row["drop_low"] > 0:
        return f"{who} is right less often where images have several objects.", True
    if row["drop_high"] < 0:
        return f"{who} is right more often where images have several objects.", True
    return f"Whether several objects in an image matter to {who} is open.", False


def _tell(row: Mapping[str, Any]) -> str:
    one, several = (
        f"{format_estimate(from_fields(row, side))} (n = {row[f'{side}_n']:,})" for side in ("one", "several")
    )
    drop = format_points(from_fields(row, "drop"), sign=True)
    return f"Top-1 with one object: {one}; with several: {several}; difference: {drop} points."
