"""The settings of slices as functions take them by name."""

from __future__ import annotations

from typing import TypedDict


class SliceKeywords(TypedDict, total=False):
    """Fields of `SliceSettings`."""

    is_strict: bool
    allow_missing: bool
    level: float
