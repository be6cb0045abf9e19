"""What a new test set must be like for an answer that is precise enough: what is expected, and what it would take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import polars as pl

from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, check_level
from regauge.records.evaluation.gaps import GapMethod
from regauge.records.results import Result

MAX_STUDIES = 10_000
MAX_ANNOTATORS = 200
MAX_IMAGES = 2_000
"""Per class."""
MAX_CLASSES = 1_000_000
MAX_PEOPLE = 1_000_000
ENOUGH = 0.8
"""The share of simulated studies that must reach the target for a plan to be called enough."""

PLAN_COLUMNS: Mapping[str, Any] = {
    "annotators": pl.Int64,
    "per_class": pl.Int64,
    "candidates": pl.Int64,
    "n_original": pl.Int64,
    "n_new": pl.Int64,
    "raw_half_width": pl.Float64,
    "raw_reached": pl.Float64,
    "adjusted_half_width": pl.Float64,
    "adjusted_low": pl.Float64,
    "adjusted_high": pl.Float64,
    "adjusted_reached": pl.Float64,
    "naive_bias": pl.Float64,
    "naive_bias_error": pl.Float64,
    "share_short": pl.Float64,
    "share_upward": pl.Float64,
    "n_tasks": pl.Int64,
    "n_answers": pl.Int64,
    "hours": pl.Float64,
    "days": pl.Float64,
    "cost": pl.Float64,
}
"""The columns of a plan, in output order; docs/formats.md explains them."""


@dataclass(frozen=True, slots=True)
class FrequencySpread:
    """How selection frequencies are spread: a beta distribution."""

    a: float
    b: float

    def __post_init__(self) -> None:
        if not (0 < self.a < 1e6 and 0 < self.b < 1e6):
            raise InputError(f"A beta distribution has two positive shapes, not {self.a} and {self.b}.")


@dataclass(frozen=True, slots=True)
class StudyDesign:
    """What is expected of a study that measures a gap between an original test set and a new one.

    Attributes:
        n_classes: classes.
        original_per_class: original images of a class that are annotated and scored.
        n_candidates: candidates of a class that the pool has at most.
        original: how the frequencies of original images are spread.
        pool: how those of candidates are.
        accuracy: of a participant on original images.
        gap: what the participant loses on new images of the same frequency.
        slope: how steeply accuracy rises with frequency, on the logit scale from frequency 0 to 1.
    """

    n_classes: int = 1_000
    original_per_class: int = 20
    n_candidates: int = 100
    original: FrequencySpread = field(default_factory=lambda: FrequencySpread(3.0, 1.0))
    pool: FrequencySpread = field(default_factory=lambda: FrequencySpread(1.0, 0.7))
    accuracy: float = 0.75
    gap: float = 0.03
    slope: float = 3.0

    def __post_init__(self) -> None:
        if min(self.n_classes, self.original_per_class, self.n_candidates) < 1:
            raise InputError("A study has 1 or more classes, and 1 or more original images and candidates of each.")
        if self.n_classes > MAX_CLASSES:
            raise InputError(f"A plan has up to {MAX_CLASSES:,} classes, not {self.n_classes:,}.")
        if max(self.original_per_class, self.n_candidates) > MAX_IMAGES:
            raise InputError(f"A plan has up to {MAX_IMAGES:,} original images and candidates per class.")
        if not 0 < self.accuracy < 1:
            raise InputError(f"The expected accuracy is a share between 0 and 1, not {self.accuracy}.")
        if not -1 < self.gap < 1:
            raise InputError(f"The expected gap is a difference of shares between -1 and 1, not {self.gap}.")
        if not abs(self.slope) <= 50:
            raise InputError(f"The slope of accuracy is a number from -50 to 50, not {self.slope}.")


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """What to try, and what is enough.

    Attributes:
        annotators: people per pair to try.
        per_class: images per class of the new set to try.
        target: the half-width of the interval of the gap that is wanted.
        level: nominal coverage of the interval.
        n_studies: simulated studies for every combination.
        seed: decides every random choice.
        max_short: the share of classes that may fall short of images.
        method: how the gap at equal frequency is estimated.
    """

    annotators: tuple[int, ...] = (3, 5, 10, 20, 40)
    per_class: tuple[int, ...] = (5, 10, 20, 40)
    target: float = 0.01
    level: float = DEFAULT_LEVEL
    n_studies: int = 20
    seed: int = 0
    max_short: float = 0.05
    method: GapMethod = GapMethod.DECONVOLUTION

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", GapMethod(self.method))
        check_level(self.level)
        if not 0 < self.target < 1:
            raise InputError(
                f"The half-width that is wanted is a share between 0 and 1, such as 0.01, not {self.target}."
            )
        if not 2 <= self.n_studies <= MAX_STUDIES:
            raise InputError(f"A plan simulates 2 to {MAX_STUDIES:,} studies, not {self.n_studies:,}.")
        if not self.annotators or not all(1 <= n <= MAX_ANNOTATORS for n in self.annotators):
            raise InputError(f"A plan tries 1 to {MAX_ANNOTATORS} annotators per image.")
        if self.method is not GapMethod.NAIVE and min(self.annotators) < 2:
            raise InputError(
                "One vote on each image does not show how frequencies are spread, so the gap at equal frequency cannot be told "
                "however many images there are; try 2 annotators or more."
            )
        if not self.per_class or not all(1 <= n <= MAX_IMAGES for n in self.per_class):
            raise InputError(f"A plan tries 1 to {MAX_IMAGES:,} images per class.")
        if not 0 <= self.max_short < 1:
            raise InputError(f"The share of classes that may fall short is 0 to below 1, not {self.max_short}.")


@dataclass(frozen=True, slots=True)
class PlanPoint:
    """One combination, and what it gives and takes; what stands for a column is told in docs/formats.md."""

    annotators: int
    per_class: int
    candidates: int
    n_original: int
    n_new: int
    raw_half_width: float
    raw_reached: float
    adjusted_half_width: float
    adjusted_low: float
    adjusted_high: float
    adjusted_reached: float
    naive_bias: float
    naive_bias_error: float
    share_short: float
    share_upward: float
    n_tasks: int = 0
    n_answers: int = 0
    hours: float = 0.0
    days: float = 0.0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class StudyPlan(Result):
    """Every combination that was tried.

    Attributes:
        design: what is expected.
        settings: what was tried, and what is enough.
        points: the combinations, by annotators and images per class.
        currency: of the costs; empty without pay.
        notes: where figures come from and what they leave out, a sentence each.
    """

    plotter: ClassVar[str] = "plot_plan"

    design: StudyDesign
    settings: PlanSettings
    points: tuple[PlanPoint, ...]
    currency: str = ""
    notes: tuple[str, ...] = ()

    def find_cheapest(self, *, is_adjusted: bool = True) -> PlanPoint | None:
        """The combination that takes least and reaches the target in most simulated studies; None where none does."""
        enough = [
            one
            for one in self.points
            if (one.adjusted_reached if is_adjusted else one.raw_reached) >= ENOUGH
            and one.share_short <= self.settings.max_short
        ]
        return min(enough, key=lambda one: (one.cost or 0.0, one.hours, one.per_class), default=None)

    def to_frame(self) -> pl.DataFrame:
        """One row per combination; a cost without pay is null."""
        rows = [asdict(one) for one in self.points]
        columns = {name: [row[name] for row in rows] for name in PLAN_COLUMNS}
        return pl.DataFrame({name: pl.Series(columns[name], dtype=dtype) for name, dtype in PLAN_COLUMNS.items()})


@dataclass(frozen=True, slots=True)
class Workforce:
    """So many people work for so many hours a day."""

    n_people: int = 10
    hours_per_day: float = 2.0

    def __post_init__(self) -> None:
        if not 1 <= self.n_people <= MAX_PEOPLE:
            raise InputError(f"At least one person works, and at most {MAX_PEOPLE:,} do, not {self.n_people:,}.")
        if not 0 < self.hours_per_day <= 24:
            raise InputError(f"People work for more than 0 and up to 24 hours a day, not {self.hours_per_day:g}.")
