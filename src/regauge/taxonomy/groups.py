"""Which classes belong to a group.

A rule names subtrees to take and subtrees to leave out (see `GroupRule`). Instead of asking every class for its nearest
listed node, the distance runs down from the listed nodes: one breadth-first walk from all of `within`, one from all of
`without`. A class is a member when the first reaches it sooner, which is the same thing and takes a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from regauge.arrays import IntArray, freeze
from regauge.records.taxonomy import GroupRule, NodeId, Taxonomy

_Children = Mapping[NodeId, list[NodeId]]


def find_members(taxonomy: Taxonomy, rule: GroupRule) -> IntArray:
    """The indices of the classes in a group, ascending; empty when no class lies below the nodes of the rule.

    A node of the rule that the taxonomy does not have has no effect; `lint_taxonomy` reports it.
    """
    return _find_members(taxonomy, rule, _find_children(taxonomy))


def find_groups(taxonomy: Taxonomy, grouping_name: str) -> dict[str, IntArray]:
    """The members of every group of a grouping, by group name, in the order of the grouping.

    Raises:
        InputError: the taxonomy has no grouping of that name.
    """
    children = _find_children(taxonomy)
    rules = taxonomy.get_grouping(grouping_name).groups
    return {rule.name: _find_members(taxonomy, rule, children) for rule in rules}


def _find_members(taxonomy: Taxonomy, rule: GroupRule, children: _Children) -> IntArray:
    within, without = _count_depths(children, rule.within), _count_depths(children, rule.without)
    never = len(taxonomy.parents) + len(taxonomy) + 1
    members = [
        image_class.index
        for image_class in taxonomy.classes
        if within.get(image_class.id, never) < without.get(image_class.id, never)
    ]
    return freeze(members, np.int32)


def _find_children(taxonomy: Taxonomy) -> dict[NodeId, list[NodeId]]:
    children: dict[NodeId, list[NodeId]] = {}
    for node, parents in taxonomy.parents.items():
        for parent in parents:
            children.setdefault(parent, []).append(node)
    return children


def _count_depths(children: _Children, starts: Iterable[NodeId]) -> dict[NodeId, int]:
    """Fewest edges down to every node at or below one of the starts."""
    depths: dict[NodeId, int] = {}
    level = set(starts)
    depth = 0
    while level:
        depths.update(dict.fromkeys(level, depth))
        depth += 1
        level = {child for node in level for child in children.get(node, ())} - depths.keys()
    return depths
