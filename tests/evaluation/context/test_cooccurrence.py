"""Classes that come together: counted by hand, ranked, and how firm the list is."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.evaluation.context.tiny import analyse, make_material, make_taxonomy, run

from regauge.evaluation.context.contract import ContextFindings
from regauge.evaluation.context.material import KnownOfImages
from regauge.records.labels.label_set import Truth
from regauge.records.labels.objects import ImageObjects
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import clopper_pearson


def make_found(labels: list[int], objects: list[list[list[int]]], **given: object) -> ContextFindings:
    ids = [f"i{row}" for row in range(len(labels))]
    truth = Truth(
        TestSet("t", np.array(ids), np.array(labels)),
        objects=(ImageObjects.from_lists("people", ids, objects=objects),),
    )
    return analyse("cooccurrence", make_material(known=KnownOfImages(), truth=truth, **given))  # type: ignore[arg-type]


def test_a_pair_is_counted_among_the_images_of_its_label() -> None:
    table = run("cooccurrence", taxonomy=make_taxonomy()).tables["strongest"]
    # a, of class 0, also holds 1: one of the two images of class 0 (a, d). b, of class 1, also holds 2: one of b and e.
    columns = ("class", "class_name", "other", "other_name", "n_images", "n", "share")
    assert table.select(*columns).rows() == [(0, "cat", 1, "dog", 1, 2, 0.5), (1, "dog", 2, "mat", 1, 2, 0.5)]
    assert table["share_high"][0] == pytest.approx(float(clopper_pearson(1, 2).high))


def test_superclasses_count_images_and_not_objects() -> None:
    # Both other objects of the first image are things: it counts once.
    found = make_found([0, 0, 2], [[[0], [2], [3]], [[0]], [[2], [1]]], taxonomy=make_taxonomy())
    rows = found.tables["superclasses"].select("group", "other", "n_images", "n").rows()
    assert rows[:2] == [("things", "animals", 1, 1), ("animals", "things", 1, 2)]
    assert sorted(rows[2:]) == [("animals", "animals", 0, 2), ("things", "things", 0, 1)]


def test_nothing_comes_together_with_a_label_that_no_object_holds() -> None:
    found = make_found([0, 0], [[[1], [2]], [[0], [3]]])
    assert found.tables["pairs"].select("class", "other", "n").rows() == [(0, 3, 2)]
    assert any("none of which holds the dataset label: 1" in note for note in found.notes)


def test_an_image_of_one_object_gives_no_pair() -> None:
    found = make_found([0], [[[0, 1]]])
    assert found.tables["strongest"].height == 0
    assert found.answers == ("No image holds an object beside the one of its dataset label.",)


def test_a_taxonomy_without_groups_leaves_superclasses_out() -> None:
    found = run("cooccurrence", taxonomy=make_taxonomy(has_groups=False))
    assert found.tables["superclasses"].height == 0
    assert "Superclasses left out: no groups of classes in the taxonomy." in found.notes


def test_pairs_are_those_of_a_plain_loop(rng: np.random.Generator) -> None:
    n = 80
    labels = rng.integers(0, 5, n).tolist()
    objects = [[[int(one)] for one in rng.permutation(6)[: rng.integers(1, 5)]] for _ in range(n)]
    expected = Counter(
        (label, one[0])
        for label, found in zip(labels, objects, strict=True)
        for one in found
        if [label] in found and one != [label]
    )
    table = make_found(labels, objects).tables["pairs"]
    assert {(row["class"], row["other"]): row["n_images"] for row in table.to_dicts()} == expected
    assert table["share"].to_list() == sorted(table["share"].to_list(), reverse=True)
    assert {row["class"]: row["n"] for row in table.to_dicts()}.items() <= Counter(labels).items()


def test_a_pair_that_is_in_every_image_stays_in_the_list_and_one_of_many_equals_may_leave() -> None:
    # Class 0 always holds 5; of classes 1 to 4 one image in five holds 6.
    labels = [0] * 5 + [label for label in (1, 2, 3, 4) for _ in range(5)]
    objects = [[[0], [5]]] * 5 + [
        [[label], [6]] if row == 0 else [[label]] for label in (1, 2, 3, 4) for row in range(5)
    ]
    ids = [f"i{row}" for row in range(len(labels))]
    truth = Truth(
        TestSet("t", np.array(ids), np.array(labels)), objects=(ImageObjects.from_lists("p", ids, objects=objects),)
    )
    found = analyse("cooccurrence", make_material(known=KnownOfImages(), truth=truth), n_listed=2, n_bootstrap=1_000)
    stays = found.tables["strongest"]["stays"].to_list()
    assert stays[0] == 1.0
    # Four pairs are alike, so that each takes the second place in one redraw of four.
    assert stays[1] == pytest.approx(0.25, abs=0.05)
    assert any("of the first 2 pairs would leave the list" in answer for answer in found.answers)
