"""A slice: some images of a test set under one name, frozen with the rule that chose them and what it was applied to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from regauge.arrays import IdArray, freeze_ids
from regauge.errors import InputError
from regauge.records.slices.rules import ImageRule, MajorRule


class SliceKind(StrEnum):
    """How the images of a slice were chosen."""

    MAJOR = "major"
    """By the major mistakes that several models make, as Vasudevan et al. (2022, section 5.1) chose ImageNet-M."""
    RULE = "rule"
    """By a rule over labels, groups, codes, times and lists."""
    LIST = "list"
    """Somebody listed them."""


@dataclass(frozen=True, slots=True)
class SliceParticipant:
    """A participant whose answers helped to choose the images, so that its score on them cannot be compared with others'.

    Attributes:
        participant: the name.
        sha256: the checksum of its predictions; empty where they were not at hand.
        is_reference: whether its mistakes are those that were chosen from.
    """

    participant: str
    sha256: str = ""
    is_reference: bool = False


@dataclass(frozen=True, slots=True)
class SliceInputs:
    """What a rule was applied to.

    Attributes:
        participants: those whose answers helped to choose.
        codings: the codings whose categories and severities hold, as NAME@VERSION; of a pair that several have, the first.
        complete_by: the campaigns of complete labelling that covered every image; none where the slice is not complete.
        n_candidates: how many images the rule chose from.
        n_open: predictions that have to be judged or coded before the choice is settled.
        n_undecided: images that may belong to the slice once these are.
        source: the file of a list, as the card names it.
    """

    participants: tuple[SliceParticipant, ...] = ()
    codings: tuple[str, ...] = ()
    complete_by: tuple[str, ...] = ()
    n_candidates: int = 0
    n_open: int = 0
    n_undecided: int = 0
    source: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The participants that helped to choose."""
        return tuple(one.participant for one in self.participants)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slice:
    """Some images of a test set; what is frozen never changes.

    Attributes:
        name: what it is called.
        kind: how the images were chosen.
        test_set: of which images.
        image_ids: those chosen, one distinct id each.
        labels: the label set that says which answers are right, as NAME@VERSION.
        rule: the rule; None of a list.
        inputs: what it was applied to.
        is_complete: whether reviewers have looked at every image for classes that nobody predicted.
        who: who made it.
        at: when, in UTC.
        provenance: what else is known of how it was made.
        id: the row in the study; 0 where it is not stored.
    """

    name: str
    kind: SliceKind
    test_set: str
    image_ids: IdArray
    labels: str
    rule: MajorRule | ImageRule | None = None
    inputs: SliceInputs = field(default_factory=SliceInputs)
    is_complete: bool = False
    who: str = ""
    at: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"Slice {self.name}"))
        if not len(self.image_ids):
            raise InputError(f"Slice {self.name} has no image; a slice has at least one.")

    def __len__(self) -> int:
        return len(self.image_ids)

    def __repr__(self) -> str:
        return f"<Slice {self.name}: {len(self):,} images of {self.test_set}>"

    @property
    def is_open(self) -> bool:
        """Whether predictions still have to be judged or coded before it is settled which images belong to it."""
        return self.inputs.n_open > 0


@dataclass(frozen=True, slots=True)
class SliceEntry:
    """A slice of a study without its images.

    Attributes:
        id: its row.
        name: what it is called.
        kind: how the images were chosen.
        test_set: of which images.
        labels: the label set, as NAME@VERSION.
        n_images: how many.
        is_complete: whether complete labelling covered every image.
        is_open: whether predictions still have to be judged or coded.
        void: why it no longer holds; empty where it does.
        who: who made it.
        at: when, in UTC.
    """

    id: int
    name: str
    kind: SliceKind
    test_set: str
    labels: str
    n_images: int
    is_complete: bool
    is_open: bool
    void: str
    who: str
    at: str


def read_inputs(content: object) -> SliceInputs:
    """What a rule was applied to, as JSON holds it.

    Raises:
        InputError: it holds something else.
    """
    try:
        values: dict[str, Any] = dict(content)  # type: ignore[call-overload]
        people = tuple(SliceParticipant(**one) for one in values.pop("participants"))
        values |= {name: tuple(map(str, values[name])) for name in ("codings", "complete_by")}
        known = {one.name for one in fields(SliceInputs)}
        return SliceInputs(participants=people, **{name: values[name] for name in known & values.keys()})
    except (KeyError, TypeError, ValueError):
        raise InputError("What a slice was chosen from is not what it must be.") from None
