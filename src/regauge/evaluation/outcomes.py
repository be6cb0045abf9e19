"""What becomes of an answer, and what a metric is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.records.arrays import IntArray

OutcomeArray: TypeAlias = NDArray[np.int8]


class Outcome(IntEnum):
    """What became of one answer."""

    WRONG = 0
    RIGHT = 1
    UNJUDGED = 2
    """Nobody has judged the predicted class on this image: right or wrong, we do not know."""
    NOT_COUNTED = 3
    """The image does not take part: no truth, problematic, or no answer."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric bound to one truth.

    Attributes:
        metric: its name in outputs.
        labels: which labels it judges by, as outputs call them.
        n_answers: how many answers per image it looks at; with fewer it does not apply.
        judge: from answers [images, k] in the target's row order to one `Outcome` per image.
        remark: what must be said of the metric wherever it appears, in a few words.
    """

    metric: str
    labels: str
    n_answers: int
    judge: Callable[[IntArray], OutcomeArray]
    remark: str | None = None
