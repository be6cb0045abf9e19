"""Whether a class is in an image."""

from __future__ import annotations

from enum import IntEnum


class Verdict(IntEnum):
    """Whether a class is in an image, as people judged it."""

    WRONG = 0
    UNCLEAR = 1
    CORRECT = 2
