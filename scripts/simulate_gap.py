"""Simulate studies whose truth is known, split their gaps, and count how often the intervals are right.

python scripts/simulate_gap.py [--studies 300] [--processes 2] [--only TEXT]

Writes docs/gap-simulation.csv, kind after kind; kinds that are not chosen stay as they are there. scripts/write_gap_page.py then
writes the tables and the figure of docs/gap.md. The embedded world is drawn and its models are trained once; every study then
draws pictures, annotators and test sets anew. Studies whose classes differ are in scripts/simulate_gap_classes.py.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.special import expit, ndtr

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.evaluation.gaps import split_gap
from regauge.records.evaluation.gaps import MEAN, GapMethod, GapSettings
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.testsets.sampling import PoolCandidates, SamplingPlan, Strategy
from regauge.stats.intervals import clopper_pearson
from regauge.testsets.sampling import Original, count_bins, sample
from regauge.workflows.demo.rendering import open_rendering_pool
from regauge.world.annotators import CROWD, MANNERS, expect_selection
from regauge.world.collections import ORIGINAL, POOL, TRAINING, Collection, gather
from regauge.world.models import ModelZoo, train_models

DOCS = Path(__file__).resolve().parents[1] / "docs"
NUMBERS = DOCS / "gap-simulation.csv"

N_TRAINING, N_ORIGINAL, N_POOL = 4_000, 8_000, 12_000
"""Pictures of the bank that studies draw from."""
STUDY_ORIGINAL, STUDY_POOL = 1_000, 3_000
"""Images of one study."""
PER_CLASS = 30
MODELS = ("gradients-centroids", "gradients-histogram-logistic", "patches-128-ridge")
ANNOTATORS = (5, 10, 20, 40)
N_SAMPLES = 200
N_KNOTS, N_CLASS_KNOTS = 50, 12
CHUNK = 25
"""Studies that a process does at once."""

EMBEDDED, GRIDS, OTHER = "embedded", "embedded, one crew per class", "curved"
CHOSEN, FRESH = "chosen by these votes", "fresh votes"


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Pictures of which everything is known: true frequency, class, how much of it is there, and who is right."""

    frequencies: FloatArray
    labels: IntArray
    degrees: FloatArray
    is_correct: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class Bank:
    """Where studies draw from: original pictures, candidates, and true accuracy at knots of the true frequency, by class."""

    original: Side
    pool: Side
    knots: FloatArray
    accuracies: FloatArray

    def equalise(self, frequencies: FloatArray, labels: IntArray) -> FloatArray:
        """Mean accuracy of each model on original pictures with these true frequencies and classes."""
        expected = np.zeros((self.accuracies.shape[1], frequencies.size))
        for label in np.unique(labels):
            mine = labels == label
            for curve, row in zip(self.accuracies[label], expected, strict=True):
                row[mine] = np.interp(frequencies[mine], self.knots[label], curve)
        return np.asarray(expected.mean(axis=1), np.float64)


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of study."""

    world: str
    strategy: Strategy
    votes: str
    n_annotators: int


CASES = (
    *(Case(EMBEDDED, Strategy.MATCHED_FREQUENCY, votes, n) for votes, n in product((CHOSEN, FRESH), ANNOTATORS)),
    *(Case(EMBEDDED, one, CHOSEN, 10) for one in (Strategy.THRESHOLD, Strategy.TOP_IMAGES)),
    *(Case(GRIDS, Strategy.MATCHED_FREQUENCY, CHOSEN, n) for n in (10, 40)),
    *(Case(OTHER, Strategy.MATCHED_FREQUENCY, CHOSEN, n) for n in ANNOTATORS),
)


def make_bank(n_processes: int) -> Bank:
    """Draw the embedded world and train its models, once for all studies."""
    rng = np.random.default_rng(0)
    with open_rendering_pool(n_processes) as pool:
        training = gather(TRAINING, N_TRAINING, rng=rng, render=pool.render)
        original = gather(replace(ORIGINAL, copy_rate=0.0), N_ORIGINAL, rng=rng, render=pool.render)
        candidates = gather(replace(POOL, copy_rate=0.0), N_POOL, rng=rng, render=pool.render)
    zoo = train_models(training, rng=rng)
    zoo = ModelZoo(zoo.features, tuple(model for model in zoo.models if model.name in MODELS))
    return add_curve(judge(zoo, original), judge(zoo, candidates))


def judge(zoo: ModelZoo, collection: Collection) -> Side:
    """What is known of a collection."""
    rows = np.arange(len(collection))
    answers = zoo.predict(collection)[0]
    return Side(
        expect_selection(collection, rows=rows, classes=collection.labels.astype(np.int64)),
        collection.labels,
        collection.degrees[rows, collection.labels].astype(np.float64),
        np.stack([one.classes[:, 0] == collection.labels for one in answers]),
    )


def add_curve(original: Side, pool: Side) -> Bank:
    """True accuracy by class and true frequency: means over parts of a class's original pictures, joined by straight lines."""
    n_classes = int(original.labels.max()) + 1
    knots, accuracies = [], []
    for label in range(n_classes):
        rows = np.flatnonzero(original.labels == label)
        order = rows[np.argsort(original.frequencies[rows], kind="stable")]
        parts = np.array_split(order, N_KNOTS if n_classes == 1 else N_CLASS_KNOTS)
        knots.append([original.frequencies[part].mean() for part in parts])
        accuracies.append(np.stack([original.is_correct[:, part].mean(axis=1) for part in parts], axis=1))
    return Bank(original, pool, np.array(knots), np.stack(accuracies))


def make_other_bank() -> Bank:
    """A world of formulas: beta frequencies, logistic curves, and something hidden that matters as much as the frequency."""
    rng = np.random.default_rng(1)
    n = 5 * N_POOL
    poor = rng.random(n) < 0.45
    frequencies = rng.beta(3, 1, n), np.where(poor, rng.beta(0.8, 2, n), rng.beta(3, 1.2, n))
    sides = [make_other_side(one, drop, rng=rng) for one, drop in zip(frequencies, (0.0, 0.15), strict=True)]
    return add_curve(sides[0], sides[1])


def make_other_side(frequencies: FloatArray, drop: float, *, rng: np.random.Generator) -> Side:
    """Models of three strengths; `drop` makes pictures harder at the same frequency, on the logit scale."""
    hidden = rng.normal(0, 1.5, frequencies.size)
    skills = np.array([-2.5, -1.2, 0.0])[:, np.newaxis]
    chances = expit(skills + 3.2 * frequencies**2 + hidden - drop)
    is_correct = rng.random(chances.shape) < chances
    return Side(frequencies, np.zeros(frequencies.size, np.int32), np.zeros(frequencies.size), is_correct)


@dataclass(frozen=True, slots=True, eq=False)
class Crews:
    """The annotators of every class, by what they do [annotators, classes]."""

    noise: FloatArray
    shift: FloatArray
    lapse_rate: FloatArray
    lapse_yes_rate: FloatArray

    def vote(self, side: Side, rows: CountArray, *, rng: np.random.Generator) -> CountArray:
        """How many of its class's annotators select each picture."""
        noise, shift, lapse, lapse_yes = (
            column[:, side.labels[rows]] for column in (self.noise, self.shift, self.lapse_rate, self.lapse_yes_rate)
        )
        seen = ndtr((side.degrees[rows] + shift) / noise)
        return np.asarray(rng.binomial(1, (1 - lapse) * seen + lapse * lapse_yes).sum(axis=0), np.int64)


def hire_crews(n_annotators: int, n_classes: int, *, rng: np.random.Generator) -> Crews:
    """A crew for every class, drawn from the crowd with its tastes."""
    manners = [MANNERS[profile] for profile in CROWD]
    drawn = rng.choice(len(manners), size=(n_annotators, n_classes), p=list(CROWD.values()))
    noise, taste, threshold, lapse_rate, lapse_yes_rate = (
        np.array([getattr(manner, name) for manner in manners])[drawn]
        for name in ("noise", "taste", "threshold", "lapse_rate", "lapse_yes_rate")
    )
    return Crews(noise, taste * rng.normal(size=drawn.shape) - threshold, lapse_rate, lapse_yes_rate)


def vote(bank: Bank, rows: Sequence[CountArray], case: Case, *, rng: np.random.Generator) -> list[CountArray]:
    """How many annotators select each original picture and each candidate.

    Other people see every picture, drawn from an endless crowd; or the same crew sees all pictures of a class, as in grids.
    """
    sides = (bank.original, bank.pool)
    if case.world != GRIDS:
        return [rng.binomial(case.n_annotators, side.frequencies[at]) for side, at in zip(sides, rows, strict=True)]
    crews = hire_crews(case.n_annotators, int(bank.original.labels.max()) + 1, rng=rng)
    return [crews.vote(side, at, rng=rng) for side, at in zip(sides, rows, strict=True)]


def choose(bank: Bank, rows: Sequence[CountArray], votes: Sequence[CountArray], case: Case, seed: int) -> CountArray:
    """The places of the candidates that make the new set."""
    labels = bank.original.labels[rows[0]], bank.pool.labels[rows[1]]
    shown = [np.full(len(at), case.n_annotators) for at in rows]
    names = np.array([f"{place:05d}" for place in range(len(rows[1]))])
    empty = np.full(len(names), "")
    n_classes = len(np.unique(bank.pool.labels))
    per_class = PER_CLASS if n_classes > 1 else STUDY_ORIGINAL
    plan = SamplingPlan(case.strategy, per_class, seed, min_annotations=1, min_original=1)
    pool = PoolCandidates(names, labels[1], shown[1], votes[1], empty, empty)
    histograms = count_bins(labels[0], n_shown=shown[0], n_selected=votes[0])
    return sample(pool, plan, original=Original(histograms)).image_ids.astype(np.int64)


_banks: dict[str, Bank] = {}
"""What every process draws from, by world."""


def keep_banks(banks: dict[str, Bank]) -> None:
    """What a new process starts with."""
    _banks.update(banks)


def simulate(case: Case, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """One row per study, method, model and part: the truth, the estimate and its limits."""
    return [row for seed in seeds for row in simulate_one(case, seed, _banks[case.world])]


def simulate_one(case: Case, seed: int, bank: Bank) -> Iterator[dict[str, Any]]:
    """One study."""
    rng = np.random.default_rng([seed, CASES.index(case)])
    rows = [
        rng.integers(side.labels.size, size=n) for side, n in ((bank.original, STUDY_ORIGINAL), (bank.pool, STUDY_POOL))
    ]
    votes = vote(bank, rows, case, rng=rng)
    chosen = choose(bank, rows, votes, case, seed)
    of_new = bank.pool.frequencies[rows[1][chosen]]
    is_fresh = case.votes == FRESH
    new_votes = rng.binomial(case.n_annotators, of_new) if is_fresh else votes[1][chosen]
    original = make_set("original", bank.original, rows[0], votes[0], case)
    new = make_set("new", bank.pool, rows[1][chosen], new_votes, case)
    pool = None if is_fresh else make_pool(bank, rows[1], votes[1], case)
    is_matched = case.strategy is Strategy.MATCHED_FREQUENCY and not is_fresh
    settings = GapSettings(tuple(GapMethod), is_matched=is_matched, n_bootstrap=N_SAMPLES, seed=seed)
    report = split_gap(original, new, pool=pool, settings=settings)
    equalised = bank.equalise(of_new, bank.pool.labels[rows[1][chosen]])
    truths = dict(zip((*MODELS, MEAN), (*equalised, equalised.mean()), strict=True))
    accuracies = dict(zip((*MODELS, MEAN), (*new.is_correct.mean(axis=1), new.is_correct.mean()), strict=True))
    for one in report.decompositions:
        own = {"method": one.method, "participant": one.participant, "equalised": truths[one.participant]}
        for name, part in (("remainder", one.remainder), ("selection", one.selection)):
            limits = {"value": part.value, "low": part.low, "high": part.high}
            yield {**own, "part": name, **limits, "new": accuracies[one.participant]}
    frequency = report.frequencies[1]
    parts = {GapMethod.NAIVE: frequency.observed, GapMethod.DECONVOLUTION: frequency.expected or frequency.observed}
    for method, part in parts.items():
        limits = {"value": part.value, "low": part.low, "high": part.high}
        yield {
            "method": method,
            "participant": "",
            "part": "frequency",
            "equalised": of_new.mean(),
            **limits,
            "new": 0.0,
        }


def make_set(name: str, side: Side, rows: CountArray, votes: CountArray, case: Case) -> JudgedSet:
    """Pictures of a study, judged."""
    ids = np.array([f"{name}-{place}" for place in range(len(rows))])
    shown, right = np.full(len(rows), case.n_annotators), side.is_correct[:, rows]
    return JudgedSet(name, ids, shown, votes, MODELS, right, side.labels[rows])


def make_pool(bank: Bank, rows: CountArray, votes: CountArray, case: Case) -> CandidateCounts:
    """What annotators said of the candidates."""
    return CandidateCounts(np.full(STUDY_POOL, case.n_annotators), votes, bank.pool.labels[rows])


def summarise(case: Case, rows: pl.DataFrame, bank: Bank) -> Iterator[dict[str, Any]]:
    """Bias and coverage of every method, model and part over all studies of a case."""
    accuracies = bank.original.is_correct.mean(axis=1)
    original = dict(zip((*MODELS, MEAN), (*accuracies, accuracies.mean()), strict=True))
    for (part, participant, method), mine in rows.group_by("part", "participant", "method", maintain_order=True):
        # The truth is that of endlessly many studies of the kind: what all of them together have.
        truth = float(mine["equalised"].mean())  # type: ignore[arg-type]
        if part == "remainder":
            truth -= float(mine["new"].mean())  # type: ignore[arg-type]
        elif part == "selection":
            truth = float(original[str(participant)]) - truth
        errors = mine["value"].to_numpy() - truth
        n_covered = mine.filter(pl.col("low") <= truth, pl.col("high") >= truth).height
        low, high = clopper_pearson(n_covered, mine.height)
        spread = float(errors.std(ddof=1))
        half = 1.96 * spread / np.sqrt(mine.height)
        yield {
            "world": case.world,
            "strategy": case.strategy,
            "votes": case.votes,
            "n_annotators": case.n_annotators,
            "method": method,
            "participant": participant,
            "part": part,
            "n_studies": mine.height,
            "truth": truth,
            "bias": errors.mean(),
            "bias_low": errors.mean() - half,
            "bias_high": errors.mean() + half,
            "spread": spread,
            "coverage": n_covered / mine.height,
            "coverage_low": float(low),
            "coverage_high": float(high),
            "width": float((mine["high"] - mine["low"]).mean()),  # type: ignore[arg-type]
        }


def run(n_studies: int, n_processes: int, only: str) -> None:
    """All cases with a text in their description."""
    cases = [case for case in CASES if only in describe(case)]
    banks = {OTHER: make_other_bank()}
    if {case.world for case in cases} != {OTHER}:
        embedded = make_bank(n_processes)
        banks |= {EMBEDDED: embedded, GRIDS: embedded}
    chunks = [range(start, min(start + CHUNK, n_studies)) for start in range(0, n_studies, CHUNK)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes, mp_context=context, initializer=keep_banks, initargs=(banks,)) as pool:
        waiting = [(case, [pool.submit(simulate, case, chunk) for chunk in chunks]) for case in cases]
        for case, parts in waiting:
            rows = [row for part in parts for row in part.result()]
            keep(summarise(case, pl.DataFrame(rows), banks[case.world]))
            print(f"{describe(case)}: done", flush=True)


def describe(case: Case) -> str:
    """A kind of study in words."""
    return f"{case.world}, {case.strategy}, {case.votes}, {case.n_annotators} annotators"


def keep(found: Iterator[dict[str, Any]]) -> None:
    """Put the numbers of some kind of study in the place of those that were there, all in the order of the kinds."""
    new = pl.DataFrame(list(found)).with_columns(pl.col(pl.Float64).round(6))
    names = ["world", "strategy", "votes", "n_annotators"]
    known = pl.read_csv(NUMBERS).join(new.select(names).unique(), on=names, how="anti") if NUMBERS.exists() else new[:0]
    rows = pl.concat([known, new.cast(known.schema)])
    order = pl.DataFrame([{name: getattr(case, name) for name in names} for case in CASES])
    order.join(rows, on=names, how="inner", maintain_order="left_right").write_csv(NUMBERS)


def main() -> None:
    """Simulate and write the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=300, help="simulated studies of every kind")
    parser.add_argument("--processes", type=int, default=2, help="processes at once")
    parser.add_argument("--only", default="", help="kinds of studies with this text in their description")
    options = parser.parse_args()
    # Every process has one thread of its own; more of them would get into each other's way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run(options.studies, options.processes, options.only)


if __name__ == "__main__":
    main()
