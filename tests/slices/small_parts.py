"""A slice with scores as a report has it."""

from __future__ import annotations

import numpy as np

from regauge.estimates import Share
from regauge.records.slices.answers import AnswerState, OpenPredictions
from regauge.records.slices.scores import MISTAKE_STATES, SlicePart, SliceScore, SliceScores
from regauge.records.slices.slice import SliceEntry, SliceKind
from regauge.slices.scoring import share_right


def make_part(
    name: str = "major", *, is_open: bool = False, is_comparable: bool = True, unjudged: int = 0, has_top1: bool = True
) -> SlicePart:
    """One model with 3 of 6 right, one person with 4, and the rest major mistakes or unjudged."""
    counts = dict.fromkeys(MISTAKE_STATES, 0)
    top1 = Share(0.8, 0.7, 0.9, n=100, k=80, method="clopper-pearson") if has_top1 else None
    model = SliceScore(
        "model",
        False,
        share_right(3, 6, level=0.95, n_unjudged=unjudged),
        {**counts, AnswerState.MAJOR: 3 - unjudged, AnswerState.UNJUDGED: unjudged},
        0,
        is_comparable,
        top1,
    )
    person = SliceScore("ann", True, share_right(4, 6, level=0.95), {**counts, AnswerState.MAJOR: 2}, 0, True, None)
    nothing = OpenPredictions(np.array([], np.str_), np.array([], np.int32), (), ())
    entry = SliceEntry(1, name, SliceKind.MAJOR, "val", "panel@1", 6, False, is_open, "", "tester", "")
    return SlicePart(entry, "The images were listed", SliceScores(name, "panel@1", 6, (person, model), (), nothing))
