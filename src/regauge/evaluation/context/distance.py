"""How far mistakes are from the dataset label in the hierarchy, beside what random wrong answers would give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import regauge.frames as pl
from regauge.arrays import FloatArray, IntArray
from regauge.columns import ColumnTypes
from regauge.errors import InputError
from regauge.estimates import count_things, format_plain, from_fields
from regauge.evaluation.context.basis.tables import choose_participants, list_estimate
from regauge.evaluation.context.confusions.answers import (
    GivenAnswers,
    find_people,
    take_answers,
)
from regauge.evaluation.context.confusions.mistake_distances import (
    MeanDistances,
    average_draws,
    find_wrong,
    measure_means,
    tell_shares_at,
)
from regauge.evaluation.context.confusions.tallies import add_parts, tally, tell_shares
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.correlations import correlate_ranks, limit_rank_correlation
from regauge.stats.redraws import draw_images
from regauge.stats.resampling import percentile_limits
from regauge.taxonomy.hierarchy import measure_class_distances

PATH, LEVEL = "path length", "ancestor level"
MIN_PARTICIPANTS = 4

Row = Mapping[str, Any]


TABLES = {
    "distances": ContextTable(
        "Mean distance of mistakes, and of random wrong answers",
        ColumnTypes(
            {
                "predictor": "String",
                "is_people": "Boolean",
                "measure": "String",
                "n_images": "Int64",
                **list_estimate("top1"),
                "n": "Float64",
                "n_apart": "Float64",
                **list_estimate("mean"),
                **list_estimate("uniform"),
                **list_estimate("marginal"),
                **list_estimate("nearer"),
            }
        ),
        plain=("mean", "uniform", "marginal", "nearer"),
    ),
    "shares": ContextTable(
        "Mistakes by distance, and random wrong answers",
        ColumnTypes(
            {
                "predictor": "String",
                "measure": "String",
                "distance": "Int64",
                "n_mistakes": "Float64",
                "n_tied": "Int64",
                "n": "Int64",
                **list_estimate("share"),
                "uniform": "Float64",
                "marginal": "Float64",
            }
        ),
    ),
    "trends": ContextTable(
        "Distance of mistakes against top-1",
        ColumnTypes({"measure": "String", "n": "Int64", "n_images": "Int64", **list_estimate("rank_correlation")}),
        plain=("rank_correlation",),
    ),
}


def find_distance(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Path lengths and ancestor levels of everybody's wrong answers.

    Raises:
        InputError: no participant matches a glob, or an answer is no class of the taxonomy.
    """
    if material.taxonomy is None:
        raise InputError("Distances of mistakes need a taxonomy with a hierarchy.")
    participants = [take_answers(material, place) for place in range(len(material.participants))]
    predictors = [*participants, *find_people(material)]
    _check_classes(predictors, material)
    wrong = [find_wrong(one, labels=material.labels, n_classes=material.n_classes) for one in predictors]
    chosen = [*choose_participants(material, settings), *range(len(participants), len(predictors))]
    found = measure_class_distances(material.taxonomy)
    drawn = _draw(len(material.labels), settings)
    accuracies = _score(participants, material.labels, drawn)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for measure, distances in ((PATH, found.path_lengths), (LEVEL, found.ancestor_levels)):
        means = measure_means(wrong, distances, drawn=drawn)
        own = _tell_means(predictors, means, labels=material.labels, level=settings.level)
        rows["distances"] += [{**row, "measure": measure} for row in own]
        for place in chosen:
            shares = tell_shares_at(wrong[place], distances, level=settings.level)
            rows["shares"] += [{**row, "measure": measure} for row in shares]
        trend = _tell_trend(means.means[0, : len(participants)], accuracies, settings.level)
        if trend["n"] >= MIN_PARTICIPANTS:
            n_images = max(one.n for one in participants)
            rows["trends"].append({"measure": measure, "n_images": n_images, **trend})
    tables = {name: _make_table(rows[name], table.columns) for name, table in TABLES.items()}
    listed = {predictors[place].name for place in chosen}
    return ContextFindings(tables, tuple(_answer(rows, listed)), tuple(_note(rows["distances"])))


def _make_table(rows: Sequence[Row], columns: ColumnTypes) -> pl.DataFrame:
    ordered = [{name: row[name] for name in columns} for row in rows]
    return pl.DataFrame(ordered, schema=dict(columns), orient="row")


def _check_classes(predictors: Sequence[GivenAnswers], material: ContextMaterial) -> None:
    for one in predictors:
        highest = int(one.classes.max(initial=0))
        if highest >= material.n_classes:
            raise InputError(
                f"{one.name} answers class {highest:,}, and the taxonomy has {material.n_classes:,} classes; "
                "distances need the taxonomy of the predictions."
            )


def _draw(n: int, settings: ContextSettings) -> NDArray[np.uint8]:
    """All images once, then redrawn ones."""
    rng = np.random.default_rng(settings.seed)
    drawn = draw_images(n, rng=rng, n_resamples=settings.n_bootstrap)
    return np.concatenate([np.ones((1, n), np.uint8), drawn])


def _score(participants: Sequence[GivenAnswers], labels: IntArray, drawn: NDArray[np.uint8]) -> FloatArray:
    """Top-1 of every participant on all draws of images [participants, draws]."""
    counts = np.zeros((2, len(participants), len(labels)), np.float32)
    for place, one in enumerate(participants):
        counts[0, place] = one.is_given
        counts[1, place, one.rows] = one.classes == labels[one.rows]
    return np.asarray(average_draws(counts, drawn)[0], np.float64)


def _tell_means(
    predictors: Sequence[GivenAnswers], means: MeanDistances, *, labels: IntArray, level: float
) -> Iterator[dict[str, Any]]:
    nearer = means.means[2] - means.means[0]
    columns = dict(zip(("mean", "uniform", "marginal", "nearer"), (*means.means, nearer), strict=True))
    limited = {
        name: (values[:, 0], *percentile_limits(values[:, 1:].T, level=level)) for name, values in columns.items()
    }
    for place, one in enumerate(predictors):
        is_right = one.classes == labels[one.rows]
        _, parts = add_parts(one.rows[is_right], one.weights[is_right])
        (top1,) = tell_shares(
            "top1", tally(np.zeros(parts.size, np.int64), parts, size=1), n=np.array([one.n]), level=level
        )
        row = {
            "predictor": one.name,
            "is_people": one.is_people,
            "n_images": one.n,
            **{name: top1[name] for name in ("top1", "top1_low", "top1_high")},
            "n": float(means.n[place]),
            "n_apart": float(means.n_apart[place]),
        }
        for name, values in limited.items():
            own = (float(column[place]) for column in values)
            names = (name, f"{name}_low", f"{name}_high")
            row |= {key: None if np.isnan(one) else one for key, one in zip(names, own, strict=True)}
        yield row


def _tell_trend(means: FloatArray, accuracies: FloatArray, level: float) -> dict[str, Any]:
    """The rank correlation of mean distances with top-1 over participants who have both on all draws [participants, draws]."""
    is_known = ~np.isnan(means + accuracies).any(axis=1)
    ranks = correlate_ranks(means[is_known].T, accuracies[is_known].T)
    low, high = limit_rank_correlation(ranks[0], ranks[1:], level=level)
    names = ("rank_correlation", "rank_correlation_low", "rank_correlation_high")
    numbers = zip(names, (ranks[0], low, high), strict=True)
    return {"n": int(is_known.sum()), **{name: None if np.isnan(one) else float(one) for name, one in numbers}}


def _answer(rows: Mapping[str, Sequence[Row]], listed: set[str]) -> Iterator[str]:
    for row in rows["distances"]:
        if row["predictor"] in listed and row["mean"] is not None:
            own, even, marginal = (
                format_plain(from_fields(row, name), decimals=2) for name in ("mean", "uniform", "marginal")
            )
            yield (
                f"{row['predictor']}: the mean {row['measure']} of {_count(row['n'])} is {own}; random wrong answers give "
                f"{even} if every wrong class is equally likely, {marginal} if they are drawn from its own."
            )
    for row in rows["trends"]:
        if row["rank_correlation"] is not None:
            yield _answer_trend(row)


def _count(n: float) -> str:
    """So many mistakes; images that classes share count in parts."""
    return count_things(int(n), "mistake") if n == int(n) else f"{n:,.1f} mistakes"


def _answer_trend(row: Row) -> str:
    found = from_fields(row, "rank_correlation")
    value = f"{format_plain(found, decimals=2)} over {row['n']} participants"
    if found.low is not None and found.low > 0:
        return f"The higher top-1, the farther mistakes are by {row['measure']}: rank correlation {value}."
    if found.high is not None and found.high < 0:
        return f"The higher top-1, the nearer mistakes are by {row['measure']}: rank correlation {value}."
    return f"Whether the {row['measure']} of mistakes goes with top-1 cannot be told: rank correlation {value}."


def _note(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row["measure"] == PATH and row["n_apart"]:
            yield (
                f"{row['predictor']}: nothing in the hierarchy joins the two classes of {_count(row['n_apart'])}, so that "
                "there is no distance."
            )
        if row["measure"] == PATH and row["n_images"] and not row["n"] and not row["n_apart"]:
            yield f"{row['predictor']} makes no mistake on {count_things(row['n_images'], 'image')}, so it has no mean distance."


DISTANCE = Analysis(
    name="distance",
    title="Distances of mistakes",
    help="How far mistakes are from the dataset label in the hierarchy, beside what random wrong answers would give.",
    needs=(ContextNeed.DATASET_LABELS, ContextNeed.HIERARCHY),
    needs_any=(ContextNeed.PARTICIPANTS, ContextNeed.CLASSIFY, ContextNeed.FREQUENCIES),
    tables=TABLES,
    analyse=find_distance,
)
