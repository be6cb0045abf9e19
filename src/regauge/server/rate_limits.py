"""How fast one person may send what is written down: far faster than anybody works, and too slow to keep others waiting."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

PER_MINUTE = 600
"""What somebody may send in a minute to be written down: answers, requests for tasks, and all else but going out."""


@dataclass(slots=True, eq=False)
class RateLimit:
    """What everybody may still send at this moment; it fills up again at a steady rate.

    Each process counts for itself: with several, somebody may send as many times as much. Only the event loop calls this.

    Attributes:
        per_minute: how many; 0 for as many as they like.
        clock: seconds that only grow.
    """

    per_minute: int = PER_MINUTE
    clock: Callable[[], float] = time.monotonic
    _left: dict[int, tuple[float, float]] = field(default_factory=dict)

    def take(self, annotator_id: int) -> int:
        """Count one; gives the seconds to wait where it is too many, and 0 where it is not."""
        if not self.per_minute:
            return 0
        now = self.clock()
        left, at = self._left.get(annotator_id, (float(self.per_minute), now))
        left = min(self.per_minute, left + (now - at) * self.per_minute / 60)
        if left < 1:
            return math.ceil((1 - left) * 60 / self.per_minute)
        self._left[annotator_id] = (left - 1, now)
        return 0
