"""What a review is about and what it settles: answers to be judged, bounds of pairs, and how far a sample has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl

from regauge.arrays import NO_CLASS, BoolArray, CountArray, IntArray, freeze
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level, count_things
from regauge.records.labels.label_set import LabelSet
from regauge.records.testsets.test_set import TestSet

PAIR_BOUND_COLUMNS: Mapping[str, Any] = {
    "first": pl.String,
    "second": pl.String,
    "n_images": pl.Int64,
    "lower_bound": pl.Float64,
    "upper_bound": pl.Float64,
    "n_open": pl.Int64,
    "settled": pl.Boolean,
    "ahead": pl.String,
}
"""The columns of bounds of pairs, in output order; differences are fractions, first − second."""


class ReviewMetric(StrEnum):
    """Which verdicts make an answer right."""

    STRICT = "multilabel_strict"
    """Correct alone."""
    LENIENT = "multilabel_lenient"
    """Correct and unclear."""


@dataclass(frozen=True, slots=True)
class ReviewTerms:
    """By which verdicts and how surely pairs are to be settled.

    Attributes:
        metric: which verdicts make an answer right.
        level: the probability with which none of the pairs is ever settled wrongly.
        seed: of the order in which images are drawn, and of simulated verdicts.
        n_simulations: simulated reviews behind a forecast.
    """

    metric: ReviewMetric = ReviewMetric.STRICT
    level: float = DEFAULT_LEVEL
    seed: int = 0
    n_simulations: int = 200

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 10 <= self.n_simulations <= 10_000:
            raise InputError(f"A forecast rests on 10 to 10,000 simulated reviews, not {self.n_simulations:,}.")
        if self.seed < 0:
            raise InputError(f"A random seed is 0 or more, not {self.seed}.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReviewField:
    """First answers on the images of a test set, and the verdicts that are there.

    Attributes:
        test_set: the images with their dataset labels.
        participants: who answers.
        answers: first answers [participants, images]; `NO_CLASS` where there is none.
        label_set: verdicts on images of the same ids; None where nobody has judged anything.
        trust_dataset_labels: whether a dataset label without verdict counts as correct.
    """

    test_set: TestSet
    participants: tuple[str, ...]
    answers: IntArray
    label_set: LabelSet | None = None
    trust_dataset_labels: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", freeze(self.answers, np.int32))
        if self.answers.shape != (len(self.participants), len(self.test_set)):
            raise InputError(
                f"{len(self.participants):,} participants on {len(self.test_set):,} images need as many answers, not "
                f"{list(self.answers.shape)}."
            )
        silent = np.flatnonzero((self.answers == NO_CLASS).all(axis=1))
        if len(silent):
            raise InputError(f"{self.participants[int(silent[0])]} has answered no image of {self.test_set.name}.")

    def __repr__(self) -> str:
        return f"<ReviewField: {len(self.participants):,} participants on {self.test_set.name}>"

    def find_rows(self, names: tuple[str, ...], *, at_least: int = 2) -> list[int]:
        """The rows of these participants.

        Raises:
            InputError: one is not there, is named twice, or there are fewer than needed; a comparison is of two.
        """
        for name in names:
            if name not in self.participants:
                raise InputError(
                    f"There is no participant {name!r} on {self.test_set.name}; there are {', '.join(self.participants)}."
                )
        if len(set(names)) != len(names) or len(names) < at_least:
            raise InputError(f"Name at least {count_things(at_least, 'participant')}, each once.")
        return [self.participants.index(name) for name in names]

    def keep_participants(self, names: Sequence[str], *, trusts: bool = False) -> ReviewField:
        """The answers of some participants alone, with dataset labels trusted or not.

        Raises:
            InputError: one of them is not there, or is named twice.
        """
        rows = self.find_rows(tuple(names), at_least=1)
        return replace(self, participants=tuple(names), answers=self.answers[rows], trust_dataset_labels=trusts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairBounds:
    """For every pair of participants, between which ends their difference lies, whatever is still unjudged.

    Attributes:
        participants: their names.
        first: per pair, the row of the first participant; rows ascend.
        second: per pair, the row of the second.
        n_images: images that both answer and that count.
        lower: least difference, first − second, in images.
        upper: greatest difference, likewise.
        n_open: unjudged answers on images where the two answer differently.
    """

    participants: tuple[str, ...]
    first: IntArray
    second: IntArray
    n_images: CountArray
    lower: CountArray
    upper: CountArray
    n_open: CountArray

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"<PairBounds: {int(self.is_settled.sum()):,} of {len(self):,} pairs settled>"

    @property
    def signs(self) -> IntArray:
        """1 where the first is ahead whatever comes, −1 where the second is, 0 where neither is known to be."""
        return (self.lower > 0).astype(np.int32) - (self.upper < 0)

    @property
    def is_settled(self) -> BoolArray:
        """Whether nothing that is unjudged can change who is ahead; a difference known to be 0 is settled too."""
        is_settled: BoolArray = (self.signs != 0) | (self.lower == self.upper)
        return is_settled

    def to_frame(self) -> pl.DataFrame:
        """One row per pair."""
        n = np.where(self.n_images > 0, self.n_images, 1)
        names = np.array(self.participants, np.str_)
        ahead = np.where(self.signs > 0, names[self.first], np.where(self.signs < 0, names[self.second], ""))
        columns = {
            "first": names[self.first].tolist(),
            "second": names[self.second].tolist(),
            "n_images": self.n_images,
            "lower_bound": self.lower / n,
            "upper_bound": self.upper / n,
            "n_open": self.n_open,
            "settled": self.is_settled,
            "ahead": ahead.tolist(),
        }
        return pl.DataFrame(columns, schema=dict(PAIR_BOUND_COLUMNS))
