"""Redrawn images of two test sets, with a fit per replicate: time against a NumPy loop, BLAS and torch's product of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import ModuleType

import numpy as np

from benchmarks.harness import N_THREADS, Role, Variant, Workload, compare, find_peer
from regauge.arrays import BoolArray, FloatArray, ScoreArray
from regauge.stats.image_fits import bootstrap_image_lines

N_MODELS = 67
N_ORIGINAL = 50_000
N_NEW = 10_000
N_RESAMPLES = 10_000
SEED = 2019
N_ROUNDS = 5

N_OURS = 2_000
N_GATHERED = 100
N_WEIGHED = 100
N_TORCH_BLOCK = 256
N_TORCH = 1_024
N_PADDED = 80
"""As many models as torch multiplies fast."""


def draw_answers() -> tuple[BoolArray, BoolArray]:
    """Who is right where; some images are hard for all models."""
    rng = np.random.default_rng(SEED)
    skill = np.linspace(0.2, 1.4, N_MODELS)[:, np.newaxis]
    sets = []
    for n, shift in ((N_ORIGINAL, 0.0), (N_NEW, 0.4)):
        difficulty = rng.standard_normal(n) + rng.standard_normal((N_MODELS, n))
        sets.append(difficulty < np.sqrt(2) * (skill - shift))
    return sets[0], sets[1]


def fit_rows(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The line of every row of accuracies."""
    deviations = x - x.mean(axis=1, keepdims=True)
    slopes = (deviations * y).sum(axis=1) / (deviations**2).sum(axis=1)
    return slopes, y.mean(axis=1) - slopes * x.mean(axis=1)


def gather(sets: tuple[BoolArray, BoolArray]) -> object:
    """Pick the rows of every replicate and average them."""
    rng = np.random.default_rng(SEED)
    accuracies = [
        np.array([by_image[rng.integers(len(by_image), size=len(by_image))].mean(axis=0) for _ in range(N_GATHERED)])
        for by_image in sets
    ]
    return fit_rows(*accuracies)


def weigh(sets: tuple[ScoreArray, ScoreArray]) -> object:
    """Count how often every image is drawn, and multiply the counts with the answers: one replicate at a time."""
    rng = np.random.default_rng(SEED)
    accuracies = []
    for right in sets:
        n = right.shape[1]
        counts = (np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(N_WEIGHED))
        accuracies.append(np.array([right @ row.astype(np.float32) / n for row in counts]))
    return fit_rows(*accuracies)


def multiply_bytes(torch: ModuleType, sets: tuple[BoolArray, BoolArray]) -> object:
    """Counts of one byte by torch's product of bytes, the draws by NumPy."""
    rng = np.random.default_rng(SEED)
    accuracies = []
    for right in sets:
        padded = np.zeros((right.shape[1], N_PADDED), np.int8)
        padded[:, :N_MODELS] = right.T
        answers = torch.from_numpy(padded)
        totals = [torch._int_mm(torch.from_numpy(counts), answers) for counts in count_draws(rng, right.shape[1])]  # noqa: SLF001
        accuracies.append(torch.cat(totals).numpy()[:, :N_MODELS] / right.shape[1])
    return fit_rows(*accuracies)


def count_draws(rng: np.random.Generator, n: int) -> Iterator[np.ndarray[tuple[int, int], np.dtype[np.int8]]]:
    for _ in range(N_TORCH // N_TORCH_BLOCK):
        rows = (np.bincount(rng.integers(n, size=n), minlength=n) for _ in range(N_TORCH_BLOCK))
        yield np.stack([row.astype(np.int8) for row in rows])


def describe_spread(original: BoolArray, new: BoolArray) -> str:
    """The spread of the mean gap against theory."""
    gaps = bootstrap_image_lines(original, new, seed=SEED, n_resamples=N_OURS).mean_gaps
    variance = original.mean(axis=0).var() / N_ORIGINAL + new.mean(axis=0).var() / N_NEW
    doubt = 1 / np.sqrt(2 * N_OURS)
    return (
        f"Standard deviation of the mean gap over the theoretical one: {gaps.std() / np.sqrt(variance):.4f}, known within "
        f"{doubt:.1%} from {N_OURS:,} replicates."
    )


def run() -> Workload:
    original, new = draw_answers()
    by_image = (np.ascontiguousarray(original.T), np.ascontiguousarray(new.T))
    numbers = (original.astype(np.float32), new.astype(np.float32))
    fit = partial(bootstrap_image_lines, original, new, seed=SEED, n_resamples=N_OURS)
    variants = [
        Variant("bootstrap_image_lines", fit, Role.OURS, n_threads=N_THREADS, fraction=N_OURS / N_RESAMPLES),
        Variant("NumPy rows[draws].mean() loop", partial(gather, by_image), fraction=N_GATHERED / N_RESAMPLES),
        Variant(
            "NumPy bincount and sgemv loop",
            partial(weigh, numbers),
            n_threads=N_THREADS,
            fraction=N_WEIGHED / N_RESAMPLES,
        ),
    ]
    torch = find_peer("torch")
    if torch is not None:
        torch.set_num_threads(N_THREADS)
        multiply = partial(multiply_bytes, torch, (original, new))
        variants.append(
            Variant("NumPy bincount and torch._int_mm", multiply, n_threads=N_THREADS, fraction=N_TORCH / N_RESAMPLES)
        )
    return Workload(
        f"{N_RESAMPLES:,} redrawn pairs of test sets, {N_MODELS} models × ({N_ORIGINAL:,} + {N_NEW:,}) images",
        "Draw the images of both sets, count every model's right answers, fit a line.",
        (
            compare("Time", variants, missing=[] if torch else ["torch"], n_rounds=N_ROUNDS),
            describe_spread(original, new),
        ),
    )


if __name__ == "__main__":
    print(run().to_markdown())
