"""What a panel of experts said: one verdict per panelist on whether a class is in an image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from regauge.arrays import BoolArray, CountArray, IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.labels.label_set import LabelSet, VerdictArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PanelVotes:
    """Votes of a panel, in the order of the file.

    Attributes:
        image_ids: the distinct images.
        panelist_ids: the distinct panelists.
        images: per vote, the position of its image.
        classes: per vote, the class that it is about.
        panelists: per vote, the position of its panelist.
        verdicts: per vote, a `Verdict`.
        notes: what the reader found, a sentence each.
    """

    image_ids: IdArray
    panelist_ids: IdArray
    images: IntArray
    classes: IntArray
    panelists: IntArray
    verdicts: VerdictArray
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("image_ids", "panelist_ids"):
            object.__setattr__(self, name, freeze_ids(getattr(self, name), owner="The panel"))
        for name in ("images", "classes", "panelists"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        object.__setattr__(self, "verdicts", freeze(self.verdicts, np.int8))
        columns = (self.images, self.classes, self.panelists, self.verdicts)
        if len({column.shape for column in columns}) != 1 or not len(self.images):
            raise InputError("A panel has at least one vote, each with an image, a class, a panelist and a verdict.")

    def __len__(self) -> int:
        return len(self.images)

    def __repr__(self) -> str:
        return f"<PanelVotes: {len(self):,} by {len(self.panelist_ids):,} panelists on {len(self.image_ids):,} images>"


@dataclass(frozen=True, slots=True, eq=False)
class PanelLabels:
    """The verdicts of a panel.

    Attributes:
        label_set: the outcome on every pair.
        images: per pair, the position of its image.
        classes: per pair, its class.
        n_votes: per pair, votes for wrong, unclear and correct [pairs, 3], in the order of `Verdict`.
        verdicts: per pair, the outcome.
        notes: what the reader should know, a sentence each.
    """

    label_set: LabelSet
    images: CountArray
    classes: IntArray
    n_votes: CountArray
    verdicts: VerdictArray
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ImageVotes:
    """What a panel says of images themselves: one vote per panelist and image on each of two questions.

    Attributes:
        images: per vote, the position of its image among those of the votes on classes.
        is_label_wrong: whether the panelist finds the dataset label wrong; they say nothing where it is not known.
        is_problematic: whether they find that nothing should be measured with the image.
    """

    images: IntArray
    is_label_wrong: BoolArray
    is_problematic: BoolArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "images", freeze(self.images, np.int32))
        for name in ("is_label_wrong", "is_problematic"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.bool_))
        if not self.images.shape == self.is_label_wrong.shape == self.is_problematic.shape:
            raise InputError("A vote on an image answers both questions.")


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """How what a panel decided becomes labels.

    Attributes:
        level: nominal coverage of intervals.
        screening: nothing is screened; panelists argue instead.
        keep_annotators: nobody; nobody is left out.
        keep_responses: nothing, likewise.
    """

    level: float = DEFAULT_LEVEL
    screening: bool = True
    keep_annotators: tuple[str, ...] = ()
    keep_responses: tuple[tuple[str, str], ...] = ()
