"""What a kept study is asked, by the version that made it and by every later one.

The commands and the field names of their output are the promise that outlives the code behind them, so the questions are command
lines and the answers what they print for programs.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Ask = Callable[..., str]
"""Runs `regauge` with some words and gives what it printed."""

STORED = (
    "status",
    "testset list",
    "testset show new",
    "testset diff new-threshold new-top",
    "predictions list",
    "labels list",
    "labels diff simulated-new simulated-new-top",
    "campaign status",
    "campaign annotators simulated-contains",
    "campaign annotators simulated-classify",
    "pool list",
    "pool status --per-class 6",
)
"""Questions whose answer is what was stored, or is counted from it."""

COMPUTED = (
    "evaluate --test-set original --by family --against patches-64-ridge",
    "evaluate --test-set new --labels simulated-crowd --labels simulated-objects --allow-missing",
    "compare original new --scale all --baseline patches-* --by-class",
    "compare original new-top --resample images --n-bootstrap 2000",
    "testset compare original new new-threshold new-top",
    "gap original new --method all --n-bootstrap 500",
    "gap original new-top --n-bootstrap 500",
    "campaign labels simulated-contains --name again",
    "campaign labels simulated-classify --name objects-again",
)
"""Questions whose answer is computed anew; they add to the study."""

WRITTEN = (
    "campaign export simulated-contains",
    "campaign export simulated-classify",
    "labels export simulated-crowd",
    "labels export again",
    "labels export objects-again",
)
"""Questions whose answer is a file, looked at line by line; asked last."""

TABLES = "report/tables"


def ask_everything(ask: Ask, folder: Path) -> dict[str, Any]:
    """All answers, by question: what was stored first, then the tables of a report, then what is computed, then files."""
    answers: dict[str, Any] = {question: json.loads(ask(*question.split(), "--format", "json")) for question in STORED}
    ask("report", "--output", str(folder / "report"))
    for path in sorted((folder / TABLES).glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            answers[f"{TABLES}/{path.name}"] = [
                {name: _read(cell) for name, cell in row.items()} for row in csv.DictReader(lines)
            ]
    for question in COMPUTED:
        answers[question] = json.loads(ask(*question.split(), "--format", "json"))
    for question in WRITTEN:
        path = folder / question.replace(" ", "-")
        # Exported answers have pseudonyms unless names are asked for; the versions that were kept wrote names.
        ask(*question.split(), str(path), *(["--names"] if question.startswith("campaign export") else []))
        answers[question] = path.read_text(encoding="utf-8").splitlines()
    return answers


def _read(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell


def find_differences(before: Any, after: Any, *, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where the later answer lacks something of the earlier one or has another value, as a path with both values.

    Fields that came later are no difference, nor are paths of folders and the version of the program.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            yield from find_differences(value, after.get(name, "(missing)"), at=f"{at}/{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from find_differences(one, other, at=f"{at}/{_name(one, number)}")
    elif isinstance(before, float) and isinstance(after, int | float):
        if abs(before - after) > 1e-9 * max(1.0, abs(before)):
            yield at, before, after
    elif before != after:
        yield at, before, after


def _name(row: Any, number: int) -> str:
    """A row by what it is about, so that a path can be told without counting."""
    if not isinstance(row, dict):
        return str(number)
    names = [str(row[key]) for key in ("participant", "name", "metric", "method", "scale", "class_index") if key in row]
    return re.sub(r"[/\s]+", "_", ":".join(names)) or str(number)
