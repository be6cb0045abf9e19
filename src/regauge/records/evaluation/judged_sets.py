"""Images with what annotators said of them: a test set on which participants are right or wrong, and candidates for one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, find_repeated, freeze, freeze_ids
from regauge.errors import InputError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedSet:
    """The images of a test set with what annotators said of their labels, and whether participants are right on them.

    Attributes:
        name: what outputs call it.
        image_ids: one distinct id per image.
        n_shown: annotators who saw each image, at least one.
        n_selected: those of them who found its label in it.
        participants: their names.
        is_correct: whether each participant is right on each image [participants, images].
        classes: the class of every image; None where they are all taken together.
    """

    name: str
    image_ids: IdArray
    n_shown: CountArray
    n_selected: CountArray
    participants: tuple[str, ...]
    is_correct: BoolArray
    classes: IntArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"The set {self.name}"))
        _freeze_counts(self, who=self.name)
        object.__setattr__(self, "is_correct", freeze(self.is_correct, np.bool_))
        n = len(self.image_ids)
        if self.n_shown.shape != (n,):
            raise InputError(f"{self.name}: {n:,} images need as many counts of annotators.")
        if self.is_correct.shape != (len(self.participants), n) or not self.participants or not n:
            raise InputError(f"{self.name} needs an outcome for each participant and image, and at least one of each.")
        repeated = find_repeated(self.participants)
        if repeated is not None:
            raise InputError(f"Two participants on {self.name} are called {repeated!r}; rename one.")

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<JudgedSet {self.name}: {len(self):,} images, {len(self.participants):,} participants>"


@dataclass(frozen=True, slots=True, eq=False)
class CandidateCounts:
    """What annotators said of all candidates that the new set was drawn from, the chosen ones included.

    Attributes:
        n_shown: annotators who saw each candidate, at least one.
        n_selected: those of them who found its label in it.
        classes: the class that each was gathered for; None where they are all taken together.
    """

    n_shown: CountArray
    n_selected: CountArray
    classes: IntArray | None = None

    def __post_init__(self) -> None:
        _freeze_counts(self, who="The pool")
        if self.n_shown.ndim != 1 or not self.n_shown.size:
            raise InputError("A pool needs at least one candidate, and two counts of annotators for each.")

    def __len__(self) -> int:
        return len(self.n_shown)


def _freeze_counts(owner: JudgedSet | CandidateCounts, *, who: str) -> None:
    for name in ("n_shown", "n_selected"):
        object.__setattr__(owner, name, freeze(getattr(owner, name), np.int64))
    if owner.classes is not None:
        object.__setattr__(owner, "classes", freeze(owner.classes, np.int32))
    n_shown, n_selected = owner.n_shown, owner.n_selected
    if n_shown.shape != n_selected.shape or (owner.classes is not None and owner.classes.shape != n_shown.shape):
        raise InputError(
            f"{who}: images need as many counts of annotators of both kinds, and classes, where they are given."
        )
    if (n_shown < 1).any() or (n_selected < 0).any() or (n_selected > n_shown).any():
        raise InputError(f"{who}: every image was seen by an annotator, and selected by no more than saw it.")
