"""Pairs of classes that people accept on images of either, and whether participants tell them apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.evaluation.context.frequency_material import make_material, simulate_counts

from regauge.evaluation.context.ambiguous import ABOVE, AMBIGUOUS, BELOW, LEVEL, analyse
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.label_set import Truth
from regauge.records.testsets.test_set import TestSet

FEW = ContextSettings(n_bootstrap=200)
# Images a to c are of class 0, d to f of class 1, g of class 2. Both labels are accepted on images of either class, but nobody
# was asked about class 1 on image c. Class 2 is accepted on images of class 0, and not the other way round.
LABELS = [0, 0, 0, 1, 1, 1, 2]
VOTES = [
    *((0, 0, 10, 9), (0, 1, 10, 7), (1, 0, 10, 6), (1, 1, 10, 8), (2, 0, 10, 9)),
    *((3, 1, 10, 10), (3, 0, 10, 5), (4, 1, 10, 8), (4, 0, 10, 8), (5, 1, 10, 9), (5, 0, 10, 4)),
    *((0, 2, 10, 9), (1, 2, 10, 9), (6, 2, 10, 9), (6, 0, 10, 0)),
]


def test_a_pair_is_as_ambiguous_as_the_lesser_frequency_is_on_images_of_both_classes():
    found = analyse(make_material(LABELS, votes=VOTES), FEW)
    (row,) = found.tables["pairs"].to_dicts()
    assert (row["by"], row["first"], row["second"]) == ("selection frequency", 0, 1)
    # Class 0: min(0.9, 0.7) and min(0.6, 0.8); class 1: 0.5, 0.8 and 0.4. Together 3.0 / 5.
    assert (row["n"], row["n_first"], row["n_second"]) == (5, 2, 3)
    assert (row["of_first"], row["of_second"], row["value"]) == pytest.approx((0.65, 1.7 / 3, 0.6))
    assert row["value_low"] < 0.6 < row["value_high"]
    assert row["ambiguous"] is True


def test_both_directions_are_needed_and_five_images():
    # Without image f four images are left, two of either class.
    assert (
        analyse(make_material(LABELS[:5], votes=[one for one in VOTES if one[0] < 5]), FEW).tables["pairs"].height == 0
    )
    # With nobody asked about class 0 on images of class 1 there is one direction alone.
    one_way = [one for one in VOTES if one[:2] not in {(3, 0), (4, 0), (5, 0)}]
    assert analyse(make_material(LABELS, votes=one_way), FEW).tables["pairs"].height == 0


ONE_OBJECT, BOTH_LABELS, TWO_OBJECTS = [([0], 0)] * 3, [([0], 0), ([1], 1)] * 2, [([0, 1], 0)] * 3


def test_from_classify_alone_two_annotators_must_give_both_labels_to_one_object():
    answers = dict(enumerate([BOTH_LABELS, BOTH_LABELS, ONE_OBJECT, BOTH_LABELS, TWO_OBJECTS, [([1], 1)] * 3]))
    material = make_material([0, 0, 0, 1, 1, 1], answers=answers)
    (row,) = analyse(material, FEW).tables["pairs"].to_dicts()
    # Two of three images of class 0, and one of three of class 1: on the second of these they are two objects.
    assert (row["by"], row["n"], row["value"]) == ("CLASSIFY", 6, 0.5)
    assert (row["of_first"], row["of_second"]) == pytest.approx((2 / 3, 1 / 3))
    # Clopper–Pearson of 3 of 6.
    assert (row["value_low"], row["value_high"]) == pytest.approx((0.1181, 0.8819), abs=1e-4)


def test_easy_images_count_as_images_on_which_nothing_is_ambiguous():
    answers = dict(enumerate([BOTH_LABELS, BOTH_LABELS, BOTH_LABELS]))
    material = make_material([0, 0, 1, 1, 1], answers=answers, easy=[3, 4])
    (row,) = analyse(material, FEW).tables["pairs"].to_dicts()
    assert (row["n"], row["value"], row["n_second"]) == (5, 0.6, 3)


def test_pairwise_accuracy_is_right_among_answers_within_the_pair():
    firsts = {
        # Right on a, b, d; the partner on c and e; something else on f.
        "one": [0, 0, 1, 1, 0, 2, 2],
        "outside": [2, 2, 2, 2, 2, 2, 2],
    }
    found = analyse(make_material(LABELS, firsts, votes=VOTES), FEW)
    table = found.tables["participants"].filter(pl.col("pairs") == "all")
    one, outside = table.to_dicts()
    assert (one["n_pairs"], one["n"], one["n_right"], one["n_within"]) == (1, 6, 3, 5)
    assert (one["accuracy"], one["pairwise"], one["chance"]) == (0.5, 0.6, 0.5)
    assert one["against_chance"] == LEVEL
    # Nobody can be compared with chance who never answers within a pair: no value, not 0.
    assert (outside["n_within"], outside["pairwise"], outside["against_chance"]) == (0, None, None)
    # Right on half of the images is high accuracy.
    assert found.tables["listed"].select("pairs", "n", "n_right", "n_within").rows() == [("high accuracy", 6, 3, 5)]
    low = found.tables["participants"].filter(pl.col("pairs") == "low accuracy")
    assert low.select("n_pairs", "n", "accuracy").unique().rows() == [(0, 0, None)]


@pytest.fixture(scope="module")
def simulated() -> ContextMaterial:
    """40 classes of 12 images; 0 and 1, 2 and 3 and so on to 19 are ambiguous, and half of these unknowable for models."""
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(40, dtype=np.int32), 12)
    truth = np.full((40, 40), 0.05)
    np.fill_diagonal(truth, 0.9)
    pairs = np.arange(0, 20, 2)
    truth[pairs, pairs + 1] = truth[pairs + 1, pairs] = 0.8
    partner = np.where(labels % 2 == 0, labels + 1, labels - 1)
    unknowable = labels < 10
    firsts = []
    for skill in (0.95, 0.8, 0.5):
        right = np.where(rng.random(480) < skill, labels, 39 - labels)
        firsts.append(np.where(unknowable, np.where(rng.random(480) < 0.5, labels, partner), right))
    # Somebody who takes each of a pair for the other.
    firsts.append(np.where(labels < 20, partner, labels))
    target = line_up(Truth(TestSet("drawn", np.array([f"i{one}" for one in range(480)]), labels)))
    names = ("good", "fair", "poor", "swapped")
    material = ContextMaterial(target, None, names, np.array(firsts, np.int32))
    return replace(material, counts=simulate_counts(material, truth, rng=rng, n_random=8))


def test_the_pairs_that_were_made_ambiguous_are_found_and_no_others(simulated: ContextMaterial):
    found = analyse(simulated, ContextSettings(n_bootstrap=300, n_listed=10))
    table = found.tables["pairs"]
    ambiguous = table.filter(pl.col("ambiguous"))
    assert set(ambiguous.select("first", "second").rows()) == {(one, one + 1) for one in range(0, 20, 2)}
    # Their mean lesser frequency is about that of Binomial(9, 0.8), and a bit less for taking the lesser.
    assert ambiguous["value"].to_list() == pytest.approx([0.76] * 10, abs=0.1)
    # They are far from all others, so that the list of ten stays whichever images are drawn.
    assert table["stays"].to_list()[:10] == pytest.approx([1.0] * 10, abs=0.02)


def test_who_cannot_tell_a_pair_apart_is_not_told_from_chance_and_who_can_is(simulated: ContextMaterial):
    table = analyse(simulated, FEW).tables["participants"]
    words = {(one["pairs"], one["participant"]): one for one in table.to_dicts()}
    low = {name: words["low accuracy", name] for name in simulated.participants}
    high = {name: words["high accuracy", name] for name in simulated.participants}
    assert {one["split_by"] for one in table.to_dicts()} == {"good"}
    assert low["swapped"]["against_chance"] == high["swapped"]["against_chance"] == BELOW
    assert high["good"]["against_chance"] == high["fair"]["against_chance"] == ABOVE
    assert words["all", "good"]["n"] == 240
    # An answer outside of every pair is not within one.
    assert high["poor"]["n_within"] < high["poor"]["n"]


def test_the_list_of_a_named_participant_is_split_by_its_own_accuracy(simulated: ContextMaterial):
    listed = analyse(simulated, ContextSettings(participant=("swapped",), n_bootstrap=200)).tables["listed"]
    assert listed["participant"].unique().to_list() == ["swapped"]
    assert listed["pairs"].unique().to_list() == ["low accuracy"]
    assert (listed.height, listed["n_right"].sum()) == (10, 0)


def test_pairs_are_those_of_a_plain_loop(simulated: ContextMaterial):
    counts, labels = simulated.counts, simulated.labels
    assert counts is not None
    frequency = dict(
        zip(zip(counts.images.tolist(), counts.classes.tolist(), strict=True), counts.frequencies.tolist(), strict=True)
    )
    values: dict[tuple[int, int], dict[int, list[float]]] = {}
    for (image, other), share in frequency.items():
        own = int(labels[image])
        if other != own:
            sides = values.setdefault((min(own, other), max(own, other)), {own: [], other: []})
            sides[own].append(min(share, frequency[image, own]))
    plain = {
        pair: np.mean([one for side in sides.values() for one in side])
        for pair, sides in values.items()
        if all(sum(one) > 0 for one in sides.values()) and sum(map(len, sides.values())) >= 5
    }
    table = analyse(simulated, ContextSettings(n_bootstrap=100, n_listed=1_000)).tables["pairs"]
    found = {(one, two): value for one, two, value in table.select("first", "second", "value").rows()}
    assert found.keys() == plain.keys()
    assert all(found[pair] == pytest.approx(value) for pair, value in plain.items())
    assert np.diff(table["value"].to_numpy()).max() < 1e-9


def test_without_votes_there_are_no_pairs_and_it_is_said():
    found = analyse(make_material([0, 1], {"one": [0, 1]}), FEW)
    assert {table.height for table in found.tables.values()} == {0}
    assert len(found.notes) == 2
    assert {name: dict(table.schema) for name, table in found.tables.items()} == {
        name: dict(table.columns) for name, table in AMBIGUOUS.tables.items()
    }
