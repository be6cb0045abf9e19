"""Mistakes that other codings decided ↔ JSON, as a campaign that codes the others keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from regauge.records.mistakes.coders import TakenOver


def dump_taken_over(taken: Iterable[TakenOver]) -> str:
    """The text that a campaign keeps."""
    return json.dumps([list(one) for one in taken], ensure_ascii=False)


def parse_taken_over(text: str) -> tuple[TakenOver, ...]:
    """What `dump_taken_over` wrote."""
    return tuple(TakenOver(*one) for one in json.loads(text))
