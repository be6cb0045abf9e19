"""Simulate sampled reviews whose truth is known: how often they settle wrongly and how far they reach, into docs/review.md.

The figure images/review-savings.svg shows the table of reach.

python -m scripts.simulate_reviews [--reviews 2000 | --reviews 0] [--data ../shared/published]

Coverage: two participants on made images with known differences, reviewed in a new random order each time and looked at after
every image. Reach: the 67 models of Recht et al. (2019) some ranks apart, with the labels of Beyer et al. (2020) as reviewers.
Without the data, or with no reviews, the table stays as it is.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import altair as alt
import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.reviews.betting import expect_pair, settle_pair
from regauge.evaluation.reviews.plans import plan_review
from regauge.records.evaluation.reviews import ReviewField, ReviewTerms
from regauge.records.evaluation.sampled_reviews import AgreementPredictor, SampledReviewPlan, SettledBy
from regauge.records.testsets.test_set import TestSet
from regauge.report.theme import CONFIG, DATASET, FIT, MODEL
from regauge.stats.intervals import clopper_pearson
from regauge.workflows.reports.figures import save_figure

PAGE = Path(__file__).resolve().parents[1] / "docs" / "review.md"
FIGURE = PAGE.parent / "images" / "review-savings.svg"
SERIES = {"open items": DATASET, "until bounds settle": FIT, "until settled": MODEL}
"""The columns of the table that the figure shows, and their colours."""
N_IMAGES = 600
FEWEST_PEEKED = 10
"""Images before anybody looks at the interval of a fixed number."""


@dataclass(frozen=True, slots=True)
class World:
    """Two participants on images of which everything is known.

    Attributes:
        name: what the table calls it.
        n_ahead: images that only the first gets right.
        n_behind: images that only the second gets right.
        knowledge: how much of the predictor is knowledge: 1 knows nearly everything, 0 nothing, −1 is wrong wherever it can be.
    """

    name: str
    n_ahead: int
    n_behind: int
    knowledge: float


WORLDS = (
    *(World("good predictor", 120 + one, 120, 0.6) for one in (0, 1, -1)),
    *(World("no predictor", 120 + one, 120, 0.0) for one in (0, 1, -1)),
    *(World("adverse predictor", 120 + one, 120, -0.9) for one in (0, 1, -1)),
    *(World("1% of images differ each way", 6 + one, 6, 0.0) for one in (0, 1, -1)),
    *(World("1% differ, adverse predictor", 6 + one, 6, -0.9) for one in (0, 1, -1)),
)


@dataclass(frozen=True, slots=True)
class Errors:
    """How often reviews of a world were wrong at some moment."""

    world: World
    n_reviews: int
    n_false: int
    n_peeked: int
    """By a 95% interval for a fixed number of images that is looked at after every image."""


def make_plan(world: World, rng: np.random.Generator, *, level: float = 0.95) -> tuple[SampledReviewPlan, CountArray]:
    """A plan in a random order, and the difference on every image in that order."""
    differences = np.zeros(N_IMAGES, np.int64)
    differences[: world.n_ahead], differences[world.n_ahead : world.n_ahead + world.n_behind] = 1, -1
    first = np.clip(0.5 + world.knowledge * differences / 2, 0.02, 0.98)
    chances = np.stack([first, 1 - first])
    if world.knowledge == 0 and world.n_ahead < N_IMAGES // 20:
        chances[:] = 0.05
    plan = SampledReviewPlan(
        test_set="made",
        labels="",
        participants=("first", "second"),
        terms=ReviewTerms(level=level),
        trust_dataset_labels=False,
        predictor=AgreementPredictor(problematic=0.0),
        image_ids=np.arange(N_IMAGES).astype(np.str_),
        n_items=np.full(N_IMAGES, 2),
        weights=np.ones(N_IMAGES),
        answers=np.repeat([[0], [1]], N_IMAGES, axis=1),
        outcomes=np.full((2, N_IMAGES), Outcome.UNJUDGED),
        chances=chances,
        known=np.zeros(1, np.int64),
    )
    return _shuffle(plan, differences, rng)


def count_errors(world: World, *, n_reviews: int, seed: int = 1) -> Errors:
    """Review the world again and again: false is a sign that the sample settles and that the difference does not have."""
    rng = np.random.default_rng([seed, world.n_ahead, world.n_behind, int(10 * world.knowledge) + 10])
    truth, n_false, n_peeked = np.sign(world.n_ahead - world.n_behind), 0, 0
    for _ in range(n_reviews):
        plan, values = make_plan(world, rng)
        found = settle_pair(plan, (0, 1), values=values)
        n_false += found.by is SettledBy.SAMPLE and found.sign != truth
        n_peeked += _peek(plan, values) not in (0, truth)
    return Errors(world, n_reviews, int(n_false), int(n_peeked))


@dataclass(frozen=True, slots=True, eq=False)
class Reviewers:
    """The answers of models, and what reviewers would say of them.

    Attributes:
        field: the answers.
        is_right: whether each is right [models, images].
        is_problematic: images without a label, which count for nobody; that is found when they are reviewed.
    """

    field: ReviewField
    is_right: BoolArray
    is_problematic: BoolArray


def load_reviewers(data: Path, *, is_whole: bool = False, is_trusting: bool = True) -> Reviewers:
    """67 models with the labels of Beyer et al. (2020) as reviewers.

    Args:
        data: the folder of the released data.
        is_whole: on all 50,000 images; by default without those that have no label, as if these were known beforehand.
        is_trusting: dataset labels count as correct, and nobody is asked about them.
    """
    with np.load(data / "recht2019_imagenet_top1.npz", allow_pickle=False) as archive:
        answers, labels = archive["val_top1"].astype(np.int32), archive["val_labels"].astype(np.int32)
        ids, names = archive["val_ids"], tuple(archive["models"].tolist())
    lists = json.loads((data / "real2020_labels.json").read_text())
    found = np.zeros((len(ids), 1_000), np.bool_)
    for row, number in enumerate(ids.tolist()):
        found[row, lists[number - 1]] = True
    is_kept = found.any(axis=1) | is_whole
    found, answers, labels = found[is_kept], answers[:, is_kept], labels[is_kept]
    is_problematic = np.logical_not(found.any(axis=1))
    test_set = TestSet("val", ids[is_kept].astype(np.str_), labels)
    field = ReviewField(test_set, names, answers, trust_dataset_labels=is_trusting)
    is_right = found[np.arange(len(labels)), answers]
    return Reviewers(field, is_right | (is_trusting & (answers == labels)), is_problematic)


def measure_reach(reviewers: Reviewers, ranks: int, *, step: int = 1) -> FloatArray:
    """Items until pairs so many ranks apart by their accuracy are settled, until bounds alone settle them, and all that are open.

    Bounds are looked at in the same random order.
    """
    field, names = reviewers.field, reviewers.field.participants
    accuracies = (reviewers.is_right & ~reviewers.is_problematic).sum(axis=1)
    order = np.lexsort((names, -accuracies))
    place = {image_id: row for row, image_id in enumerate(field.test_set.image_ids.tolist())}
    taken = []
    for rank in range(0, len(names) - ranks, step):
        first, second = order[rank], order[rank + ranks]
        plan = plan_review(field, (names[first], names[second]), terms=ReviewTerms(seed=rank))
        rows = [place[one] for one in plan.image_ids.tolist()]
        right = reviewers.is_right[:, rows].astype(np.int64) * ~reviewers.is_problematic[rows]
        values = right[first] - right[second]
        ends = settle_pair(plan, (0, 1), values=values).n_images, _find_bound(plan, values), len(plan)
        taken.append([int(plan.n_items[:end].sum()) for end in ends])
    return np.array(taken, np.float64).T


def write_coverage(n_reviews: int) -> Iterator[str]:
    """The table of false settlements."""
    yield "| images | T | settled wrongly at some moment | usual 95% interval, checked after every image |\n|---|---|---|---|\n"
    for world in WORLDS:
        one = count_errors(world, n_reviews=n_reviews)
        low, high = clopper_pearson(one.n_false, n_reviews)
        share = f"{100 * one.n_false / n_reviews:.1f}% [{100 * float(low):.1f}, {100 * float(high):.1f}]"
        truth = f"{world.n_ahead - world.n_behind:+d}".replace("+0", "0").replace("-", "−")
        yield f"| {world.name} | {truth} | {share} | {100 * one.n_peeked / n_reviews:.0f}% |\n"


def write_reach(data: Path) -> Iterator[str]:
    """The table of reach."""
    columns = (
        "images, dataset labels",
        "ranks apart",
        "pairs",
        "open items",
        "until bounds settle",
        "until settled",
        "middle 90%",
    )
    yield f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n"
    settings = {
        "46,837, trusted": load_reviewers(data),
        "50,000, trusted": load_reviewers(data, is_whole=True),
        "46,837, judged too": load_reviewers(data, is_trusting=False),
    }
    for (name, reviewers), ranks in product(settings.items(), (1, 5, 10, 20)):
        items, bounded, every = measure_reach(reviewers, ranks)
        low, high = np.quantile(items, (0.05, 0.95))
        medians = " | ".join(f"{np.median(one):,.0f}" for one in (every, bounded, items))
        numbers = f"{medians} | {low:,.0f} to {high:,.0f}"
        yield f"| {name} | {ranks} | {len(items)} | {numbers} |\n"


def read_reach(page: str) -> Iterator[dict[str, str | int]]:
    """What the figure shows, from the table on the page: a row per setting, distance and series."""
    table = page.split("<!-- reach -->")[1].split("<!-- end of reach -->", maxsplit=1)[0]
    head, _, *lines = ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.strip().splitlines())
    for cells in lines:
        row = {name: cell.replace(",", "") for name, cell in zip(head, cells, strict=True)}
        low, high = (int(end) for end in row["middle 90%"].split(" to "))
        for series in SERIES:
            is_ours = series == "until settled"
            limits = {"low": low, "high": high} if is_ours else {}
            yield {
                "images": cells[0],
                "ranks": int(row["ranks apart"]),
                "items": int(row[series]),
                "series": series,
                **limits,
            }


def render_savings(rows: Sequence[dict[str, str | int]]) -> alt.FacetChart:
    """How many items a comparison takes: all that are open, until bounds settle it, and until a sample does."""
    base = alt.Chart({"values": list(rows)})
    x = alt.X("ranks:O", title="ranks apart", axis=alt.Axis(labelAngle=0))
    y = alt.Y(
        "items:Q",
        title="items",
        scale=alt.Scale(type="log"),
        axis=alt.Axis(format=",", values=[30, 100, 300, 1_000, 3_000, 10_000, 30_000]),
    )
    names = list(SERIES)
    color = alt.Color("series:N", title=None, scale=alt.Scale(domain=names, range=list(SERIES.values())), sort=names)
    spread = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule()
        .encode(x, alt.Y("low:Q", title="items"), alt.Y2("high:Q"), color)
    )
    medians = base.mark_point(filled=True, size=60, opacity=1).encode(
        x, y, color, alt.Shape("series:N", title=None, scale=alt.Scale(domain=names), sort=names)
    )
    title = alt.TitleParams(
        "What a sample saves",
        subtitle=["Medians over the pairs of 67 models; lines: the middle 90%. Beyer et al. (2020) as reviewers."],
    )
    layers = alt.layer(spread, medians, width=180, height=220)
    figure: alt.FacetChart = layers.facet(
        column=alt.Column("images:N", title=None, sort=list(dict.fromkeys(str(row["images"]) for row in rows))),
        title=title,
    ).configure(**CONFIG)
    return figure


def replace_table(page: str, name: str, table: str) -> str:
    """The page with another table between the marks of that name."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = re.compile(f"{start}.*?{end}", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"docs/review.md has no place for the table {name!r}.")
    return pattern.sub(lambda _: f"{start}\n\n{table}\n{end}", page)


def _find_bound(plan: SampledReviewPlan, values: CountArray) -> int:
    """After how many images no open verdict can turn the pair."""
    expected, known = expect_pair(plan, (0, 1)), int(plan.known[0])
    lower = known + expected.lowest.sum() + np.cumsum(values - expected.lowest)
    upper = known + expected.highest.sum() + np.cumsum(values - expected.highest)
    return 1 + int(np.argmax((lower > 0) | (upper < 0) | (lower == upper)))


def _shuffle(
    plan: SampledReviewPlan, differences: CountArray, rng: np.random.Generator
) -> tuple[SampledReviewPlan, CountArray]:
    """Weights and order by the rule of a plan."""
    spread = np.sqrt(expect_pair(plan, (0, 1)).variances)
    weights = 0.7 * spread / spread.mean() + 0.3
    order = np.argsort(rng.exponential(size=len(weights)) / weights)
    columns = {"weights": weights[order], "chances": plan.chances[:, order]}
    kept = {name: getattr(plan, name) for name in plan.__dataclass_fields__ if name not in columns}
    return SampledReviewPlan(**kept, **columns), differences[order]


def _peek(plan: SampledReviewPlan, values: CountArray) -> int:
    """The sign that the usual interval of the mean of X claims first, if anybody looks after every image; 0 for none."""
    expected = expect_pair(plan, (0, 1))
    remaining = np.cumsum(plan.weights[::-1])[::-1]
    foreseen = np.cumsum(expected.predicted[::-1])[::-1]
    known = np.concatenate(([0], np.cumsum(values)[:-1]))
    x = known + foreseen + (values - expected.predicted) * remaining / plan.weights
    n = np.arange(1, len(x) + 1)
    means = np.cumsum(x) / n
    errors = np.sqrt(np.maximum(np.cumsum(x**2) / n - means**2, 0) / n)
    is_out = (np.abs(means) > 1.96 * errors) & (errors > 0) & (n >= FEWEST_PEEKED)
    return int(np.sign(means[np.argmax(is_out)])) if is_out.any() else 0


def main() -> None:
    """Write the tables and the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviews", type=int, default=2_000)
    parser.add_argument("--data", type=Path)
    chosen = parser.parse_args()
    tables = {"coverage": "".join(write_coverage(chosen.reviews))} if chosen.reviews else {}
    if chosen.data is not None:
        tables["reach"] = "".join(write_reach(chosen.data))
    for name, table in tables.items():
        PAGE.write_text(replace_table(PAGE.read_text(encoding="utf-8"), name, table), encoding="utf-8")
    save_figure(render_savings(list(read_reach(PAGE.read_text(encoding="utf-8")))), FIGURE)


if __name__ == "__main__":
    main()
