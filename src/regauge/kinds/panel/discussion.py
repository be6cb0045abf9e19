"""PANEL: what is voted on: every prediction, and two questions about the image."""

from __future__ import annotations

from collections.abc import Mapping

from regauge.kinds.panel.task import LABEL, LABEL_WRONG, PROBLEMATIC
from regauge.records.campaigns.campaign import Payload

DATASET_LABEL, IMAGE = "dataset label", "image"
"""The questions about the image; those about predictions are called by their class."""
WRONG, RIGHT = "wrong", "right"
PROBLEM, USABLE = "problematic", "usable"


def read_votes(task: Payload, answer: Payload) -> Mapping[str, str]:
    """The vote on every prediction, by its class, and on the image."""
    verdicts = answer.get("verdicts")
    if not isinstance(verdicts, Mapping):
        return {}
    label = {DATASET_LABEL: WRONG if answer.get(LABEL_WRONG) else RIGHT} if LABEL in task else {}
    return {**verdicts, **label, IMAGE: PROBLEM if answer.get(PROBLEMATIC) else USABLE}
