"""What a model looks at: from the colours of a picture to the answers of hundreds of random patches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from regauge.arrays import ScoreArray

ImageArray: TypeAlias = NDArray[np.uint8]
Features: TypeAlias = Callable[[ImageArray], ScoreArray]
"""From pictures [n, side, side, 3] to one row of numbers each."""

N_ANGLES = 8
CHUNK = 128
"""Pictures worked on at once: their intermediate values fit into the processor's cache."""

PATCH_SIDE = 6
PATCH_STEP = 2
PATCH_GRID = 3
"""Answers of patches are summed over this many parts of the picture in each direction."""

_FIT_PATCHES = 20_000
_WHITENING_FLOOR = 0.02


def colour_histogram(images: ImageArray) -> ScoreArray:
    """Share of pixels in each of 6 × 6 × 6 boxes of colour, as square roots, so that small shares count too."""
    boxes = (images.astype(np.uint16) * 6) >> 8
    codes = (boxes[..., 0] * 36 + boxes[..., 1] * 6 + boxes[..., 2]).reshape(len(images), -1)
    places = codes + np.arange(len(images), dtype=np.int64)[:, np.newaxis] * 216
    counts = np.bincount(places.ravel(), minlength=len(images) * 216).reshape(len(images), 216)
    return np.sqrt(counts / np.float32(codes.shape[1])).astype(np.float32)


def thumbnail(images: ImageArray, *, side: int) -> ScoreArray:
    """The picture shrunk to side × side pixels, its own mean taken off."""
    small = np.concatenate([_shrink(chunk, side) for chunk in _split(images)])
    return np.asarray((small - small.mean(axis=(1, 2), keepdims=True)).reshape(len(images), -1), np.float32)


def gradients(images: ImageArray) -> ScoreArray:
    """Histograms of edge directions in the cells of an 8 × 8 grid, as square roots."""
    return np.concatenate([_measure_edges(chunk) for chunk in _split(images)])


def _measure_edges(images: ImageArray) -> ScoreArray:
    grey = images @ np.array([0.30, 0.55, 0.15], np.float32) / np.float32(255)
    down, across = np.zeros_like(grey), np.zeros_like(grey)
    down[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    across[:, :, 1:-1] = grey[:, :, 2:] - grey[:, :, :-2]
    strength = np.hypot(down, across)
    angle = np.floor(np.arctan2(down, across) * np.float32(N_ANGLES / (2 * np.pi))).astype(np.int64) % N_ANGLES
    n, side, _ = grey.shape
    cell = side // 8
    cells = np.arange(side) // cell
    place = (cells[:, np.newaxis] * 8 + cells) * N_ANGLES
    codes = np.arange(n)[:, np.newaxis, np.newaxis] * (64 * N_ANGLES) + place + angle
    sums = np.bincount(codes.ravel(), weights=strength.ravel(), minlength=n * 64 * N_ANGLES)
    return np.asarray(np.sqrt(sums.reshape(n, -1) / cell**2), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class PatchFilters:
    """Random patches of training pictures, whitened: the filters of Coates, Lee and Ng (2011).

    A picture's features are how strongly each filter answers, for and against, in each part of the picture. Recht et al.
    (2019) use the same features with ridge regression as the baseline from before deep networks.

    Attributes:
        weights: one column per filter [patch, filters].
        mean: the mean patch, taken off before.
        threshold: an answer counts by what it has above this.
    """

    weights: ScoreArray
    mean: ScoreArray
    threshold: float

    @property
    def n_features_each(self) -> int:
        """How many features each filter gives."""
        return 2 * PATCH_GRID**2

    def measure(self, images: ImageArray) -> ScoreArray:
        """Features [n, parts × filters × 2] in an order in which the first k filters' features come first."""
        n_filters = self.weights.shape[1]
        rows = np.empty((len(images), PATCH_GRID**2, n_filters, 2), np.float32)
        for start in range(0, len(images), CHUNK):
            rows[start : start + CHUNK] = self._measure_chunk(images[start : start + CHUNK])
        return rows.transpose(0, 2, 1, 3).reshape(len(images), -1)

    def _measure_chunk(self, images: ImageArray) -> ScoreArray:
        patches = _cut_patches(images)
        n, across = patches.shape[0], patches.shape[1]
        answers = (_normalise(patches.reshape(-1, patches.shape[-1])) - self.mean) @ self.weights
        answers = answers.reshape(n, across * across, -1)
        parts = _divide(across)
        above = parts @ np.maximum(answers - self.threshold, 0)
        below = parts @ np.maximum(-answers - self.threshold, 0)
        return np.stack([above, below], axis=-1)


@lru_cache(maxsize=4)
def _divide(across: int) -> ScoreArray:
    """A matrix that sums over the places of each part of a picture [parts, places]."""
    part = np.arange(across) * PATCH_GRID // across
    number = (part[:, np.newaxis] * PATCH_GRID + part).ravel()
    return np.asarray((number == np.arange(PATCH_GRID**2)[:, np.newaxis]), np.float32)


def fit_patches(images: ImageArray, n_filters: int, *, rng: np.random.Generator) -> PatchFilters:
    """Filters from patches at random places of training pictures, whitened by the patches' own covariance."""
    chosen = images[rng.choice(len(images), size=min(len(images), 400), replace=False)]
    patches = _cut_patches(chosen)
    patches = patches.reshape(-1, patches.shape[-1])
    some = _normalise(patches[rng.choice(len(patches), size=min(len(patches), _FIT_PATCHES), replace=False)])
    mean = some.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov((some - mean).T.astype(np.float64)))
    whitening = (vectors / np.sqrt(values + _WHITENING_FLOOR)) @ vectors.T
    white = (some[rng.choice(len(some), size=n_filters, replace=False)] - mean) @ whitening
    white /= np.linalg.norm(white, axis=1, keepdims=True) + 1e-9
    return PatchFilters((whitening @ white.T).astype(np.float32), mean, threshold=0.5)


def _cut_patches(images: ImageArray) -> ScoreArray:
    """All patches of the pictures at half size, one row each, every second in both directions [n, rows, columns, patch]."""
    half = np.ascontiguousarray(_shrink(images, images.shape[1] // 2))
    windows = np.lib.stride_tricks.sliding_window_view(half, (PATCH_SIDE, PATCH_SIDE), axis=(1, 2))
    windows = windows[:, ::PATCH_STEP, ::PATCH_STEP]
    return windows.reshape(*windows.shape[:3], -1)


def _normalise(patches: ScoreArray) -> ScoreArray:
    """Patches with mean 0 and about unit contrast."""
    centred = patches - patches.mean(axis=1, keepdims=True)
    return np.asarray(
        centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(0.0015)), np.float32
    )


def _shrink(images: ImageArray, side: int) -> ScoreArray:
    """Means over square cells, in [0, 1]; the side of the pictures is a power of two times the new side."""
    small = images.astype(np.float32)
    while small.shape[1] > side:
        small = small[:, ::2] + small[:, 1::2]
        small = (small[:, :, ::2] + small[:, :, 1::2]) * np.float32(0.25)
    return small / np.float32(255)


def _split(images: ImageArray) -> Iterator[ImageArray]:
    return (images[start : start + CHUNK] for start in range(0, len(images), CHUNK))
