"""Which answers to CLASSIFY tasks are believed, what is known of every annotator, and all that a set of answers gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import BoolArray, CountArray, freeze
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Share, check_level
from regauge.records.labels.objects import ClassifyLabels
from regauge.records.responses.annotator_tables import AnnotatorTable
from regauge.records.responses.screening import ReasonArray
from regauge.records.testsets.test_set import TestSet


class Flaw(IntEnum):
    """Why a response is ignored."""

    NONE = 0
    NO_LABEL = 1
    """It selects no label."""
    MAIN_NOT_SELECTED = 2
    """Its main label is missing or not among those it selects."""
    ANNOTATOR = 3
    """It is sound, but more than a third of its annotator's responses are not."""

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return _SENTENCES[self]


_SENTENCES = {
    Flaw.NONE: "",
    Flaw.NO_LABEL: "no label selected",
    Flaw.MAIN_NOT_SELECTED: "main label not among the selected",
    Flaw.ANNOTATOR: "more than a third of the annotator's responses ignored",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassifyScreening:
    """What the rules found of every response, in the order of the responses, and of every annotator.

    Attributes:
        flaws: per response, the `Flaw` for which it is ignored; kept when it is restored.
        is_accepted: per response, whether it counts.
        n_responses: per annotator, all their responses.
        n_flawed: those of them that are ignored for their own sake.
        is_ignored: per annotator, whether the rules ignore all their responses.
        is_restored: per annotator, whether they were restored by name.
    """

    flaws: ReasonArray
    is_accepted: BoolArray
    n_responses: CountArray
    n_flawed: CountArray
    is_ignored: BoolArray
    is_restored: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "flaws", freeze(self.flaws, np.uint8))
        for name in ("is_accepted", "is_ignored", "is_restored"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.bool_))
        for name in ("n_responses", "n_flawed"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int64))
        if self.flaws.shape != self.is_accepted.shape or self.is_ignored.shape != self.n_responses.shape:
            raise InputError("A screening needs one reason per response and one verdict per annotator.")

    def __len__(self) -> int:
        return len(self.flaws)

    def __repr__(self) -> str:
        return (
            f"<ClassifyScreening: {int(self.is_accepted.sum()):,} of {len(self):,} responses accepted, "
            f"{int(self.is_ignored.sum()):,} of {len(self.n_responses):,} annotators ignored>"
        )

    def count(self, flaw: Flaw) -> int:
        """How many responses are ignored for that reason; restored ones are not."""
        return int(((self.flaws == flaw) & ~self.is_accepted).sum())


CLASSIFY_ANNOTATOR_COLUMNS: Mapping[str, Any] = {
    "annotator_id": pl.String,
    "n_responses": pl.Int64,
    "n_ignored": pl.Int64,
    "mean_labels": pl.Float64,
    "n_compared": pl.Int64,
    "n_alike": pl.Int64,
    "main_agreement": pl.Float64,
    "main_agreement_low": pl.Float64,
    "main_agreement_high": pl.Float64,
    "median_seconds": pl.Float64,
    "ignored": pl.Boolean,
    "restored": pl.Boolean,
    "reason": pl.String,
}
"""The columns of the table of annotators, in output order; docs/formats.md explains them."""


DROPPED_COLUMNS: Mapping[str, Any] = {"image_id": pl.String, "annotator_id": pl.String, "reason": pl.String}
"""The columns of ignored responses."""


@dataclass(frozen=True, slots=True)
class ClassifySettings:
    """How to turn CLASSIFY answers into labels.

    Attributes:
        screening: whether flawed responses, and annotators who give many of them, are ignored.
        keep_annotators: annotators whose sound responses count whatever the screening says of them.
        keep_responses: single responses that count whatever the screening says of them: image and annotator.
        level: nominal coverage of every interval.
        split: a table that says which images are easy; empty where none does.
        contains: the CONTAINS counts that say so instead: a table or, in a study, a label set.
    """

    screening: bool = True
    keep_annotators: tuple[str, ...] = ()
    keep_responses: tuple[tuple[str, str], ...] = ()
    level: float = DEFAULT_LEVEL
    split: str = ""
    contains: str = ""

    def __post_init__(self) -> None:
        check_level(self.level)
        if (self.keep_annotators or self.keep_responses) and not self.screening:
            raise InputError(
                "Without screening every response counts; leave out `screening=False`, or `keep_annotators=…` and "
                "`keep_responses=…`."
            )
        if self.split and self.contains:
            raise InputError(
                "Which images are easy is said by a split or by CONTAINS counts, not by both; leave one out."
            )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassifyResult:
    """All that a set of CLASSIFY answers gives.

    Attributes:
        labels: per image, its main label, objects and confidence.
        screening: which answers counted.
        annotators: what is known of every annotator.
        dropped: the responses that do not count, with `DROPPED_COLUMNS`.
        summary: shares of images, by name.
        notes: what the reader should know, a sentence each.
        easy: the easy images with their dataset labels; None where it is not known which are.
    """

    labels: ClassifyLabels
    screening: ClassifyScreening
    annotators: AnnotatorTable
    dropped: pl.DataFrame
    summary: Mapping[str, Share[float | None]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    easy: TestSet | None = None

    def __repr__(self) -> str:
        return f"<ClassifyResult: {self.labels!r}, {self.screening!r}>"
