"""Confusion matrices of 1,000 participants × 50,000 images over classes and superclasses, against scikit-learn and NumPy."""

from __future__ import annotations

from functools import partial
from importlib import import_module

import numpy as np

from benchmarks.harness import N_THREADS, Role, Variant, Workload, compare, find_peer
from regauge.arrays import CountArray, IntArray
from regauge.evaluation.context.confusions.answers import give_one_each
from regauge.evaluation.context.confusions.cells import count_confusions, list_cells
from regauge.evaluation.context.confusions.levels import ConfusionLevel, make_group_levels
from regauge.formats.taxonomies import load_taxonomy

N_PARTICIPANTS, N_IMAGES, N_CLASSES = 1_000, 50_000, 1_000
N_SLOW = 10
"""Participants whom the peers do, which are too slow for all."""
SECONDS_LIMIT = 5
SEED = 30


def make_answers() -> tuple[IntArray, IntArray]:
    """Labels, and answers that are right on 60% to 95% of the images and else near the label three times in four."""
    rng = np.random.default_rng(SEED)
    labels = rng.permutation(np.arange(N_IMAGES) % N_CLASSES).astype(np.int32)
    firsts = np.empty((N_PARTICIPANTS, N_IMAGES), np.int32)
    for place in range(N_PARTICIPANTS):
        near = (labels + rng.integers(1, 12, N_IMAGES)) % N_CLASSES
        wrong = np.where(rng.random(N_IMAGES) < 0.75, near, rng.integers(0, N_CLASSES, N_IMAGES))
        firsts[place] = np.where(rng.random(N_IMAGES) < rng.uniform(0.6, 0.95), labels, wrong)
    return labels, firsts


def count_ours(labels: IntArray, firsts: IntArray, level: ConfusionLevel) -> CountArray:
    """The matrices over groups; those over classes come with them."""
    return count_confusions(labels, firsts, n_classes=N_CLASSES, levels=[level]).groups[0]


def count_with_numpy(labels: IntArray, firsts: IntArray, group_of: CountArray) -> list[CountArray]:
    """Counts of labels and answers as numbers of cells, then the sums of blocks."""
    matrices = []
    n_groups = int(group_of.max()) + 1
    blocks = (group_of[:, np.newaxis] * n_groups + group_of).ravel()
    for answers in firsts:
        matrix = np.bincount(labels.astype(np.int64) * N_CLASSES + answers, minlength=N_CLASSES**2)
        matrices.append(np.bincount(blocks, matrix, n_groups**2).reshape(n_groups, n_groups).astype(np.int64))
    return matrices


def count_with_sklearn(labels: IntArray, firsts: IntArray, group_of: CountArray) -> list[CountArray]:
    """Both matrices of each participant."""
    metrics = import_module("sklearn.metrics")
    matrices = []
    for answers in firsts:
        metrics.confusion_matrix(labels, answers, labels=np.arange(N_CLASSES))
        matrices.append(metrics.confusion_matrix(group_of[labels], group_of[answers]))
    return matrices


def run() -> Workload:
    labels, firsts = make_answers()
    level = next(one for one in make_group_levels(load_taxonomy("imagenet-1k")) if one.grouping == "superclass")
    few, share = firsts[:N_SLOW], N_SLOW / N_PARTICIPANTS
    # Every class is in one superclass.
    group_of = level.groups
    ours = count_ours(labels, few, level)
    np.testing.assert_array_equal(ours, count_with_numpy(labels, few, group_of))
    variants = [
        Variant(
            "count_confusions", partial(count_ours, labels, firsts, level), Role.OURS, N_THREADS, gives="cells, 11 × 11"
        ),
        Variant("NumPy bincount", partial(count_with_numpy, labels, few, group_of), fraction=share, gives="11 × 11"),
        Variant("sum of the answers", lambda: int(firsts.sum(dtype=np.int64)), Role.FLOOR, gives="one number"),
    ]
    missing = []
    if find_peer("sklearn") is None:
        missing.append("scikit-learn")
    else:
        np.testing.assert_array_equal(ours, count_with_sklearn(labels, few, group_of))
        peer = partial(count_with_sklearn, labels, few, group_of)
        variants.insert(1, Variant("scikit-learn confusion_matrix", peer, fraction=share, gives="both matrices"))
    one = give_one_each("one", firsts[0], labels=labels)
    listed = [
        Variant("list_cells of one", partial(list_cells, one, labels=labels), Role.OURS, gives="cells with images"),
        Variant("sum of the answers", lambda: int(firsts[0].sum(dtype=np.int64)), Role.FLOOR, gives="one number"),
    ]
    return Workload(
        f"Confusion of {N_PARTICIPANTS:,} participants × {N_IMAGES:,} images",
        f"Over {N_CLASSES:,} classes and the 11 superclasses. The matrices over superclasses were checked to be equal. To take "
        f"less than {SECONDS_LIMIT} s, and a tenth of what scikit-learn takes. Ours gives those over classes as cells.",
        (
            compare("Everybody's matrices", variants, missing=missing, n_rounds=3),
            compare("The cells of one participant with their images, for a page", listed),
        ),
    )


if __name__ == "__main__":
    print(run().to_markdown())
