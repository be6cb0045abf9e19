"""Coded mistakes: what kind each remaining mistake is, how severe, and what a summary of them holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import IdArray, IntArray, freeze
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Share, check_level

CodeArray: TypeAlias = NDArray[np.int8]

MAX_PERMUTATIONS = 1_000_000


class Category(StrEnum):
    """What kind a mistake is (Vasudevan et al. 2022, section 3.2)."""

    FINE_GRAINED = "fine-grained"
    """Two classes that look alike were confused, and one of them is a true label."""
    FINE_GRAINED_OOV = "fine-grained-oov"
    """The image shows something that is no class at all but resembles the predicted one: out of vocabulary."""
    SPURIOUS_CORRELATION = "spurious-correlation"
    """The prediction follows the surroundings, or nothing in the image that resembles it."""
    NON_PROTOTYPICAL = "non-prototypical"
    """An unusual example of its class that resembles the predicted one."""


class Severity(StrEnum):
    """How bad a mistake is; what its reviewers called borderline is minor."""

    MAJOR = "major"
    """Plainly wrong to a person who knows what the classes mean."""
    MINOR = "minor"
    """Probably wrong, in a way that can be argued about."""


CATEGORIES = tuple(Category)
SEVERITIES = tuple(Severity)
"""The order in which codes, tables and outputs list them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CodedMistakes:
    """The mistakes of one model on one test set, each with a category and a severity.

    Attributes:
        name: what outputs call them, usually the model.
        image_ids: the image of each mistake; an image may have several, with different predictions.
        predictions: the predicted class index.
        categories: the place of each category in `CATEGORIES`.
        severities: the place of each severity in `SEVERITIES`.
        notes: what the reader found, a sentence each.
    """

    name: str
    image_ids: IdArray
    predictions: IntArray
    categories: CodeArray
    severities: CodeArray
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze(self.image_ids, np.str_))
        object.__setattr__(self, "predictions", freeze(self.predictions, np.int32))
        object.__setattr__(self, "categories", freeze(self.categories, np.int8))
        object.__setattr__(self, "severities", freeze(self.severities, np.int8))
        self._check_columns()
        self._check_codes()
        self._check_distinct()

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        n_major = int(np.count_nonzero(self.severities == SEVERITIES.index(Severity.MAJOR)))
        return f"<CodedMistakes {self.name}: {len(self):,} mistakes on {self.n_images:,} images, {n_major:,} major>"

    @property
    def n_images(self) -> int:
        """How many images have a mistake."""
        return len(np.unique(self.image_ids))

    def _check_columns(self) -> None:
        if self.image_ids.ndim != 1:
            raise InputError(f"The image ids of {self.name} must be one column, not of shape {self.image_ids.shape}.")
        for column in ("predictions", "categories", "severities"):
            shape = getattr(self, column).shape
            if shape != self.image_ids.shape:
                raise InputError(f"{self.name} has {len(self):,} mistakes, but {column} has the shape {list(shape)}.")
        if (self.image_ids == "").any():
            raise InputError(f"{self.name} has an empty image id at position {int(np.argmax(self.image_ids == ''))}.")

    def _check_codes(self) -> None:
        if self.predictions.min(initial=0) < 0:
            first = str(self.image_ids[int(np.argmin(self.predictions))])
            raise InputError(
                f"{self.name}: image {first!r} has the prediction {self.predictions.min()}; indices start at 0."
            )
        for column, names in (("categories", CATEGORIES), ("severities", SEVERITIES)):
            codes: CodeArray = getattr(self, column)
            bad = (codes < 0) | (codes >= len(names))
            if bad.any():
                known = ", ".join(f"{code} ({name})" for code, name in enumerate(names))
                raise InputError(f"{self.name}: {column} are one of {known}, not {codes[int(np.argmax(bad))]}.")

    def _check_distinct(self) -> None:
        _, rows = np.unique(self.image_ids, return_inverse=True)
        pairs = rows.astype(np.int64) * (int(self.predictions.max(initial=0)) + 1) + self.predictions
        order = np.argsort(pairs, kind="stable")
        twice = np.flatnonzero(np.diff(pairs[order]) == 0)
        if twice.size:
            at = int(order[twice[0] + 1])
            raise InputError(
                f"{self.name} lists prediction {self.predictions[at]} for image {str(self.image_ids[at])!r} twice; "
                "a prediction for an image is coded once."
            )


@dataclass(frozen=True, slots=True)
class MistakesSettings:
    """How to summarise mistakes.

    Attributes:
        level: nominal coverage of every interval.
        seed: start of the permutations.
        n_permutations: how many times the mistakes on all images are swapped at random.
    """

    level: float = DEFAULT_LEVEL
    seed: int = 0
    n_permutations: int = 10_000

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 100 <= self.n_permutations <= MAX_PERMUTATIONS:
            raise InputError(
                f"A permutation test takes 100 to {MAX_PERMUTATIONS:,} permutations, not {self.n_permutations:,}."
            )
        if self.seed < 0:
            raise InputError(f"A seed is a whole number from 0 up, not {self.seed}.")


@dataclass(frozen=True, slots=True)
class ClassPair:
    """Two classes of which one was the dataset label and the other the prediction, in either direction.

    Attributes:
        first: the smaller class index.
        second: the larger class index.
        n: how many mistakes confuse the two.
    """

    first: int
    second: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.first < self.second:
            raise InputError(f"A pair names two classes, the smaller index first, not {self.first} and {self.second}.")


@dataclass(frozen=True, slots=True)
class LevelShares:
    """The mistakes whose prediction is that far from the dataset label.

    Attributes:
        level: levels up to the nearest common ancestor, 1 for the same parent and 0 for the same class; None where
            nothing joins the two classes.
        n: the mistakes at this level.
        categories: the share of each category among them, in the order of `CATEGORIES`.
    """

    level: int | None
    n: int
    categories: tuple[Share[float | None], ...]


@dataclass(frozen=True, slots=True)
class FileSummary:
    """One file of coded mistakes in numbers.

    Attributes:
        name: what outputs call it.
        n: all its mistakes.
        categories: the share of each category, in the order of `CATEGORIES`.
        severities: the share of each severity, in the order of `SEVERITIES`.
        table: one row per category with the share of each severity, all of the whole file.
        major_by_category: the share of major mistakes within each category.
        n_labelled: the mistakes on images whose dataset label is known; None where no dataset labels were given.
        class_pairs: the confused class pairs, the most frequent first; None where no dataset labels were given.
        levels: the categories by ancestor level; None where there are no dataset labels or no hierarchy.
    """

    name: str
    n: int
    categories: tuple[Share[float | None], ...]
    severities: tuple[Share[float | None], ...]
    table: tuple[tuple[Share[float | None], ...], ...]
    major_by_category: tuple[Share[float | None], ...]
    n_labelled: int | None = None
    class_pairs: tuple[ClassPair, ...] | None = None
    levels: tuple[LevelShares, ...] | None = None


@dataclass(frozen=True, slots=True)
class Independence:
    """Whether two files spread their mistakes differently, by chi-square and by permutation.

    Attributes:
        chi2: the statistic, without Yates' correction; None where only one kind of mistake occurs.
        dof: its degrees of freedom; 0 where there is no test.
        p: its p-value, which takes the mistakes of the two files for independent; None where there is no test.
        n: the mistakes of both files.
        min_expected: the smallest count that independence would expect among the kinds that occur.
        p_permutation: the p-value by permutation within images; None where the files share no image.
        n_images: the images that were permuted; None likewise.
    """

    chi2: float | None
    dof: int
    p: float | None
    n: int
    min_expected: float | None = None
    p_permutation: float | None = None
    n_images: int | None = None


@dataclass(frozen=True, slots=True)
class SharedMistakes:
    """How two files overlap, in images.

    Attributes:
        n_same_prediction: images in both with a prediction in common.
        n_different_prediction: images in both without one.
        n_only_first: images of the first file alone.
        n_only_second: images of the second file alone.
    """

    n_same_prediction: int
    n_different_prediction: int
    n_only_first: int
    n_only_second: int

    @property
    def n_shared(self) -> int:
        """The images in both files."""
        return self.n_same_prediction + self.n_different_prediction


@dataclass(frozen=True, slots=True)
class MistakesComparison:
    """Two files of coded mistakes against each other."""

    category: Independence
    severity: Independence
    shared: SharedMistakes


@dataclass(frozen=True, slots=True)
class MistakesSummary:
    """One or two files of coded mistakes in numbers, and how two of them differ.

    Attributes:
        files: one summary per file.
        comparison: the tests and the overlap; None for a single file.
        settings: how they were computed.
        notes: what the reader should know, a sentence each.
    """

    files: tuple[FileSummary, ...]
    comparison: MistakesComparison | None = None
    settings: MistakesSettings = field(default_factory=MistakesSettings)
    notes: tuple[str, ...] = ()
