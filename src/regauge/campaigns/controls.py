"""Which class negative controls of a class come from: the nearest one that is not related to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from regauge.arrays import IntArray
from regauge.records.taxonomy import NodeId, Taxonomy
from regauge.taxonomy.hierarchy import find_paths_to_root

_APART = np.iinfo(np.int32).max - 1
_RELATED = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class _Below:
    """The classes that a node has below it, and how many edges below."""

    classes: IntArray
    depths: IntArray


def find_negative_classes(
    taxonomy: Taxonomy, classes: Collection[int], *, among: Collection[int]
) -> dict[int, int | None]:
    """Per class, the nearest other by path length that is neither above nor below it nor shares a name with it.

    Near classes make controls that can be told apart only by looking; related ones would make controls without a right answer.
    Ties go to the lower index. Classes that nothing joins come last, by index. None where no other class is unrelated.

    Args:
        taxonomy: the classes.
        classes: the classes that grids ask for.
        among: the classes that have images for controls.
    """
    near = find_near_classes(taxonomy, classes, among=among, n=1)
    return {index: found[0] if found else None for index, found in near.items()}


def find_near_classes(
    taxonomy: Taxonomy, classes: Collection[int], *, among: Collection[int], n: int
) -> dict[int, list[int]]:
    """Per class, up to n others that are not related to it, the nearest first; what near means is said above."""
    heights = {index: _count_heights(taxonomy, index) for index in {*classes, *among}}
    below = _find_below(heights, among)
    namesakes = _find_namesakes(taxonomy)
    everyone = np.full(len(taxonomy), _RELATED, np.int32)
    everyone[list(among)] = _APART
    nearest = {}
    for index in classes:
        lengths = everyone.copy()
        for node, height in heights[index].items():
            if node in below:
                found = below[node]
                lengths[found.classes] = np.minimum(lengths[found.classes], height + found.depths)
        own = taxonomy.classes[index].id
        above = [other for other in among if taxonomy.classes[other].id in heights[index]]
        under = below[own].classes.tolist() if own in below else []
        lengths[[index, *above, *under, *namesakes[index]]] = _RELATED
        # Sorting is stable: ties go to the lower index.
        ranked = np.argsort(lengths, kind="stable")[:n]
        nearest[index] = ranked[lengths[ranked] < _RELATED].tolist()
    return nearest


def _count_heights(taxonomy: Taxonomy, index: int) -> dict[NodeId, int]:
    """Fewest edges from a class up to itself and to every node above it."""
    heights: dict[NodeId, int] = {}
    for path in find_paths_to_root(taxonomy, taxonomy.classes[index].id):
        for height, node in enumerate(path):
            heights[node] = min(height, heights.get(node, height))
    return heights


def _find_below(heights: Mapping[int, Mapping[NodeId, int]], among: Collection[int]) -> dict[NodeId, _Below]:
    found: dict[NodeId, list[tuple[int, int]]] = defaultdict(list)
    for index in among:
        for node, height in heights[index].items():
            found[node].append((index, height))
    return {
        node: _Below(*np.array(pairs, np.int32).T)  # Columns: classes, depths.
        for node, pairs in found.items()
    }


def _find_namesakes(taxonomy: Taxonomy) -> list[set[int]]:
    """Per class, those with which it shares a name, itself among them."""
    by_name: dict[str, set[int]] = defaultdict(set)
    for index, image_class in enumerate(taxonomy.classes):
        for name in image_class.names:
            by_name[name.casefold()].add(index)
    return [
        {other for name in image_class.names for other in by_name[name.casefold()]} for image_class in taxonomy.classes
    ]
