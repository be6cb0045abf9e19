"""What coders said of mistakes, each alone, what most of them said, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, freeze
from regauge.errors import InputError
from regauge.estimates import Estimate
from regauge.records.mistakes.coded import CodeArray
from regauge.records.mistakes.coding import OVERTURN_REASONS

NO_CODE = -1
"""Stands for the category and the severity of what was overturned, and where coders have not agreed on one."""
CODER_REASONS = OVERTURN_REASONS[:3]
"""Why coders overturn a mistake; that a label set accepts it, nobody has to say."""


class TakenOver(NamedTuple):
    """What another coding decided of a mistake: a category and a severity, or a reason why it is none.

    Attributes:
        image_id: the image.
        prediction: the class that was answered.
        category: what kind of mistake it is; empty where it is none.
        severity: how bad it is; likewise.
        reason: why it is none; empty where it is one.
        coding: which coding, NAME@VERSION.
    """

    image_id: str
    prediction: int
    category: str
    severity: str
    reason: str
    coding: str


class NamedAnswers(NamedTuple):
    """The answers of one participant that a campaign codes because a file names them.

    Attributes:
        participant: who gives them.
        n_mistakes: how many mistakes the participant makes, these among them.
        pairs: images with the class that was answered.
    """

    participant: str
    n_mistakes: int
    pairs: tuple[tuple[str, int], ...]


class Aspect(StrEnum):
    """What coders can agree or disagree about."""

    OVERTURNING = "overturning"
    """Whether it is a mistake at all."""
    CATEGORY = "category"
    SEVERITY = "severity"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CoderVotes:
    """What coders said of mistakes: a category and a severity, or a reason why it is none.

    Attributes:
        image_ids: per number of an image, its id.
        names: per number of a coder, the name.
        images: per vote, the number of the image.
        predictions: the class that was answered.
        coders: the number of the coder.
        categories: the name of the category; empty where the mistake was overturned.
        severities: the place of the severity in `SEVERITIES`; `NO_CODE` where it was overturned.
        reasons: why it was overturned; empty where it was not.
        notes: what was written beside it.
        received: when it came, in milliseconds since 1970.
    """

    image_ids: IdArray
    names: IdArray
    images: IntArray
    predictions: IntArray
    coders: IntArray
    categories: tuple[str, ...]
    severities: CodeArray
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    received: CountArray

    def __post_init__(self) -> None:
        for name in ("images", "predictions", "coders"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        object.__setattr__(self, "severities", freeze(self.severities, np.int8))
        object.__setattr__(self, "received", freeze(self.received, np.int64))
        columns = ("predictions", "coders", "categories", "severities", "reasons", "notes", "received")
        if any(len(getattr(self, name)) != len(self.images) for name in columns):
            raise InputError(
                "Every vote of a coder has an image, a prediction, a coder, codes or a reason, and a note."
            )
        if any(bool(reason) is bool(category) for reason, category in zip(self.reasons, self.categories, strict=True)):
            raise InputError("A coder codes a mistake or overturns it, one of the two.")

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"<CoderVotes: {len(self):,} by {len(self.names):,} coders>"

    def choose(self, rows: CountArray) -> CoderVotes:
        """Some of the votes, in the order of the rows."""
        arrays: dict[str, Any] = {
            name: getattr(self, name)[rows] for name in ("images", "predictions", "coders", "severities", "received")
        }
        texts: dict[str, Any] = {
            name: tuple(getattr(self, name)[row] for row in rows) for name in ("categories", "reasons", "notes")
        }
        return replace(self, **arrays, **texts)

    @property
    def is_overturned(self) -> BoolArray:
        """Which votes say that it is not a mistake."""
        return np.array([bool(reason) for reason in self.reasons], np.bool_)

    def find_codes(self, names: Sequence[str]) -> CodeArray:
        """Per vote the place of its category in a list; `NO_CODE` where it was overturned.

        Raises:
            InputError: the list lacks a category that a coder chose.
        """
        place_of = {name: place for place, name in enumerate(names)} | {"": NO_CODE}
        missing = next((one for one in self.categories if one not in place_of), None)
        if missing is not None:
            raise InputError(f"A coder chose the category {missing!r}, and the list has: {', '.join(names)}.")
        return np.array([place_of[one] for one in self.categories], np.int8)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecidedMistakes:
    """What most coders said of each mistake, in the order of images and predictions.

    Attributes:
        images: the number of the image of each, as the votes have it.
        predictions: the class that was answered.
        n_votes: how many coders looked at it.
        n_overturning: how many of them overturned it.
        is_overturned: whether most did; false where as many did as did not.
        categories: the place of the category that most chose of those who coded it; `NO_CODE` where it was overturned or several
            share the first place.
        severities: likewise the place of the severity in `SEVERITIES`.
        reasons: why most overturned it; empty where it was not.
        notes: what those wrote who agree with the outcome.
        is_shared: per mistake and aspect, in the order of `Aspect`, whether several answers share the first place [n, 3].
        is_unanimous: whether all coders said the same; reasons and notes may differ.
    """

    images: IntArray
    predictions: IntArray
    n_votes: CountArray
    n_overturning: CountArray
    is_overturned: BoolArray
    categories: CodeArray
    severities: CodeArray
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    is_shared: BoolArray
    is_unanimous: BoolArray

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        n_open, n_gone = int((~self.is_settled).sum()), int(self.is_overturned.sum())
        return f"<DecidedMistakes: {len(self):,}, {n_gone:,} overturned, {n_open:,} open>"

    @property
    def is_settled(self) -> BoolArray:
        """Which mistakes are coded or overturned, with no first place shared."""
        return np.asarray(~self.is_shared.any(axis=1), np.bool_)

    @property
    def is_coded(self) -> BoolArray:
        """Which of them remain mistakes, with a category and a severity."""
        return np.asarray(self.is_settled & ~self.is_overturned, np.bool_)


@dataclass(frozen=True, slots=True)
class CoderAgreement:
    """How far coders agree on one aspect of mistakes, before anybody discussed them.

    Attributes:
        aspect: on what.
        n: mistakes of which at least two coders said it.
        n_equal: those on which all of them said the same.
        alpha: Krippendorff's alpha with limits over mistakes; no value where nobody differed, or nobody could.
    """

    aspect: Aspect
    n: int
    n_equal: int
    alpha: Estimate[float | None]
