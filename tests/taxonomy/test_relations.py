"""Relations between classes: what cannot hold together, and what follows, with brute force as oracle."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.formats.relations import load_published_relations
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.taxonomy.lint import lint_taxonomy
from regauge.taxonomy.relations import check_relations, describe_relation, find_implications

N_CLASSES = 6


def same(first: int, second: int) -> ClassRelation:
    return ClassRelation(RelationKind.SAME, first, second)


def subset(first: int, second: int) -> ClassRelation:
    return ClassRelation(RelationKind.SUBSET, first, second)


def part(first: int, second: int) -> ClassRelation:
    return ClassRelation(RelationKind.PART, first, second)


def list_implied(*relations: ClassRelation) -> list[tuple[int, int]]:
    return [(one.first, one.second) for one in find_implications(relations)]


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        (
            [subset(0, 1), subset(1, 0)],
            "The subsets 0 ⊂ 1 and 1 ⊂ 0 form a circle; if these classes mean the same, say so with the kind same instead.",
        ),
        ([subset(0, 1), subset(1, 2), subset(2, 0)], "The subsets 0 ⊂ 1 and 1 ⊂ 2 and 2 ⊂ 0 form a circle"),
        ([subset(0, 1), same(1, 2), subset(2, 0)], "The subsets 0 ⊂ 1 and 2 ⊂ 0 form a circle"),
        ([same(0, 1), part(0, 1)], "0 part of 1 contradicts 0 = 1: a part of something is not the same as it"),
        ([same(0, 1), same(1, 2), part(2, 0)], "2 part of 0 contradicts 1 = 2 and 0 = 1: a part of something"),
        ([subset(0, 1), part(0, 1)], "0 part of 1 contradicts 0 ⊂ 1: a part of something is not a kind of it"),
        ([part(0, 1), part(1, 0)], "0 part of 1 contradicts 1 part of 0"),
        ([part(0, 1), same(1, 2), part(2, 0)], "0 part of 1 contradicts 2 part of 0"),
        ([same(0, 1), same(1, 0)], "The relation 1 = 0 is listed twice"),
        ([subset(0, 1), subset(0, 1)], "The relation 0 ⊂ 1 is listed twice"),
    ],
)
def test_relations_that_contradict_each_other_are_refused_by_name(relations, message):
    with pytest.raises(InputError, match="^" + message.replace(".", r"\.")):
        check_relations(relations)


def test_classes_are_called_by_their_names_where_these_are_known():
    taxonomy = load_taxonomy("cifar-10")
    with pytest.raises(InputError, match=r"3 \(cat\) ⊂ 5 \(dog\) and 5 \(dog\) ⊂ 3 \(cat\) form a circle"):
        check_relations([subset(3, 5), subset(5, 3)], taxonomy)
    assert describe_relation(part(1, 9), taxonomy) == "1 (automobile) part of 9 (truck)"


@pytest.mark.parametrize(
    "relations",
    [
        [],
        [subset(0, 1), subset(1, 2), subset(0, 2)],
        [same(0, 1), subset(0, 1), subset(1, 0)],
        [part(0, 1), part(1, 2)],
        [subset(0, 1), part(1, 2), same(3, 4)],
    ],
)
def test_relations_that_can_hold_together_are_taken(relations):
    check_relations(relations)


def test_what_was_rejected_contradicts_nothing():
    check_relations([subset(0, 1), replace(subset(1, 0), status=RelationStatus.REJECTED)])


def test_a_class_has_no_relation_to_itself():
    with pytest.raises(InputError, match="class 3 stands on both sides of 3 = 3"):
        same(3, 3)


def test_same_holds_both_ways_and_on_and_on():
    assert list_implied(same(0, 1), same(2, 1)) == list(permutations(range(3), 2))


def test_a_subset_of_a_subset_is_a_subset_also_through_classes_that_are_the_same():
    assert list_implied(subset(0, 1), same(1, 2), subset(2, 3)) == [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 1),
        (2, 3),
    ]


def test_the_shortest_chain_is_told():
    found = {(one.first, one.second): str(one) for one in find_implications([subset(0, 1), subset(1, 2), subset(0, 2)])}
    assert found[0, 2] == "0 ⊂ 2"


def test_parts_and_what_nobody_accepted_imply_nothing():
    proposed = replace(subset(0, 1), status=RelationStatus.PROPOSED)
    assert list_implied(proposed, part(1, 2), replace(same(3, 4), status=RelationStatus.REJECTED)) == []


@given(
    st.lists(
        st.tuples(st.sampled_from([same, subset, part]), st.integers(0, 5), st.integers(0, 5)).filter(
            lambda one: one[1] != one[2]
        ),
        max_size=8,
    )
)
def test_what_follows_is_what_repeated_steps_reach(drawn):
    relations = [make(first, second) for make, first, second in drawn]
    reached = {(one.first, one.second) for one in relations if one.kind is not RelationKind.PART}
    reached |= {(one.second, one.first) for one in relations if one.kind is RelationKind.SAME}
    for _ in range(N_CLASSES):
        reached |= {(a, d) for a, b in reached for c, d in reached if b == c}
    assert set(list_implied(*relations)) == {(a, b) for a, b in reached if a != b}
    for one in find_implications(relations):
        assert {one.first, one.second} <= {index for each in one.chain for index in (each.first, each.second)}


def test_what_was_published_of_imagenet_can_hold_together_and_is_proposed_only():
    taxonomy = load_taxonomy("imagenet-1k")
    relations = load_published_relations(taxonomy)
    check_relations(relations, taxonomy)
    assert {str(one) for one in relations} == {
        *("249 ⊂ 248", "250 ⊂ 248", "385 ⊂ 101", "386 ⊂ 101", "504 ⊂ 968", "482 ⊂ 848", "435 ⊂ 876"),
        *("836 = 837", "638 = 639", "657 = 744", "620 = 681", "664 = 782", "356 = 357", "357 = 358", "358 = 359"),
    }
    assert {(one.status, one.source) for one in relations} == {
        (RelationStatus.PROPOSED, "Peychev et al. 2023, public code")
    }
    assert list_implied(*relations) == []


def test_nothing_was_published_of_other_classes():
    assert load_published_relations(load_taxonomy("cifar-10")) == ()


def test_relations_that_join_more_classes_than_can_be_meant_are_refused_at_once():
    chain = [same(index, index + 1) for index in range(9_999)]
    check_relations(chain)
    with pytest.raises(InputError, match="more than 100,000 pairs of classes follow"):
        find_implications(chain)
    check_relations([subset(index, index + 1) for index in range(9_999)])
    with pytest.raises(InputError, match="form a circle"):
        check_relations([subset(index, (index + 1) % 9_999) for index in range(9_999)])


def test_lint_finds_relations_that_contradict_each_other():
    taxonomy = replace(load_taxonomy("cifar-10"), relations=(subset(0, 1), subset(1, 0)))
    errors = [one for one in lint_taxonomy(taxonomy) if one.severity == "error"]
    assert [(one.code, one.ids) for one in errors] == [
        ("contradictory-relations", (taxonomy.classes[0].id, taxonomy.classes[1].id))
    ]
