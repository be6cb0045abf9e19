"""Sentences about images that nobody saw: those without an answer, and those that cannot be shown."""

from __future__ import annotations

import numpy as np
from tests.sentences.entries import Entries, Maker, Pair

from regauge.workflows.campaign_labels import _describe_unanswered


def unanswered(*is_answered: bool) -> Maker:
    ids = np.array([f"i{number}" for number in range(len(is_answered))])
    return lambda _: [*_describe_unanswered(ids, np.array(is_answered)), "(end of notes)"]


ENTRIES: Entries = {
    "workflows/campaign_labels.py:_describe_unanswered: … of … images, the first being …,": Pair(
        unanswered(True, False), unanswered(True, True)
    ),
}
