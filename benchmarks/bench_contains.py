"""Screening of CONTAINS answers and their selection frequencies: time against polars and pandas on the same job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from benchmarks.harness import N_THREADS, Role, Variant, Workload, compare, find_peer
from regauge.arrays import CountArray, FloatArray
from regauge.labels.frequencies.frequency import count_selections
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.responses.answers import ContainsResponses, ContainsVotes, Control
from regauge.records.responses.screening import ScreeningRules
from regauge.responses.grouping import group_votes
from regauge.responses.screening import screen

N_GRIDS = 11_574
N_ANSWERS = 9
N_CELLS = 48
N_POSITIVE = 5
N_NEGATIVE = 3
N_CLASSES = 1_000
N_ANNOTATORS = 2_000
N_IMAGES = 200_000
N_CONTROLS = 20
SEED = 2019

PANDAS = "pandas"

Count: TypeAlias = Callable[[pl.DataFrame], pl.DataFrame]

PLAIN = ScreeningRules(leave_one_out=False)
FULL = ScreeningRules()


def draw_votes() -> ContainsVotes:
    """A campaign of 5.0 million votes: grids of 48 for one class each, with controls, by 9 of 2,000 annotators.

    Controls are drawn from 20 images per class, so that they come back in other grids of the class. No annotator gets a
    class twice, so that a query that does not look for repeats gives the same counts.
    """
    rng = np.random.default_rng(SEED)
    classes = np.sort(rng.integers(0, N_CLASSES, N_GRIDS))
    n_controls = N_POSITIVE + N_NEGATIVE
    images = np.stack([rng.choice(N_IMAGES, N_CELLS - n_controls, replace=False) for _ in range(N_GRIDS)])
    pools = np.stack([rng.choice(N_CONTROLS, n_controls, replace=False) for _ in range(N_GRIDS)])
    controls = N_IMAGES + N_CONTROLS * classes[:, np.newaxis] + pools
    cells = np.concatenate([controls, images], axis=1)
    marks = np.repeat(
        [Control.POSITIVE, Control.NEGATIVE, Control.NONE], [N_POSITIVE, N_NEGATIVE, N_CELLS - n_controls]
    )
    annotators = np.concatenate([_draw_annotators(rng, n) for n in np.bincount(classes, minlength=N_CLASSES)])
    skills = np.where(rng.random(N_ANNOTATORS) < 0.03, 0.1, rng.beta(12, 3, N_ANNOTATORS))
    chances = np.where(marks == Control.POSITIVE, skills[annotators][:, :, np.newaxis], 0.3)
    selected = rng.random((N_GRIDS, N_ANSWERS, N_CELLS)) < chances
    n_rows = selected.size
    return ContainsVotes(
        np.array([f"task-{one}" for one in range(N_GRIDS)]),
        np.array([f"annotator-{one}" for one in range(N_ANNOTATORS)]),
        np.array([f"image-{one}" for one in range(N_IMAGES + N_CONTROLS * N_CLASSES)]),
        tasks=np.repeat(np.arange(N_GRIDS, dtype=np.int32), N_ANSWERS * N_CELLS),
        annotators=np.repeat(annotators.ravel().astype(np.int32), N_CELLS),
        images=np.repeat(cells[:, np.newaxis].astype(np.int32), N_ANSWERS, axis=1).ravel(),
        classes=np.repeat(classes.astype(np.int32), N_ANSWERS * N_CELLS),
        controls=np.tile(marks.astype(np.uint8), n_rows // N_CELLS),
        is_selected=selected.ravel(),
    )


def _draw_annotators(rng: np.random.Generator, n_grids: int) -> CountArray:
    """For the grids of one class, nine annotators each, all of them different."""
    return rng.choice(N_ANNOTATORS, (n_grids, N_ANSWERS), replace=False)


def count_masks(responses: ContainsResponses, rules: ScreeningRules) -> SelectionCounts:
    return count_selections(responses, screen(responses, rules)).counts


def count_rows(votes: ContainsVotes, rules: ScreeningRules) -> SelectionCounts:
    return count_masks(group_votes(votes), rules)


def make_frame(votes: ContainsVotes) -> pl.DataFrame:
    names = ("tasks", "annotators", "images", "classes", "controls", "is_selected")
    return pl.DataFrame({name: getattr(votes, name) for name in names})


IS_POSITIVE = pl.col("controls") == int(Control.POSITIVE)
IS_LOW = 5 * pl.col("k") < 2 * pl.col("n")


def judge_with_polars(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Per response of the annotators who are not dropped, its positive controls and how many it selected."""
    return (
        rows.filter(IS_POSITIVE)
        .group_by("tasks", "annotators")
        .agg(n=pl.len().cast(pl.Int32), k=pl.col("is_selected").sum().cast(pl.Int32))
        .filter(2 * (5 * pl.col("k") < pl.col("n")).sum().over("annotators") < pl.len().over("annotators"))
    )


def count_plainly_with_polars(rows: pl.DataFrame) -> pl.DataFrame:
    """As few steps as a lazy query allows: rows of accepted responses, counted by pair; pairs without any are left out."""
    accepted = judge_with_polars(rows.lazy()).filter(~IS_LOW).select("tasks", "annotators")
    return (
        rows.lazy()
        .join(accepted, on=["tasks", "annotators"], how="semi")
        .group_by("images", "classes")
        .agg(n_shown=pl.len(), n_selected=pl.col("is_selected").sum())
        .collect()
    )


def count_wholly_with_polars(rows: pl.DataFrame) -> pl.DataFrame:
    """The same with a control's vote judged by the other controls, and an annotator counted once per pair."""
    # At these thresholds the vote that is left out cannot change what becomes of its annotator.
    others = 5 * (pl.col("k") - pl.col("is_selected").cast(pl.Int32)) >= 2 * (pl.col("n") - 1)
    return (
        rows.lazy()
        .join(judge_with_polars(rows.lazy()), on=["tasks", "annotators"])
        .filter(pl.when(IS_POSITIVE).then(others).otherwise(~IS_LOW))
        .unique(["annotators", "images", "classes"], keep="first", maintain_order=True)
        .group_by("images", "classes")
        .agg(n_shown=pl.len(), n_selected=pl.col("is_selected").sum())
        .collect()
    )


def count_plainly_with_pandas(rows: Any) -> Any:  # noqa: ANN401 - pandas may be absent
    """The plain rules in pandas."""
    positive = rows[rows.controls == int(Control.POSITIVE)]
    per_response = (
        positive.groupby(["tasks", "annotators"], sort=False).is_selected.agg(n="size", k="sum").reset_index()
    )
    poor = (5 * per_response.k < per_response.n).groupby(per_response.annotators).mean()
    is_kept = (per_response.annotators.map(poor) < 0.5) & (5 * per_response.k >= 2 * per_response.n)
    accepted = rows.merge(per_response.loc[is_kept, ["tasks", "annotators"]], on=["tasks", "annotators"])
    return accepted.groupby(["images", "classes"], sort=False).is_selected.agg(n_shown="size", n_selected="sum")


def check_same(ours: SelectionCounts, rows: pl.DataFrame) -> None:
    """The rows of the peer are ours, without the pairs that have no accepted vote."""
    in_order = rows.sort("images", "classes")
    is_seen = ours.n_shown > 0
    for name in ("images", "classes", "n_shown", "n_selected"):
        np.testing.assert_array_equal(getattr(ours, name)[is_seen], in_order[name].to_numpy().astype(np.int64))


def read_columns(votes: ContainsVotes) -> list[FloatArray]:
    """The floor: every column of the table is read once."""
    columns = (
        votes.tasks,
        votes.annotators,
        votes.images,
        votes.classes,
        votes.controls,
        votes.is_selected.view(np.uint8),
    )
    return [column.sum() for column in columns]


def compare_job(votes: ContainsVotes, rules: ScreeningRules, *, peers: Mapping[str, Count]) -> str:
    responses, frame = group_votes(votes), make_frame(votes)
    variants = [
        Variant("screen, count_selections on masks", partial(count_masks, responses, rules), Role.OURS),
        Variant("the same from long columns, group_votes included", partial(count_rows, votes, rules), Role.OURS),
    ]
    for name, count in peers.items():
        for ours in (count_masks(responses, rules), count_rows(votes, rules)):
            check_same(ours, count(frame))
        variants.append(Variant(name, partial(count, frame), n_threads=1 if name == PANDAS else N_THREADS))
    variants.append(Variant("NumPy sums of the six columns", partial(read_columns, votes), Role.FLOOR, gives="nothing"))
    job = "a control's vote judged by the others, annotators once per pair" if rules.leave_one_out else "plain rules"
    return compare(f"{len(votes):,} votes, {job}", variants, missing=[] if find_peer("pandas") else ["pandas"])


def run() -> Workload:
    votes = draw_votes()
    plain: dict[str, Count] = {"polars, lazy": count_plainly_with_polars}
    if find_peer("pandas") and find_peer("pyarrow"):
        table = make_frame(votes).to_pandas()
        plain[PANDAS] = lambda _: pl.from_pandas(count_plainly_with_pandas(table).reset_index())
    return Workload(
        "CONTAINS: screening and selection frequencies",
        "One response is one bit mask, so most loops run over responses. All give the same rows. With the plain rules peers do "
        "without the two things that make their queries long; then they do them too.",
        (
            compare_job(votes, PLAIN, peers=plain),
            compare_job(votes, FULL, peers={"polars, lazy": count_wholly_with_polars}),
        ),
    )


if __name__ == "__main__":
    print(run().to_markdown())
