"""Which labels people are asked about: potential labels of images, candidates for CLASSIFY, and the split of the images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from regauge.arrays import (
    NO_CLASS,
    BoolArray,
    CountArray,
    FloatArray,
    IdArray,
    IntArray,
    divide,
    freeze,
    freeze_ids,
)
from regauge.errors import InputError

CodeArray: TypeAlias = NDArray[np.uint8]
"""A `CandidateRule`, `CutReason` or part per row."""

DEFAULT_TOP = 5
"""Answers of each participant that are taken as potential labels."""
NO_PATH = -1
"""Stands where nothing joins two classes, or where their distance was not needed."""

POTENTIAL_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "class": pl.Int32,
    "is_dataset_label": pl.Boolean,
    "n_participants": pl.Int64,
}
"""The columns of potential labels, in output order; docs/formats.md explains them."""

CANDIDATE_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "class": pl.Int32,
    "rank": pl.Int64,
    "rule": pl.String,
    "cut": pl.String,
    "ask_again": pl.Boolean,
    "n_shown": pl.Int64,
    "n_selected": pl.Int64,
    "selection_frequency": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "path_length": pl.Int64,
}
"""The columns of candidates, in output order."""

SPLIT_COLUMNS: Mapping[str, Any] = {
    "image_id": pl.String,
    "part": pl.String,
    "label": pl.Int32,
    "n_shown": pl.Int64,
    "n_selected": pl.Int64,
    "selection_frequency": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "rival": pl.Int32,
    "rival_n_shown": pl.Int64,
    "rival_n_selected": pl.Int64,
}
"""The columns of the split, in output order."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PotentialLabels:
    """Labels that may be in images: the dataset label and what participants answered, by image and class.

    Attributes:
        image_ids: the images.
        dataset_labels: the dataset label of each.
        starts: where the labels of each image start [n + 1].
        classes: class indices, image after image, each in ascending order.
        n_participants: how many participants have the label among their answers.
        top: how many answers of each were looked at.
        participants: whose answers.
        notes: what the reader should know, a sentence each.
    """

    image_ids: IdArray
    dataset_labels: IntArray
    starts: CountArray
    classes: IntArray
    n_participants: CountArray
    top: int
    participants: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner="The potential labels"))
        object.__setattr__(self, "dataset_labels", freeze(self.dataset_labels, np.int32))
        object.__setattr__(self, "starts", freeze(self.starts, np.int64))
        object.__setattr__(self, "classes", freeze(self.classes, np.int32))
        object.__setattr__(self, "n_participants", freeze(self.n_participants, np.int64))
        n = len(self.image_ids)
        if self.starts.shape != (n + 1,) or self.dataset_labels.shape != (n,):
            raise InputError(f"{n:,} images need {n:,} dataset labels and {n + 1:,} starts.")
        if self.starts[-1] != len(self.classes) or self.n_participants.shape != self.classes.shape:
            raise InputError("Potential labels and their counts must be columns of one length in image order.")

    def __len__(self) -> int:
        return len(self.classes)

    def __repr__(self) -> str:
        return f"<PotentialLabels: {len(self):,} of {len(self.image_ids):,} images>"

    def to_frame(self) -> pl.DataFrame:
        """One row per image and label."""
        images = np.repeat(np.arange(len(self.image_ids)), np.diff(self.starts))
        columns = {
            "image_id": pl.Series(self.image_ids.tolist(), dtype=pl.String).gather(images),
            "class": self.classes,
            "is_dataset_label": self.classes == self.dataset_labels[images],
            "n_participants": self.n_participants,
        }
        return pl.DataFrame(columns, schema=dict(POTENTIAL_COLUMNS))


class CandidateRule(IntEnum):
    """Which rule made a label a candidate."""

    NONE = 0
    """It is not a candidate."""
    DATASET_LABEL = 1
    FREQUENT = 2
    """At least half of its viewers selected it."""
    DISTANT = 3
    """Somebody selected it, and it is far from the dataset label in the hierarchy."""
    FILL = 4
    """Somebody selected it, and there were fewer than five candidates."""

    @property
    def word(self) -> str:
        """What outputs call the rule."""
        return "" if self is CandidateRule.NONE else self.name.lower().replace("_", "-")


class CutReason(IntEnum):
    """Why a candidate past the sixth was cut."""

    NONE = 0
    BELOW_DATASET_LABEL = 1
    """It was selected less often than the dataset label."""
    DATASET_LABEL_RARE = 2
    """The dataset label was selected by at most one in eight."""

    @property
    def word(self) -> str:
        """What outputs call the clause."""
        return "" if self is CutReason.NONE else self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidates:
    """Labels to offer in CLASSIFY, in the order of the rules, with those that were cut and those to ask about again.

    Attributes:
        image_ids: the images.
        dataset_labels: the dataset label of each.
        images: per row, the position of its image.
        classes: per row, its class.
        rules: per row, the `CandidateRule` that chose it; `NONE` for a row that is here only to be asked about again.
        cuts: per row, the `CutReason` that took it out again.
        ask_again: per row, whether nobody's accepted answer showed the pair, so that its frequency is not known.
        n_shown: annotators whose accepted response showed the pair.
        n_selected: those of them who selected it.
        path_lengths: edges to the dataset label, where a rule asked for them; `NO_PATH` elsewhere.
        low: lower limits of the selection frequency; NaN where it is not known.
        high: upper limits.
        notes: what the reader should know, a sentence each.
    """

    image_ids: IdArray
    dataset_labels: IntArray
    images: IntArray
    classes: IntArray
    rules: CodeArray
    cuts: CodeArray
    ask_again: BoolArray
    n_shown: CountArray
    n_selected: CountArray
    path_lengths: IntArray
    low: FloatArray
    high: FloatArray
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, kind in (
            ("dataset_labels", np.int32),
            ("images", np.int32),
            ("classes", np.int32),
            ("rules", np.uint8),
            ("cuts", np.uint8),
            ("ask_again", np.bool_),
            ("n_shown", np.int64),
            ("n_selected", np.int64),
            ("path_lengths", np.int32),
        ):
            object.__setattr__(self, name, freeze(getattr(self, name), kind))

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"<Candidates: {int(self.is_candidate.sum()):,} of {len(self.image_ids):,} images>"

    @property
    def is_candidate(self) -> BoolArray:
        """Which rows are offered."""
        return np.asarray((self.rules != CandidateRule.NONE) & (self.cuts == CutReason.NONE), np.bool_)

    @property
    def ranks(self) -> CountArray:
        """The place of each candidate among those of its image, from 1; 0 where a row is none."""
        counts = np.cumsum(self.is_candidate)
        before = np.concatenate(([0], counts))[np.searchsorted(self.images, np.arange(len(self.image_ids)))]
        return np.where(self.is_candidate, counts - before[self.images], 0)

    def to_frame(self) -> pl.DataFrame:
        """One row per label that is a candidate, was cut or must be asked about again; what is missing is null."""
        ranks = self.ranks
        columns = {
            "image_id": pl.Series(self.image_ids.tolist(), dtype=pl.String).gather(self.images),
            "class": self.classes,
            "rank": pl.Series(ranks).set(pl.Series(ranks == 0), None),
            "rule": [CandidateRule(code).word for code in self.rules.tolist()],
            "cut": [CutReason(code).word for code in self.cuts.tolist()],
            "ask_again": self.ask_again,
            "n_shown": self.n_shown,
            "n_selected": self.n_selected,
            "selection_frequency": divide(self.n_selected, self.n_shown),
            "low": self.low,
            "high": self.high,
            "path_length": pl.Series(self.path_lengths).set(pl.Series(self.path_lengths == NO_PATH), None),
        }
        return pl.DataFrame(columns, schema=dict(CANDIDATE_COLUMNS)).with_columns(pl.selectors.float().fill_nan(None))


class SplitPart(StrEnum):
    """Where an image goes after CONTAINS."""

    EASY = "easy"
    """The dataset label is plainly the likeliest; the image needs no CLASSIFY."""
    MISLABELED = "mislabeled"
    """Nobody said that it shows its dataset label."""
    AMBIGUOUS = "ambiguous"
    """Too few annotators were asked about the dataset label."""
    FOLLOW_UP = "follow-up"
    """It goes to CLASSIFY."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Split:
    """The part of every image, with the counts that decided it.

    Attributes:
        image_ids: the images.
        parts: the `SplitPart` of each.
        dataset_labels: the dataset label of each.
        n_shown: annotators who were asked about the dataset label.
        n_selected: those of them who selected it.
        rivals: the other label with the highest frequency among those shown to enough annotators; `NO_CLASS` without one.
        rival_n_shown: annotators who were asked about it.
        rival_n_selected: those of them who selected it.
        low: lower limits of the dataset label's frequency; NaN where it is not known.
        high: upper limits.
        notes: what the reader should know, a sentence each.
    """

    image_ids: IdArray
    parts: tuple[SplitPart, ...]
    dataset_labels: IntArray
    n_shown: CountArray
    n_selected: CountArray
    rivals: IntArray
    rival_n_shown: CountArray
    rival_n_selected: CountArray
    low: FloatArray
    high: FloatArray
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"<Split: {', '.join(f'{self.count(part):,} {part}' for part in SplitPart)}>"

    def count(self, part: SplitPart) -> int:
        """How many images went there."""
        return self.parts.count(part)

    def to_parts(self) -> dict[str, SplitPart]:
        """Image id → its part."""
        return dict(zip(self.image_ids.tolist(), self.parts, strict=True))

    def to_frame(self) -> pl.DataFrame:
        """One row per image; what is missing is null."""
        no_rival = pl.Series(self.rivals == NO_CLASS)
        columns = {
            "image_id": self.image_ids.tolist(),
            "part": [part.value for part in self.parts],
            "label": self.dataset_labels,
            "n_shown": self.n_shown,
            "n_selected": self.n_selected,
            "selection_frequency": divide(self.n_selected, self.n_shown),
            "low": self.low,
            "high": self.high,
            "rival": pl.Series(self.rivals).set(no_rival, None),
            "rival_n_shown": pl.Series(self.rival_n_shown).set(no_rival, None),
            "rival_n_selected": pl.Series(self.rival_n_selected).set(no_rival, None),
        }
        return pl.DataFrame(columns, schema=dict(SPLIT_COLUMNS)).with_columns(pl.selectors.float().fill_nan(None))
