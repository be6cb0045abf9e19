"""100,000 bootstrap fits over 67 models: time against least squares in a loop, and against scipy.stats.bootstrap."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.harness import Role, Variant, Workload, compare
from regauge.arrays import FloatArray
from regauge.stats.fits import LineReplicates, bootstrap_lines, line_band, line_limits

N_MODELS = 67
N_RESAMPLES = 100_000
N_LOOP = 2_000
N_POINTS = 100
N_BATCH = 2_000
SEED = 2019
LIMITS = (2.5, 97.5)


def draw_models() -> tuple[FloatArray, FloatArray]:
    """Accuracies on two test sets that lie about as the published ones do."""
    rng = np.random.default_rng(SEED)
    original = rng.uniform(0.55, 0.83, N_MODELS)
    return original, 1.11 * original - 0.2 + rng.normal(0, 0.007, N_MODELS)


def fit_with_band(x: FloatArray, y: FloatArray) -> tuple[FloatArray, ...]:
    """Limits of slope and offset, and the band."""
    replicates = bootstrap_lines(x, y, seed=SEED, n_resamples=N_RESAMPLES)
    limits = line_limits(replicates)
    return (*limits.slope, *limits.offset, *line_band(replicates, find_points(x)))


def find_points(x: FloatArray) -> FloatArray:
    return np.linspace(x.min(), x.max(), N_POINTS)


def loop_over_samples(x: FloatArray, y: FloatArray) -> FloatArray:
    """A sample and a least-squares problem at a time, [replicates, 2]."""
    rng = np.random.default_rng(SEED)
    design = np.stack([x, np.ones_like(x)], axis=1)
    lines = []
    for _ in range(N_LOOP):
        rows = rng.choice(x.size, x.size)
        lines.append(np.linalg.lstsq(design[rows], y[rows], rcond=None)[0])
    return np.array(lines)


def take_percentiles(lines: FloatArray, x: FloatArray) -> list[NDArray[np.float64]]:
    """np.percentile of both coefficients and of every point of the band."""
    limits = [np.percentile(column, LIMITS) for column in lines.T]
    return limits + [np.percentile(lines[:, 0] * point + lines[:, 1], LIMITS) for point in find_points(x)]


def loop_with_band(x: FloatArray, y: FloatArray) -> object:
    return take_percentiles(loop_over_samples(x, y), x)


def find_coefficients(x: FloatArray, y: FloatArray, axis: int) -> FloatArray:
    """Slopes and offsets of samples along an axis, as a vectorised statistic."""
    mean_x, mean_y = x.mean(axis=axis, keepdims=True), y.mean(axis=axis, keepdims=True)
    slope = ((x - mean_x) * (y - mean_y)).sum(axis=axis) / ((x - mean_x) ** 2).sum(axis=axis)
    return np.stack([slope, mean_y.squeeze(axis) - slope * mean_x.squeeze(axis)])


def run_scipy(x: FloatArray, y: FloatArray) -> Any:  # noqa: ANN401
    return stats.bootstrap(
        (x, y),
        find_coefficients,
        paired=True,
        vectorized=True,
        batch=N_BATCH,
        n_resamples=N_RESAMPLES,
        method="percentile",
        rng=SEED,
    )


def compare_limits(x: FloatArray, y: FloatArray) -> str:
    """How far our limits lie from scipy's, and whether our band is that of np.quantile."""
    replicates = bootstrap_lines(x, y, seed=SEED, n_resamples=N_RESAMPLES)
    ours = line_limits(replicates)
    theirs = run_scipy(x, y).confidence_interval
    slope = f"[{ours.slope.low:.4f}, {ours.slope.high:.4f}] and [{theirs.low[0]:.4f}, {theirs.high[0]:.4f}]"
    return f"Limits of the slope, ours and scipy's: {slope}. {describe_band(replicates, x)}"


def describe_band(replicates: LineReplicates, x: FloatArray) -> str:
    band = line_band(replicates, find_points(x))
    heights = np.multiply.outer(find_points(x), replicates.slopes) + replicates.offsets
    tail = (1 - 0.95) / 2
    is_equal = np.array_equal(np.array(band), np.quantile(heights, [tail, 1 - tail], axis=1))
    return f"The band equals np.quantile bit for bit: {is_equal}."


def run() -> Workload:
    x, y = draw_models()
    fraction = N_LOOP / N_RESAMPLES
    with_band = [
        Variant("bootstrap_lines, line_limits, line_band", partial(fit_with_band, x, y), Role.OURS),
        Variant("np.linalg.lstsq and np.percentile in a loop", partial(loop_with_band, x, y), fraction=fraction),
    ]
    fit = partial(bootstrap_lines, x, y, seed=SEED, n_resamples=N_RESAMPLES)
    coefficients = [
        Variant("bootstrap_lines", fit, Role.OURS),
        Variant(f"scipy.stats.bootstrap, batch={N_BATCH:,}", partial(run_scipy, x, y), gives="limits too"),
    ]
    return Workload(
        f"{N_RESAMPLES:,} bootstrap fits over {N_MODELS} models",
        f"Pairs are redrawn. The band has {N_POINTS} points with two quantiles each.",
        (
            compare("Limits and band", with_band),
            compare("Coefficients only", coefficients),
            compare_limits(x, y),
        ),
    )


if __name__ == "__main__":
    print(run().to_markdown())
