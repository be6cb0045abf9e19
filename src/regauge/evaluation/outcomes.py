"""What becomes of an answer, and what a metric is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, FloatArray, IntArray
from regauge.evaluation.targets import Target
from regauge.stats.intervals import Limits

OutcomeArray: TypeAlias = NDArray[np.int8]

DATASET_LABELS = "dataset"
"""What outputs call the dataset labels in the column `labels`."""


class Outcome(IntEnum):
    """What became of one answer."""

    WRONG = 0
    RIGHT = 1
    UNJUDGED = 2
    """Nobody has judged the predicted class on this image: right or wrong, we do not know."""
    NOT_COUNTED = 3
    """The image does not take part: no truth, problematic, or no answer."""


class Need(StrEnum):
    """What a truth must hold for a metric."""

    DATASET_LABEL = "dataset label"
    VERDICT = "verdict"
    MAIN_LABEL = "main label"
    OBJECT = "object"
    FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """How a metric judges answers by one truth: right or wrong.

    Attributes:
        labels: which labels it judges by, as outputs call them.
        judge: from answers [images, k] in the target's row order to one `Outcome` per image.
        remark: what must be said of the metric wherever it appears, in a few words.
    """

    labels: str
    judge: Callable[[IntArray], OutcomeArray]
    remark: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """What a real-valued metric gives a participant.

    Attributes:
        values: per image, from 0 to 1; NaN where nobody knows.
        is_counted: the images that take part.
        limit: from rows that all have a value, and a level, to the limits of their mean.
        interval: how the limits are made, as outputs call it.
    """

    values: FloatArray
    is_counted: BoolArray
    limit: Callable[[IntArray, float], Limits]
    interval: str


@dataclass(frozen=True, slots=True, eq=False)
class Rating:
    """How a real-valued metric rates answers by one truth; fields as of `Judge`."""

    labels: str
    rate: Callable[[IntArray], Values]
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class RightOrWrong:
    """The outcome of a metric that says of every answer whether it is right: the score is the share of right ones.

    Attributes:
        find: the judges that a target allows, one per truth.
    """

    find: Callable[[Target], Iterable[Judge]]


@dataclass(frozen=True, slots=True)
class MeanValue:
    """The outcome of a metric that gives every image a value: the score is their mean, without images that have none.

    Attributes:
        find: the ratings that a target allows, one per truth.
        caption: the sentence below a table in which some images have no value.
    """

    find: Callable[[Target], Iterable[Rating]]
    caption: str


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, with all that is said of it.

    Attributes:
        name: what outputs call it.
        title: what documents call it.
        meaning: when an answer counts as right, or what its value is, in half a sentence.
        needs: what the truth must hold.
        outcome: how it comes about.
        n_answers: how many answers per image it looks at; with fewer it is absent, and a note says so.
        is_finding: whether a report may judge by it, in place of the dataset labels.
    """

    name: str
    title: str
    meaning: str
    needs: tuple[Need, ...]
    outcome: RightOrWrong | MeanValue
    n_answers: int = 1
    is_finding: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """One metric bound to one truth.

    Attributes:
        metric: its name in outputs.
        labels: which labels it judges by, as outputs call them.
        n_answers: how many answers per image it looks at; with fewer it does not apply.
        judge: from answers [images, k] in the target's row order to one `Outcome` per image.
        remark: what must be said of the metric wherever it appears, in a few words.
    """

    metric: str
    labels: str
    n_answers: int
    judge: Callable[[IntArray], OutcomeArray]
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class MeanMeasure:
    """One real-valued metric bound to one truth; fields as of `Measure`, but that it rates."""

    metric: str
    labels: str
    n_answers: int
    rate: Callable[[IntArray], Values]
    remark: str | None = None
