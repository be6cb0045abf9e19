"""Models of the embedded world, really trained on its training set: from guessing by colour to good.

Four rules on growing features: nearest class mean, nearest neighbours, logistic regression and ridge regression. They
stand for the long history of a benchmark, so that better models do better on every set drawn the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from regauge.arrays import IntArray, ScoreArray
from regauge.errors import InputError
from regauge.records.predictions import Predictions
from regauge.world.collections import Collection
from regauge.world.features import (
    Features,
    PatchFilters,
    colour_histogram,
    fit_patches,
    gradients,
    thumbnail,
)
from regauge.world.objects import CLASS_IDS

Rule: TypeAlias = Callable[[ScoreArray], ScoreArray]
"""From features [n, features] to one score per class [n, classes]."""

Fit: TypeAlias = Callable[[ScoreArray, IntArray], Rule]
"""From training features and labels to a rule."""

TOP = 5
N_NEIGHBOURS = 9
N_FILTERS = (4, 8, 16, 32, 64, 128)
"""Sizes of the random-patch models; a smaller one uses the first filters of the largest."""

_CLASSES = len(CLASS_IDS)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A trained model.

    Attributes:
        name: what outputs call it: its features and its rule.
        features: which of the measured features it uses, side by side.
        n_features: how many of their columns, from the first; all where None.
        rule: what it makes of them.
    """

    name: str
    features: tuple[str, ...]
    n_features: int | None
    rule: Rule

    def score(self, measured: Mapping[str, ScoreArray]) -> ScoreArray:
        """One score per picture and class, from the features by name."""
        return self.rule(_choose_columns(measured, self.features, self.n_features))


@dataclass(frozen=True, slots=True, eq=False)
class ModelZoo:
    """All models and what they look at.

    Attributes:
        features: how each named feature is measured.
        models: from the plainest features to the richest.
    """

    features: dict[str, Features]
    models: tuple[Model, ...]

    def predict(self, *collections: Collection) -> tuple[tuple[Predictions, ...], ...]:
        """Every model's five best answers, for each collection in turn; each feature is measured once."""
        return tuple(self._predict_one(collection) for collection in collections)

    def _predict_one(self, collection: Collection) -> tuple[Predictions, ...]:
        measured = {name: measure(collection.images) for name, measure in self.features.items()}
        return tuple(choose_best(model.name, model.score(measured), collection=collection) for model in self.models)


def choose_best(name: str, scores: ScoreArray, *, collection: Collection) -> Predictions:
    """The five classes with the highest scores, best first; the lower class index first where scores are equal."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :TOP].astype(np.int32)
    return Predictions(name, collection.image_ids, order, np.take_along_axis(scores, order, axis=1).astype(np.float32))


def train_models(training: Collection, *, rng: np.random.Generator, n_filters: Sequence[int] = N_FILTERS) -> ModelZoo:
    """Train every model on the dataset labels of a collection, mislabeled pictures included.

    Args:
        training: the pictures to learn from.
        rng: where the random patches come from.
        n_filters: sizes of the random-patch models.

    Raises:
        InputError: a class has no picture, or a size is below 1.
    """
    return train_with_filters(training, choose_filters(training, rng=rng, n_filters=n_filters), n_filters=n_filters)


def choose_filters(training: Collection, *, rng: np.random.Generator, n_filters: Sequence[int]) -> PatchFilters:
    """All of the training that is left to chance, and a small part of it; see `train_models`."""
    _check_classes(training)
    if not n_filters or min(n_filters) < 1:
        raise InputError(f"Random-patch models need at least one filter, not {list(n_filters)}.")
    return fit_patches(training.images, max(n_filters), rng=rng)


def train_with_filters(training: Collection, filters: PatchFilters, *, n_filters: Sequence[int]) -> ModelZoo:
    """The rest of the training, which may be done elsewhere; see `train_models`."""
    features = _name_features(filters)
    measured = {name: measure(training.images) for name, measure in features.items()}
    recipes = (*_PLAIN, *_make_patch_recipes(filters, n_filters))
    models = tuple(_train(recipe, measured, training.labels) for recipe in recipes)
    return ModelZoo(features, models)


def _check_classes(training: Collection) -> None:
    missing = sorted(set(range(_CLASSES)) - set(training.labels.tolist()))
    if missing:
        names = ", ".join(CLASS_IDS[index] for index in missing)
        raise InputError(f"Collection {training.name} has no picture of {names}; models learn from every class.")


@dataclass(frozen=True, slots=True, eq=False)
class _Recipe:
    """A model before its training."""

    name: str
    features: tuple[str, ...]
    fit: Fit
    n_features: int | None = None


def _train(recipe: _Recipe, measured: Mapping[str, ScoreArray], labels: IntArray) -> Model:
    rule = recipe.fit(_choose_columns(measured, recipe.features, recipe.n_features), labels)
    return Model(recipe.name, recipe.features, recipe.n_features, rule)


def _choose_columns(measured: Mapping[str, ScoreArray], names: tuple[str, ...], n_features: int | None) -> ScoreArray:
    parts = [measured[name] for name in names]
    return (parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1))[:, :n_features]


def _name_features(filters: PatchFilters) -> dict[str, Features]:
    return {
        "histogram": colour_histogram,
        "thumbnail": partial(thumbnail, side=16),
        "gradients": gradients,
        "patches": filters.measure,
    }


def _make_patch_recipes(filters: PatchFilters, n_filters: Sequence[int]) -> Iterator[_Recipe]:
    width = filters.n_features_each
    for n in n_filters:
        yield _Recipe(f"patches-{n}-ridge", ("patches",), fit_ridge, n * width)


def fit_centroids(features: ScoreArray, labels: IntArray) -> Rule:
    """Scores are minus the squared distance to each class's mean, up to a term that all classes share."""
    means = np.stack([features[labels == index].mean(axis=0) for index in range(_CLASSES)])
    lengths = (means * means).sum(axis=1)

    def rule(batch: ScoreArray) -> ScoreArray:
        return np.asarray(2 * batch @ means.T - lengths, np.float32)

    return rule


def fit_neighbours(features: ScoreArray, labels: IntArray) -> Rule:
    """Scores are shares of the nearest training pictures, a nearer one counting a little more so that ties are rare."""
    lengths = (features * features).sum(axis=1)
    votes = np.eye(_CLASSES, dtype=np.float32)[labels]

    def rule(batch: ScoreArray) -> ScoreArray:
        distances = lengths - 2 * batch @ features.T
        nearest = np.argpartition(distances, N_NEIGHBOURS, axis=1)[:, :N_NEIGHBOURS]
        ranks = np.take_along_axis(distances, nearest, axis=1).argsort(axis=1).argsort(axis=1)
        weights = (1 - 0.05 * ranks).astype(np.float32)
        return np.asarray(np.einsum("nk,nkc->nc", weights, votes[nearest]) / np.float32(N_NEIGHBOURS), np.float32)

    return rule


def fit_ridge(features: ScoreArray, labels: IntArray, *, penalty: float = 300.0) -> Rule:
    """Scores are ridge regressions on one-of-n targets, of standardised features."""
    centre, scale = _find_scale(features)
    design = (features - centre) / scale
    gram = design.T @ design
    gram[np.diag_indices_from(gram)] += np.float32(penalty)
    targets = np.eye(_CLASSES, dtype=np.float32)[labels] - np.float32(1 / _CLASSES)
    weights = np.linalg.solve(gram, design.T @ targets)

    def rule(batch: ScoreArray) -> ScoreArray:
        return np.asarray(((batch - centre) / scale) @ weights, np.float32)

    return rule


def fit_logistic(features: ScoreArray, labels: IntArray, *, penalty: float = 1e-3, n_steps: int = 80) -> Rule:
    """Scores are log probabilities of a multinomial logistic regression, by Nesterov's accelerated gradient steps.

    The steps are matrix products of NumPy alone. SciPy's optimisers bring a second pool of threads, and on a busy machine
    the fit was then several times as slow.
    """
    centre, scale = _find_scale(features)
    design = np.concatenate([(features - centre) / scale, np.ones((len(features), 1), np.float32)], axis=1)
    targets = np.eye(_CLASSES, dtype=np.float32)[labels]
    weights: ScoreArray = np.zeros((design.shape[1], _CLASSES), np.float32)
    ahead = weights
    # The slope of the penalised likelihood changes at most half as fast as the largest eigenvalue of the design.
    rate = np.float32(1 / (0.5 * _find_largest_eigenvalue(design) + penalty))
    for step in range(n_steps):
        surplus = np.exp(_log_softmax(design @ ahead)) - targets
        slope = np.asarray(design.T @ surplus / len(design) + penalty * ahead, np.float32)
        before, weights = weights, ahead - rate * slope
        ahead = weights + np.float32(step / (step + 3)) * (weights - before)

    def rule(batch: ScoreArray) -> ScoreArray:
        return _log_softmax(((batch - centre) / scale) @ weights[:-1] + weights[-1])

    return rule


def _find_largest_eigenvalue(design: ScoreArray) -> float:
    """Of the design's mean square, by power iteration; a tenth is added, for the iteration comes from below."""
    vector: ScoreArray = np.ones(design.shape[1], np.float32)
    length = 1.0
    for _ in range(20):
        vector = np.asarray(design.T @ (design @ vector) / len(design), np.float32)
        length = float(np.linalg.norm(vector))
        vector /= np.float32(length)
    return 1.1 * length


def _find_scale(features: ScoreArray) -> tuple[ScoreArray, ScoreArray]:
    return features.mean(axis=0), features.std(axis=0) + np.float32(1e-3)


def _log_softmax(values: ScoreArray) -> ScoreArray:
    shifted = values - values.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float32)


_PLAIN: tuple[_Recipe, ...] = (
    _Recipe("histogram-centroids", ("histogram",), fit_centroids),
    _Recipe("thumbnail-centroids", ("thumbnail",), fit_centroids),
    _Recipe("thumbnail-neighbours", ("thumbnail",), fit_neighbours),
    _Recipe("histogram-logistic", ("histogram",), fit_logistic),
    _Recipe("gradients-centroids", ("gradients",), fit_centroids),
    _Recipe("gradients-neighbours", ("gradients",), fit_neighbours),
    _Recipe("gradients-logistic", ("gradients",), fit_logistic),
    _Recipe("gradients-histogram-logistic", ("gradients", "histogram"), fit_logistic),
)
