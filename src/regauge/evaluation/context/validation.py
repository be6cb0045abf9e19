"""How many labels people accept when they are asked about each alone, and how many when they choose among several.

After Tsipras et al. (2020), §4.2 and figures 7a, 22 and 24. All of it is repeated with fewer annotators per label, over all
ways to draw them: votes of few people are noisier, so a finding that rests on noise would grow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import regauge.frames as pl
from regauge.arrays import NO_CLASS, CountArray, FloatArray
from regauge.errors import InputError
from regauge.estimates import Estimate, count_things, format_estimate, format_plain
from regauge.evaluation.context.basis.fewer import Rivalry, count_rivals, limit_draws, spread_rivals
from regauge.evaluation.context.basis.selections import RowVotes, line_up_selections
from regauge.evaluation.context.basis.tables import (
    FLOAT,
    INT,
    TEXT,
    find_estimate,
    list_estimate,
    make_columns,
    make_frame,
    note_missing,
)
from regauge.evaluation.context.basis.valid_labels import (
    BY_OBJECTS,
    BY_OFFERED,
    GRID,
    compare_offered,
    compare_with_objects,
)
from regauge.evaluation.context.contract import Analysis, ContextFindings, ContextMaterial, ContextNeed, ContextTable
from regauge.records.evaluation.context.report import ContextSettings
from regauge.stats.intervals import clopper_pearson
from regauge.stats.redraws import bootstrap_ratios
from regauge.stats.resampling import percentile_limits

THRESHOLDS = (5, 6, 7, 8, 9, 10)
"""Tenths of the dataset label's frequency."""
N_MOST = 5
"""Numbers of other labels from here on are one."""
ALL = "all"

RIVALS = ContextTable(
    "Images with other labels",
    make_columns(
        {"annotators": TEXT, "threshold": FLOAT, "n": INT},
        *map(list_estimate, ("share", "labels")),
        {"draws_low": FLOAT, "draws_high": FLOAT},
    ),
    ("7a", "24a"),
    plain=("labels",),
)
NUMBERS = ContextTable(
    "Images by other labels",
    make_columns({"annotators": TEXT, "threshold": FLOAT, "n_labels": TEXT, "n": INT}, list_estimate("share")),
    ("7a", "24a"),
)


def analyse(material: ContextMaterial, settings: ContextSettings) -> ContextFindings:
    """Figures 7a, 22a, 22b and 24, as far as selection frequencies and answers to CLASSIFY are known."""
    votes = line_up_selections(material)
    notes = note_missing(
        material,
        {
            ContextNeed.FREQUENCIES: "labels that people accept when they are asked about each alone",
            ContextNeed.CLASSIFY: "the number of objects, and labels chosen for the main object",
        },
    )
    tables: dict[str, pl.DataFrame] = {}
    n_fewer = _find_fewer(votes, settings, notes)
    tables["rivals"], tables["numbers"], answers = _count(votes, settings, n_fewer, notes)
    tables["by_objects"], tables["grid"], told = compare_with_objects(
        material, votes, settings=settings, n_fewer=n_fewer
    )
    answers += told
    tables["by_offered"], told, noted = compare_offered(material, settings)
    return ContextFindings(tables, (*answers, *told), (*notes, *noted))


def _find_fewer(votes: RowVotes | None, settings: ContextSettings, notes: list[str]) -> int | None:
    """How many annotators are left per label; None where there are no more than that."""
    most = 0 if votes is None else int(votes.own[1].max(initial=0))
    if settings.n_fewer <= most or not most:
        return settings.n_fewer if most else None
    if settings.n_fewer != ContextSettings().n_fewer:
        raise InputError(
            f"At most {most:,} annotators were asked about a dataset label, so {settings.n_fewer:,} cannot be drawn from "
            f"them; draw 1 to {most:,}."
        )
    notes.append(
        f"Not repeated with {settings.n_fewer:,} annotators per label, for no dataset label was shown to more than {most:,}."
    )
    return None


def _count(
    votes: RowVotes | None, settings: ContextSettings, n_fewer: int | None, notes: list[str]
) -> tuple[pl.DataFrame, pl.DataFrame, list[str]]:
    """Other labels by their frequency relative to the dataset label's."""
    if votes is None:
        return make_frame(RIVALS), make_frame(NUMBERS), []
    rivalry, n_unknown = line_up_rivals(votes)
    if n_unknown:
        notes.append(f"Left out, as nobody was asked about their dataset label: {count_things(n_unknown, 'image')}.")
    rows, numbers = _count_all(rivalry, settings)
    answers = _tell(rows)
    if n_fewer is not None:
        more, spread = _count_fewer(rivalry, settings, n_fewer, notes)
        rows, numbers = rows + more, numbers + spread
        answers += _tell_fewer(more, n_fewer)
    return _to_frame(RIVALS, rows), _to_frame(NUMBERS, numbers), answers


def line_up_rivals(votes: RowVotes, *, least_shown: int = 1) -> tuple[Rivalry, int]:
    """The images whose dataset label enough people were asked about, with their other labels; and how many others there are."""
    selected, shown = votes.own
    is_voted = np.zeros(len(shown), np.bool_)
    is_voted[votes.rows[votes.rows >= 0]] = True
    is_voted &= votes.labels != NO_CLASS
    used = is_voted & (shown >= least_shown)
    place = np.cumsum(used) - 1
    others = votes.others[used[votes.rows[votes.others]]]
    counts = votes.counts
    rivalry = Rivalry(
        selected[used],
        shown[used],
        place[votes.rows[others]],
        counts.n_selected[others],
        counts.n_shown[others],
    )
    return rivalry, int((is_voted & ~used).sum())


def _count_all(rivalry: Rivalry, settings: ContextSettings) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    found = np.stack([count_rivals(rivalry, tenths) for tenths in THRESHOLDS], axis=1)
    n = len(found)
    limits = bound_means(found.astype(np.float64), settings)
    rows, numbers = [], []
    for place, tenths in enumerate(THRESHOLDS):
        head = {"annotators": ALL, "threshold": tenths / 10, "n": n}
        rows.append(
            {
                **head,
                **_share(int((found[:, place] > 0).sum()), n, settings),
                **_mean("labels", found[:, place], limits[:, place]),
                "draws_low": None,
                "draws_high": None,
            }
        )
        counts = np.bincount(np.minimum(found[:, place], N_MOST), minlength=N_MOST + 1)
        for number, k in enumerate(counts.tolist()):
            numbers.append({**head, "n_labels": _name(number), **_share(k, n, settings)})
    return rows, numbers


def _count_fewer(
    rivalry: Rivalry, settings: ContextSettings, n_fewer: int, notes: list[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The same over all draws of fewer annotators: limits from redrawn images, and between which limits single draws lie."""
    rivalry, n_left_out = rivalry.keep(rivalry.own_shown >= n_fewer)
    if n_left_out:
        notes.append(
            f"Left out with {n_fewer:,} annotators per label, as their dataset label was shown to fewer: "
            f"{count_things(n_left_out, 'image')}."
        )
    chances, means = spread_rivals(rivalry, THRESHOLDS, n_left=n_fewer, n_most=N_MOST)
    n, n_thresholds = means.shape
    has_rival = np.minimum(1.0, chances[:, :, 1:].sum(axis=2))
    limits = bound_means(np.hstack([means, chances.reshape(n, -1), has_rival]), settings)
    head = {"annotators": f"{n_fewer} drawn", "n": n}
    rows, numbers = [], []
    for place, tenths in enumerate(THRESHOLDS):
        any_rival = has_rival[:, place]
        mean = float(any_rival.mean()) if n else np.nan
        draws = limit_draws(any_rival * (1 - any_rival), mean, level=settings.level)
        rows.append(
            {
                **head,
                "threshold": tenths / 10,
                **_mean("share", any_rival, limits[:, place - n_thresholds]),
                **_mean("labels", means[:, place], limits[:, place]),
                "draws_low": draws[0],
                "draws_high": min(1.0, draws[1]),
            }
        )
        for number in range(N_MOST + 1):
            column = n_thresholds + place * (N_MOST + 1) + number
            share = _mean("share", chances[:, place, number], limits[:, column])
            numbers.append({**head, "threshold": tenths / 10, "n_labels": _name(number), **share})
    return rows, numbers


def bound_means(values: FloatArray, settings: ContextSettings) -> FloatArray:
    """Limits of the means of columns when images are redrawn [2, columns]."""
    rng = np.random.default_rng([settings.seed, 4])
    replicates = bootstrap_ratios(values, np.ones((len(values), 1)), rng=rng, n_resamples=settings.n_bootstrap)
    return np.stack(percentile_limits(replicates, level=settings.level))


def _name(number: int) -> str:
    return f"{number} or more" if number == N_MOST else str(number)


def _share(k: int, n: int, settings: ContextSettings) -> dict[str, float]:
    limits = clopper_pearson(k, n, level=settings.level)
    numbers = (k / n if n else np.nan, float(limits.low), float(limits.high))
    return dict(zip(list_estimate("share"), numbers, strict=True))


def _mean(name: str, values: FloatArray | CountArray, limits: FloatArray) -> dict[str, float]:
    numbers = (float(values.mean()) if len(values) else np.nan, float(limits[0]), float(limits[1]))
    return dict(zip(list_estimate(name), numbers, strict=True))


def _to_frame(table: ContextTable, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    return make_frame(table, {name: [row[name] for row in rows] for name in table.columns})


def _read(row: Mapping[str, Any], name: str = "share") -> Estimate[float | None]:
    return find_estimate(row[column] for column in list_estimate(name))


def _tell(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    half, whole = rows[0], rows[-1]
    if not whole["n"]:
        return []
    return [
        (
            f"Asked about each label alone, people select another label at least as often as the dataset label on "
            f"{format_estimate(_read(whole))} of {whole['n']:,} images, and at least half as often on "
            f"{format_estimate(_read(half))}: {format_plain(_read(half, 'labels'), decimals=2)} such labels per image."
        )
    ]


def _tell_fewer(rows: Sequence[Mapping[str, Any]], n_fewer: int) -> list[str]:
    half, whole = rows[0], rows[-1]
    if not whole["n"]:
        return []
    return [
        f"With {n_fewer:,} annotators per label these are {format_estimate(_read(whole))} and {format_estimate(_read(half))}."
    ]


VALIDATION = Analysis(
    name="validation",
    title="Labels that people accept",
    help="How many labels people accept one by one, and how many when they choose among several.",
    needs=(ContextNeed.DATASET_LABELS,),
    needs_any=(ContextNeed.CLASSIFY, ContextNeed.FREQUENCIES),
    tables={
        "rivals": RIVALS,
        "numbers": NUMBERS,
        "by_objects": BY_OBJECTS,
        "grid": GRID,
        "by_offered": BY_OFFERED,
    },
    analyse=analyse,
)
