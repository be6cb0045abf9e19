"""What verdicts rest on: who voted how, why, and by which rule, relation or version of the guide."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from regauge.arrays import IdArray, IntArray, freeze, freeze_ids
from regauge.errors import InputError
from regauge.records.labels.verdicts import Verdict


class VerdictReason(StrEnum):
    """Why a class beside the dataset label is right, or why nobody can tell (Shankar et al. 2020, section 3.1)."""

    SEVERAL_OBJECTS = "several objects"
    SYNONYM_OR_SUBSET = "synonym or subset"
    UNCLEAR_IMAGE = "unclear image"
    UNCLEAR_HIERARCHY = "unclear hierarchy"


class ProblematicReason(StrEnum):
    """Why an image should not be used to measure anybody: a statement about the image, whatever class is asked for."""

    WRONG_LABEL = "dataset label wrong"
    DRAWING = "drawing or rendering"
    EDITED = "heavily edited"
    INAPPROPRIATE = "inappropriate"


@dataclass(frozen=True, slots=True)
class ExpertVote:
    """The verdict of one person on a class of an image; `who` is the name under which the study knows them."""

    who: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class VerdictEvidence:
    """What one verdict rests on; what is not known is empty.

    Attributes:
        rule: how votes became the verdict, in a few words.
        votes: who said what, in the order of their names.
        reason: why, as most of those who agree with the verdict said.
        note: what people wrote beside it.
        guide: the version of the labeling guide that they had before them; 0 where there was none.
        relation: the relation between classes that the verdict follows from; empty where a person judged.
        claim: what somebody outside contested.
        is_expert: whether one expert's verdict stands alone, after a referral.
        is_sampled: whether the image was drawn for a sampled review, which estimates and does not complete a truth.
        first_votes: what a panel said in round 1, before anybody knew what the others say; empty where nothing was discussed.
        arguments: who argued what in the discussion after it, in that order, with evidence from outside.
    """

    rule: str = ""
    votes: tuple[ExpertVote, ...] = ()
    reason: str = ""
    note: str = ""
    guide: int = 0
    relation: str = ""
    claim: str = ""
    is_expert: bool = False
    is_sampled: bool = False
    first_votes: tuple[ExpertVote, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()

    @property
    def is_derived(self) -> bool:
        """Whether the verdict follows from a relation between classes, and no person gave it."""
        return bool(self.relation)

    def to_dict(self) -> dict[str, Any]:
        """What is known, as JSON can hold it."""
        known = {name: getattr(self, name) for name in self.__slots__ if name not in _LISTS and getattr(self, name)}
        lists: dict[str, list[list[str]]] = {
            "votes": [[vote.who, vote.verdict.name.lower()] for vote in self.votes],
            "first_votes": [[vote.who, vote.verdict.name.lower()] for vote in self.first_votes],
            "arguments": [list(one) for one in self.arguments],
        }
        return {**known, **{name: rows for name, rows in lists.items() if rows}}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> VerdictEvidence:
        """What `to_dict` gave; what an earlier or later version added besides is passed over.

        Raises:
            InputError: a value is not of the type that it should be.
        """
        known = {name: stored[name] for name in cls.__slots__ if name in stored and name not in _LISTS}
        for name, value in known.items():
            expected = type(getattr(NO_EVIDENCE, name))
            if type(value) is not expected:
                raise InputError(f"{name} is {_TYPE_NAMES[expected]}, not {value!r:.80}.")
        votes, first = (tuple(map(_read_vote, _read_list(stored, name))) for name in ("votes", "first_votes"))
        arguments = tuple(map(_read_argument, _read_list(stored, "arguments")))
        return cls(**known, votes=votes, first_votes=first, arguments=arguments)


_LISTS = frozenset(("votes", "first_votes", "arguments"))
"""What is written as a list of pairs."""
NO_EVIDENCE = VerdictEvidence()
_TYPE_NAMES: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}


def _read_list(stored: Mapping[str, Any], name: str) -> list[Any] | tuple[Any, ...]:
    found = stored.get(name, [])
    if not isinstance(found, list | tuple):
        kind = "[name, text]" if name == "arguments" else "[name, verdict]"
        raise InputError(f"{name} is a list of {kind}, not {found!r:.80}.")
    return found


def _read_argument(stored: object) -> tuple[str, str]:
    """An argument as it is written: who, and what they said."""
    if isinstance(stored, list | tuple) and len(stored) == 2 and all(isinstance(one, str) for one in stored):
        return stored[0], stored[1]
    raise InputError(f"an argument is [name, text], not {stored!r:.80}.")


def _read_vote(stored: object) -> ExpertVote:
    """A vote as it is written: who, and which verdict."""
    words = {verdict.name.lower(): verdict for verdict in Verdict}
    if (
        isinstance(stored, list | tuple)
        and len(stored) == 2
        and all(isinstance(one, str) for one in stored)
        and stored[1] in words
    ):
        return ExpertVote(stored[0], words[stored[1]])
    raise InputError(f"a vote is [name, {' | '.join(words)}], not {stored!r:.80}.")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelEvidence:
    """What the verdicts of a label set rest on: one entry for each (image, class) of which something is known.

    Attributes:
        name: the label set, as outputs call it.
        image_ids: the distinct images.
        images: per entry, the position of its image.
        classes: per entry, its class.
        entries: what is known.
    """

    name: str
    image_ids: IdArray
    images: IntArray
    classes: IntArray
    entries: tuple[VerdictEvidence, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "image_ids", freeze_ids(self.image_ids, owner=f"The evidence of {self.name}"))
        for name in ("images", "classes"):
            object.__setattr__(self, name, freeze(getattr(self, name), np.int32))
        if self.images.shape != self.classes.shape or len(self.entries) != len(self.images):
            raise InputError(f"The evidence of {self.name} needs an image and a class for each of its entries.")

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"<LabelEvidence of {self.name}: {len(self):,} verdicts on {len(self.image_ids):,} images>"

    @property
    def by_pair(self) -> dict[tuple[str, int], VerdictEvidence]:
        """The entries by image id and class."""
        ids = self.image_ids[self.images].tolist()
        return dict(zip(zip(ids, self.classes.tolist(), strict=True), self.entries, strict=True))

    def keep_images(self, image_ids: Collection[str]) -> LabelEvidence:
        """The entries of some images."""
        kept = {pair: one for pair, one in self.by_pair.items() if pair[0] in image_ids}
        return LabelEvidence.from_pairs(self.name, kept)

    @classmethod
    def from_pairs(cls, name: str, found: Mapping[tuple[str, int], VerdictEvidence]) -> LabelEvidence:
        """Evidence by image id and class, images in the order in which they first come."""
        places = {image_id: place for place, image_id in enumerate(dict.fromkeys(image_id for image_id, _ in found))}
        return cls(
            name=name,
            image_ids=np.array(list(places), np.str_),
            images=np.array([places[image_id] for image_id, _ in found], np.int32),
            classes=np.array([class_index for _, class_index in found], np.int32),
            entries=tuple(found.values()),
        )
