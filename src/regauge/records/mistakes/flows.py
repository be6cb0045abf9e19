"""What reviews made of a participant's mistakes, step by step: how many were overturned, why, and what remains."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from regauge.arrays import BoolArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.estimates import Estimate, Share
from regauge.records.mistakes.coded import CodeArray
from regauge.records.mistakes.found import FindSettings, SampledShare
from regauge.records.mistakes.summaries import Independence

MAJOR, MINOR, BORDERLINE, NOT_CODED = "major", "minor", "borderline", "not coded"
"""What the mistakes at the end are, in the order of figures and tables."""


class Fate(StrEnum):
    """What a later label set makes of a mistake."""

    CORRECT = "correct"
    """The answer is accepted as correct."""
    UNCLEAR = "unclear"
    """The answer is accepted as unclear."""
    PROBLEMATIC = "problematic"
    """The image is left out: its dataset label is wrong, or it should not be in the test set."""
    UNKNOWN = "not known"
    """The later label set does not judge the image."""
    REMAINS = "remains"
    """It is a mistake still."""


FATES = tuple(Fate)
"""The order in which columns, tables and outputs list them."""
OVERTURNED = (Fate.CORRECT, Fate.UNCLEAR, Fate.PROBLEMATIC)
"""What Vasudevan et al. (2022) count as no mistake after all: correct, unclear, or of a problematic image."""


@dataclass(frozen=True, slots=True)
class AccuracyChange:
    """A participant's accuracy under two label sets, on all images or on a group of classes.

    Attributes:
        subset: which images.
        before: the accuracy under the earlier label set, on the images that it judges.
        after: likewise under the later one.
        change: after minus before on the images that both judge, with an interval for pairs; None where there is none.
    """

    subset: str
    before: Share[float | None]
    after: Share[float | None]
    change: Estimate[float | None]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReviewFlow:
    """A participant's mistakes under one label set, and what a later one makes of each.

    Attributes:
        participant: who answered.
        test_set: what outputs call the images.
        before: the earlier label set.
        after: the later one.
        image_ids: the image of each mistake that was looked at.
        predictions: the answered class.
        is_novel: nobody had judged it before.
        fates: the place of each fate in `FATES`.
        n_mistakes: how many mistakes there are in all; more than there are rows where these are a sample.
        n_images: how many images the earlier label set judges.
        n_appeared: how many answers were accepted before and are mistakes now.
        overturned: the share that turned out to be none, among those that the later label set judges.
        accuracies: the accuracy before and after, on all images first.
        notes: what the reader should know, a sentence each.
    """

    participant: str
    test_set: str
    before: str
    after: str
    image_ids: IdArray
    predictions: IntArray
    is_novel: BoolArray
    fates: CodeArray
    n_mistakes: int
    n_images: int
    n_appeared: int
    overturned: SampledShare
    accuracies: tuple[AccuracyChange, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"The mistakes of {self.participant}"))
        for name, kind in (("predictions", np.int32), ("is_novel", np.bool_), ("fates", np.int8)):
            object.__setattr__(self, name, freeze(getattr(self, name), kind))
            if getattr(self, name).shape != self.image_ids.shape:
                raise InputError(
                    f"The mistakes of {self.participant} are {len(self):,}, but {name} has another length."
                )

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return (
            f"<ReviewFlow of {self.participant} from {self.before} to {self.after}: {len(self):,} mistakes, "
            f"{self.count(Fate.REMAINS):,} remain>"
        )

    def count(self, *fates: Fate, is_novel: bool | None = None) -> int:
        """How many mistakes had one of these fates: of all, or only of those that were novel or that were judged."""
        chosen = np.isin(self.fates, [FATES.index(fate) for fate in fates])
        return int(np.count_nonzero(chosen if is_novel is None else chosen & (self.is_novel == is_novel)))


@dataclass(frozen=True, slots=True)
class FlowComparison:
    """Whether two reviews overturn different shares of mistakes.

    Attributes:
        difference: first minus second, by Newcombe.
        test: chi-square without Yates' correction.
    """

    difference: Estimate[float | None]
    test: Independence


@dataclass(frozen=True, slots=True)
class ReviewFlows:
    """What reviews made of mistakes, of several participants or test sets.

    Attributes:
        flows: one each.
        comparison: the first two against each other; None where there are not two.
        settings: how they were found.
        notes: what the reader should know, a sentence each.
    """

    flows: tuple[ReviewFlow, ...]
    comparison: FlowComparison | None = None
    settings: FindSettings = field(default_factory=FindSettings)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FlowStep:
    """From one label set to the next, or from the last one through a coding.

    Attributes:
        before: the label set under which the mistakes were counted.
        after: the next one, or the coding.
        n: the mistakes before.
        n_novel: those among them that nobody had judged.
        left: why others are none any more, each with how many: fates, or the reasons of coders.
        n_remaining: those that are mistakes still.
        n_joined: mistakes after the step that were none before it.
        is_coding: whether people coded them.
    """

    before: str
    after: str
    n: int
    n_novel: int
    left: tuple[tuple[str, int], ...]
    n_remaining: int
    n_joined: int = 0
    is_coding: bool = False

    def __post_init__(self) -> None:
        if self.n_remaining + self.n_left != self.n:
            raise InputError(
                f"From {self.before} to {self.after}, {self.n_remaining:,} remaining mistakes and {self.n_left:,} others are not "
                f"the {self.n:,} before."
            )

    @property
    def n_left(self) -> int:
        """How many mistakes are none any more, or are not judged."""
        return sum(n for _, n in self.left)


@dataclass(frozen=True, slots=True)
class MistakeFlow:
    """What became of a participant's mistakes from the first label set to the last one and a coding.

    Attributes:
        participant: who answered.
        test_set: what outputs call the images.
        labels: the label sets, the earliest first.
        steps: from each to the next, and through the coding; there is at least one.
        n_end: the mistakes that are left.
        n_end_novel: those among them that nobody has judged or coded.
        ends: how severe these are, `MAJOR` first; empty where there is no coding.
        overturned: the share of the first mistakes that turned out to be none.
        coding: which coding; empty where there is none.
        is_strict: unclear answers are mistakes too.
        notes: what the reader should know, a sentence each.
    """

    participant: str
    test_set: str
    labels: tuple[str, ...]
    steps: tuple[FlowStep, ...]
    n_end: int
    n_end_novel: int
    ends: tuple[tuple[str, int], ...]
    overturned: SampledShare
    coding: str = ""
    is_strict: bool = False
    notes: tuple[str, ...] = ()
