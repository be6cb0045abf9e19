"""Sentences of the demo about mistakes: what a panel's talk changed, and the slice of major mistakes."""

from __future__ import annotations

import numpy as np
from tests.sentences.discussions import discuss
from tests.sentences.entries import Always, Entries
from tests.slices.small_slices import ANSWERS, IMAGES, LABELS, OF_R

from regauge.campaigns.discussions.outcomes import measure_effects
from regauge.records.slices.rules import CountRange, ImageRule, MajorRule
from regauge.records.slices.slice import Slice, SliceKind
from regauge.slices.scoring import SliceTruth, score_slice
from regauge.workflows.demo.panel import FROM_NEAR, describe_panel
from regauge.workflows.demo.slices import QueueCounts, describe_none, describe_slice

RULE = MajorRule("R", ("A", "B"), 2)


def talk(_: object) -> list[str]:
    effects = measure_effects(discuss("wrong", "wrong", "wrong", firsts=("wrong", "correct", "correct")), {"1": ["7"]})
    return list(describe_panel(effects, (0, 1), participant="vit", labels="panelled@2"))


def score(_: object) -> list[str]:
    chosen = Slice("s", SliceKind.RULE, "val", np.array(IMAGES), "panel@1", ImageRule(n_wrong=CountRange(1)))
    found = score_slice(chosen, [ANSWERS["A"], ANSWERS["B"]], truth=SliceTruth(LABELS, (OF_R,)))
    return list(describe_slice(RULE, found, counts=QueueCounts(3, 1, 0)))


ENTRIES: Entries = {
    "workflows/demo/panel.py:: simulated: seen from near, it is …": Always(
        "A simulated panelist says it who is told the truth.", lambda _: FROM_NEAR.format("wrong")
    ),
    "workflows/demo/panel.py:describe_panel: …: as in truth before discussion …, after": Always(
        "counts with intervals, whatever they are", talk
    ),
    "workflows/demo/slices.py:describe_none: …: no image is known on which at": Always(
        "It is said where the slice cannot be made for want of such images.", lambda _: describe_none(RULE)
    ),
    "workflows/demo/slices.py:describe_slice: …: … on which at least … of": Always("the rule with its counts", score),
}
