"""Sampling as ImageNetV2 was sampled: the released parameters, the released sets, and draws from the real pool.

What annotators answered is not in the copy of the data that we have, so the frequencies in the draws are simulated; the
candidates, their classes and
the annotated original images are the real ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regauge.records.testsets.sampling import BIN_NAMES, N_BINS, PoolCandidates, SamplingPlan, Strategy, find_bins
from regauge.testsets.duplicates import find_components
from regauge.testsets.quotas import scale_counts
from regauge.testsets.sampling import Original, count_bins, sample

N_CLASSES = 1_000
N_SHOWN = 10
SETS = ("matched_frequency", "threshold07")
EXPECTED_COMPONENTS = {"matched_frequency": [1_317, 2], "threshold07": [1_612, 3, 1]}
"""Components of near-duplicates with one, two … images in the released set."""
PREFIX = 12
"""Characters of a candidate's id that the grids and the near-duplicates have."""


@pytest.fixture(scope="module")
def released(published: Path) -> dict[str, Any]:
    with np.load(published / "recht2019_imagenet_top1.npz", allow_pickle=False) as file:
        names = [f"{one}_{what}" for one in SETS for what in ("ids", "labels")]
        return {name: file[name] for name in (*names, "val_labels", "val20k_rows")}


@pytest.fixture(scope="module")
def pairs(published: Path) -> dict[str, int]:
    """The real pool: every candidate of the released grids, and the class that it was first shown for."""
    with np.load(published / "recht2019_mturk_grids.npz", allow_pickle=False) as file:
        is_candidate = file["role"] == 0
        classes = np.repeat(file["grid_class"], 48).reshape(is_candidate.shape)[is_candidate]
        prefixes = file["candidate_id_prefix"].astype(np.str_)[file["image"][is_candidate]]
    return dict(reversed(list(zip(prefixes.tolist(), classes.tolist(), strict=True))))


@pytest.fixture(scope="module")
def pool(pairs: dict[str, int]) -> PoolCandidates:
    """Its candidates with ten simulated annotators each; good candidates are the most."""
    rng = np.random.default_rng(20190213)
    n = len(pairs)
    selected = rng.binomial(N_SHOWN, rng.beta(1.2, 0.8, n))
    none = np.full(n, "")
    return PoolCandidates(
        np.array(list(pairs)), np.array(list(pairs.values())), np.full(n, N_SHOWN), selected, none, none
    )


def test_the_released_parameters_are_the_defaults(published: Path) -> None:
    parameters = json.loads((published / "recht2019_dataset_sampling_parameters.json").read_text())
    plan = SamplingPlan()
    matched, above = parameters["imagenetv2-b-33"], parameters["imagenetv2-a-44"]
    best = parameters["imagenetv2-c-12"]
    assert {one["target_size"] for one in (matched, above, best)} == {plan.per_class * N_CLASSES}
    assert above["selection_frequency_threshold"] == plan.threshold
    assert matched["min_num_val_images_per_wnid"] == plan.min_original
    # Original images need as many annotators as candidates.
    assert matched["min_num_annotations_candidates"] == matched["min_num_annotations_val"] == plan.min_annotations
    assert above["min_num_annotations"] == best["min_num_annotations"] == plan.min_annotations
    assert [name.split(",")[0] for name in BIN_NAMES[1:]] == [f"[{one}" for one in matched["histogram_bins"]]
    assert matched["allow_upward_sampling"]
    # Three classes had thresholds of their own, and every set revises an earlier one.
    assert sorted(above["wnid_thresholds"].values()) == [0.5, 0.6, 0.6]
    assert all(one["starting_from"] for one in (matched, above, best))


@pytest.mark.parametrize("name", SETS)
def test_a_released_set_has_ten_images_of_every_class_each_shown_for_that_class(
    released: dict[str, Any], pairs: dict[str, int], name: str
) -> None:
    labels = released[f"{name}_labels"]
    assert np.bincount(labels, minlength=N_CLASSES).tolist() == [10] * N_CLASSES
    shown = [
        pairs[one[:PREFIX]] == label
        for one, label in zip(released[f"{name}_ids"].astype(np.str_).tolist(), labels.tolist(), strict=True)
        if one[:PREFIX] in pairs
    ]
    # Not all grids were released; those that were show 97% of the images.
    assert len(shown) >= 9_700
    assert sum(shown) >= len(shown) - 1


@pytest.mark.parametrize("name", SETS)
def test_a_released_set_has_one_image_of_a_component_of_near_duplicates_with_few_exceptions(
    published: Path, released: dict[str, Any], name: str
) -> None:
    with np.load(published / "recht2019_near_duplicates.npz", allow_pickle=False) as file:
        ids, edges = file["ids"], file["duplicate_pairs"]
    is_original = np.char.startswith(ids, "ILSVRC") | np.char.startswith(ids, "n0") | np.char.startswith(ids, "n1")
    found = find_components(ids, edges, is_original=is_original)
    drawn = {one[:PREFIX] for one in released[f"{name}_ids"].astype(np.str_).tolist()}
    is_drawn = np.array([one in drawn for one in ids.tolist()], np.bool_)
    assert is_drawn.sum() > 100
    per_component = np.bincount(found.components[is_drawn])
    # The exceptions were released although the review calls them duplicates of each other, or of one validation image.
    assert np.bincount(per_component)[1:].tolist() == EXPECTED_COMPONENTS[name]
    assert found.has_original[is_drawn].sum() == 1


def test_every_class_has_the_annotated_originals_that_a_histogram_needs(released: dict[str, Any]) -> None:
    counts = np.bincount(released["val_labels"][released["val20k_rows"]], minlength=N_CLASSES)
    assert set(counts.tolist()) == {SamplingPlan().min_original}


def test_draws_from_the_real_pool_obey_the_targets_of_every_class(
    released: dict[str, Any], pool: PoolCandidates
) -> None:
    rng = np.random.default_rng(20191213)
    labels = released["val_labels"][released["val20k_rows"]]
    selected = rng.binomial(N_SHOWN, rng.beta(3, 1, labels.size))
    histograms = count_bins(labels, n_shown=np.full(labels.size, N_SHOWN), n_selected=selected)
    draw = sample(pool, SamplingPlan(), original=Original(histograms))
    bins = find_bins(draw.n_shown, draw.n_selected)
    drawn = np.zeros((N_CLASSES, N_BINS), np.int64)
    np.add.at(drawn, (draw.classes, bins), 1)
    targets = np.array([scale_counts(histograms[index], 10) for index in range(N_CLASSES)])
    short = {one.class_index for one in draw.shortfalls}
    upward = set(draw.classes[draw.is_upward].tolist())
    exact = [index for index in range(N_CLASSES) if index not in short | upward]
    assert len(exact) > 900
    assert (drawn[exact] == targets[exact]).all()
    # Upward sampling moves images up and never down: from every bin on there are as many as wanted, or more.
    filled = [index for index in range(N_CLASSES) if index not in short]
    from_above = (np.cumsum(drawn[filled, ::-1], axis=1) - np.cumsum(targets[filled, ::-1], axis=1))[:, :-1]
    assert from_above.min() >= 0
    assert (drawn[filled].sum(axis=1) == 10).all()
    for one in draw.shortfalls:
        assert drawn[one.class_index].sum() < 10


def test_thresholds_and_the_best_of_the_real_pool(pool: PoolCandidates) -> None:
    above = sample(pool, SamplingPlan(Strategy.THRESHOLD))
    assert (10 * above.n_selected >= 7 * above.n_shown).all()
    best = sample(pool, SamplingPlan(Strategy.TOP_IMAGES))
    means = [float((one.n_selected / one.n_shown).mean()) for one in (above, best)]
    # As in the paper, the best have a higher mean frequency than those above the threshold.
    assert means[0] < means[1]
    is_best = np.isin(pool.image_ids, best.image_ids)
    lowest, highest = np.full(N_CLASSES, N_SHOWN), np.zeros(N_CLASSES, np.int64)
    np.minimum.at(lowest, pool.classes[is_best], pool.n_selected[is_best])
    np.maximum.at(highest, pool.classes[~is_best], pool.n_selected[~is_best])
    assert (lowest >= highest).all()
