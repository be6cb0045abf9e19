"""Measure what adaptive redundancy saves at equal error, on simulated annotators and on released votes.

    python scripts/measure_adaptive.py [--published FOLDER] [--replicates N] [--out docs]

Writes adaptive.csv, images/adaptive.svg and the table of planning.md. Takes some ten minutes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import altair as alt
import numpy as np
import polars as pl

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.campaigns.adaptive import decide_pairs, fit_prior, settle_votes
from regauge.records.campaigns.redundancy import RedundancyRule
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import GridShape
from regauge.records.testsets.sampling import N_BINS, SamplingPlan, Strategy, find_bins
from regauge.report.theme import CONFIG, FIT, MODEL
from regauge.workflows.reports.figures import save_figure
from regauge.world.annotators import answer_contains, expect_selection, hire
from regauge.world.collections import POOL, SIDE, Collection, gather

N_PAIRS = 3_000
N_CROWD = 80
N_VOTES = 40
N_BOOTSTRAP = 2_000
N_REAL = 40
SHAPE = GridShape()
STRATEGIES = (Strategy.THRESHOLD, Strategy.MATCHED_FREQUENCY, Strategy.TOP_IMAGES)
TRIALS = ((5, 20, 0.0), (5, 20, 0.05), (5, 20, 0.1), (3, 21, 0.05), (3, 21, 0.1))
"""People per round, people at most, and the doubt that settles a pair."""
REAL_TRIALS = ((3, 9, 0.0), (3, 9, 0.05), (3, 9, 0.1))
X_TITLE = "saved at equal error"
WORLD = "world"
START, END = "<!-- adaptive.csv -->", "<!-- /adaptive.csv -->"
COLUMNS = (
    *("data", "strategy", "step", "max_annotators", "doubt", "n_pairs", "n_replicates", "votes", "cells", "error"),
    *("fixed_votes", "saved", "saved_low", "saved_high", "saved_cells", "saved_cells_low", "saved_cells_high"),
)


@dataclass(frozen=True, eq=False)
class Ballot:
    """Votes on pairs in the order in which they would come [pairs, votes], and what endless votes would decide."""

    classes: IntArray
    votes: BoolArray
    true: FloatArray


class Cost(NamedTuple):
    """Votes per pair, cells shown per pair with controls, and the error: what that is depends on the strategy."""

    votes: float
    cells: float
    error: float


def make_world_ballots(n_replicates: int, n_pairs: int = N_PAIRS) -> Iterator[Ballot]:
    """Pictures as in the embedded world's pool, and a crowd, new ones each time; a grid of pairs is seen by the same people."""
    for number in range(n_replicates):
        rng = np.random.default_rng([1, number])
        found = gather(replace(POOL, copy_rate=0.0), n_pairs, rng=rng, render=_draw_nothing)
        true = expect_selection(found, rows=np.arange(n_pairs), classes=found.labels.astype(np.int64))
        yield Ballot(found.labels, _vote(found, _number_grids(found.labels, rng), rng), true)


def _draw_nothing(scenes: Sequence[object]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.zeros((len(scenes), SIDE, SIDE, 3), np.uint8)


def _number_grids(classes: IntArray, rng: np.random.Generator) -> CountArray:
    """A number for the grid of every pair; grids of a class have at most as many pairs as fit."""
    grids = np.zeros(classes.size, np.int64)
    for index in np.unique(classes):
        mine = rng.permutation(np.flatnonzero(classes == index))
        grids[mine] = index * 1_000 + np.arange(mine.size) // SHAPE.n_pairs
    return np.unique(grids, return_inverse=True)[1]


def _vote(collection: Collection, grids: CountArray, rng: np.random.Generator) -> BoolArray:
    rows, classes = np.arange(len(collection)), collection.labels.astype(np.int64)
    crowd = hire(N_CROWD, rng=rng)
    answers = np.stack([answer_contains(one, collection, rows=rows, classes=classes).selected for one in crowd])
    orders = np.stack([rng.permutation(N_CROWD)[:N_VOTES] for _ in range(int(grids.max()) + 1)])
    return answers[orders[grids], rows[:, np.newaxis]]


def make_real_ballots(published: Path, n_replicates: int) -> Iterator[Ballot]:
    """Whether nine people selected the dataset label of an image (Tsipras et al. 2020), in a random order each time."""
    votes, classes = [], []
    with (published / "tsipras2020_classify_half.jsonl").open(encoding="utf-8") as file:
        for line in file:
            image = json.loads(line)
            if len(image["selected"]) == 9:
                votes.append([image["label"] in selected for selected in image["selected"]])
                classes.append(image["label"])
    whole = np.array(votes, np.bool_)
    for number in range(n_replicates):
        shuffled = np.random.default_rng([2, number]).permuted(whole, axis=1)
        yield Ballot(np.array(classes, np.int32), shuffled, whole.mean(axis=1))


def decide_truly(ballot: Ballot, strategy: Strategy, n_best: int = 10) -> IntArray:
    """What endless votes would decide; for released votes, what all of them do."""
    if strategy is Strategy.THRESHOLD:
        return (ballot.true >= 0.7 - 1e-12).astype(np.int32)
    if strategy is Strategy.MATCHED_FREQUENCY:
        return np.minimum((ballot.true * N_BINS + 1e-9).astype(np.int32), N_BINS - 1)
    return take_best(ballot.classes, ballot.true, n_best)


def take_best(classes: IntArray, values: FloatArray, n_best: int = 10) -> IntArray:
    """1 for the highest of every class, the first among equals."""
    taken = np.zeros(classes.size, np.int32)
    for index in np.unique(classes):
        mine = np.flatnonzero(classes == index)
        taken[mine[np.argsort(-values[mine], kind="stable")[:n_best]]] = 1
    return taken


def decide_by_shares(ballot: Ballot, strategy: Strategy, *, shown: CountArray, selected: CountArray) -> IntArray:
    """What a draw makes of votes: their shares are taken as they are."""
    if strategy is Strategy.THRESHOLD:
        return (10 * selected >= 7 * shown).astype(np.int32)
    if strategy is Strategy.MATCHED_FREQUENCY:
        return find_bins(shown, selected)
    return take_best(ballot.classes, selected / shown)


def measure_fixed(ballot: Ballot, strategy: Strategy, n: int) -> Cost:
    """Everybody asked alike, and decided by the raw share."""
    selected, shown = ballot.votes[:, :n].sum(axis=1), np.full(len(ballot.classes), n)
    chosen = decide_by_shares(ballot, strategy, shown=shown, selected=selected)
    cells = n * _count_cells(ballot.classes) / len(ballot.classes)
    return Cost(float(n), cells, _find_error(ballot, strategy, chosen))


def measure_adaptive(ballot: Ballot, rule: RedundancyRule, step: int) -> Cost:
    """Rounds until all is settled, as a campaign does them, with the distribution of the first; settled votes are drawn from."""
    n = len(ballot.classes)
    ids, shown = np.array([f"p{number}" for number in range(n)]), np.full(n, step)
    places = np.arange(ballot.votes.shape[1])
    cells, prior = float(step * _count_cells(ballot.classes)), None
    while True:
        selected = (ballot.votes & (places < shown[:, np.newaxis])).sum(axis=1)
        counts = SelectionCounts(ids, np.arange(n, dtype=np.int32), ballot.classes, shown, selected)
        prior = prior or fit_prior(counts)
        found = decide_pairs(counts, rule, step=step, prior=prior)
        if not found.is_open.any():
            break
        cells += step * _count_cells(ballot.classes[found.is_open])
        shown = np.where(found.is_open, shown + step, shown)
    settled = settle_votes(found)
    strategy = rule.plan.strategy
    chosen = decide_by_shares(ballot, strategy, shown=settled.n_shown, selected=settled.n_selected)
    return Cost(float(shown.mean()), cells / n, _find_error(ballot, strategy, chosen))


def _count_cells(classes: IntArray) -> int:
    """Cells of the grids that hold the pairs, with the least controls."""
    sizes = np.bincount(classes)
    n_grids = -(-sizes // SHAPE.n_pairs)
    return int(sizes.sum() + n_grids.sum() * (SHAPE.n_positive + SHAPE.n_negative))


def _find_error(ballot: Ballot, strategy: Strategy, chosen: IntArray) -> float:
    """The share of wrong decisions; for the best, by how much the mean true frequency of those taken falls short.

    Many images of a class are about equally good, so which of them are the best hardly matters, and how good they are does.
    """
    true = decide_truly(ballot, strategy)
    if strategy is Strategy.TOP_IMAGES:
        return float(ballot.true[true == 1].mean() - ballot.true[chosen == 1].mean())
    return float((chosen != true).mean())


def find_equal(fixed: FloatArray, error: float) -> tuple[float, float]:
    """Votes and cells per pair with which a fixed number has that error, between the numbers that were tried.

    Args:
        fixed: votes, cells and error, by votes.
        error: what is to be reached.
    """
    # The lowest error so far never rises; small bumps of the curve would else give several answers, and the first is fair.
    errors = np.minimum.accumulate(fixed[:, 2])
    place = int(np.argmax(errors <= error)) if (errors <= error).any() else len(errors) - 1
    if place == 0 or errors[place] == errors[place - 1]:
        return float(fixed[place, 0]), float(fixed[place, 1])
    part = (errors[place - 1] - error) / (errors[place - 1] - errors[place])
    votes, cells = fixed[place - 1, :2] + min(part, 1.0) * (fixed[place, :2] - fixed[place - 1, :2])
    return float(votes), float(cells)


def compare(fixed: FloatArray, adaptive: FloatArray, rng: np.random.Generator) -> dict[str, float]:
    """Savings with 95% limits from a bootstrap of the replicates [replicates, numbers, 3] and [replicates, 3]."""

    def save(rows: CountArray) -> tuple[float, float, float]:
        votes, cells, error = adaptive[rows].mean(axis=0)
        equal_votes, equal_cells = find_equal(fixed[rows].mean(axis=0), error)
        return equal_votes, 1 - votes / equal_votes, 1 - cells / equal_cells

    n = len(adaptive)
    whole = save(np.arange(n))
    samples = np.array([save(rng.integers(n, size=n)) for _ in range(N_BOOTSTRAP)])
    (low, low_cells), (high, high_cells) = np.quantile(samples[:, 1:], (0.025, 0.975), axis=0)
    votes, cells, error = adaptive.mean(axis=0)
    values = (votes, cells, error, whole[0], whole[1], low, high, whole[2], low_cells, high_cells)
    return dict(zip(COLUMNS[-len(values) :], map(float, values), strict=True))


def measure(
    data: str,
    ballots: Sequence[Ballot],
    strategies: Sequence[Strategy],
    trials: Sequence[tuple[int, int, float]],
) -> Iterator[dict[str, object]]:
    """A row for every strategy and trial."""
    numbers = range(1, ballots[0].votes.shape[1] + 1)
    for strategy in strategies:
        fixed = np.array([[measure_fixed(ballot, strategy, n) for n in numbers] for ballot in ballots])
        for step, most, doubt in trials:
            rule = RedundancyRule(SamplingPlan(strategy), most, doubt)
            adaptive = np.array([measure_adaptive(ballot, rule, step) for ballot in ballots])
            head = (data, strategy.value, step, most, doubt, len(ballots[0].classes), len(ballots))
            yield {
                **dict(zip(COLUMNS, head, strict=False)),
                **compare(fixed, adaptive, np.random.default_rng(0)),
            }
            print(data, strategy.value, step, most, doubt, flush=True)


def render(table: pl.DataFrame) -> alt.FacetChart:
    """Votes saved by strategy and rule."""
    rows = [
        {**row, "rule": f"{row['step']} at a time, {row['max_annotators']} at most, doubt {row['doubt']:g}"}
        for row in table.filter(pl.col("data") == WORLD).iter_rows(named=True)
    ]
    base = alt.Chart({"values": rows})
    y = alt.Y("rule:N", title=None, sort=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("saved:Q", title=X_TITLE, axis=alt.Axis(format="%"), scale=alt.Scale(zero=True))
    rule = base.mark_rule(color=MODEL).encode(alt.X("saved_low:Q", title=X_TITLE), alt.X2("saved_high:Q"), y)
    votes = base.mark_circle(color=MODEL, size=44, opacity=1).encode(x, y)
    cells = base.mark_tick(color=FIT, thickness=2, size=12).encode(alt.X("saved_cells:Q", title=X_TITLE), y)
    title = alt.TitleParams(
        "What asking only where it matters saves",
        subtitle=["Dots: votes, with 95% limits; ticks: cells shown, controls included. Simulated annotators."],
    )
    layers = alt.layer(rule, votes, cells, width=420, height=110)
    figure: alt.FacetChart = layers.facet(row=alt.Row("strategy:N", title=None), title=title).configure(**CONFIG)
    return figure


def make_markdown(table: pl.DataFrame) -> str:
    """The table of the docs page."""
    lines = [
        "| votes | strategy | rule | votes per pair | error | fixed number with that error | votes saved | cells saved |"
    ]
    lines.append("|---|---|---|---|---|---|---|---|")
    for row in table.iter_rows(named=True):
        rule = f"{row['step']} at a time, up to {row['max_annotators']}, doubt {row['doubt']:g}"
        unit = " points" if row["strategy"] == Strategy.TOP_IMAGES else "%"
        cells = _show_share(row, "saved_cells") if row["data"] == WORLD else "–"
        values = (f"{row['votes']:.1f}", f"{100 * row['error']:.1f}{unit}", f"{row['fixed_votes']:.1f}")
        lines.append(
            f"| {' | '.join((row['data'], row['strategy'], rule, *values, _show_share(row, 'saved'), cells))} |"
        )
    return "\n".join(lines)


def _show_share(row: dict[str, float], name: str) -> str:
    value, low, high = (100 * row[key] for key in (name, f"{name}_low", f"{name}_high"))
    return f"{value:.0f}% [{low:.0f}, {high:.0f}]"


def put_table(page: str, table: pl.DataFrame) -> str:
    """The page with the table between its two marks."""
    before, rest = page.split(START)
    return f"{before}{START}\n{make_markdown(table)}\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--published", type=Path, help="Folder with the released data of the papers.")
    parser.add_argument("--replicates", type=int, default=12)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    given = parser.parse_args()
    rows = list(measure(WORLD, list(make_world_ballots(given.replicates)), STRATEGIES, TRIALS))
    if given.published is not None:
        ballots = list(make_real_ballots(given.published, N_REAL))
        rows += measure("tsipras2020", ballots, STRATEGIES[:2], REAL_TRIALS)
    table = pl.DataFrame(rows).select(COLUMNS)
    table.write_csv(given.out / "adaptive.csv", float_precision=6)
    save_figure(render(table), given.out / "images" / "adaptive.svg")
    page = given.out / "planning.md"
    page.write_text(put_table(page.read_text(encoding="utf-8"), table), encoding="utf-8")


if __name__ == "__main__":
    main()
