"""Settings of CONTAINS and CLASSIFY as keywords, as `regauge.records.keywords` has those of scores and votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from regauge.records.labels.contains import FrequencyMethod
from regauge.records.labels.frequencies import FrequencyRule
from regauge.records.responses.screening import ScreeningRules


class ContainsKeywords(TypedDict, total=False):
    """`ContainsSettings` as keywords."""

    rules: ScreeningRules | None
    keep_annotators: str | Sequence[str]
    keep_responses: Sequence[tuple[str, str]]
    method: FrequencyMethod | str
    prior: float
    verdicts: FrequencyRule
    level: float


class ClassifyKeywords(TypedDict, total=False):
    """`ClassifySettings` as keywords."""

    screening: bool
    keep_annotators: str | Sequence[str]
    keep_responses: Sequence[tuple[str, str]]
    level: float
    split: str
    contains: str
