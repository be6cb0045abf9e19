"""Groups: worked rules, the definition itself as oracle on random graphs, and the papers' counts and lists."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.taxonomy import ClassIndex, Grouping, GroupRule, ImageClass, NodeId, Taxonomy
from regauge.taxonomy.groups import find_groups, find_members

Parents: TypeAlias = dict[str, list[str]]

SPELLINGS = {"inverterbrates": "Invertebrates", "vehicles": "Vehicles"}


@pytest.fixture(scope="module")
def imagenet() -> Taxonomy:
    return load_taxonomy("imagenet-1k")


def make_taxonomy(parents: Parents, *groupings: Grouping) -> Taxonomy:
    """A taxonomy in which every node is a class."""
    classes = tuple(ImageClass(ClassIndex(i), NodeId(node), (node,)) for i, node in enumerate(parents))
    above = {NodeId(node): tuple(map(NodeId, nodes)) for node, nodes in parents.items()}
    return Taxonomy("toy", classes, parents=above, groupings=groupings)


def make_rule(name: str, within: Iterable[str], without: Iterable[str] = ()) -> GroupRule:
    return GroupRule(name, tuple(map(NodeId, within)), tuple(map(NodeId, without)))


# Class indices: beagle 0, wolf 1, tench 2, dog 3, canine 4, animal 5.
ANIMALS: Parents = {
    "beagle": ["dog"],
    "wolf": ["canine"],
    "tench": ["animal"],
    "dog": ["canine"],
    "canine": ["animal"],
    "animal": [],
}


def find_names(parents: Parents, within: Iterable[str], without: Iterable[str] = ()) -> list[str]:
    members = find_members(make_taxonomy(parents), make_rule("group", within, without))
    return [list(parents)[index] for index in members]


def test_a_subtree_takes_the_node_and_all_below_it() -> None:
    assert find_names(ANIMALS, ["canine"]) == ["beagle", "wolf", "dog", "canine"]


def test_an_exception_leaves_its_subtree_out() -> None:
    assert find_names(ANIMALS, ["animal"], ["canine"]) == ["tench", "animal"]


def test_inside_an_exception_a_subtree_can_be_taken_again() -> None:
    assert find_names(ANIMALS, ["animal", "dog"], ["canine"]) == ["beagle", "tench", "dog", "animal"]


def test_at_equal_distance_the_exception_wins() -> None:
    assert find_names({"mule": ["horse", "donkey"], "horse": [], "donkey": []}, ["horse"], ["donkey"]) == ["horse"]


def test_a_node_on_both_sides_is_an_exception() -> None:
    assert find_names(ANIMALS, ["dog"], ["dog"]) == []


def test_the_shortest_way_up_decides_where_there_are_several() -> None:
    # corn is two edges below food by way of grain, and one edge below plant.
    parents: Parents = {"corn": ["grain", "plant"], "grain": ["food"], "food": [], "plant": []}
    assert find_names(parents, ["food"], ["plant"]) == ["grain", "food"]
    assert find_names(parents, ["plant"], ["food"]) == ["corn", "plant"]


def test_a_rule_over_unknown_nodes_has_no_members() -> None:
    members = find_members(make_taxonomy(ANIMALS), make_rule("group", ["unicorn"]))
    assert members.dtype == np.int32
    assert members.size == 0


def test_members_cannot_be_written_to() -> None:
    members = find_members(make_taxonomy(ANIMALS), make_rule("group", ["dog"]))
    with pytest.raises(ValueError, match="read-only"):
        members[0] = 5


def test_groups_come_in_the_order_of_the_grouping() -> None:
    grouping = Grouping("kind", (make_rule("z", ["dog"]), make_rule("a", ["tench"])))
    groups = find_groups(make_taxonomy(ANIMALS, grouping), "kind")
    assert {name: members.tolist() for name, members in groups.items()} == {"z": [0, 3], "a": [2]}
    assert list(groups) == ["z", "a"]


def test_an_unknown_grouping_is_refused_with_those_there_are(imagenet: Taxonomy) -> None:
    with pytest.raises(InputError, match="superclass, object-organism, dogs"):
        find_groups(imagenet, "colour")


@st.composite
def rules(draw: st.DrawFn) -> tuple[Parents, list[str], list[str]]:
    n = draw(st.integers(1, 7))
    edges = draw(st.sets(st.sampled_from(list(product(range(n), repeat=2)))))
    parents = {f"v{a}": [f"v{b}" for b in range(n) if (a, b) in edges] for a in range(n)}
    nodes = st.lists(st.sampled_from(list(parents)), max_size=4)
    return parents, draw(nodes), draw(nodes)


def is_member(parents: Parents, node: str, within: list[str], without: list[str]) -> bool:
    """Oracle: climb level by level from one class and stop at the first level that holds a listed node."""
    level = [node]
    for _ in parents:
        if set(level) & set(without):
            return False
        if set(level) & set(within):
            return True
        level = [parent for lower in level for parent in parents[lower]]
        level = list(dict.fromkeys(level))
    return False


@given(rules())
def test_members_equal_climbing_from_every_class(case: tuple[Parents, list[str], list[str]]) -> None:
    parents, within, without = case
    expected = [node for node in parents if is_member(parents, node, within, without)]
    assert find_names(parents, within, without) == expected


def test_the_superclasses_are_those_of_tsipras(imagenet: Taxonomy, published: Path) -> None:
    expected = json.loads((published / "superclasses.json").read_text())
    groups = find_groups(imagenet, "superclass")
    assert list(groups) == [SPELLINGS.get(name, name) for name in expected]
    for name, indices in expected.items():
        assert set(groups[SPELLINGS.get(name, name)].tolist()) == set(indices), name


def test_the_superclasses_have_the_published_sizes_and_hold_every_class_once(imagenet: Taxonomy) -> None:
    groups = find_groups(imagenet, "superclass")
    assert [len(members) for members in groups.values()] == [130, 88, 59, 60, 61, 63, 172, 90, 92, 117, 68]
    assert sorted(np.concatenate(list(groups.values())).tolist()) == list(range(1000))


def test_objects_and_organisms_have_the_published_sizes_and_share_no_class(imagenet: Taxonomy) -> None:
    groups = find_groups(imagenet, "object-organism")
    assert {name: len(members) for name, members in groups.items()} == {"objects": 590, "organisms": 410}
    assert not np.intersect1d(groups["objects"], groups["organisms"]).size


def test_dogs_other_animals_and_the_rest_have_the_published_sizes(imagenet: Taxonomy) -> None:
    groups = find_groups(imagenet, "dogs")
    sizes = {name: len(members) for name, members in groups.items()}
    assert sizes == {"dogs": 118, "other animals": 292, "without dogs": 882}
    assert groups["dogs"].tolist() == list(range(151, 269))
    organisms = find_groups(imagenet, "object-organism")["organisms"]
    assert groups["other animals"].tolist() == np.setdiff1d(organisms, groups["dogs"]).tolist()
    assert groups["without dogs"].tolist() == np.setdiff1d(np.arange(1000), groups["dogs"]).tolist()


def test_cifar_has_four_vehicles_and_six_animals() -> None:
    cifar = load_taxonomy("cifar-10")
    groups = {
        name: [cifar.classes[i].name for i in members]
        for name, members in find_groups(cifar, "object-organism").items()
    }
    assert groups == {
        "objects": ["airplane", "automobile", "ship", "truck"],
        "organisms": ["bird", "cat", "deer", "dog", "frog", "horse"],
    }


def test_all_groups_of_imagenet_take_less_than_fifty_milliseconds(imagenet: Taxonomy) -> None:
    def count_seconds() -> float:
        # Of this thread on a processor: others may have it in between.
        start = time.thread_time()
        for grouping in imagenet.groupings:
            find_groups(imagenet, grouping.name)
        return time.thread_time() - start

    assert min(count_seconds() for _ in range(5)) < 0.05
