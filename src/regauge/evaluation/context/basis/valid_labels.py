"""Labels that several annotators accept: against the number of objects, and against the number of labels offered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import regauge.frames as pl
from regauge.arrays import CountArray, FloatArray
from regauge.estimates import count_things, format_plain
from regauge.evaluation.context.basis.fewer import count_up, limit_draws, spread_main, thin_any
from regauge.evaluation.context.basis.selections import RowVotes
from regauge.evaluation.context.basis.tables import (
    FLOAT,
    INT,
    TEXT,
    find_estimate,
    list_estimate,
    make_columns,
    make_frame,
)
from regauge.evaluation.context.contract import ContextMaterial, ContextTable
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.records.evaluation.context.report import ContextSettings
from regauge.records.labels.objects import ClassifyLabels
from regauge.stats.redraws import bootstrap_ratios
from regauge.stats.resampling import percentile_limits

N_AGREE = 2
"""Annotators who must agree on a label."""
N_MOST = 15
"""Numbers of labels from here on are one."""

BY_OBJECTS = ContextTable(
    "Labels accepted by objects",
    make_columns(
        {"annotators": TEXT, "least": INT, "objects_from": FLOAT, "objects_to": FLOAT, "n": INT},
        list_estimate("labels"),
    ),
    ("22a", "24b"),
    plain=("objects_from", "objects_to", "labels"),
)
GRID = ContextTable(
    "Images by labels and objects",
    make_columns(
        {
            "annotators": TEXT,
            "least": INT,
            "objects_from": FLOAT,
            "objects_to": FLOAT,
            "n_labels": INT,
            "n_images": FLOAT,
        }
    ),
    ("22a", "24b"),
    plain=("objects_from", "objects_to"),
)
BY_OFFERED = ContextTable(
    "Labels chosen by labels offered",
    make_columns(
        {"annotators": TEXT, "n_offered": INT, "n": INT},
        list_estimate("chosen"),
        {"draws_low": FLOAT, "draws_high": FLOAT},
    ),
    ("22b",),
    plain=("chosen", "draws_low", "draws_high"),
)


class _Case(NamedTuple):
    """Who judges, and how many of them must select a label."""

    annotators: str
    n_left: int | None
    least: int


def compare_with_objects(
    material: ContextMaterial, votes: RowVotes | None, *, settings: ContextSettings, n_fewer: int | None
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Labels that two or more annotators select in CONTAINS against the mean number that one selects in CLASSIFY."""
    if votes is None or material.classify is None:
        return make_frame(BY_OBJECTS), make_frame(GRID), []
    halves = _find_halves(material, material.classify, votes)
    used = np.flatnonzero(halves >= 0)
    cases = [_Case("all", None, N_AGREE)]
    if n_fewer is not None:
        cases += [_Case(f"{n_fewer} drawn", n_fewer, least) for least in range(N_AGREE, 0, -1)]
    tables, grids, told = [], [], []
    for case in cases:
        rows, cells = _bin(_spread(votes, used, case), halves[used], case, settings)
        tables += rows
        grids += cells
        told += _tell_single(rows) if case.n_left is None else []
    columns = {name: [row[name] for row in tables] for name in BY_OBJECTS.columns}
    cells_by_name = {name: [row[name] for row in grids] for name in GRID.columns}
    return make_frame(BY_OBJECTS, columns), make_frame(GRID, cells_by_name), told


def _find_halves(material: ContextMaterial, classify: ClassifyLabels, votes: RowVotes) -> CountArray:
    """Per row, half-objects that an annotator sees on average, rounded down; −1 without answers or counts."""
    sums = np.add.reduceat(np.append(classify.n_selected, 0), classify.starts[:-1]) if len(classify) else np.zeros(0)
    sums = np.where(np.diff(classify.starts) > 0, sums, 0)
    rows = find_target_rows(material.target, classify.objects.image_ids)
    is_voted = np.zeros(len(material.labels), np.bool_)
    is_voted[votes.rows[votes.rows != NO_PAIR]] = True
    here = (rows != NO_PAIR) & (classify.n_accepted > 0)
    halves = np.full(len(material.labels), -1, np.int64)
    halves[rows[here]] = 2 * sums[here] // classify.n_accepted[here]
    return np.where(is_voted, halves, -1)


def _spread(votes: RowVotes, used: CountArray, case: _Case) -> tuple[FloatArray, FloatArray]:
    """The probability of every number of selected labels [images, N_MOST + 1], and the mean number [images].

    The probability is 0 or 1 where all annotators are there.
    """
    place = np.full(len(votes.labels), -1, np.int64)
    place[used] = np.arange(len(used))
    pairs = np.flatnonzero((votes.rows != NO_PAIR) & (votes.counts.n_shown > 0))
    pairs = pairs[place[votes.rows[pairs]] >= 0]
    selected, shown, images = votes.counts.n_selected[pairs], votes.counts.n_shown[pairs], place[votes.rows[pairs]]
    if case.n_left is not None:
        chances = thin_any(selected, shown, n_left=case.n_left, least=case.least)
        return count_up(chances, images, n_images=len(used), n_most=N_MOST), np.bincount(
            images, chances, len(used)
        ).astype(np.float64)
    n_labels = np.bincount(images[selected >= case.least], minlength=len(used))
    is_number = np.minimum(n_labels, N_MOST)[:, np.newaxis] == np.arange(N_MOST + 1)
    return is_number.astype(np.float64), n_labels.astype(np.float64)


def _bin(
    spread: tuple[FloatArray, FloatArray], halves: CountArray, case: _Case, settings: ContextSettings
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Mean number of labels, and images by number of labels, in bins of half an object."""
    bins = np.arange(2, int(halves.max(initial=2)) + 1)
    member = (halves[:, np.newaxis] == bins).astype(np.float64)
    chances, means = spread
    rng = np.random.default_rng([settings.seed, 5])
    replicates = bootstrap_ratios(means[:, np.newaxis] * member, member, rng=rng, n_resamples=settings.n_bootstrap)
    rows, cells = [], []
    for place, half in enumerate(bins.tolist()):
        inside = member[:, place] > 0
        n = int(inside.sum())
        limits = _limit(replicates[:, place], n, settings)
        head = {
            "annotators": case.annotators,
            "least": case.least,
            "objects_from": half / 2,
            "objects_to": half / 2 + 0.5,
        }
        numbers = (float(means[inside].mean()) if n else np.nan, *limits)
        rows.append({**head, "n": n, **dict(zip(list_estimate("labels"), numbers, strict=True))})
        totals = chances[inside].sum(axis=0)
        cells += [
            {**head, "n_labels": number, "n_images": float(total)} for number, total in enumerate(totals) if total
        ]
    return rows, cells


def _limit(replicates: FloatArray, n: int, settings: ContextSettings) -> tuple[float, float]:
    """Limits of the mean of n images; NaN for a single one, of which redraws know nothing."""
    if n < 2:
        return np.nan, np.nan
    # A redraw without an image of the bin says nothing of it.
    low, high = percentile_limits(replicates[~np.isnan(replicates)], level=settings.level)
    return float(low), float(high)


def _tell_single(rows: Sequence[dict[str, Any]]) -> list[str]:
    one = rows[0]
    if not one["n"]:
        return []
    labels = find_estimate(one[name] for name in list_estimate("labels"))
    return [
        (
            f"On the {one['n']:,} images on which annotators of CLASSIFY select fewer than 1.5 labels each, two or more "
            f"annotators of CONTAINS select {format_plain(labels, decimals=1)} labels on average."
        )
    ]


def compare_offered(material: ContextMaterial, settings: ContextSettings) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Labels that two or more annotators choose for the main object against labels that they were offered."""
    classify = material.classify
    if classify is None:
        return make_frame(BY_OFFERED), [], []
    rows = find_target_rows(material.target, classify.objects.image_ids)
    used = np.flatnonzero((rows != NO_PAIR) & (classify.n_accepted > 0))
    offered, notes = _count_offered(material, classify, rows)
    counts = [
        tuple(sorted(classify.n_main[classify.starts[one] : classify.starts[one + 1]].tolist(), reverse=True))
        for one in used.tolist()
    ]
    chosen = np.array([sum(k >= N_AGREE for k in one) for one in counts], np.float64)
    table = _by_offered(offered[used], (chosen, None), "all", settings)
    n_left = settings.n_fewer
    if counts and max(map(sum, counts)) >= n_left:
        spread = np.array([spread_main(tuple(k for k in one if k), n_left, least=N_AGREE) for one in counts])
        table += _by_offered(offered[used], (spread[:, 0], spread[:, 1]), f"{n_left} drawn", settings)
    columns = {name: [row[name] for row in table] for name in BY_OFFERED.columns}
    return make_frame(BY_OFFERED, columns), _tell_offered(table), notes if len(used) else []


def _count_offered(
    material: ContextMaterial, classify: ClassifyLabels, rows: CountArray
) -> tuple[CountArray, list[str]]:
    """Per image with answers, how many labels were offered; where that is not known, how many anybody selected."""
    responses, candidates = material.responses, material.candidates
    known = dict[str, int]()
    if responses is not None and responses.candidate_starts is not None:
        known = dict(zip(responses.image_ids.tolist(), np.diff(responses.candidate_starts).tolist(), strict=True))
    elif candidates is not None:
        sizes = np.bincount(candidates.images[candidates.is_candidate], minlength=len(candidates.image_ids))
        known = dict(zip(candidates.image_ids.tolist(), sizes.tolist(), strict=True))
    selected = np.diff(classify.starts)
    ids = classify.objects.image_ids.tolist()
    offered = np.array([max(known.get(one, 0), n) for one, n in zip(ids, selected.tolist(), strict=True)], np.int64)
    here = (rows != NO_PAIR) & (classify.n_accepted > 0)
    n_unknown = sum(one not in known for one, used in zip(ids, here.tolist(), strict=True) if used)
    if not n_unknown:
        return offered, []
    return offered, [
        (
            f"Which labels were offered in CLASSIFY is not known of {count_things(n_unknown, 'image')}; those that anybody "
            "selected stand for them, and are fewer."
        )
    ]


def _by_offered(
    offered: CountArray, chosen: tuple[FloatArray, FloatArray | None], annotators: str, settings: ContextSettings
) -> list[dict[str, Any]]:
    """A row per number of labels offered, and one for all images, which has no such number."""
    numbers = np.unique(offered)
    means, variances = chosen
    member = np.hstack([np.ones((len(offered), 1)), offered[:, np.newaxis] == numbers])
    rng = np.random.default_rng([settings.seed, 6])
    replicates = bootstrap_ratios(means[:, np.newaxis] * member, member, rng=rng, n_resamples=settings.n_bootstrap)
    rows = []
    for place, number in enumerate([None, *numbers.tolist()]):
        inside = member[:, place] > 0
        n = int(inside.sum())
        limits = _limit(replicates[:, place], n, settings)
        mean = float(means[inside].mean()) if n else np.nan
        row: dict[str, Any] = {"annotators": annotators, "n_offered": number, "n": n}
        row |= dict(zip(list_estimate("chosen"), (mean, *limits), strict=True))
        drawn = (None, None) if variances is None else limit_draws(variances[inside], mean, level=settings.level)
        rows.append(row | dict(zip(("draws_low", "draws_high"), drawn, strict=True)))
    if len(offered):
        rows[0]["offered"] = float(offered.mean())
    return rows


def _tell_offered(rows: Sequence[dict[str, Any]]) -> list[str]:
    if not rows or not rows[0]["n"]:
        return []
    chosen = find_estimate(rows[0][name] for name in list_estimate("chosen"))
    return [
        (
            f"In CLASSIFY two or more annotators choose {format_plain(chosen, decimals=1)} labels for the main object, of "
            f"{rows[0]['offered']:.1f} labels per image."
        )
    ]
