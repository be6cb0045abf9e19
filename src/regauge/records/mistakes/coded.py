"""Coded mistakes: what kind each remaining mistake is, and how severe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import BoolArray, IdArray, IntArray, freeze
from regauge.errors import InputError

CodeArray: TypeAlias = NDArray[np.int8]

MAX_CATEGORIES = 32


class Category(StrEnum):
    """What kind a mistake is (Vasudevan et al. 2022, section 3.2); a study may define other ones."""

    FINE_GRAINED = "fine-grained"
    """Two classes that look alike were confused, and one of them is a true label."""
    FINE_GRAINED_OOV = "fine-grained-oov"
    """The image shows something that is not a class at all but resembles the predicted one: out of vocabulary."""
    SPURIOUS_CORRELATION = "spurious-correlation"
    """The prediction follows the surroundings, or nothing in the image that resembles it."""
    NON_PROTOTYPICAL = "non-prototypical"
    """An unusual example of its class that resembles the predicted one."""
    OTHER = "other"
    """None of these; the note says what."""


class Severity(StrEnum):
    """How bad a mistake is, as entered; `fold_severities` counts borderline ones as minor, as Vasudevan et al. did."""

    MAJOR = "major"
    """Plainly wrong to a person who knows what the classes mean."""
    MINOR = "minor"
    """Probably wrong, in a way that can be argued about."""
    BORDERLINE = "borderline"
    """Wrong by so little that people who know the classes well would disagree."""


CATEGORIES = tuple(Category)
SEVERITIES = tuple(Severity)
"""The order in which codes, tables and outputs list them."""

FOLDED_SEVERITIES = (Severity.MAJOR, Severity.MINOR)
"""What remains in an analysis, in the order of tables."""


@dataclass(frozen=True, slots=True)
class DefinedCategory:
    """A category and what it means, as coders read it.

    Attributes:
        name: what outputs call it.
        definition: a sentence or two that tell it from the others.
    """

    name: str
    definition: str = ""

    def __post_init__(self) -> None:
        if not self.name.strip() or self.name != self.name.strip() or not self.name.isprintable():
            raise InputError(f"A category needs a name without spaces around it, on one line, not {self.name!r}.")


STANDARD_CATEGORIES = (
    DefinedCategory(
        Category.FINE_GRAINED,
        "Two classes that are alike were taken for each other, and one of them is a correct label of the image: two breeds, "
        "or two things for the same purpose.",
    ),
    DefinedCategory(
        Category.FINE_GRAINED_OOV,
        "The image shows something that belongs to no class and looks like the predicted one, as a chinchilla looks like a "
        "hamster.",
    ),
    DefinedCategory(
        Category.SPURIOUS_CORRELATION,
        "What is predicted is not there: its usual surroundings are, or nothing that resembles it in looks or meaning.",
    ),
    DefinedCategory(
        Category.NON_PROTOTYPICAL,
        "The object is an unusual example of its own class and looks like the predicted one, which is not there.",
    ),
    DefinedCategory(Category.OTHER, "None of the others fits; the note says why."),
)
"""The list that a study uses unless it defines its own."""


def name_categories(categories: Sequence[DefinedCategory]) -> tuple[str, ...]:
    """The names of a list of categories, in its order.

    Raises:
        InputError: there are none or too many, or two have one name.
    """
    names = tuple(str(one.name) for one in categories)
    if not 1 <= len(names) <= MAX_CATEGORIES:
        raise InputError(f"A list of categories has 1 to {MAX_CATEGORIES}, not {len(names)}.")
    twice = next(
        (name for place, name in enumerate(names) if name.casefold() in map(str.casefold, names[:place])), None
    )
    if twice is not None:
        raise InputError(f"Two categories are called {twice!r}; each needs a name of its own.")
    return names


STANDARD_NAMES = name_categories(STANDARD_CATEGORIES)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CodedMistakes:
    """The mistakes of one model on one test set, each with a category and a severity.

    Attributes:
        name: what outputs call them, usually the model.
        image_ids: the image of each mistake; an image may have several, with different predictions.
        predictions: the predicted class index.
        categories: the place of each category in `category_names`.
        severities: the place of each severity in `SEVERITIES`, as it was entered.
        notes: what the reader found, a sentence each.
        category_names: the list of categories that the coders had.
    """

    name: str
    image_ids: IdArray
    predictions: IntArray
    categories: CodeArray
    severities: CodeArray
    notes: tuple[str, ...] = ()
    category_names: tuple[str, ...] = STANDARD_NAMES

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze(self.image_ids, np.str_))
        object.__setattr__(self, "predictions", freeze(self.predictions, np.int32))
        object.__setattr__(self, "categories", freeze(self.categories, np.int8))
        object.__setattr__(self, "severities", freeze(self.severities, np.int8))
        object.__setattr__(self, "category_names", name_categories(list(map(DefinedCategory, self.category_names))))
        self._check_columns()
        self._check_codes()
        self._check_distinct()

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        n_major = int(np.count_nonzero(self.is_major))
        return f"<CodedMistakes {self.name}: {len(self):,} mistakes on {self.n_images:,} images, {n_major:,} major>"

    @property
    def n_images(self) -> int:
        """How many images have a mistake."""
        return len(np.unique(self.image_ids))

    @property
    def is_major(self) -> BoolArray:
        """Which mistakes are major."""
        is_major: BoolArray = self.severities == SEVERITIES.index(Severity.MAJOR)
        return is_major

    def choose(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> CodedMistakes:
        """Some of the mistakes, in the order of the rows."""
        names = ("image_ids", "predictions", "categories", "severities")
        kept = {name: getattr(self, name)[rows] for name in names}
        return replace(self, **kept)

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
        for column, names in (("categories", self.category_names), ("severities", SEVERITIES)):
            codes: CodeArray = getattr(self, column)
            bad = (codes < 0) | (codes >= len(names))
            if bad.any():
                known = ", ".join(f"{code} ({name})" for code, name in enumerate(names))
                raise InputError(f"{self.name}: {column} are one of {known}, not {codes[int(np.argmax(bad))]}.")

    def _check_distinct(self) -> None:
        at = find_repeated(self.image_ids, self.predictions)
        if at is not None:
            raise InputError(
                f"{self.name} lists prediction {self.predictions[at]} for image {str(self.image_ids[at])!r} twice; "
                "a prediction for an image is coded once."
            )


def fold_severities(severities: CodeArray) -> CodeArray:
    """Borderline as minor: the codes of `FOLDED_SEVERITIES`, for an analysis; what was entered stays as it is.

    >>> fold_severities(np.array([0, 1, 2], np.int8)).tolist()
    [0, 1, 1]
    """
    minor, borderline = SEVERITIES.index(Severity.MINOR), SEVERITIES.index(Severity.BORDERLINE)
    folded: CodeArray = np.where(severities == borderline, minor, severities).astype(np.int8)
    return folded


def find_repeated(image_ids: IdArray, predictions: IntArray) -> int | None:
    """Where an image and a prediction stand together a second time; None where no two do."""
    _, rows = np.unique(image_ids, return_inverse=True)
    pairs = rows.astype(np.int64) * (int(predictions.max(initial=0)) + 1) + predictions
    order = np.argsort(pairs, kind="stable")
    twice = np.flatnonzero(np.diff(pairs[order]) == 0)
    return int(order[twice[0] + 1]) if twice.size else None
