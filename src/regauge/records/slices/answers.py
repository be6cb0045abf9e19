"""What answers on the images of a slice are worth, and which of them somebody has to look at first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import IdArray, IntArray, freeze, freeze_ids


class AnswerState(IntEnum):
    """What an answer is worth under a label set and codings of mistakes."""

    NOT_COUNTED = -1
    """The image is problematic, the label set does not know it, or there is no answer."""
    RIGHT = 0
    """The label set accepts it."""
    MAJOR = 1
    """A mistake that is coded as major."""
    MINOR = 2
    """One that is coded as minor."""
    BORDERLINE = 3
    """One that is coded as borderline."""
    UNCODED = 4
    """The label set rejects it, and nobody has said how severe it is."""
    UNJUDGED = 5
    """Nobody has judged it, or coders overturned it and the label set does not accept it yet."""


StateArray: TypeAlias = NDArray[np.int8]


class OpenReason(StrEnum):
    """What an open prediction needs."""

    VERDICT = "verdict"
    """Somebody has to judge whether it is right; if it is wrong, how severe that is."""
    SEVERITY = "severity"
    """It is judged wrong, and somebody has to code how severe."""
    LOOK = "complete labelling"
    """Nobody has looked at the image yet for classes that are in it though nobody predicted them."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenPredictions:
    """Predictions that are not judged, or judged wrong and not coded: the queue.

    Attributes:
        image_ids: the image of each.
        classes: the predicted class.
        reasons: what it needs.
        participants: who predicts it.
    """

    image_ids: IdArray
    classes: IntArray
    reasons: tuple[OpenReason, ...]
    participants: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze(self.image_ids, np.str_))
        object.__setattr__(self, "classes", freeze(self.classes, np.int32))

    def __len__(self) -> int:
        return len(self.reasons)

    def __repr__(self) -> str:
        return f"<OpenPredictions: {self.count(OpenReason.VERDICT):,} to judge, {self.count(OpenReason.SEVERITY):,} to code>"

    def count(self, reason: OpenReason) -> int:
        """How many need this."""
        return sum(one is reason for one in self.reasons)

    def join(self, other: OpenPredictions) -> OpenPredictions:
        """These, and others behind them."""
        return OpenPredictions(
            np.concatenate([self.image_ids, other.image_ids]),
            np.concatenate([self.classes, other.classes]),
            (*self.reasons, *other.reasons),
            (*self.participants, *other.participants),
        )

    def list_rows(self) -> Iterator[dict[str, object]]:
        """One row per prediction, as files have it."""
        columns = zip(self.image_ids.tolist(), self.classes.tolist(), self.reasons, self.participants, strict=True)
        for image_id, index, reason, names in columns:
            yield {"image_id": image_id, "class": index, "needs": str(reason), "participants": "|".join(names)}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MajorChoice:
    """What a rule over major mistakes chooses.

    Attributes:
        image_ids: the images that belong to the slice whatever open predictions turn out to be.
        n_major: of each, how many of the models make a major mistake, as far as it is known.
        undecided: images that belong to it if open predictions turn out to be major mistakes.
        open_predictions: what has to be judged or coded first: every such prediction of the models on these images.
        n_candidates: major mistakes of the reference that remain mistakes, by image.
        n_accepted: coded ones that the label set accepts by now, or on images that it leaves out.
        n_changed: coded ones that are not what the reference answers in the study.
        n_uncoded: mistakes of the reference that no coding has, so that nobody knows whether they are major.
    """

    image_ids: IdArray
    n_major: IntArray
    undecided: IdArray
    open_predictions: OpenPredictions
    n_candidates: int
    n_accepted: int
    n_changed: int
    n_uncoded: int = 0

    def __post_init__(self) -> None:
        for name in ("image_ids", "undecided"):
            object.__setattr__(self, name, freeze_ids(getattr(self, name), owner="The slice"))
        object.__setattr__(self, "n_major", freeze(self.n_major, np.int32))
