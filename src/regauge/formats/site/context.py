"""Pairs of classes and the parts of a split → payloads of chunks; `together.js` and `browse_filters.js` read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from regauge.formats.site.packing import pack_column, pack_words
from regauge.records.candidates import SplitPart

Payload = Mapping[str, Any]


def pack_pairs(columns: Mapping[str, ArrayLike]) -> Payload:
    """Pairs of classes, column by column; NaN where nothing is known."""
    return {name: pack_column(column) for name, column in columns.items()}


def pack_parts(parts: Mapping[str, SplitPart], image_ids: Sequence[str]) -> Payload:
    """The part of each image, empty where nobody was asked about it."""
    return {"parts": pack_words([parts[one].value if one in parts else "" for one in image_ids])}
