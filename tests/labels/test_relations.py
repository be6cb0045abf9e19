"""Relations applied to labels: worked cases, a plain loop as oracle, and the time that it takes."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.labels.relations import derive_labels, drop_derived
from regauge.records.labels.evidence import LabelEvidence, VerdictEvidence
from regauge.records.labels.label_set import LabelKind, LabelSet, Unlisted
from regauge.records.labels.verdicts import Verdict
from regauge.records.taxonomy import ClassRelation, RelationKind, RelationStatus
from regauge.taxonomy.relations import find_implications

WRONG, UNCLEAR, CORRECT = Verdict
DOGS = ClassRelation(RelationKind.SUBSET, 1, 0, "every malamute is a sled dog")


def relate(kind: str, first: int, second: int) -> ClassRelation:
    return ClassRelation(RelationKind(kind), first, second)


def make_labels(*images: dict[int, Verdict], unlisted: Unlisted = Unlisted.UNJUDGED) -> LabelSet:
    correct, unclear, wrong = (
        [[index for index, one in image.items() if one is verdict] for image in images]
        for verdict in (CORRECT, UNCLEAR, WRONG)
    )
    ids = [f"i{row}" for row in range(len(images))]
    return LabelSet.from_lists("labels", ids, correct=correct, unclear=unclear, wrong=wrong, unlisted=unlisted)


def read(label_set: LabelSet) -> list[dict[int, Verdict]]:
    found: list[dict[int, Verdict]] = [{} for _ in range(len(label_set))]
    for row, index, verdict in zip(label_set.rows, label_set.classes, label_set.verdicts, strict=True):
        found[int(row)][int(index)] = Verdict(int(verdict))
    return found


def derive(*images: dict[int, Verdict], by: list[ClassRelation]) -> list[dict[int, Verdict]]:
    return read(derive_labels(make_labels(*images), by).label_set)


def test_where_a_subset_is_correct_or_unclear_so_is_what_holds_it_and_not_the_other_way():
    images = [{1: CORRECT}, {1: UNCLEAR}, {1: WRONG}, {0: CORRECT}, {}]
    assert derive(*images, by=[DOGS]) == [{1: CORRECT, 0: CORRECT}, {1: UNCLEAR, 0: UNCLEAR}, *images[2:]]


def test_same_works_both_ways_and_nothing_follows_from_a_wrong_class():
    assert derive({1: CORRECT}, {0: UNCLEAR}, {1: WRONG}, by=[relate("same", 0, 1)]) == [
        {1: CORRECT, 0: CORRECT},
        {0: UNCLEAR, 1: UNCLEAR},
        {1: WRONG},
    ]


def test_of_two_classes_that_imply_one_the_better_verdict_holds():
    by = [relate("subset", 1, 0), relate("subset", 2, 0)]
    assert derive({1: UNCLEAR, 2: CORRECT}, by=by) == [{1: UNCLEAR, 2: CORRECT, 0: CORRECT}]


@pytest.mark.parametrize("status", [RelationStatus.PROPOSED, RelationStatus.REJECTED])
def test_parts_and_what_nobody_accepted_change_nothing(status):
    assert derive({1: CORRECT}, by=[relate("part", 1, 0), replace(DOGS, status=status)]) == [{1: CORRECT}]


def test_a_verdict_of_a_person_stands_and_is_listed_where_it_is_lower_than_what_follows():
    images = [{1: CORRECT, 0: own} for own in Verdict] + [{1: UNCLEAR, 0: own} for own in Verdict]
    derived = derive_labels(make_labels(*images), [DOGS])
    assert read(derived.label_set) == images
    assert len(derived.evidence) == 0
    told = [(one.image_id, one.class_index, one.verdict, one.implied, one.relation) for one in derived.contradictions]
    assert told == [
        ("i0", 0, WRONG, CORRECT, "1 ⊂ 0"),
        ("i1", 0, UNCLEAR, CORRECT, "1 ⊂ 0"),
        ("i3", 0, WRONG, UNCLEAR, "1 ⊂ 0"),
    ]


def test_a_derived_verdict_says_which_relation_it_follows_from_and_why_people_accepted_it():
    by = [DOGS, relate("same", 0, 5)]
    derived = derive_labels(make_labels({}, {1: CORRECT}), by)
    evidence = derived.evidence.by_pair
    assert evidence["i1", 0] == VerdictEvidence(
        rule="relation between classes",
        reason="synonym or subset",
        note="every malamute is a sled dog",
        relation="1 ⊂ 0",
    )
    assert evidence["i1", 5].relation == "1 ⊂ 0, 0 = 5"
    assert all(entry.is_derived for entry in evidence.values())
    assert derived.evidence.name == "labels"


def test_a_class_that_is_not_listed_is_nobodys_verdict_even_where_unlisted_means_wrong():
    real = LabelSet.from_lists("real", ["a", "b"], correct=[[1], []], kind=LabelKind.REAL)
    derived = derive_labels(real, [DOGS])
    assert derived.label_set.unlisted is Unlisted.WRONG
    assert read(derived.label_set) == [{1: CORRECT, 0: CORRECT}, {}]
    assert derived.contradictions == ()


def test_everything_else_about_the_label_set_stays():
    before = replace(
        make_labels({1: CORRECT}, {3: WRONG}),
        is_problematic=np.array([True, False]),
        main_labels=np.array([1, 3]),
        is_follow_up_only=True,
    )
    after = derive_labels(before, [DOGS]).label_set
    assert after.image_ids.tolist() == before.image_ids.tolist()
    assert (after.is_problematic.tolist(), after.main_labels.tolist()) == ([True, False], [1, 3])
    assert (after.name, after.kind, after.unlisted, after.is_follow_up_only) == (
        *(before.name, before.kind, before.unlisted),
        True,
    )


def test_without_relations_or_verdicts_nothing_changes():
    assert derive({1: CORRECT}, by=[]) == [{1: CORRECT}]
    assert derive({}, {}, by=[DOGS]) == [{}, {}]


verdicts_of_images = st.lists(
    st.dictionaries(st.integers(0, 4), st.sampled_from(list(Verdict)), max_size=5), min_size=1
)
some_relations = st.lists(
    st.tuples(st.sampled_from(["same", "subset", "part"]), st.integers(0, 4), st.integers(0, 4))
    .filter(lambda one: one[1] != one[2])
    .map(lambda one: relate(*one)),
    max_size=5,
)


@given(verdicts_of_images, some_relations)
def test_what_is_derived_is_what_a_plain_loop_finds(images, relations):
    expected, contradictions = [dict(image) for image in images], set()
    for row, image in enumerate(images):
        best: dict[int, Verdict] = {}
        for one in find_implications(relations):
            verdict = image.get(one.first, WRONG)
            best[one.second] = max(best.get(one.second, WRONG), verdict)
        for index, verdict in best.items():
            if index not in image and verdict is not WRONG:
                expected[row][index] = verdict
            elif index in image and image[index] < verdict:
                contradictions.add((f"i{row}", index))
    derived = derive_labels(make_labels(*images), relations)
    assert read(derived.label_set) == expected
    assert {(one.image_id, one.class_index) for one in derived.contradictions} == contradictions
    again = derive_labels(derived.label_set, relations)
    assert len(again.evidence) == 0
    assert read(drop_derived(derived.label_set, derived.evidence)) == images


def test_people_s_own_verdicts_are_never_dropped():
    labels = make_labels({1: CORRECT, 0: CORRECT})
    own = LabelEvidence.from_pairs(
        "labels", {("i0", 0): VerdictEvidence(note="seen"), ("elsewhere", 1): VerdictEvidence()}
    )
    assert drop_derived(labels, own) is labels
    assert drop_derived(labels, None) is labels
    other = LabelEvidence.from_pairs("labels", {("elsewhere", 1): VerdictEvidence(relation="1 ⊂ 0")})
    assert read(drop_derived(labels, other)) == [{1: CORRECT, 0: CORRECT}]


def test_fifty_thousand_images_take_well_below_a_second():
    rng = np.random.default_rng(0)
    n, per_image = 50_000, 5
    classes = (rng.integers(0, 200, (n, 1)) + np.arange(per_image) * 200).astype(np.int32)
    labels = LabelSet(
        "large",
        np.array([f"i{row}" for row in range(n)]),
        np.arange(n + 1) * per_image,
        classes.ravel(),
        rng.integers(0, 3, n * per_image).astype(np.int8),
        LabelKind.MULTILABEL,
        Unlisted.UNJUDGED,
        np.zeros(n, np.bool_),
        np.full(n, -1, np.int32),
    )
    relations = [relate("subset", index, index + 500) for index in range(500)]
    start = time.perf_counter()
    derived = derive_labels(labels, relations)
    assert time.perf_counter() - start < 1
    assert len(derived.evidence) > 10_000
