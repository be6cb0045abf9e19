"""Relations between classes: which contradict each other, and which classes are in an image because another one is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TypeAlias

from regauge.errors import InputError
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus, Taxonomy

_Steps: TypeAlias = Mapping[int, Sequence[tuple[int, ClassRelation]]]
_Ways: TypeAlias = Mapping[int, tuple[int, ClassRelation]]
_Call: TypeAlias = Callable[[int], str]

MAX_IMPLICATIONS = 100_000
"""More are taken for a mistake: of ImageNet's 1,000 classes a few dozen overlap."""


@dataclass(frozen=True, slots=True)
class Implication:
    """A class that is in every image in which another one is.

    Attributes:
        first: the class that is there.
        second: the class that is therefore there too.
        chain: the relations that lead from the first to the second, as few as there can be.
    """

    first: int
    second: int
    chain: tuple[ClassRelation, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.chain))


def check_relations(relations: Iterable[ClassRelation], taxonomy: Taxonomy | None = None) -> None:
    """Refuse relations that cannot hold together; those that were rejected are not looked at.

    Two classes that are the same may be subsets of each other as well: it says nothing more.

    Args:
        relations: proposed and accepted ones alike.
        taxonomy: says what to call the classes.

    Raises:
        InputError: a relation stands there twice, two subsets make classes the same that nobody calls the same, subsets run in a
            circle, or a part is the same as its whole, a kind of it, or has its whole for a part.
    """
    said = [one for one in relations if one.status is not RelationStatus.REJECTED]
    call = _make_names(taxonomy)
    _refuse_repeated(said, call)
    groups = _find_groups(said)
    _refuse_circles(said, groups, call)
    _refuse_parts(said, groups, call)


def find_implications(relations: Iterable[ClassRelation]) -> tuple[Implication, ...]:
    """Which classes are accepted where another one is, by the accepted relations, by first and second class.

    Same holds both ways and on and on; a subset of a subset is a subset, also through classes that are the same. Parts imply
    nothing. Of several chains the shortest is given, of equally short ones the one whose relations come first.

    Raises:
        InputError: more pairs follow than could be meant.

    >>> subset = ClassRelation(RelationKind.SUBSET, 3, 1)
    >>> [(one.first, one.second, str(one)) for one in find_implications([subset, ClassRelation(RelationKind.SAME, 1, 2)])]
    [(1, 2, '1 = 2'), (2, 1, '1 = 2'), (3, 1, '3 ⊂ 1'), (3, 2, '3 ⊂ 1, 1 = 2')]
    """
    steps = _find_steps(one for one in relations if one.is_accepted)
    walks: dict[int, _Ways] = {}
    n_found = 0
    for first in sorted(steps):
        walks[first] = _walk(first, steps)
        n_found += len(walks[first])
        if n_found > MAX_IMPLICATIONS:
            raise InputError(
                f"From these relations more than {MAX_IMPLICATIONS:,} pairs of classes follow; so many are not the same or "
                "subsets of each other, look for a relation that joins what it should not."
            )
    return tuple(
        Implication(first, second, _trace(second, ways)) for first, ways in walks.items() for second in sorted(ways)
    )


def describe_relation(relation: ClassRelation, taxonomy: Taxonomy | None = None) -> str:
    """The relation in a few words, its classes by index and name.

    >>> describe_relation(ClassRelation(RelationKind.PART, 1, 0))
    '1 part of 0'
    """
    return relation.tell(_make_names(taxonomy))


def _find_steps(relations: Iterable[ClassRelation]) -> _Steps:
    """For every class those that one relation leads to."""
    steps: dict[int, list[tuple[int, ClassRelation]]] = {}
    for one in relations:
        if one.kind is RelationKind.PART:
            continue
        steps.setdefault(one.first, []).append((one.second, one))
        if one.kind is RelationKind.SAME:
            steps.setdefault(one.second, []).append((one.first, one))
    return steps


def _walk(start: int, steps: _Steps) -> _Ways:
    """The classes that one leads to, itself left out: each with the one before it on the shortest way, and the relation."""
    ways: dict[int, tuple[int, ClassRelation]] = {}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for there, relation in steps.get(here, ()):
            if there not in ways and there != start:
                ways[there] = here, relation
                waiting.append(there)
    return ways


def _trace(end: int, ways: _Ways) -> tuple[ClassRelation, ...]:
    """The relations on the way to a class, from the beginning."""
    chain: list[ClassRelation] = []
    while end in ways:
        end, relation = ways[end]
        chain.append(relation)
    return tuple(reversed(chain))


def _find_groups(relations: Sequence[ClassRelation]) -> dict[int, int]:
    """Every class with the lowest of those that are the same as it."""
    steps = _find_steps(one for one in relations if one.kind is RelationKind.SAME)
    groups: dict[int, int] = {}
    for index in sorted({index for one in relations for index in (one.first, one.second)}):
        if index not in groups:
            groups |= dict.fromkeys([index, *_walk(index, steps)], index)
    return groups


def _refuse_repeated(relations: Sequence[ClassRelation], call: _Call) -> None:
    seen: set[tuple[RelationKind, int, int]] = set()
    for one in relations:
        if one.key in seen:
            raise InputError(f"The relation {one.tell(call)} is listed twice; leave one out.")
        seen.add(one.key)


def _refuse_circles(relations: Sequence[ClassRelation], groups: Mapping[int, int], call: _Call) -> None:
    """Refuse subsets that lead back to where they began, classes that are called the same taken for one."""
    subsets = {
        (groups[one.first], groups[one.second]): one
        for one in relations
        if one.kind is RelationKind.SUBSET and groups[one.first] != groups[one.second]
    }
    above: dict[int, set[int]] = {}
    for first, second in subsets:
        above.setdefault(first, set()).add(second)
    try:
        TopologicalSorter(above).prepare()
    except CycleError as error:
        # Every node of the circle lies above the one that follows it.
        circle = [subsets[first, second] for second, first in pairwise(error.args[1])]
        circle.reverse()
        start = circle.index(next(one for one in subsets.values() if one in circle))
        told = " and ".join(one.tell(call) for one in (*circle[start:], *circle[:start]))
        raise InputError(
            f"The subsets {told} form a circle; if these classes mean the same, say so with the kind same instead."
        ) from None


def _refuse_parts(relations: Sequence[ClassRelation], groups: Mapping[int, int], call: _Call) -> None:
    """Refuse parts that are their own whole, a kind of it, or have it for a part."""
    steps = _find_steps(relations)
    parts = {(groups[one.first], groups[one.second]): one for one in relations if one.kind is RelationKind.PART}
    for (first, second), one in parts.items():
        turned = parts.get((second, first))
        if turned is not None and turned is not one:
            raise InputError(f"{one.tell(call)} contradicts {turned.tell(call)}; leave one out.")
        ways = _walk(one.first, steps)
        if one.second in ways:
            what = "the same as" if first == second else "a kind of"
            because = " and ".join(each.tell(call) for each in _trace(one.second, ways))
            raise InputError(
                f"{one.tell(call)} contradicts {because}: a part of something is not {what} it; leave one out."
            )


def _make_names(taxonomy: Taxonomy | None) -> _Call:
    """Classes are called by index and name; by index alone where no taxonomy has them."""
    if taxonomy is None:
        return str
    return lambda index: f"{index} ({taxonomy.classes[index].name})" if index < len(taxonomy) else str(index)
