"""Random subsets of the classes, and the exact McNemar test of all pairs: time against loops."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from types import ModuleType

import numpy as np

from benchmarks.harness import N_THREADS, Role, Variant, Workload, compare, find_peer
from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.stats.all_pairs import count_open_pairs, find_open_p
from regauge.stats.paired import count_discordant_pairs, exact_mcnemar
from regauge.stats.subsampling import ClassSubsampling, class_subsampling

N_PARTICIPANTS = 77
N_CLASSES = 1_000
N_PER_CLASS = 40
N_DROPPED = 118
N_DRAWS = 1_000
N_LOOP = 20
N_PAIRED = 77
N_IMAGES = 2_000
N_PAIRS = N_PAIRED * (N_PAIRED - 1) // 2
SEED = 2020


def draw_answers() -> tuple[BoolArray, CountArray]:
    """Who is right on 40,000 images, and their classes."""
    rng = np.random.default_rng(SEED)
    labels = np.repeat(np.arange(N_CLASSES), N_PER_CLASS)
    share = rng.beta(6, 2, N_CLASSES)[labels]
    return rng.random((N_PARTICIPANTS, labels.size)) < share, labels


def subsample(right: BoolArray, labels: CountArray) -> ClassSubsampling:
    """From answers by image: count by class once, then draw."""
    starts = np.arange(0, labels.size, N_PER_CLASS)
    n_correct = np.add.reduceat(right, starts, axis=1, dtype=np.int64)
    is_kept = np.arange(N_CLASSES) >= N_DROPPED
    rng = np.random.default_rng(SEED)
    return class_subsampling(n_correct, np.bincount(labels), is_kept=is_kept, rng=rng, n_draws=N_DRAWS)


def loop_over_draws(right: BoolArray, labels: CountArray) -> FloatArray:
    """Find the images of the drawn classes with np.isin, and average them."""
    rng = np.random.default_rng(SEED)
    accuracies = []
    for _ in range(N_LOOP):
        drawn = rng.choice(N_CLASSES, N_CLASSES - N_DROPPED, replace=False)
        accuracies.append(right[:, np.isin(labels, drawn)].mean(axis=1))
    return np.array(accuracies)


def find_all_p_values(right: BoolArray) -> FloatArray:
    return exact_mcnemar(*count_discordant_pairs(right))


def find_all_open_p_values(right: BoolArray) -> FloatArray:
    """What `regauge humans` does: with one prediction in twenty that nobody has judged."""
    rng = np.random.default_rng(SEED)
    unjudged = rng.random(right.shape) < 0.05
    answers = rng.integers(0, 5, right.shape)
    return find_open_p(count_open_pairs(right & ~unjudged, unjudged, is_counted=np.ones_like(right), answers=answers))


def loop_over_pairs(tables: ModuleType, right: BoolArray, n_pairs: int) -> list[float]:
    """NumPy counts and statsmodels, pair by pair."""
    p = []
    for i, j in list(combinations(range(N_PAIRED), 2))[:n_pairs]:
        b, c = np.count_nonzero(right[i] & ~right[j]), np.count_nonzero(right[j] & ~right[i])
        p.append(float(tables.mcnemar([[0, b], [c, 0]], exact=True).pvalue))
    return p


def compare_subsampling() -> str:
    right, labels = draw_answers()
    variants = [
        Variant(
            "class_subsampling, counting included", partial(subsample, right, labels), Role.OURS, n_threads=N_THREADS
        ),
        Variant("np.isin loop", partial(loop_over_draws, right, labels), fraction=N_LOOP / N_DRAWS),
    ]
    heading = f"{N_PARTICIPANTS} participants × {labels.size:,} images, {N_CLASSES - N_DROPPED} classes drawn {N_DRAWS:,} times"
    return compare(heading, variants)


def compare_pairs() -> str:
    right = np.random.default_rng(SEED).random((N_PAIRED, N_IMAGES)) < 0.8
    variants = [
        Variant(
            "count_discordant_pairs, exact_mcnemar", partial(find_all_p_values, right), Role.OURS, n_threads=N_THREADS
        )
    ]
    variants.append(
        Variant(
            "count_open_pairs with unjudged predictions, find_open_p",
            partial(find_all_open_p_values, right),
            Role.OURS,
            n_threads=N_THREADS,
        )
    )
    tables = find_peer("statsmodels.stats.contingency_tables")
    if tables is not None:
        n_few = N_PAIRS // 10
        peer = partial(loop_over_pairs, tables, right, n_few)
        variants.append(Variant("NumPy counts and statsmodels mcnemar in a loop", peer, fraction=n_few / N_PAIRS))
        ours = find_all_p_values(right)[np.triu_indices(N_PAIRED, 1)]
        np.testing.assert_allclose(ours[:n_few], peer(), rtol=1e-10)
    heading = f"Exact McNemar of all {N_PAIRS:,} pairs of {N_PAIRED} participants on {N_IMAGES:,} images"
    return compare(heading, variants, missing=[] if tables else ["statsmodels"])


def run() -> Workload:
    return Workload(
        "Class subsampling and all pairs",
        "Both turn answers by image into counts once, and then no longer touch an image.",
        (compare_subsampling(), compare_pairs()),
    )


if __name__ == "__main__":
    print(run().to_markdown())
