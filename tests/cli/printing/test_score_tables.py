"""What tables of scores say of predictions that nobody has judged."""

from __future__ import annotations

import io

import numpy as np
from rich.console import Console

from regauge.cli.printing.score_tables import make_tables
from regauge.cli.printing.score_views import ScoreView
from regauge.evaluation.scoring import score_participants
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.labels.label_set import Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.report.tables import make_participants_table

IDS = np.array(["a", "b", "c", "d"])


def score_half_asked() -> Scores:
    """Of four predictions people were asked about two, and nine of ten selected each."""
    counts = SelectionCounts(
        IDS,
        images=np.arange(4, dtype=np.int32),
        classes=np.zeros(4, np.int32),
        n_shown=np.full(4, 10),
        n_selected=np.full(4, 9),
        name="people",
    )
    target = line_up(Truth(TestSet("tiny", IDS, np.zeros(4, np.int32)), frequencies=(counts,)))
    return score_participants([Predictions("model", IDS, np.array([0, 0, 1, 1]))], target, settings=ScoreSettings())


def test_a_frequency_that_leaves_unjudged_predictions_out_is_not_shown_as_their_lower_bound() -> None:
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(*make_tables(score_half_asked(), ScoreView(), width=200))
    shown = console.export_text()
    assert "90.0% [" in shown
    assert "90.0% to" not in shown
    assert "frequencies are of the n predictions that people were asked about" in shown


def test_a_document_gives_both_bounds_of_such_a_frequency() -> None:
    (_, cells), *_ = make_participants_table(score_half_asked()).rows
    (note,) = [cell.note for cell in cells if cell.note]
    assert note == "45.0% to 95.0%, 2 unjudged"
