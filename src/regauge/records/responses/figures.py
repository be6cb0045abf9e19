"""What is counted of the answers to a campaign while they come in: per annotator, and per image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray, divide
from regauge.records.responses.answers import Control


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorCounts:
    """A part of a whole per annotator."""

    n_right: CountArray
    n: CountArray

    @property
    def values(self) -> FloatArray:
        """The share of each; NaN where there is nothing to share."""
        return divide(self.n_right, self.n)

    def add(self, other: AnnotatorCounts) -> AnnotatorCounts:
        """The sums of both counts."""
        return AnnotatorCounts(self.n_right + other.n_right, self.n + other.n)


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatorFigures:
    """What is known of every annotator, in the order in which they came.

    Attributes:
        n_answers: tasks answered, hidden repeats not among them.
        n_counted: those of them that count.
        n_poor: those of them that speak against the annotator, by the screening of the kind.
        is_bad: whether there are so many of these that the screening would drop the annotator.
        positive: positive controls that were selected.
        negative: negative controls that were left out.
        agreement: votes that are those of the majority of the others whose answers count.
        consistency: answers to hidden repeats that are those given before.
        n_impossible: answers, hidden repeats among them, for which more time was claimed than there can have been.
        median_seconds: of the answers whose time is known; NaN where none is.
        last: when the last answer came, in milliseconds since 1970.
    """

    n_answers: CountArray
    n_counted: CountArray
    n_poor: CountArray
    is_bad: BoolArray
    positive: AnnotatorCounts
    negative: AnnotatorCounts
    agreement: AnnotatorCounts
    consistency: AnnotatorCounts
    n_impossible: CountArray
    median_seconds: FloatArray
    last: CountArray

    def __len__(self) -> int:
        return len(self.n_answers)


@dataclass(frozen=True, slots=True, eq=False)
class ImageCounts:
    """How often a class was selected for an image, one entry per pair; or a main label named, one entry per image.

    Attributes:
        images: per entry, the number of the image.
        classes: the class; `NO_CLASS` where no answer names one.
        n_shown: answers that could.
        n_selected: those that did.
        is_control: whether the answer was known beforehand.
    """

    images: IntArray
    classes: IntArray
    n_shown: CountArray
    n_selected: CountArray
    is_control: BoolArray

    def __len__(self) -> int:
        return len(self.images)

    @property
    def frequencies(self) -> FloatArray:
        """The share of those that did; NaN where nobody could."""
        return divide(self.n_selected, self.n_shown)

    @property
    def disagreements(self) -> FloatArray:
        """The chance that two answers drawn without replacement differ about the class; NaN with fewer than two."""
        n, k = self.n_shown, self.n_selected
        return np.where(n > 1, 2 * k * (n - k) / np.maximum(n * (n - 1), 1), np.nan)


class ImageVote(NamedTuple):
    """What one answer says about one image.

    Attributes:
        selected: the classes that it selects.
        main: the main object's; None where none was named or that is not asked.
        control: whether the answer was known beforehand.
        judged: the classes that it says something of; None where that is all that were asked about.
    """

    selected: tuple[int, ...]
    main: int | None = None
    control: Control = Control.NONE
    judged: tuple[int, ...] | None = None
