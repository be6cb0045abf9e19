"""Simulate studies whose classes differ in clarity and in difficulty, split their gaps, and count how often intervals are right.

python scripts/simulate_gap_classes.py [--studies 200] [--only TEXT]

Writes docs/gap-classes-simulation.csv, kind after kind; kinds that are not chosen stay as they are there.
scripts/write_gap_page.py then writes the table of docs/gap.md. Every study draws classes, images, votes and test sets anew.
Images of a class and a true frequency are equally hard in both sets, so the true remainder is 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.special import expit

from regauge.arrays import CountArray, FloatArray, IntArray
from regauge.evaluation.gaps import split_gap
from regauge.records.evaluation.gaps import MEAN, GapMethod, GapSettings
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.testsets.sampling import PoolCandidates, SamplingPlan, Strategy
from regauge.stats.intervals import clopper_pearson
from regauge.testsets.sampling import Original, count_bins, sample

NUMBERS = Path(__file__).resolve().parents[1] / "docs" / "gap-classes-simulation.csv"

PER_CLASS, POOL_PER_CLASS, NEW_PER_CLASS = 20, 60, 10
"""Images of a class: original ones, candidates, and chosen ones."""
N_SAMPLES = 200
SKILLS = np.array([-1.0, 0.2])[:, np.newaxis]
MODELS = ("weak", "strong")


class Traits(NamedTuple):
    """Images: their true frequencies, and how easy and how clear their classes are."""

    frequencies: FloatArray
    ease: FloatArray
    clarity: FloatArray


def add_logits(traits: Traits) -> FloatArray:
    """Classes are easier or harder on the logit scale."""
    return np.asarray(expit(SKILLS + 3 * (traits.frequencies - 0.5) + traits.ease), np.float64)


def add_points(traits: Traits) -> FloatArray:
    """Classes are easier or harder by so many points."""
    return np.clip(0.5 + 0.1 * SKILLS + 0.5 * (traits.frequencies - 0.5) + 0.12 * traits.ease, 0.02, 0.98)


def vary_slopes(traits: Traits) -> FloatArray:
    """In clear classes frequencies matter more."""
    return np.clip(
        0.6 + 0.1 * SKILLS + (0.5 + 0.3 * traits.clarity) * (traits.frequencies - 0.6) + 0.08 * traits.ease, 0.02, 0.98
    )


def bend(traits: Traits) -> FloatArray:
    """Frequencies matter the more, the higher they are."""
    return np.asarray(expit(SKILLS + 3 * (traits.frequencies**2 - 0.5) + traits.ease), np.float64)


LOGITS = "additive in logits"
WORLDS: Mapping[str, Callable[[Traits], FloatArray]] = {
    LOGITS: add_logits,
    "additive in points": add_points,
    "slopes differ": vary_slopes,
    "bent curve": bend,
}


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of study; `correlation` is that of clarity and ease of the classes."""

    world: str
    correlation: float
    n_classes: int
    strategy: Strategy
    n_annotators: int = 10


TOP, THRESHOLD, MATCHED = Strategy.TOP_IMAGES, Strategy.THRESHOLD, Strategy.MATCHED_FREQUENCY
CASES = (
    *(Case(LOGITS, 0.8, 50, one) for one in (TOP, THRESHOLD, MATCHED)),
    *(Case(LOGITS, 0.8, 250, one) for one in (TOP, THRESHOLD, MATCHED)),
    *(Case(LOGITS, 0.3, 50, one) for one in (TOP, THRESHOLD, MATCHED)),
    *(Case(LOGITS, 0.3, 250, one) for one in (TOP, THRESHOLD)),
    *(Case(LOGITS, 0.0, 50, one) for one in (TOP, THRESHOLD)),
    Case(LOGITS, -0.6, 50, TOP),
    *(Case(LOGITS, 0.8, 50, TOP, n) for n in (5, 40)),
    *(Case(world, 0.8, 50, TOP) for world in list(WORLDS)[1:]),
)


def simulate_one(case: Case, seed: int) -> Iterator[dict[str, Any]]:
    """One study: the mean remainder of two models by every method."""
    rng = np.random.default_rng([seed, CASES.index(case)])
    n_classes = case.n_classes
    clarity = rng.normal(size=n_classes)
    ease = case.correlation * clarity + np.sqrt(1 - case.correlation**2) * rng.normal(size=n_classes)
    means, spreads = expit(1 + 0.8 * clarity), np.exp(rng.normal(np.log(5), 0.5, n_classes))
    old, pool = (np.repeat(np.arange(n_classes, dtype=np.int32), n) for n in (PER_CLASS, POOL_PER_CLASS))
    frequencies = [rng.beta((means * spreads)[one], ((1 - means) * spreads)[one]) for one in (old, pool)]
    # Some of what a search finds shows something else.
    is_poor = rng.random(pool.size) < 0.4
    frequencies[1][is_poor] = rng.beta(1, 3, int(is_poor.sum()))
    votes = [rng.binomial(case.n_annotators, one) for one in frequencies]
    chosen = choose(case, (old, pool), votes, seed)

    def judge(name: str, side: int, rows: CountArray) -> JudgedSet:
        classes = (old, pool)[side][rows]
        chances = WORLDS[case.world](Traits(frequencies[side][rows], ease[classes], clarity[classes]))
        right, shown = rng.random(chances.shape) < chances, np.full(rows.size, case.n_annotators)
        return JudgedSet(name, rows.astype(np.str_), shown, votes[side][rows], MODELS, right, classes)

    sets = judge("original", 0, np.arange(old.size)), judge("new", 1, chosen)
    candidates = CandidateCounts(np.full(pool.size, case.n_annotators), votes[1], pool)
    is_matched = case.strategy is MATCHED
    settings = GapSettings(tuple(GapMethod), is_matched=is_matched, n_bootstrap=N_SAMPLES, seed=seed)
    report = split_gap(*sets, pool=candidates, settings=settings)
    for method in GapMethod:
        part = report.get(MEAN, method).remainder
        yield {"method": method.value, "value": part.value, "low": part.low, "high": part.high}


def choose(case: Case, classes: tuple[IntArray, IntArray], votes: list[CountArray], seed: int) -> CountArray:
    """The places of the candidates that make the new set, by the code that draws real ones."""
    shown = [np.full(one.size, case.n_annotators) for one in classes]
    names = np.array([f"{place:06d}" for place in range(classes[1].size)])
    empty = np.full(names.size, "")
    plan = SamplingPlan(case.strategy, NEW_PER_CLASS, seed, min_annotations=1, min_original=1)
    histograms = count_bins(classes[0], n_shown=shown[0], n_selected=votes[0])
    pool = PoolCandidates(names, classes[1], shown[1], votes[1], empty, empty)
    return sample(pool, plan, original=Original(histograms)).image_ids.astype(np.int64)


def summarise(case: Case, rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Bias and coverage of every method; the true remainder is 0."""
    for (method,), mine in rows.group_by("method", maintain_order=True):
        values = mine["value"].to_numpy()
        n_covered = mine.filter(pl.col("low") <= 0, pl.col("high") >= 0).height
        limits = clopper_pearson(n_covered, mine.height)
        spread = float(values.std(ddof=1))
        half = 1.96 * spread / np.sqrt(mine.height)
        yield {
            "world": case.world,
            "correlation": case.correlation,
            "n_classes": case.n_classes,
            "strategy": case.strategy.value,
            "n_annotators": case.n_annotators,
            "method": method,
            "n_studies": mine.height,
            "bias": float(values.mean()),
            "bias_low": float(values.mean()) - half,
            "bias_high": float(values.mean()) + half,
            "spread": spread,
            "coverage": n_covered / mine.height,
            "coverage_low": float(limits.low),
            "coverage_high": float(limits.high),
            "width": float((mine["high"] - mine["low"]).mean()),  # type: ignore[arg-type]
        }


def describe(case: Case) -> str:
    """A kind of study in words."""
    where = f"{case.world}, correlation {case.correlation:g}, {case.n_classes} classes"
    return f"{where}, {case.strategy}, {case.n_annotators} annotators"


def keep(found: list[dict[str, Any]]) -> None:
    """Put the numbers of some kind of study in the place of those that were there, all in the order of the kinds."""
    known = pl.read_csv(NUMBERS).to_dicts() if NUMBERS.exists() else []
    names = ("world", "correlation", "n_classes", "strategy", "n_annotators")
    rows = {tuple(row[name] for name in (*names, "method")): row for row in (*known, *found)}
    order = [tuple(getattr(one, name) for name in names) for one in CASES]
    kept = [row for kind in order for key, row in rows.items() if key[:-1] == kind]
    pl.DataFrame(kept).with_columns(pl.col(pl.Float64).round(6)).write_csv(NUMBERS)


def main() -> None:
    """Simulate and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=200, help="simulated studies of every kind")
    parser.add_argument("--only", default="", help="kinds of studies with this text in their description")
    options = parser.parse_args()
    for case in CASES:
        if options.only in describe(case):
            rows = [row for seed in range(options.studies) for row in simulate_one(case, seed)]
            keep(list(summarise(case, pl.DataFrame(rows))))
            print(f"{describe(case)}: done", flush=True)


if __name__ == "__main__":
    main()
