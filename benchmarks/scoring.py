"""An invented test set, its logits on disk, and scoring them our way; shared by the timing and the memory benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import N_THREADS
from regauge.predictions.topk import find_top_k
from regauge.records.arrays import CountArray, IntArray

N_CLASSES = 1_000
SEED = 2020
EMPTY_SHARE = 0.06
MAX_REAL = 3

_NOTHING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The truth of an invented test set.

    Attributes:
        labels: the dataset label of every image.
        real: [n, 3], the reassessed labels of every image, −1 where there are fewer.
    """

    labels: IntArray
    real: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many images are right by each measure, and top-1 by class."""

    n_top1: int
    n_top5: int
    n_real: int
    n_real_top5: int
    n_by_class: CountArray
    n_top1_by_class: CountArray


def draw_truth(n_images: int) -> Truth:
    """Dataset labels, and lists of up to three reassessed labels, some empty, most beginning with the dataset label."""
    rng = np.random.default_rng(SEED)
    labels = rng.integers(0, N_CLASSES, n_images).astype(np.int32)
    real = rng.integers(0, N_CLASSES, (n_images, MAX_REAL)).astype(np.int32)
    real[:, 0] = np.where(rng.random(n_images) < 0.9, labels, real[:, 0])
    n_real = np.where(rng.random(n_images) < EMPTY_SHARE, 0, rng.integers(1, MAX_REAL + 1, n_images))
    return Truth(labels, np.where(np.arange(MAX_REAL) < n_real[:, None], real, _NOTHING).astype(np.int32))


def write_logits(path: Path, labels: IntArray, *, seed: int = SEED) -> None:
    """Normal logits, raised by three at the label, so that about half of the images come out right."""
    rng = np.random.default_rng(seed)
    logits = rng.standard_normal((len(labels), N_CLASSES), dtype=np.float32)
    logits[np.arange(len(labels)), labels] += 3
    np.save(path, logits)


def score_file(path: Path, truth: Truth, *, n_threads: int = N_THREADS) -> Counts:
    """From a file of logits to all counts."""
    return score_ours(find_top_k(np.load(path, mmap_mode="r"), n_threads=n_threads).classes, truth)


# To be replaced by the counting of regauge.evaluation; nothing else in the benchmarks knows how answers are counted.
def score_ours(classes: IntArray, truth: Truth) -> Counts:
    """Top-1, top-5, ReaL and per-class counts from the five best classes of every image."""
    is_label = classes == truth.labels[:, None]
    is_real = np.zeros_like(is_label)
    for column in truth.real.T:
        is_real |= classes == column[:, None]
    return Counts(
        n_top1=int(is_label[:, 0].sum()),
        n_top5=int(is_label.sum()),
        n_real=int(is_real[:, 0].sum()),
        n_real_top5=int(is_real.any(axis=1).sum()),
        n_by_class=np.bincount(truth.labels, minlength=N_CLASSES),
        n_top1_by_class=np.bincount(truth.labels[is_label[:, 0]], minlength=N_CLASSES),
    )
