"""An invented test set, its logits on disk, and scoring them our way; shared by the timing and the memory benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import N_THREADS
from regauge.arrays import CountArray, IntArray
from regauge.evaluation.metrics import find_measures
from regauge.evaluation.outcomes import Measure, Outcome
from regauge.evaluation.subsets import EVERY_IMAGE, Parts, add_up, count_by_class, prepare_parts
from regauge.evaluation.targets import Target, line_up
from regauge.predictions.topk import find_top_k
from regauge.records.labels.label_set import LabelKind, LabelSet, Truth
from regauge.records.testsets.test_set import TestSet

N_CLASSES = 1_000
SEED = 2020
N_REAL_SHARES = (0.063, 0.788, 0.108, 0.041)
"""How many of ImageNet's images have 0, 1, 2 and (3 or more) labels in ReaL (Beyer et al. 2020)."""
MAX_REAL = len(N_REAL_SHARES) - 1

_NOTHING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Invented:
    """The truth of an invented test set, as peers want it and as Regauge does.

    Attributes:
        labels: the dataset label of every image.
        real: [n, 3], the reassessed labels of every image, −1 where there are fewer.
        target: both, lined up.
        measures: top-1, top-5 and ReaL.
    """

    labels: IntArray
    real: IntArray
    target: Target
    measures: tuple[Measure, ...]

    @property
    def lists(self) -> list[list[int]]:
        """The reassessed labels as lists."""
        return [[label for label in row if label != _NOTHING] for row in self.real.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many images have each outcome, by each measure: on the whole and per subset, and per class."""

    totals: dict[str, CountArray]
    by_class: dict[str, CountArray]

    def count_right(self, metric: str) -> int:
        """Right answers on the whole test set."""
        return int(self.totals[metric][0, Outcome.RIGHT])

    def count_right_by_class(self, metric: str) -> CountArray:
        """Right answers of each class."""
        right: CountArray = self.by_class[metric][:N_CLASSES, Outcome.RIGHT]
        return right


def draw_truth(n_images: int) -> Invented:
    """Dataset labels, and lists of up to three reassessed labels, some empty, most beginning with the dataset label."""
    rng = np.random.default_rng(SEED)
    labels = rng.integers(0, N_CLASSES, n_images).astype(np.int32)
    # Distinct for all three columns, so that no list names a class twice.
    offsets = rng.integers(1, N_CLASSES // MAX_REAL, (n_images, MAX_REAL)).cumsum(axis=1)
    real = ((labels[:, np.newaxis] + offsets) % N_CLASSES).astype(np.int32)
    real[:, 0] = np.where(rng.random(n_images) < 0.9, labels, real[:, 0])
    n_real = rng.choice(MAX_REAL + 1, n_images, p=N_REAL_SHARES)
    real = np.where(np.arange(MAX_REAL) < n_real[:, None], real, _NOTHING).astype(np.int32)
    ids = np.array([f"ILSVRC2012_val_{i + 1:08d}" for i in range(n_images)])
    lists = [[label for label in row if label != _NOTHING] for row in real.tolist()]
    label_set = LabelSet.from_lists("real", ids, correct=lists, kind=LabelKind.REAL)
    target = line_up(Truth(TestSet("invented", ids, labels), (label_set,)))
    return Invented(labels, real, target, find_measures(target))


def write_logits(path: Path, labels: IntArray, *, seed: int = SEED) -> None:
    """Normal logits, raised by three at the label, so that about half of the images come out right."""
    rng = np.random.default_rng(seed)
    logits = rng.standard_normal((len(labels), N_CLASSES), dtype=np.float32)
    logits[np.arange(len(labels)), labels] += 3
    np.save(path, logits)


def score_file(path: Path, truth: Invented, *, n_threads: int = N_THREADS) -> Counts:
    """From a file of logits to all counts."""
    return score_answers(find_top_k(np.load(path, mmap_mode="r"), n_threads=n_threads).classes, truth)


def score_answers(classes: IntArray, truth: Invented, *, parts: Parts | None = None) -> Counts:
    """Top-1, top-5 and ReaL counts by class and subset from the five best classes of every image."""
    parts = parts or prepare_parts([EVERY_IMAGE], truth.target)
    outcomes = {measure.metric: measure.judge(classes) for measure in truth.measures}
    by_class = {metric: count_by_class(codes, truth.target) for metric, codes in outcomes.items()}
    totals = {metric: add_up(by_class[metric], parts, codes=codes) for metric, codes in outcomes.items()}
    return Counts(totals, by_class)
