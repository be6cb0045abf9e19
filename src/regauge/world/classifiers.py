"""Small classifiers, really trained, with NumPy alone: from hardly better than guessing to good.

Each is a feature map and a rule. `fit_centroids` scores a class by the nearness of its mean, `fit_ridge` by ridge
regression on one-of-n targets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from regauge.records.arrays import FloatArray, IntArray

Features: TypeAlias = Callable[[FloatArray], FloatArray]
Model: TypeAlias = Callable[[FloatArray], FloatArray]
"""From images [n, side, side, 3] to one score per image and class [n, classes]."""

N_ANGLES = 8
CELL = 6


def mean_colour(images: FloatArray) -> FloatArray:
    """Average colour: says nothing of the shape."""
    colour: FloatArray = images.mean(axis=(1, 2))
    return colour


def silhouette(images: FloatArray) -> FloatArray:
    """How much the colour of every cell differs from that of the border: a coarse outline of what is there."""
    border = np.concatenate([images[:, 0], images[:, -1], images[:, :, 0], images[:, :, -1]], axis=1).mean(axis=1)
    contrast = np.linalg.norm(images - border[:, np.newaxis, np.newaxis], axis=3)
    return _pool(contrast[..., np.newaxis], cell=CELL // 2)


def edges(images: FloatArray) -> FloatArray:
    """Histograms of edge directions in every cell of a grid."""
    return _pool(_split_by_angle(images), cell=CELL)


def edge_pairs(images: FloatArray) -> FloatArray:
    """Which edge directions occur together, wherever in the image: corners against curves."""
    cells = _pool(_split_by_angle(images), cell=CELL).reshape(len(images), -1, N_ANGLES)
    products = (cells.transpose(0, 2, 1) @ cells).reshape(len(images), -1)
    return np.concatenate([np.sqrt(products), cells.reshape(len(images), -1)], axis=1)


def fit_centroids(images: FloatArray, labels: IntArray, *, features: Features, n_classes: int) -> Model:
    """Scores are minus the squared distance to each class's mean."""
    train = features(images)
    means = np.stack([train[labels == index].mean(axis=0) for index in range(n_classes)])

    def model(batch: FloatArray) -> FloatArray:
        scores: FloatArray = -((features(batch)[:, np.newaxis] - means) ** 2).sum(axis=2)
        return scores

    return model


def fit_ridge(
    images: FloatArray, labels: IntArray, *, features: Features, n_classes: int, penalty: float = 1.0
) -> Model:
    """Scores are ridge regressions on one-of-n targets, of standardised features."""
    train = features(images)
    centre, scale = train.mean(axis=0), train.std(axis=0) + 1e-9
    design = (train - centre) / scale
    targets = np.eye(n_classes)[labels] - 1 / n_classes
    gram = design.T @ design + penalty * np.eye(design.shape[1])
    weights = np.linalg.solve(gram, design.T @ targets)

    def model(batch: FloatArray) -> FloatArray:
        scores: FloatArray = ((features(batch) - centre) / scale) @ weights
        return scores

    return model


def _split_by_angle(images: FloatArray) -> FloatArray:
    """The strength of the strongest channel's edge at every pixel, in the layer of its direction [n, h, w, angles]."""
    down, across = np.gradient(images, axis=(1, 2))
    strength = down**2 + across**2
    channel = strength.argmax(axis=3)[..., np.newaxis]
    dy, dx = (np.take_along_axis(part, channel, axis=3)[..., 0] for part in (down, across))
    angle = np.floor(np.mod(np.arctan2(dy, dx), 2 * np.pi) / (2 * np.pi) * N_ANGLES).astype(int) % N_ANGLES
    layers: FloatArray = np.hypot(dy, dx)[..., np.newaxis] * (angle[..., np.newaxis] == np.arange(N_ANGLES))
    return layers


def _pool(layers: FloatArray, *, cell: int) -> FloatArray:
    """Means over square cells, one row per image."""
    n, side = layers.shape[0], layers.shape[1] // cell
    cells: FloatArray = layers.reshape(n, side, cell, side, cell, -1).mean(axis=(2, 4)).reshape(n, -1)
    return cells
