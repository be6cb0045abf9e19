"""Selection frequencies: how many annotators saw an (image, class) pair, how many selected it, and what that makes of it."""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from regauge.arrays import CountArray, FloatArray, IdArray, IntArray, divide, freeze, freeze_ids
from regauge.errors import InputError
from regauge.records.responses.screening import read_share


@dataclass(frozen=True, slots=True)
class AnnotatorSpread:
    """How far the annotators behind selection counts differ in how readily they select.

    Attributes:
        n_annotators: how many there are.
        n_effective: how many who had all done the same amount of work would tell as much.
        variance: of their logits.
    """

    n_annotators: int
    n_effective: float
    variance: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SelectionCounts:
    """Counts per (image, class) pair, ordered by image and class; a pair that nobody saw may be listed with 0.

    Attributes:
        image_ids: the distinct images.
        images: per pair, the position of its image.
        classes: per pair, its class index.
        n_shown: annotators whose accepted response showed the pair.
        n_selected: those of them who selected it.
        name: what outputs call the counts.
        spread: how far the annotators differ; None where it is not known who gave which vote.
    """

    image_ids: IdArray
    images: IntArray
    classes: IntArray
    n_shown: CountArray
    n_selected: CountArray
    name: str = "frequencies"
    spread: AnnotatorSpread | None = None

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(  # noqa: PLR0913, PLR0917 - the columns of the record, in their order
            self,
            image_ids: ArrayLike,
            images: ArrayLike,
            classes: ArrayLike,
            n_shown: ArrayLike,
            n_selected: ArrayLike,
            name: str = "frequencies",
            spread: AnnotatorSpread | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The selection counts"))
        object.__setattr__(self, "images", freeze(self.images, np.int32))
        object.__setattr__(self, "classes", freeze(self.classes, np.int32))
        object.__setattr__(self, "n_shown", freeze(self.n_shown, np.int64))
        object.__setattr__(self, "n_selected", freeze(self.n_selected, np.int64))
        n = len(self.images)
        if any(column.shape != (n,) for column in (self.classes, self.n_shown, self.n_selected)):
            raise InputError(f"{n:,} pairs need {n:,} classes, {n:,} n_shown and {n:,} n_selected.")
        if (self.n_selected > self.n_shown).any() or self.n_selected.min(initial=0) < 0:
            raise InputError("A pair cannot be selected by more annotators than saw it.")

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"<SelectionCounts: {len(self):,} pairs of {len(self.image_ids):,} images>"

    def keep_images(self, image_ids: Collection[str]) -> SelectionCounts:
        """The counts of those images alone."""
        known = set(image_ids)
        is_kept = np.array([one in known for one in self.image_ids.tolist()], np.bool_)
        pairs = is_kept[self.images]
        places = np.cumsum(is_kept) - 1
        columns = self.classes[pairs], self.n_shown[pairs], self.n_selected[pairs]
        return SelectionCounts(
            self.image_ids[is_kept], places[self.images[pairs]].astype(np.int32), *columns, self.name, self.spread
        )

    def keep_pairs(self, pairs: Container[tuple[str, int]]) -> SelectionCounts:
        """The counts of those pairs of an image and a class alone; the images stay."""
        listed = zip(self.image_ids[self.images].tolist(), self.classes.tolist(), strict=True)
        kept = np.array([pair in pairs for pair in listed], np.bool_)
        columns = self.images[kept], self.classes[kept], self.n_shown[kept], self.n_selected[kept]
        return SelectionCounts(self.image_ids, *columns, self.name, self.spread)

    @property
    def frequencies(self) -> FloatArray:
        """n_selected / n_shown per pair; NaN, not 0, where nobody saw the pair."""
        return divide(self.n_selected, self.n_shown)


FREQUENCY_RULE, POSTERIOR_RULE = "selection-frequency", "posterior"
"""What a rule for verdicts looks at: the share of annotators, or the probability by a model of the annotators."""


@dataclass(frozen=True, slots=True)
class FrequencyRule:
    """Which frequency makes a class correct, unclear or wrong, compared in whole numbers; or which probability does.

    Attributes:
        correct: the frequency from which on a class is correct.
        unclear: the frequency from which on it is unclear; below, it is wrong.
        min_shown: annotators below whom it stays unjudged.
        name: what outputs call the rule, and what it looks at: `FREQUENCY_RULE` or `POSTERIOR_RULE`.
    """

    correct: float = 0.5
    unclear: float = 0.25
    min_shown: int = 5
    name: str = FREQUENCY_RULE

    def __post_init__(self) -> None:
        if not 0 <= read_share(self.unclear) <= read_share(self.correct) <= 1:
            raise InputError(
                "A rule for verdicts needs 0 ≤ unclear ≤ correct ≤ 1, not "
                f"unclear = {self.unclear}, correct = {self.correct}."
            )
        if self.name not in {FREQUENCY_RULE, POSTERIOR_RULE}:
            raise InputError(f"A rule for verdicts is {FREQUENCY_RULE} or {POSTERIOR_RULE}, not {self.name!r}.")
        if self.min_shown < 1:
            raise InputError(f"A verdict needs at least one annotator, not {self.min_shown}.")

    def describe(self) -> str:
        """The rule in a few words."""
        return (
            f"{self.name}: ≥ {self.correct:g} correct, ≥ {self.unclear:g} unclear, else wrong; "
            f"n_shown < {self.min_shown} unjudged"
        )
