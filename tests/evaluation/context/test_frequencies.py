"""How people see what participants answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.context.frequency_material import make_material, simulate_counts

from regauge.errors import InputError
from regauge.evaluation.context.basis.trends import fit_line
from regauge.evaluation.context.contract import ContextMaterial
from regauge.evaluation.context.frequencies import FREQUENCIES, analyse
from regauge.evaluation.targets import line_up
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.frequencies import AnnotatorSpread
from regauge.records.labels.label_set import Truth
from regauge.records.testsets.test_set import TestSet

FEW = ContextSettings(n_bootstrap=200)
FIRSTS = {"best": [0, 1, 2, 0], "worse": [0, 2, 1, 1]}
# Image d was never shown to anybody; nobody was asked about label 1 of image c.
VOTES = [(0, 0, 10, 9), (1, 1, 10, 5), (1, 2, 10, 4), (2, 2, 10, 10)]
ANSWERS = {0: [([0], 0), ([0, 1], 0)], 1: [([2], 2), ([1], 1), ([2], 2)]}


def test_answers_are_rated_by_hand_and_dataset_labels_beside_them():
    found = analyse(make_material([0, 1, 2, 3], FIRSTS, votes=VOTES, answers=ANSWERS, easy=[2]), FEW)
    best, worse, dataset = found.tables["participants"].to_dicts()
    assert [one["participant"] for one in (best, worse, dataset)] == ["best", "worse", "dataset labels"]
    assert [(one["n"], one["n_right"]) for one in (best, worse, dataset)] == [(4, 3), (4, 1), (4, 4)]
    # best: 0.9, 0.5 and 1; worse: 0.9, 0.4, and one that nobody was asked about; image d has no counts at all.
    assert (best["n_judged"], best["n_unjudged"]) == (3, 0)
    assert best["frequency"] == pytest.approx(2.4 / 3)
    assert (worse["n_judged"], worse["n_unjudged"]) == (2, 1)
    assert worse["frequency"] == pytest.approx(0.65)
    assert (worse["frequency_least"], worse["frequency_most"]) == pytest.approx((1.3 / 3, 2.3 / 3))
    # On the two images on which its answers were judged the dataset labels have 0.9 and 0.5.
    assert worse["frequency_gap"] == pytest.approx(0.65 - 0.7)
    assert dataset["frequency_gap"] == 0
    # Main labels: 0 on a, 2 on b, and the dataset label on the easy image c.
    assert [(one["n_main"], one["n_main_right"]) for one in (best, worse, dataset)] == [(3, 2), (3, 2), (3, 2)]


def test_wrong_answers_are_sorted_by_frequency_and_unjudged_ones_apart():
    table = analyse(make_material([0, 1, 2, 3], FIRSTS, votes=VOTES), FEW).tables["wrong"]
    worse = table.filter(table["participant"] == "worse")
    # Wrong on b (0.4), c (nobody was asked) and d (no counts): one judged, which is in the bin from 0.4 on.
    assert worse.select("n_wrong", "n_unjudged", "n").unique().rows() == [(3, 2, 1)]
    assert worse.filter(worse["k"] == 1).select("frequency_from", "frequency_to").rows() == [(0.4, 0.6)]
    # The best one is wrong on d alone, so there is nothing to share: no value, not 0.
    best = table.filter(table["participant"] == "best")
    assert (best["n"].to_list(), best["share"].null_count()) == ([0] * 6, 6)


def test_a_frequency_on_an_edge_belongs_to_the_bin_that_it_begins():
    # Two of ten annotators, 0.2, and five of five, 1.
    votes = [(0, 0, 9, 9), (0, 1, 10, 2), (1, 0, 9, 9), (1, 1, 5, 5), (2, 0, 9, 9), (2, 1, 9, 0)]
    table = analyse(make_material([0, 0, 0], {"one": [1, 1, 1]}, votes=votes), FEW).tables["wrong"]
    assert table["k"].to_list() == [1, 0, 1, 0, 0, 1]


def test_accuracy_is_grouped_by_what_is_known_and_empty_groups_have_no_value():
    material = make_material([0, 1, 2, 3], FIRSTS, votes=VOTES, answers=ANSWERS, easy=[2])
    table = analyse(material, FEW).tables["accuracy"]
    best = table.filter(table["participant"] == "best")
    rows = {(one["by"], one["group"]): (one["n"], one["n_right"], one["accuracy"]) for one in best.to_dicts()}
    # Image a: one annotator sees one object and one sees two; the first answer decides the tie.
    assert rows["objects", "1"] == (3, 3, 1.0)
    assert rows["objects", "2"] == (0, 0, None)
    assert rows["agreement on objects", "50% to 75%"] == (1, 1, 1.0)
    assert rows["agreement on objects", "all"] == (1, 1, 1.0)
    assert rows["agreement on the main label", "50% to 75%"] == (1, 1, 1.0)
    assert rows["frequency of the dataset label", "80% to 100%"] == (2, 2, 1.0)
    assert rows["frequency of the dataset label", "40% to 60%"] == (1, 1, 1.0)


def test_a_line_through_weighted_points_is_that_of_least_squares(rng: np.random.Generator):
    x, y, weights = rng.random(12), rng.random(12), rng.integers(1, 9, 12)
    found = fit_line(x[np.newaxis], y[np.newaxis], weights=weights)
    slope, offset = np.polyfit(x, y, 1, w=np.sqrt(weights))
    assert (found.slopes[0], found.offsets[0]) == pytest.approx((slope, offset))
    many = np.repeat(np.arange(12), weights)
    assert found.correlations[0] == pytest.approx(np.corrcoef(x[many], y[many])[0, 1])
    level = fit_line(np.full((1, 3), 0.5), np.array([[0.0, 0.5, 1.0]]), weights=np.ones(3))
    assert np.isnan(level.slopes[0])
    assert level.expected.tolist() == [[0.5, 0.5, 0.5]]


@pytest.fixture(scope="module")
def simulated() -> tuple[ContextMaterial, np.ndarray]:
    """60 classes of ten images: accuracy follows selection frequency, but for two classes that are never recognised."""
    rng = np.random.default_rng(7)
    labels = np.repeat(np.arange(60, dtype=np.int32), 10)
    truth = np.full((60, 60), 0.03)
    np.fill_diagonal(truth, np.linspace(0.55, 0.97, 60))
    chance = truth[labels, labels].copy()
    chance[(labels == 50) | (labels == 55)] = 0.0
    firsts = np.where(rng.random(600) < chance, labels, (labels + 1) % 60).astype(np.int32)
    target = line_up(Truth(TestSet("drawn", np.array([f"i{one}" for one in range(600)]), labels)))
    material = ContextMaterial(target, None, ("model",), firsts[np.newaxis])
    return replace(material, counts=simulate_counts(material, truth, rng=rng)), truth


def test_classes_that_leave_the_line_are_those_that_were_made_to(simulated: tuple[ContextMaterial, np.ndarray]):
    found = analyse(simulated[0], ContextSettings(n_bootstrap=300, n_listed=5))
    classes = found.tables["classes"]
    assert set(classes["class"][:2]) == {50, 55}
    assert set(classes.filter(classes["leaves"])["class"]) == {50, 55}
    # So far off the line they stay first whichever images are drawn; of the others the order is chance.
    assert (classes["stays"][:2] > 0.98).all()
    assert classes["stays"][5:].null_count() == 55
    trend = found.tables["trend"].row(0, named=True)
    assert (trend["n_classes"], trend["n_leaving"]) == (60, 2)
    assert trend["slope_low"] < trend["slope"] < trend["slope_high"]
    assert any("of the first 5 classes would leave the list" in one for one in found.answers)


def test_mean_frequencies_are_covered_and_wider_where_annotators_differ(simulated: tuple[ContextMaterial, np.ndarray]):
    material, truth = simulated
    row = analyse(material, FEW).tables["participants"].row(1, named=True)
    expected = float(np.diag(truth).mean())
    assert row["frequency_low"] < expected < row["frequency_high"]
    assert material.counts is not None
    spread = replace(material, counts=replace(material.counts, spread=AnnotatorSpread(12, 10.0, 0.5)))
    wider = analyse(spread, FEW).tables["participants"].row(1, named=True)
    assert wider["frequency_high"] - wider["frequency_low"] > 2 * (row["frequency_high"] - row["frequency_low"])
    assert not any("Who gave which vote" in note for note in analyse(spread, FEW).notes)


def test_the_same_seed_gives_the_same_numbers(simulated: tuple[ContextMaterial, np.ndarray]):
    first, again = (analyse(simulated[0], FEW).tables["participants"] for _ in range(2))
    assert first.equals(again)


def test_what_is_not_known_is_left_out_and_named():
    found = analyse(make_material([0, 1], {"one": [0, 0]}), FEW)
    row = found.tables["participants"].row(0, named=True)
    assert (row["top1"], row["frequency"], row["main_label"]) == (0.5, None, None)
    assert [found.tables[name].height for name in ("wrong", "accuracy", "trend", "classes")] == [0] * 4
    assert [note.split(":")[0] for note in found.notes] == [
        "Left out for want of selection frequencies",
        "Left out for want of answers to CLASSIFY",
        "Left out for want of objects",
    ]


def test_a_participant_who_is_not_there_is_refused_by_name():
    with pytest.raises(InputError, match=r"No participant is called 'none\*'; there are: one\."):
        analyse(make_material([0], {"one": [0]}, votes=[(0, 0, 9, 9)]), ContextSettings(participant=("none*",)))


def test_one_class_alone_is_analysed_without_a_line():
    found = analyse(make_material([0, 0], {"one": [0, 0]}, votes=[(0, 0, 9, 9), (1, 0, 9, 8)]), FEW)
    trend = found.tables["trend"].row(0, named=True)
    assert (trend["n_classes"], trend["slope"], trend["correlation"]) == (1, None, None)


def test_every_table_has_the_columns_that_the_analysis_lists():
    found = analyse(make_material([0, 1, 2, 3], FIRSTS, votes=VOTES, answers=ANSWERS), FEW)
    assert {name: dict(table.schema) for name, table in found.tables.items()} == {
        name: dict(table.columns) for name, table in FREQUENCIES.tables.items()
    }
