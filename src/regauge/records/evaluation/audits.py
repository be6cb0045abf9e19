"""The audit of right answers: a sample of images that nobody would review, and what it does to accuracies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from regauge.arrays import IdArray, freeze_ids
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, check_level, to_fields

AUDIT_COLUMNS: Mapping[str, Any] = {
    "participant": pl.String,
    "n": pl.Int64,
    "raw": pl.Float64,
    "corrected": pl.Float64,
    "corrected_low": pl.Float64,
    "corrected_high": pl.Float64,
}
"""The columns of corrected accuracies, in output order."""

MAX_AUDITED = 1_000_000
"""Images of an audit that a campaign may draw: more than any test set has."""
DEFAULT_AUDITED = 300
"""Images of an audit: with no error among them, fewer than 1.3% of all such images are wrong, at 95%."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditSample:
    """Images on which everybody answers the dataset label and nobody has judged it, and some of them by chance.

    Attributes:
        image_ids: the images of the audit, in a random order.
        agreed_ids: all such images, in the order of the test set.
        test_set: what they are of.
        participants: who agrees on them.
    """

    image_ids: IdArray
    agreed_ids: IdArray
    test_set: str = ""
    participants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The audit"))
        object.__setattr__(self, "agreed_ids", freeze_ids(self.agreed_ids, owner="The audit"))

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<AuditSample: {len(self):,} of {len(self.agreed_ids):,} images>"


@dataclass(frozen=True, slots=True)
class CorrectedAccuracy:
    """The accuracy of a participant, and what it would be if all images that everybody gets right were reviewed.

    Attributes:
        participant: whose.
        n: images that count.
        raw: the share right, with trusted dataset labels and with unjudged answers as wrong; None where no image counts.
        corrected: the same, corrected by the audit; its limits are those of the audit and hold for these images.
    """

    participant: str
    n: int
    raw: float | None
    corrected: Estimate[float | None]


@dataclass(frozen=True, slots=True, eq=False)
class AuditReport:
    """What an audit found.

    Attributes:
        n_agreed: images on which everybody answers the dataset label and nobody had judged it.
        n_audited: images of the audit.
        n_judged: those of them that have a verdict by now, or are problematic.
        errors: the share of judged images whose dataset label is not accepted, also where that makes them problematic.
        problematic: the share of judged images that are problematic.
        accuracies: of every participant, raw and corrected.
        level: of all limits.
    """

    n_agreed: int
    n_audited: int
    n_judged: int
    errors: Share[float | None]
    problematic: Share[float | None]
    accuracies: tuple[CorrectedAccuracy, ...]
    level: float = DEFAULT_LEVEL

    def __post_init__(self) -> None:
        check_level(self.level)

    def to_frame(self) -> pl.DataFrame:
        """One row per participant."""
        rows = [
            {"participant": one.participant, "n": one.n, "raw": one.raw, **to_fields(one.corrected, "corrected")}
            for one in self.accuracies
        ]
        return pl.DataFrame(rows, schema=dict(AUDIT_COLUMNS))
