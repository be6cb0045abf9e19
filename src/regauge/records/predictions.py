"""What participants answered, keyed by image id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import NO_CLASS, IdArray, IntArray, ScoreArray, freeze, freeze_ids, read_array
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Predictions:
    """One participant's answers on a set of images, best first.

    Attributes:
        participant: the name of the model or person.
        image_ids: one distinct id per answered image.
        classes: class indices [n, k], best first; `NO_CLASS` fills a row that has fewer than k answers.
            A column [n] is taken as one answer per image.
        scores: the participant's own confidence in each answer [n, k], where it is known.
    """

    participant: str
    image_ids: IdArray
    classes: IntArray
    scores: ScoreArray | None = None

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(
            self, participant: str, image_ids: ArrayLike, classes: ArrayLike, scores: ArrayLike | None = None
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=self.participant))
        object.__setattr__(self, "classes", freeze(_as_columns(self.classes), np.int32))
        self._check_classes()
        if self.scores is not None:
            object.__setattr__(self, "scores", freeze(_as_columns(self.scores), np.float32))
            self._check_scores(self.scores)

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<Predictions of {self.participant}: {len(self):,} images, {self.n_answers} answers each>"

    @property
    def n_answers(self) -> int:
        """How many answers every image has at least."""
        return int((self.classes != NO_CLASS).sum(axis=1).min()) if len(self) else self.classes.shape[1]

    def choose(self, rows: NDArray[np.integer]) -> Predictions:
        """The answers of some rows, in their order."""
        scores = None if self.scores is None else self.scores[rows]
        return Predictions(self.participant, self.image_ids[rows], self.classes[rows], scores)

    def _check_classes(self) -> None:
        if self.classes.ndim != 2 or self.classes.shape[0] != len(self.image_ids) or self.classes.shape[1] == 0:
            raise InputError(
                f"{self.participant} has {len(self.image_ids):,} image ids, so its classes must have the shape "
                f"[{len(self.image_ids)}, k] with k at least 1, not {list(self.classes.shape)}."
            )
        bad = (self.classes < NO_CLASS).any(axis=1) | (self.classes[:, 0] == NO_CLASS)
        if bad.any():
            first = str(self.image_ids[int(np.argmax(bad))])
            raise InputError(f"{self.participant} gives image {first!r} a class below 0; indices start at 0.")
        self._check_answers()

    def _check_answers(self) -> None:
        gaps = ((self.classes[:, :-1] == NO_CLASS) & (self.classes[:, 1:] != NO_CLASS)).any(axis=1)
        ordered = np.sort(self.classes, axis=1)
        repeats = ((ordered[:, :-1] == ordered[:, 1:]) & (ordered[:, 1:] != NO_CLASS)).any(axis=1)
        for bad, what in ((gaps, "leaves out an answer before the last"), (repeats, "gives one class twice")):
            if bad.any():
                first = str(self.image_ids[int(np.argmax(bad))])
                raise InputError(
                    f"{self.participant} {what} for image {first!r}; answers are distinct and without a gap."
                )

    def _check_scores(self, scores: ScoreArray) -> None:
        if scores.shape != self.classes.shape:
            raise InputError(
                f"{self.participant} has scores of shape {list(scores.shape)} for classes of shape "
                f"{list(self.classes.shape)}; they must be the same."
            )
        bad = (np.isnan(scores) & (self.classes != NO_CLASS)).any(axis=1)
        if bad.any():
            first = str(self.image_ids[int(np.argmax(bad))])
            raise InputError(f"{self.participant} has a score that is not a number (NaN) for image {first!r}.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Logits:
    """One model's outputs for every class, as they come from a file: usually memory-mapped and never copied whole.

    Attributes:
        participant: the name of the model.
        image_ids: one distinct id per row.
        values: outputs [n, classes]; larger means more likely.
    """

    participant: str
    image_ids: IdArray
    values: NDArray[np.floating]

    if TYPE_CHECKING:
        # Columns are given as anything like an array, and kept as arrays.
        def __init__(self, participant: str, image_ids: ArrayLike, values: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=self.participant))
        object.__setattr__(self, "values", read_array(self.values, what=f"the logits of {self.participant}"))
        if self.values.ndim != 2 or self.values.shape[0] != len(self.image_ids):
            raise InputError(
                f"{self.participant} has {len(self.image_ids):,} image ids, so its logits must have the shape "
                f"[{len(self.image_ids)}, classes], not {list(self.values.shape)}."
            )

    def __repr__(self) -> str:
        return f"<Logits of {self.participant}: {self.values.shape[0]:,} images, {self.values.shape[1]:,} classes>"


def _as_columns(values: ArrayLike) -> NDArray[np.generic]:
    array = read_array(values)
    return array[:, np.newaxis] if array.ndim == 1 else array
