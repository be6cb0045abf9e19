"""The classes of a benchmark, the hierarchy above them, the rules that group them, and relations between them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NewType
from urllib.parse import quote

from regauge.arrays import find_repeated
from regauge.errors import AmbiguousClassError, InputError, UnknownClassError

ClassIndex = NewType("ClassIndex", int)
"""Position of a class in its taxonomy, from 0."""

NodeId = NewType("NodeId", str)
"""Id of a class or of an inner node of the hierarchy, for instance a WordNet id such as n02084071."""


@dataclass(frozen=True, slots=True)
class ImageClass:
    """One class that an image can be labelled with.

    Attributes:
        index: position in the taxonomy; predictions name classes by it.
        id: the class's stable id, a WordNet id in ImageNet.
        names: first the usual name, then its synonyms.
        gloss: one line that says what the class is; may be empty.
        link: a page that tells more; may be empty.
    """

    index: ClassIndex
    id: NodeId
    names: tuple[str, ...]
    gloss: str = ""
    link: str = ""

    @property
    def name(self) -> str:
        """The usual name."""
        return self.names[0]


def describe_class(image_class: ImageClass) -> Mapping[str, Any]:
    """What an annotator is told about a class: names, gloss, and where to read more."""
    first, *others = image_class.names
    link = image_class.link or f"https://en.wikipedia.org/wiki/Special:Search?search={quote(first)}"
    return {"name": first, "synonyms": others, "gloss": image_class.gloss, "link": link}


@dataclass(frozen=True, slots=True)
class GroupRule:
    """A group of classes written as subtrees with exceptions.

    A class is a member when the nearest listed node at or above it is one of `within`; at equal distance `without` wins.
    So a subtree can be taken, a subtree inside it left out, and a class inside that taken again.
    """

    name: str
    within: tuple[NodeId, ...]
    without: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class Grouping:
    """A named list of groups, such as the eleven superclasses; groups may overlap and need not cover every class."""

    name: str
    groups: tuple[GroupRule, ...]
    reference: str = ""


class RelationKind(StrEnum):
    """How one class stands to another."""

    SAME = "same"
    """Both mean the same things: where one is, the other is."""
    SUBSET = "subset"
    """Everything of the first class is of the second too: where the first is, the second is."""
    PART = "part"
    """The first is a part of the second, as a car wheel of a car; of what is in an image this says nothing."""


class RelationStatus(StrEnum):
    """What a person has said of a relation."""

    PROPOSED = "proposed"
    """Nobody has decided yet; nothing follows from it."""
    ACCEPTED = "accepted"
    REJECTED = "rejected"


_SIGNS = {RelationKind.SAME: "=", RelationKind.SUBSET: "⊂", RelationKind.PART: "part of"}


@dataclass(frozen=True, slots=True)
class ClassRelation:
    """What one class has to do with another, who says so, and why.

    Attributes:
        kind: how the first class stands to the second.
        first: of a subset or a part the narrower class; of two that are the same, either.
        second: the other.
        reason: why.
        source: where it comes from: a paper, a label set, a taxonomy.
        who: who decided; empty where nobody has.
        at: when, in UTC.
        status: what was decided. Only what is accepted has consequences.

    >>> print(ClassRelation(RelationKind.SUBSET, 249, 248))
    249 ⊂ 248
    """

    kind: RelationKind
    first: int
    second: int
    reason: str = ""
    source: str = ""
    who: str = ""
    at: str = ""
    status: RelationStatus = RelationStatus.ACCEPTED

    def __post_init__(self) -> None:
        if min(self.first, self.second) < 0:
            raise InputError(f"A relation is between two classes, whose indices start at 0, not {self}.")
        if self.first == self.second:
            raise InputError(f"A relation is between two classes; class {self.first} stands on both sides of {self}.")

    def __str__(self) -> str:
        return self.tell(str)

    def tell(self, call: Callable[[int], str]) -> str:
        """The relation in a few words, its classes called as the function says."""
        return f"{call(self.first)} {_SIGNS[self.kind]} {call(self.second)}"

    @property
    def key(self) -> tuple[RelationKind, int, int]:
        """What the relation says, whoever says it; of two that are the same, the lower class comes first."""
        is_swapped = self.kind is RelationKind.SAME and self.first > self.second
        return self.kind, *((self.second, self.first) if is_swapped else (self.first, self.second))

    @property
    def is_accepted(self) -> bool:
        """Whether a person stands behind it."""
        return self.status is RelationStatus.ACCEPTED


@dataclass(frozen=True, slots=True)
class WordLists:
    """Words that people type for things that a taxonomy calls otherwise.

    Attributes:
        kinds: by node, names of things that are a kind of it and have no node of their own: a lorry is a truck.
        everyday: other names of a thing, by the name that people use: a hoover is a vacuum cleaner.
        related: names of things, by a word for what they are used for or go with: fishing has to do with a reel.
        forms: one form of a word for another: geese are goose, and grey is gray.
    """

    kinds: Mapping[NodeId, tuple[str, ...]] = field(default_factory=dict)
    everyday: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    related: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Taxonomy:
    """The classes of a benchmark in index order, the nodes above them and the groupings written over them.

    Attributes:
        name: what outputs call it, for instance imagenet-1k.
        classes: class i has index i.
        parents: for every node, class or not, the ids of its parents; a root has none.
        node_names: names of the inner nodes; the names of a class stand in the class.
        groupings: the ways to divide the classes into groups.
        relations: which classes are the same, subsets or parts of others. Nothing follows from them until they are applied.
    """

    name: str
    classes: tuple[ImageClass, ...]
    parents: Mapping[NodeId, tuple[NodeId, ...]] = field(default_factory=dict)
    node_names: Mapping[NodeId, tuple[str, ...]] = field(default_factory=dict)
    groupings: tuple[Grouping, ...] = ()
    relations: tuple[ClassRelation, ...] = ()

    def __post_init__(self) -> None:
        if not self.classes:
            raise InputError(f"Taxonomy {self.name} has no classes.")
        for position, image_class in enumerate(self.classes):
            if image_class.index != position:
                raise InputError(
                    f"Taxonomy {self.name}: class {image_class.id!r} has index {image_class.index} at position {position}; "
                    "indices must run from 0 without a gap."
                )
            if not image_class.names or not all(image_class.names):
                raise InputError(
                    f"Taxonomy {self.name}: class {image_class.id!r} (index {position}) has an empty name."
                )
        repeated = find_repeated(image_class.id for image_class in self.classes)
        if repeated is not None:
            raise InputError(f"Taxonomy {self.name}: two classes have the id {repeated!r}.")
        highest = max((max(one.first, one.second) for one in self.relations), default=0)
        if highest >= len(self.classes):
            raise UnknownClassError(str(highest), self.name, hint=f"indices run from 0 to {len(self.classes) - 1}")

    def __len__(self) -> int:
        return len(self.classes)

    def __repr__(self) -> str:
        n_groups = sum(len(grouping.groups) for grouping in self.groupings)
        return f"<Taxonomy {self.name}: {len(self):,} classes, {len(self.parents):,} nodes, {n_groups} groups>"

    @property
    def has_hierarchy(self) -> bool:
        """Whether anything stands above a class."""
        return any(self.parents.values())

    def get_class(self, text: str | int) -> ImageClass:
        """The class that a text stands for: digits are an index, else an id, else a name.

        A name is first sought as it is written, then in any capitalisation: ImageNet has the dog Cardigan and the garment
        cardigan.

        Raises:
            UnknownClassError: no class has that index, id or name.
            AmbiguousClassError: several classes share the name.
        """
        return self.classes[self.get_index(text)]

    def get_index(self, text: str | int) -> ClassIndex:
        """As `get_class`, but only the index."""
        word = str(text).strip()
        if word.isascii() and word.isdigit():
            return self._get_by_number(word)
        if word in self._index_by_id:
            return self._index_by_id[NodeId(word)]
        indices = self._indices_by_name.get(word) or self._indices_by_folded_name.get(word.casefold(), ())
        if len(indices) > 1:
            raise AmbiguousClassError(word, self.name, [self.classes[i].id for i in indices])
        if not indices:
            near = difflib.get_close_matches(word.casefold(), self._indices_by_folded_name, n=3)
            alike = dict.fromkeys(self.classes[self._indices_by_folded_name[one][0]].id for one in near)
            meant = " or ".join(f"{self.classes[self._index_by_id[one]].name} ({one})" for one in alike)
            found = f"did you mean {meant}? Or " if meant else ""
            raise UnknownClassError(
                word[:80], self.name, hint=f"{found}search with: regauge taxonomy {self.name} search {word[:80]!r}"
            )
        return indices[0]

    def get_grouping(self, name: str) -> Grouping:
        """The grouping of that name."""
        for grouping in self.groupings:
            if grouping.name == name:
                return grouping
        known = ", ".join(grouping.name for grouping in self.groupings) or "none"
        raise InputError(f"Taxonomy {self.name} has no grouping {name!r}; it has: {known}.")

    def find_names(self, node: NodeId) -> tuple[str, ...]:
        """The names of a class or an inner node; a node without names is called by its id."""
        if node in self._index_by_id:
            return self.classes[self._index_by_id[node]].names
        return self.node_names.get(node) or (node,)

    def _get_by_number(self, digits: str) -> ClassIndex:
        # Python refuses to read numbers of thousands of digits, so their length is looked at first.
        digits = digits.lstrip("0") or "0"
        if len(digits) > len(str(len(self.classes))) or int(digits) >= len(self.classes):
            raise UnknownClassError(digits[:20], self.name, hint=f"indices run from 0 to {len(self.classes) - 1}")
        return ClassIndex(int(digits))

    @cached_property
    def _index_by_id(self) -> dict[NodeId, ClassIndex]:
        return {image_class.id: image_class.index for image_class in self.classes}

    @cached_property
    def _indices_by_name(self) -> dict[str, tuple[ClassIndex, ...]]:
        spellings: dict[str, tuple[ClassIndex, ...]] = {}
        for image_class in self.classes:
            for name in dict.fromkeys(image_class.names):
                spellings[name] = (*spellings.get(name, ()), image_class.index)
        return spellings

    @cached_property
    def _indices_by_folded_name(self) -> dict[str, tuple[ClassIndex, ...]]:
        folded: dict[str, tuple[ClassIndex, ...]] = {}
        for name, indices in self._indices_by_name.items():
            folded[name.casefold()] = tuple(sorted({*folded.get(name.casefold(), ()), *indices}))
        return folded
