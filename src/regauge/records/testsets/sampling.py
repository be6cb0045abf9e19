"""How a test set is drawn from a pool of candidates, and what was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

import regauge.frames as pl
from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, freeze, freeze_ids
from regauge.columns import ColumnTypes
from regauge.errors import InputError
from regauge.ranges import SHARE, Range
from regauge.records.responses.screening import read_share

N_BINS = 5
"""Bins of the selection frequency: a fifth each, closed below, the last one closed above too."""
BIN_NAMES = ("[0, 0.2)", "[0.2, 0.4)", "[0.4, 0.6)", "[0.6, 0.8)", "[0.8, 1]")
ABOVE = "≥ "
"""What stands before the threshold that a class lacks images above."""
NO_BIN = -1
PER_CLASS = Range(1, 1_000_000, is_whole=True)

DRAW_COLUMNS = ColumnTypes(
    {
        "image_id": "String",
        "class": "Int32",
        "n_shown": "Int64",
        "n_selected": "Int64",
        "bin": "String",
        "keyword": "String",
        "carried_over": "Boolean",
        "upward": "Boolean",
    }
)
"""The columns of a draw, in output order; docs/formats.md explains them."""


class Strategy(StrEnum):
    """Which images of a class are taken (Recht et al. 2019, §3.2)."""

    MATCHED_FREQUENCY = "matched-frequency"
    """So many of every bin of the selection frequency as the original images of the class have."""
    THRESHOLD = "threshold"
    """Any whose selection frequency is high enough."""
    TOP_IMAGES = "top-images"
    """Those with the highest selection frequency."""
    KEYWORDS = "keywords"
    """So many of every keyword as the original images of the class have (CIFAR-10.1; Recht et al. 2019, appendix C)."""


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """How a test set is drawn from a pool.

    Attributes:
        strategy: which images are taken.
        per_class: how many of every class.
        seed: decides every random choice; classes are drawn independently of each other.
        threshold: the lowest selection frequency of the strategy of that name.
        class_thresholds: another one for some classes.
        min_annotations: accepted annotators that a candidate needs; where frequencies decide, 0 means at least one.
        min_original: annotated original images that a class needs for its histogram.
    """

    strategy: Strategy = Strategy.MATCHED_FREQUENCY
    per_class: int = 10
    seed: int = 0
    threshold: float = 0.7
    class_thresholds: Mapping[int, float] = field(default_factory=dict)
    min_annotations: int = 10
    min_original: int = 20

    def __post_init__(self) -> None:
        if self.per_class not in PER_CLASS:
            raise InputError(f"A test set has {PER_CLASS} images per class, not {self.per_class:,}.")
        if self.seed < 0:
            raise InputError(f"A seed is a whole number from 0 up, not {self.seed}.")
        if self.min_annotations < 0 or self.min_original < 1:
            raise InputError("Annotations per candidate are 0 or more, and original images per class 1 or more.")
        for threshold in (self.threshold, *self.class_thresholds.values()):
            if read_share(threshold) not in SHARE:
                raise InputError(f"A threshold of the selection frequency is a share from 0 to 1, not {threshold}.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PoolCandidates:
    """Candidate images with what annotators said of the class that each was gathered for.

    Attributes:
        image_ids: one distinct id per image.
        classes: the class that it was gathered for.
        n_shown: accepted annotators who saw it.
        n_selected: those of them who found the class in it.
        exclusions: why an image cannot be taken, in words; empty where it can.
        keywords: what it was searched by; empty where that is unknown.
    """

    image_ids: IdArray
    classes: IntArray
    n_shown: CountArray
    n_selected: CountArray
    exclusions: IdArray
    keywords: IdArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The pool"))
        object.__setattr__(self, "classes", freeze(self.classes, np.int32))
        for name in ("n_shown", "n_selected"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int64))
        for name in ("exclusions", "keywords"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.str_))
        n = len(self.image_ids)
        columns = (self.classes, self.n_shown, self.n_selected, self.exclusions, self.keywords)
        if any(column.shape != (n,) for column in columns):
            raise InputError(f"{n:,} candidates need as many classes, counts, exclusions and keywords.")
        if (self.n_selected > self.n_shown).any() or self.n_selected.min(initial=0) < 0:
            raise InputError("A candidate cannot be selected by more annotators than saw it.")

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<PoolCandidates: {len(self):,} images of {len(np.unique(self.classes)):,} classes>"


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Images that a class lacks.

    Attributes:
        class_index: which class.
        where: the bin or keyword that is short; empty for the class as a whole.
        n_missing: how many are lacking.
        n_to_gather: how many more candidates would yield as many, if they were like those of the class so far; None where none
            of those could be taken.
    """

    class_index: int
    where: str
    n_missing: int
    n_to_gather: int | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Draw:
    """The images of a test set, by class and in the order in which they were taken.

    Attributes:
        plan: how they were drawn.
        image_ids: the images.
        classes: their classes.
        n_shown: accepted annotators who saw each.
        n_selected: those of them who found the class in it.
        keywords: what each was searched by.
        is_carried: whether it was in the set that this one revises.
        is_upward: whether it was taken from a higher bin than the one that needed it.
        shortfalls: what is lacking, and where.
        exclusions: per class, bin and reason, how many images could not be taken.
    """

    plan: SamplingPlan
    image_ids: IdArray
    classes: IntArray
    n_shown: CountArray
    n_selected: CountArray
    keywords: IdArray
    is_carried: BoolArray
    is_upward: BoolArray
    shortfalls: tuple[Shortfall, ...]
    exclusions: Mapping[tuple[int, str, str], int]

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<Draw by {self.plan.strategy}: {len(self):,} images>"

    def to_frame(self) -> pl.DataFrame:
        """The images as a data frame."""
        bins = find_bins(self.n_shown, self.n_selected).tolist()
        data = {
            "image_id": self.image_ids.tolist(),
            "class": self.classes,
            "n_shown": self.n_shown,
            "n_selected": self.n_selected,
            "bin": [None if number == NO_BIN else BIN_NAMES[number] for number in bins],
            "keyword": [keyword or None for keyword in self.keywords.tolist()],
            "carried_over": self.is_carried,
            "upward": self.is_upward,
        }
        return pl.DataFrame({name: pl.Series(data[name], dtype=dtype) for name, dtype in DRAW_COLUMNS.items()})


def find_bins(n_shown: CountArray, n_selected: CountArray) -> IntArray:
    """The bin of every selection frequency, in whole numbers; `NO_BIN` where nobody saw the image.

    >>> find_bins(np.array([10, 10, 5, 3, 0]), np.array([1, 2, 5, 1, 0])).tolist()
    [0, 1, 4, 1, -1]
    """
    bins = np.minimum(N_BINS * n_selected // np.maximum(n_shown, 1), N_BINS - 1)
    return np.where(n_shown > 0, bins, NO_BIN).astype(np.int32)
