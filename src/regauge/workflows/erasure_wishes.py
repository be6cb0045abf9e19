"""Who asked to be erased and still waits for it."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.records.campaigns import AnnotatorEntry
from regauge.storage.erasure import list_requests
from regauge.storage.study import Study

__all__ = ["ErasureWish", "list_erasure_wishes"]


@dataclass(frozen=True, slots=True)
class ErasureWish:
    """That somebody wants to be erased, whether with their answers, and when they said so last."""

    annotator: AnnotatorEntry
    with_answers: bool
    at: str


def list_erasure_wishes(study: Study) -> tuple[ErasureWish, ...]:
    """What people asked for and nobody has carried out yet, the last word of each, whoever waits longest first."""
    return tuple(ErasureWish(person, one.with_answers, one.at) for person, one in list_requests(study))
