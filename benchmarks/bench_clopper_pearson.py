"""A million Clopper–Pearson intervals: at one n, at the few n of votes, and at mixed n."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import betaincinv

from benchmarks.harness import Role, Variant, Workload, compare, find_peer
from regauge.arrays import CountArray, FloatArray
from regauge.stats.intervals import clopper_pearson

N_PAIRS = 1_000_000
PEER_FRACTION = 0.1
TAIL = 0.025
SEED = 1934

# As many as clopper_pearson starts, whatever the machine has.
N_OUR_THREADS = 4


def draw_one_n(rng: np.random.Generator) -> tuple[CountArray, CountArray]:
    """Models on a test set of 50,000 images."""
    n = np.full(N_PAIRS, 50_000, dtype=np.int64)
    return rng.binomial(n, rng.uniform(0.5, 0.95, N_PAIRS)), n


def draw_votes(rng: np.random.Generator) -> tuple[CountArray, CountArray]:
    """Selection frequencies from 5 to 10 annotators."""
    n = rng.integers(5, 11, N_PAIRS)
    return rng.binomial(n, rng.uniform(0, 1, N_PAIRS)), n


def draw_mixed(rng: np.random.Generator) -> tuple[CountArray, CountArray]:
    """Subsets of every size up to 50,000 images, small ones as likely as large ones on a logarithmic scale."""
    n = np.exp(rng.uniform(0, np.log(50_000), N_PAIRS)).astype(np.int64)
    return rng.binomial(n, rng.uniform(0, 1, N_PAIRS)), n


def invert_all(n_correct: CountArray, n: CountArray) -> tuple[FloatArray, FloatArray]:
    """Both limits by scipy, pair by pair, without a look for equal pairs."""
    low = np.where(n_correct > 0, betaincinv(np.maximum(n_correct, 1), n - n_correct + 1, TAIL), 0.0)
    high = np.where(n_correct < n, betaincinv(n_correct + 1, np.maximum(n - n_correct, 1), 1 - TAIL), 1.0)
    return low, high


def touch_bytes(n_correct: CountArray, n: CountArray) -> tuple[FloatArray, FloatArray]:
    """The floor: both counts are read and both limits are written once."""
    return n_correct.astype(np.float64), n.astype(np.float64)


def find_largest_difference(n_correct: CountArray, n: CountArray) -> float:
    """The largest relative difference of our limits from scipy's."""
    ours, theirs = clopper_pearson(n_correct, n), invert_all(n_correct, n)
    pairs = zip(ours, theirs, strict=True)
    return max(float(np.max(np.abs(a - b) / np.where(b > 0, b, 1.0))) for a, b in pairs)


def compare_regime(draw: Callable[[np.random.Generator], tuple[CountArray, CountArray]]) -> str:
    """The table of one regime, with the agreement of the results below it."""
    n_correct, n = draw(np.random.default_rng(SEED))
    n_few = int(N_PAIRS * PEER_FRACTION)
    few = (n_correct[:n_few], n[:n_few])
    n_distinct = len(np.unique(n * 100_000 + n_correct))
    variants = [
        Variant("clopper_pearson", partial(clopper_pearson, n_correct, n), Role.OURS, n_threads=N_OUR_THREADS),
        Variant("scipy.special.betaincinv on all pairs", partial(invert_all, *few), fraction=PEER_FRACTION),
        Variant("read the counts, write the limits", partial(touch_bytes, n_correct, n), Role.FLOOR, gives="nothing"),
    ]
    statsmodels = find_peer("statsmodels.stats.proportion")
    if statsmodels is not None:
        peer = partial(statsmodels.proportion_confint, *few, method="beta")
        variants.insert(1, Variant("statsmodels proportion_confint", peer, fraction=PEER_FRACTION))
    missing = [] if statsmodels else ["statsmodels"]
    table = compare(f"{draw.__doc__} {n_distinct:,} distinct pairs", variants, missing=missing)
    return f"{table}\n\nLargest relative difference from scipy: {find_largest_difference(*few):.1e}."


def run() -> Workload:
    return Workload(
        f"Clopper–Pearson, {N_PAIRS:,} pairs",
        "95% limits of (n_correct, n). Equal pairs are what real tables are full of; the peers solve each of them anew.",
        tuple(compare_regime(draw) for draw in (draw_one_n, draw_votes, draw_mixed)),
    )


if __name__ == "__main__":
    print(run().to_markdown())
