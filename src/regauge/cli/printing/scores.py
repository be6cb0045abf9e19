"""How scores are printed. Apart from other output, for the metrics take longer to load than most commands to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.text import Text

import regauge
from regauge.cli.printing.output import find_width, print_json, print_notes, print_parts, print_rows
from regauge.cli.printing.score_tables import make_tables
from regauge.cli.printing.score_views import ScoreView
from regauge.records.evaluation.scores import Scores


@dataclass(frozen=True)
class PrintedBeside:
    """What is printed of published models beside scores: fields of JSON, and lines below the tables."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    lines: tuple[Text, ...] = ()


def print_scores(
    scores: Scores, output_format: str, view: ScoreView | None = None, beside: PrintedBeside | None = None
) -> None:
    """The scores on standard output; notes and warnings on standard error, so that output can be piped.

    A view chooses what tables show; programs get everything.
    """
    if output_format == "table":
        print_parts(
            (
                *make_tables(scores, view or ScoreView(), width=find_width()),
                *(beside.lines if beside is not None else ()),
            )
        )
    elif output_format == "json":
        print_json(
            {
                "scores": scores.to_frame().to_dicts(),
                **(beside.fields if beside is not None else {}),
                "notes": list(scores.notes),
                "warnings": list(scores.warnings),
                "settings": asdict(scores.settings),
                "version": regauge.__version__,
            }
        )
    else:
        print_rows(scores.to_frame(), output_format)
    print_notes(scores.notes, scores.warnings)
