"""Answers that a file named to be coded ↔ JSON, as a campaign keeps them by whose they are."""

from __future__ import annotations

import json
from collections.abc import Iterable

from regauge.records.mistakes.coders import NamedAnswers


def dump_named(answers: Iterable[NamedAnswers]) -> str:
    """The text that a campaign keeps."""
    return json.dumps([list(one) for one in answers], ensure_ascii=False)


def parse_named(text: str) -> tuple[NamedAnswers, ...]:
    """What `dump_named` wrote."""
    return tuple(
        NamedAnswers(participant, n_mistakes, tuple((image_id, index) for image_id, index in pairs))
        for participant, n_mistakes, pairs in json.loads(text)
    )
