"""Distances of mistakes: worked means and expectations, loops as oracles, and what cannot be measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.evaluation.context.confusions.small import make_material, make_taxonomy

from regauge.arrays import NO_CLASS
from regauge.errors import InputError
from regauge.evaluation.context.confusions.answers import give_one_each
from regauge.evaluation.context.confusions.mistake_distances import (
    expect_distances,
    find_wrong,
    measure_means,
    tell_shares_at,
)
from regauge.evaluation.context.distance import DISTANCE, LEVEL, PATH
from regauge.formats.taxonomies import load_taxonomy
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.redraws import draw_images
from regauge.taxonomy.hierarchy import NO_WAY, measure_class_distances

FEW = ContextSettings(n_bootstrap=200)
LABELS = [0, 0, 0, 0, 2, 2, 4, 6]
# Of class 0 two images are taken for its neighbour in the group (2 edges, 1 level), one for class 2 in another (4 and 2).
NEAR = [1, 1, 2, 0, 2, 2, 4, 6]


def test_mean_distances_stand_beside_those_of_random_wrong_answers() -> None:
    found = DISTANCE.analyse(make_material(LABELS, {"near": NEAR}), FEW)
    path, level = found.tables["distances"].rows(named=True)
    # (2 + 2 + 4) / 3, against one of seven wrong classes at 2 edges and six at 4, and own wrong answers: 2/3 at 2, 1/3 at 4.
    assert (path["measure"], path["n"], path["n_apart"]) == (PATH, 3, 0)
    assert (path["mean"], path["uniform"], path["marginal"]) == pytest.approx((8 / 3, 26 / 7, 8 / 3))
    assert path["nearer"] == pytest.approx(0)
    assert (level["measure"], level["mean"], level["uniform"]) == (LEVEL, pytest.approx(4 / 3), pytest.approx(13 / 7))
    assert path["mean_low"] is None or path["mean_low"] <= path["mean"] <= path["mean_high"]
    shares = found.tables["shares"].filter(pl.col("measure") == PATH)
    assert shares["distance"].to_list() == [2, 4]
    assert shares["n_mistakes"].to_list() == [2, 1]
    assert shares["share"].to_list() == pytest.approx([2 / 3, 1 / 3])
    assert shares["uniform"].to_list() == pytest.approx([1 / 7, 6 / 7])
    assert shares["marginal"].to_list() == pytest.approx([2 / 3, 1 / 3])


def test_expected_distances_are_means_over_wrong_classes(rng: np.random.Generator) -> None:
    distances = measure_class_distances(make_taxonomy(is_joined=False)).path_lengths
    chances = rng.dirichlet(np.ones(8))
    for label, found in enumerate(expect_distances(distances, chances[np.newaxis])[0]):
        others = [other for other in range(8) if other != label and distances[label, other] != NO_WAY]
        expected = np.average([distances[label, one] for one in others], weights=chances[others])
        assert found == pytest.approx(expected)
    assert np.isnan(expect_distances(distances, np.zeros((1, 8)))).all()


def test_means_of_redrawn_images_are_those_of_the_images_themselves(rng: np.random.Generator) -> None:
    distances = measure_class_distances(make_taxonomy()).ancestor_levels
    labels, answers = rng.integers(0, 8, (2, 40)).astype(np.int32)
    one = find_wrong(give_one_each("a", answers, labels=labels), labels=labels, n_classes=8)
    drawn = draw_images(40, rng=rng, n_resamples=5)
    means = measure_means([one], distances, drawn=drawn).means[0, 0]
    for counts, mean in zip(drawn, means, strict=True):
        rows = np.repeat(np.arange(40), counts)
        rows = rows[labels[rows] != answers[rows]]
        assert mean == pytest.approx(distances[labels[rows], answers[rows]].mean(), rel=1e-5)


def test_random_answers_are_as_far_as_expected() -> None:
    rng = np.random.default_rng(4)
    distances = measure_class_distances(make_taxonomy()).path_lengths
    labels = rng.integers(0, 8, 20_000).astype(np.int32)
    answers = (labels + rng.integers(1, 8, labels.size)).astype(np.int32) % 8
    one = find_wrong(give_one_each("a", answers, labels=labels), labels=labels, n_classes=8)
    found = measure_means([one], distances, drawn=np.ones((1, labels.size), np.uint8))
    assert found.means[:, 0, 0] == pytest.approx([26 / 7] * 3, abs=0.03)


def test_limits_of_a_mean_distance_hold_it() -> None:
    rng = np.random.default_rng(9)
    distances = measure_class_distances(make_taxonomy()).path_lengths
    truth, n_held, n_tries = 0.5 * 2 + 0.5 * 4, 0, 80
    for _ in range(n_tries):
        labels = np.zeros(300, np.int32)
        answers = rng.choice([0, 1, 2], 300, p=[0.6, 0.2, 0.2]).astype(np.int32)
        one = find_wrong(give_one_each("a", answers, labels=labels), labels=labels, n_classes=8)
        drawn = draw_images(300, rng=rng, n_resamples=200)
        low, high = np.quantile(measure_means([one], distances, drawn=drawn).means[0, 0], [0.025, 0.975])
        n_held += bool(low <= truth <= high)
    assert n_held / n_tries >= 0.88


def test_mistakes_that_nothing_joins_have_no_distance_and_are_counted() -> None:
    taxonomy = make_taxonomy(is_joined=False)
    found = DISTANCE.analyse(make_material(LABELS, {"near": NEAR}, taxonomy=taxonomy), FEW)
    path = found.tables["distances"].row(0, named=True)
    assert (path["mean"], path["n"], path["n_apart"]) == (2, 2, 1)
    assert any("joins the two classes of 1 mistake" in note for note in found.notes)
    apart = find_wrong(
        give_one_each("a", np.array([2], np.int32), labels=np.array([0])), labels=np.array([0]), n_classes=8
    )
    assert list(tell_shares_at(apart, measure_class_distances(taxonomy).path_lengths, level=0.95)) == []


def test_somebody_without_a_mistake_has_no_mean_distance() -> None:
    found = DISTANCE.analyse(make_material(LABELS, {"right": LABELS}), FEW)
    row = found.tables["distances"].row(0, named=True)
    assert (row["mean"], row["n"], row["top1"]) == (None, 0, 1)
    assert found.tables["shares"].is_empty()
    assert found.notes == ("right makes no mistake on 8 images, so it has no mean distance.",)


def test_ties_of_people_count_in_parts_and_missing_answers_not_at_all() -> None:
    counts = [(0, 0, 4, 2), (0, 1, 4, 2), (1, 2, 4, 4), (1, 0, 4, 1)]
    found = DISTANCE.analyse(make_material([0, 0, 0], {"one": [1, NO_CLASS, NO_CLASS]}, counts=counts), FEW)
    one, people = found.tables["distances"].filter(pl.col("measure") == PATH).rows(named=True)
    assert (one["n_images"], one["n"], one["mean"]) == (1, 1, 2)
    # Half an image at 2 edges and one at 4.
    assert (people["n_images"], people["n"], people["is_people"]) == (2, 1.5, True)
    assert people["mean"] == pytest.approx((0.5 * 2 + 4) / 1.5)


def test_the_tables_have_the_columns_that_the_analysis_lists() -> None:
    empty = DISTANCE.analyse(make_material(LABELS), FEW)
    labels, rng = np.tile(LABELS, 20), np.random.default_rng(3)
    firsts = {f"p{place}": np.where(rng.random(160) < 0.1 * place, 3, labels) for place in range(6)}
    full = DISTANCE.analyse(make_material(labels, firsts), FEW)
    for found in (empty, full):
        for name, table in DISTANCE.tables.items():
            assert dict(found.tables[name].schema) == dict(table.columns)
    # The first makes no mistake, so it has no mean distance.
    assert full.tables["trends"]["n"].to_list() == [5, 5]
    assert full.answers[-1].startswith(("Whether", "The higher"))


def test_answers_beyond_the_taxonomy_are_refused() -> None:
    with pytest.raises(InputError, match="a answers class 9, and the taxonomy has 8 classes"):
        DISTANCE.analyse(make_material([0], {"a": [9]}), FEW)
    with pytest.raises(InputError, match="need a taxonomy"):
        DISTANCE.analyse(make_material([0], {"a": [1]}, taxonomy=None), FEW)


def test_mistakes_of_released_models_are_nearer_than_random_ones_and_the_better_the_nearer(published: Path) -> None:
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as released:
        labels, firsts = released["matched_frequency_labels"], released["matched_frequency_top1"][::4]
    names = {f"m{place}": one.astype(np.int32) for place, one in enumerate(firsts)}
    taxonomy = load_taxonomy("imagenet-1k")
    material = make_material(labels.astype(np.int32), names, taxonomy=taxonomy)
    found = DISTANCE.analyse(material, FEW)
    paths = found.tables["distances"].filter(pl.col("measure") == PATH)
    assert (paths["nearer_low"] > 0).all()
    assert (paths["mean"] < paths["marginal"]).all()
    assert (found.tables["trends"]["rank_correlation_high"] < 0).all()
    assert material.firsts is not None
    own = measure_class_distances(taxonomy).path_lengths[material.labels, material.firsts[0]]
    assert paths["mean"][0] == pytest.approx(own[own > 0].mean(), rel=1e-5)


def test_classes_may_be_farther_apart_than_any_from_those_that_are_shown() -> None:
    taxonomy = load_taxonomy("imagenet-1k")
    assert (
        measure_class_distances(taxonomy).path_lengths[0].max() < measure_class_distances(taxonomy).path_lengths.max()
    )
    shares = DISTANCE.analyse(make_material([0, 0], {"near": [1, 1]}, taxonomy=taxonomy), FEW).tables["shares"]
    assert shares.filter(pl.col("measure") == PATH)["n_mistakes"].sum() == 2
