"""The models are really trained: each rule against its definition, and all of them on the reduced world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from regauge.arrays import BoolArray
from regauge.errors import InputError
from regauge.records.labels.verdicts import Verdict
from regauge.records.predictions import Predictions
from regauge.world.collections import ORIGINAL, Collection, gather
from regauge.world.features import PATCH_GRID, colour_histogram, fit_patches, gradients, thumbnail
from regauge.world.models import N_FILTERS, fit_centroids, fit_logistic, fit_neighbours, fit_ridge, train_models
from regauge.world.objects import CLASS_IDS

N_CLASSES = len(CLASS_IDS)


@pytest.fixture(scope="module")
def answers(world, zoo):
    return zoo.predict(world.original, world.pool)


@pytest.fixture
def blobs(rng):
    """Points around one centre per class."""
    centres = rng.normal(0, 2, size=(N_CLASSES, 12))
    labels = np.arange(640, dtype=np.int32) % N_CLASSES
    return (centres[labels] + rng.normal(size=(640, 12))).astype(np.float32), labels


def find_right(predictions: Predictions, collection: Collection) -> BoolArray:
    """Which first answers are the dataset label, on the pictures whose label is correct."""
    kept = collection.label_verdicts == Verdict.CORRECT
    return np.asarray((predictions.classes[:, 0] == collection.labels)[kept], np.bool_)


def test_there_are_at_least_twelve_models(zoo):
    n_plain = sum(not model.name.startswith("patches") for model in zoo.models)
    assert n_plain + len(N_FILTERS) >= 12
    assert len({model.name for model in zoo.models}) == len(zoo.models)


def test_accuracies_span_at_least_thirty_five_points(world, answers):
    accuracies = [float((p.classes[:, 0] == world.original.labels).mean()) for p in answers[0]]
    assert max(accuracies) - min(accuracies) >= 0.35
    assert min(accuracies) > 2 / N_CLASSES, "even the plainest model is better than guessing"


def test_every_model_is_worse_on_the_pool_and_the_mean_gap_is_beyond_chance(world, answers):
    original = np.stack([find_right(p, world.original) for p in answers[0]]).astype(float)
    pool = np.stack([find_right(p, world.pool) for p in answers[1]]).astype(float)
    gaps = original.mean(axis=1) - pool.mean(axis=1)
    assert (gaps > -0.02).all()
    assert (gaps > 0).mean() > 0.8
    # Models err together, so the interval is over pictures: each counts by the share of models that get it right.
    error = np.hypot(*(share.mean(axis=0).std(ddof=1) / np.sqrt(share.shape[1]) for share in (original, pool)))
    assert gaps.mean() - 1.96 * error > 0
    assert gaps.mean() < 0.15, "the shift is subtle"


def test_better_models_stay_better(world, answers):
    accuracies = [
        np.array([find_right(p, collection).mean() for p in predictions])
        for predictions, collection in zip(answers, (world.original, world.pool), strict=True)
    ]
    ranks = [values.argsort().argsort() for values in accuracies]
    assert np.asarray(np.corrcoef(ranks))[0, 1] > 0.85


def test_answers_are_five_with_falling_scores(world, answers):
    for predictions in answers[0]:
        assert predictions.classes.shape == (len(world.original), 5)
        assert predictions.scores is not None
        assert (np.diff(predictions.scores, axis=1) <= 0).all()
        assert predictions.image_ids.tolist() == world.original.image_ids.tolist()


def test_training_again_gives_the_same_answers(world):
    few = gather(ORIGINAL, 96, rng=np.random.default_rng(6))
    once, again = (train_models(few, rng=np.random.default_rng(1), n_filters=(4,)).predict(few)[0] for _ in range(2))
    assert len(once) == 9
    for first, second in zip(once, again, strict=True):
        assert first.participant == second.participant
        assert np.array_equal(first.classes, second.classes)


@pytest.mark.parametrize("n_filters", [(), (0, 4)])
def test_a_patch_model_needs_filters(world, n_filters):
    with pytest.raises(InputError, match="at least one filter"):
        train_models(world.training, rng=np.random.default_rng(1), n_filters=n_filters)


def test_a_class_without_pictures_is_named(world):
    few = replace(world.training, labels=np.maximum(world.training.labels, 2))
    with pytest.raises(InputError, match="no picture of bun, bagel;"):
        train_models(few, rng=np.random.default_rng(1))


def test_centroids_choose_the_nearest_mean(blobs):
    features, labels = blobs
    means = np.stack([features[labels == index].mean(axis=0) for index in range(N_CLASSES)])
    distances = ((features[:, np.newaxis] - means) ** 2).sum(axis=2)
    assert np.array_equal(fit_centroids(features, labels)(features).argmax(axis=1), distances.argmin(axis=1))


def test_neighbours_vote_and_the_nearer_counts_more(blobs):
    features, labels = blobs
    scores = fit_neighbours(features, labels)(features[:50])
    for row in range(50):
        nearest = np.argsort(((features[row] - features) ** 2).sum(axis=1))[:9]
        votes = np.zeros(N_CLASSES)
        for rank, other in enumerate(nearest):
            votes[labels[other]] += (1 - 0.05 * rank) / 9
        assert scores[row] == pytest.approx(votes, abs=1e-5)


def test_ridge_is_least_squares_with_the_penalty_as_further_rows(blobs):
    features, labels = blobs
    design = (features - features.mean(axis=0)) / (features.std(axis=0) + 1e-3)
    targets = np.eye(N_CLASSES)[labels] - 1 / N_CLASSES
    rows = np.concatenate([design, np.sqrt(50) * np.eye(12)])
    weights = np.linalg.lstsq(rows, np.concatenate([targets, np.zeros((12, N_CLASSES))]), rcond=None)[0]
    assert fit_ridge(features, labels, penalty=50)(features) == pytest.approx(design @ weights, abs=1e-4)


def test_logistic_regression_stands_where_its_slope_is_zero(blobs):
    features, labels = blobs
    scores = fit_logistic(features, labels, penalty=0.05, n_steps=400)(features)
    probabilities = np.exp(scores)
    assert probabilities.sum(axis=1) == pytest.approx(1, abs=1e-5)
    # At the optimum slope = −penalty · weight; with balanced classes the constant has weight 0 by symmetry of the slope's sum.
    surplus = (probabilities - np.eye(N_CLASSES)[labels]).mean(axis=0)
    assert np.abs(surplus).max() < 0.02
    assert (scores.argmax(axis=1) == labels).mean() > 0.9


def test_colour_histograms_count_every_pixel(world):
    shares = colour_histogram(world.original.images[:10]) ** 2
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_gradients_see_edges_and_their_direction():
    images = np.zeros((2, 64, 64, 3), np.uint8)
    images[0, :, 32:] = 200
    images[1, 32:] = 200
    cells = gradients(images).reshape(2, 8, 8, 8).sum(axis=(1, 2))
    assert (cells > 0).sum(axis=1).tolist() == [1, 1]
    assert cells[0].argmax() != cells[1].argmax()


def test_a_thumbnail_does_not_see_how_light_the_picture_is():
    dark = np.arange(64 * 64 * 3, dtype=np.uint16).reshape(1, 64, 64, 3) % 100
    assert thumbnail((dark + 100).astype(np.uint8), side=8) == pytest.approx(
        thumbnail(dark.astype(np.uint8), side=8), abs=1e-6
    )


def test_the_first_filters_of_a_large_model_are_those_of_a_small_one(world):
    filters = fit_patches(world.training.images, 8, rng=np.random.default_rng(3))
    some = filters.measure(world.original.images[:5])
    assert some.shape == (5, 8 * filters.n_features_each)
    assert filters.n_features_each == 2 * PATCH_GRID**2
    assert (some >= 0).all()
    first = type(filters)(filters.weights[:, :3], filters.mean, filters.threshold).measure(world.original.images[:5])
    assert some[:, : first.shape[1]] == pytest.approx(first, abs=1e-3)
