"""Two sets of features: pairs, classes, copies, and which images look like the other set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from regauge.arrays import NO_CLASS, IntArray
from regauge.errors import InputError
from regauge.evaluation.two_sample import compare_features
from regauge.records.evaluation.two_sample import LIKENESS_COLUMNS, TWO_SAMPLE_COLUMNS, TwoSample, TwoSampleSettings
from regauge.records.testsets.features import Features


def make(name: str, values: ArrayLike) -> Features:
    rows = np.asarray(values)
    return Features(name, np.array([f"{name}{row}" for row in range(len(rows))]), rows)


def compare(
    first: Features, second: Features, classes: tuple[IntArray, IntArray] | None = None, **options: Any
) -> TwoSample:
    settings = TwoSampleSettings(**{"n_permutations": 99, **options})
    return compare_features(first, second, classes=classes, settings=settings)


def draw(rng: np.random.Generator, n: int, shift: float = 0.0) -> NDArray[np.floating]:
    return np.asarray(rng.standard_normal((n, 5)) + np.array([shift, 0, 0, 0, 0]))


def test_sets_that_differ_are_told_apart_with_as_many_of_either(rng: np.random.Generator) -> None:
    found = compare(make("old", draw(rng, 150)), make("fresh", draw(rng, 100, 2)))
    assert (found.n_first, found.n_second, found.n_pairs, found.n_components) == (150, 100, 100, 5)
    assert found.p == 0.01
    # Two unit normals two apart: Φ(1) = 84% on the right side, and an AUC of Φ(√2) = 0.92 at best.
    assert 0.77 < found.accuracy.value < 0.9
    assert found.accuracy.low < found.accuracy.value < found.accuracy.high
    assert 0.85 < found.auc.value < 0.96
    assert found.auc.low < found.auc.value < found.auc.high
    assert "50 images left out, to compare 100 from each set." in found.notes
    assert "old and of fresh are told apart by these features" in found.describe()


def test_sets_that_do_not_differ_are_not_told_apart(rng: np.random.Generator) -> None:
    found = compare(make("old", draw(rng, 120)), make("fresh", draw(rng, 120)))
    assert found.p > 0.05
    assert found.auc.value < 0.6
    assert "are not told apart" in found.describe()


def test_images_of_both_sets_and_copies_are_left_out(rng: np.random.Generator) -> None:
    values = draw(rng, 60)
    old = make("old", values)
    others = draw(rng, 60)
    others[3] = others[4]
    others[7] = values[9]
    ids = np.array([f"fresh{row}" for row in range(60)])
    ids[0] = "old0"
    found = compare(old, Features("fresh", ids, others))
    # old0 is in both; of two equal images of fresh one stays, and one of fresh7 and old9, which are the same picture.
    assert (found.n_shared, found.n_identical) == (1, 2)
    assert found.n_pairs in {57, 58}
    assert "1 image in both sets left out of both." in found.notes
    kept = {one.image_id for one in found.likenesses}
    assert "old0" not in kept
    assert not {"old9", "fresh7"} <= kept


def test_which_of_equal_images_stays_is_chance_whatever_set_they_are_in(rng: np.random.Generator) -> None:
    # Were pictures of both sets dropped and one of every other kept, those that come often would be left in the larger set
    # alone, and two draws of different sizes from one heap would look different.
    old, fresh = draw(rng, 40), draw(rng, 60)
    fresh[:3] = old[0]
    alike = {"old0", "fresh0", "fresh1", "fresh2"}
    stays = []
    for seed in range(30):
        found = compare(make("old", old), make("fresh", fresh), n_folds=2, n_permutations=19, seed=seed)
        stays += [one.image_id for one in found.likenesses if one.image_id in alike]
    assert alike == set(stays)
    assert len(stays) <= 30
    assert stays.count("old0") < 15


def test_a_copied_set_is_not_told_apart_by_its_copies(rng: np.random.Generator) -> None:
    # Each image of the first set twice: learnt in one fold and met in another, they would look like a difference.
    values = draw(rng, 60)
    found = compare(make("old", np.repeat(values, 2, axis=0)), make("fresh", draw(rng, 60)))
    assert (found.n_identical, found.n_pairs) == (60, 60)
    assert found.p > 0.05


def test_other_proportions_of_classes_count_only_without_classes(rng: np.random.Generator) -> None:
    # Two classes that look different, in other proportions; within a class both sets are alike.
    classes = (np.repeat([0, 1], [120, 40]), np.repeat([0, 1], [40, 120]))
    sets = [
        make(name, draw(rng, 160) + 3 * own[:, np.newaxis]) for name, own in zip(("old", "fresh"), classes, strict=True)
    ]
    given = (classes[0].astype(np.int32), classes[1].astype(np.int32))
    assert compare(sets[0], sets[1], given).p == 0.01
    within = compare(sets[0], sets[1], given, by_class=True)
    assert (within.n_pairs, within.n_classes) == (80, 2)
    assert within.p > 0.05
    assert "within their classes" in within.describe()


def test_a_difference_inside_classes_is_found_by_class(rng: np.random.Generator) -> None:
    labels = (np.arange(150) % 30).astype(np.int32)
    base = 5 * rng.standard_normal((30, 5))[labels]
    sets = [make(name, base + draw(rng, 150, shift)) for name, shift in (("old", 0.0), ("fresh", 1.2))]
    assert compare(sets[0], sets[1], (labels, labels), by_class=True).p == 0.01


def test_the_level_by_class_holds_with_a_pair_per_class(rng: np.random.Generator) -> None:
    # Centred within its class, each pair is one vector and its negative; in one fold they tell nothing about each other.
    labels = np.arange(40, dtype=np.int32)
    p = []
    for seed in range(60):
        sets = [make(name, rng.standard_normal((40, 3))) for name in ("old", "fresh")]
        p.append(compare(sets[0], sets[1], (labels, labels), by_class=True, n_permutations=19, seed=seed).p)
    assert 0.35 < np.mean(p) < 0.7


def test_the_images_most_like_the_other_set_come_first(rng: np.random.Generator) -> None:
    old, fresh = draw(rng, 80), draw(rng, 80, 3)
    old[5, 0] = 6
    found = compare(
        make("old", old), make("fresh", fresh), (np.full(80, NO_CLASS, np.int32), np.arange(80, dtype=np.int32))
    )
    first = found.likenesses[0]
    assert (first.test_set, first.image_id, first.class_index) == ("old", "old5", None)
    assert first.other_probability > 0.95
    assert len(found.likenesses) == 160
    chances = [one.other_probability for one in found.likenesses]
    assert chances == sorted(chances, reverse=True)
    assert sum(chance < 0.5 for chance in chances) == found.accuracy.k


def test_the_same_seed_gives_the_same_and_another_one_other_pairs(rng: np.random.Generator) -> None:
    sets = make("old", draw(rng, 90)), make("fresh", draw(rng, 60))
    assert compare(*sets).to_frame().equals(compare(*sets).to_frame())
    assert compare(*sets, seed=1).auc != compare(*sets).auc


@pytest.mark.parametrize("kind", [np.float16, np.float64, ">f4"])
def test_numbers_may_be_of_any_precision(rng: np.random.Generator, kind: Any) -> None:
    values = draw(rng, 40).astype(kind), draw(rng, 40, 3).astype(kind)
    found = compare(make("old", values[0]), make("fresh", values[1]))
    assert found.p == 0.01


def test_the_tables_have_the_documented_columns(rng: np.random.Generator) -> None:
    found = compare(make("old", draw(rng, 40)), make("fresh", draw(rng, 40)))
    assert dict(found.to_frame().schema) == dict(TWO_SAMPLE_COLUMNS)
    assert dict(found.to_likeness_frame().schema) == dict(LIKENESS_COLUMNS)
    assert found.to_frame()["accuracy"].to_list() == [found.accuracy.value]


def test_what_cannot_be_compared_is_refused(rng: np.random.Generator) -> None:
    old, fresh = make("old", draw(rng, 40)), make("fresh", draw(rng, 40))
    with pytest.raises(InputError, match="5 features per image and fresh 4"):
        compare(old, make("fresh", rng.random((40, 4))))
    with pytest.raises(InputError, match="not a number from -1e\\+30 to 1e\\+30 for image 'fresh2'"):
        compare(old, make("fresh", np.where(np.arange(40)[:, np.newaxis] == 2, np.nan, fresh.values)))
    with pytest.raises(InputError, match="needs the classes of both sets"):
        compare(old, fresh, by_class=True)
    with pytest.raises(InputError, match="at least 20 images of either set, and 19 are left"):
        compare(old, make("fresh", draw(rng, 19)))
    with pytest.raises(InputError, match="n_folds from 2 to 20, not 1"):
        TwoSampleSettings(n_folds=1)
    with pytest.raises(InputError, match="A seed is a whole number"):
        TwoSampleSettings(seed=-1)
