"""How long people took: medians and hours, fast images, and accuracy against seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray
from regauge.estimates import make_share
from regauge.evaluation.humans.accuracies import SCORE, Row, find_scores, list_kinds, name_group, name_one
from regauge.evaluation.humans.judged import AnsweredSet
from regauge.evaluation.humans.parts import find_medians
from regauge.evaluation.scoring import CLOPPER_PEARSON
from regauge.records.evaluation.humans.report import HumanSettings
from regauge.records.evaluation.humans.tables import PEOPLE
from regauge.records.predictions import ParticipantKind
from regauge.stats.gap_limits import find_mean_limits
from regauge.stats.intervals import Limits, clopper_pearson
from regauge.stats.quantiles import find_clustered_median_limits, find_median_limits

SHOWN, ACTIVE = "seconds", "active_seconds"
CLOCKS = (SHOWN, ACTIVE)
"""From image shown to answer, as Shankar et al. (2020) count, and without pauses."""
ORDER, WOODRUFF = "order statistics", "woodruff"
EDGES = (0.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)
"""Bins of seconds: from each of these, included, to the next, excluded; the last one has no end."""
SECONDS_PER_HOUR = 3_600


class _Taken(NamedTuple):
    """The seconds of some answers, the numbers of their images, and how many more answers have none."""

    seconds: FloatArray
    images: CountArray
    n_unknown: int


def measure_seconds(sets: Sequence[AnsweredSet], settings: HumanSettings) -> Iterator[Row]:
    """Median seconds per image and hours in total of every person over all sets, by both clocks; then of all people.

    The row of all people has the median of all their answers, whose limits take images for what is drawn, and the median of
    their hours.
    """
    names = list(dict.fromkeys(one.name for judged in sets for one in judged.who if one.is_person))
    for clock in CLOCKS:
        taken = [_gather(sets, name, clock) for name in names]
        rows = [_describe_seconds(one, settings) for one in taken]
        for name, row in zip(names, rows, strict=True):
            yield {"participant": name, "n_participants": 1, "clock": clock, **row}
        if len(names) > 1:
            hours = [row["hours"] for row in rows if row["hours"] is not None]
            row = _describe_all(taken, settings) | {"hours": float(np.median(hours)) if hours else None}
            yield {"participant": PEOPLE, "n_participants": len(names), "clock": clock, **row}


def count_fast(judged: AnsweredSet, settings: HumanSettings) -> Iterator[Row]:
    """How many images are fast: up to the limit, as the paper says, and below it, as its code does."""
    medians = find_medians(judged)
    medians = medians[~np.isnan(medians)]
    if not len(medians):
        return
    limit = settings.fast_seconds
    for rule, fast in ((f"<= {limit:g} s", medians <= limit), (f"< {limit:g} s", medians < limit)):
        n_fast, n = int(fast.sum()), len(medians)
        limits = clopper_pearson([n_fast], [n], level=settings.level)
        yield {
            "test_set": judged.name,
            "rule": rule,
            "n": n,
            "n_fast": n_fast,
            "share": n_fast / n,
            "share_low": float(limits.low[0]),
            "share_high": float(limits.high[0]),
            "interval": CLOPPER_PEARSON,
        }


def bin_accuracies(sets: Sequence[AnsweredSet], *, metric: str, settings: HumanSettings) -> Iterator[Row]:
    """Accuracy against seconds over all sets: of each person by its own, of people and models by the median of all people's."""
    names = dict.fromkeys(one.name for judged in sets for one in judged.who if one.is_person)
    for name in names:
        rows = [(judged, judged.names.index(name)) for judged in sets if name in judged.names]
        seconds = np.concatenate([judged.seconds[place] for judged, place in rows])
        counted = np.concatenate([judged.is_counted(metric)[place] for judged, place in rows])
        right = np.concatenate([judged.is_right(metric)[place] for judged, place in rows])
        who = name_one(rows[0][0].who[rows[0][1]])
        for start, end, inside in _bin(seconds):
            chosen = inside & counted
            yield {**who, **_name_bin(metric, start, end), **_describe_share(right[chosen], settings)}
    medians = np.concatenate([find_medians(judged) for judged in sets])
    for kind, members in _list_common(sets):
        scores = np.concatenate([find_scores(judged, np.isin(judged.names, members), metric=metric) for judged in sets])
        who = name_group(kind, np.ones(len(members), np.bool_))
        for start, end, inside in _bin(medians):
            mean = find_mean_limits(scores[inside & ~np.isnan(scores)], level=settings.level)
            n = int((inside & ~np.isnan(scores)).sum())
            row = {"n": n, "value": mean.value, "low": mean.low, "high": mean.high, "interval": SCORE if n else None}
            yield {**who, **_name_bin(metric, start, end), **row}


def _list_common(sets: Sequence[AnsweredSet]) -> Iterator[tuple[ParticipantKind, list[str]]]:
    """People and models, several of each, who answered all sets."""
    if np.isnan(np.concatenate([find_medians(judged) for judged in sets])).all():
        return
    for kind, members in list_kinds(sets[0]):
        names = [name for name, own in zip(sets[0].names, members, strict=True) if own]
        names = [name for name in names if all(name in judged.names for judged in sets)]
        if len(names) > 1:
            yield kind, names


def _gather(sets: Sequence[AnsweredSet], name: str, clock: str) -> _Taken:
    """All seconds of somebody's answers, with numbers for the images; not a number where nobody knows."""
    seconds, images, start = [np.zeros(0)], [np.zeros(0, np.int64)], 0
    for judged in sets:
        if name in judged.names:
            place = judged.names.index(name)
            rows = np.flatnonzero(judged.answers[place] != NO_CLASS)
            seconds.append(getattr(judged, clock)[place][rows].astype(np.float64))
            images.append(rows + start)
        start += len(judged)
    found = np.concatenate(seconds)
    known = ~np.isnan(found)
    return _Taken(found[known], np.concatenate(images)[known], int((~known).sum()))


def _describe_seconds(taken: _Taken, settings: HumanSettings) -> Row:
    limits = find_median_limits(taken.seconds, level=settings.level)
    return _describe_median(taken, limits, ORDER)


def _describe_all(everybody: Sequence[_Taken], settings: HumanSettings) -> Row:
    seconds = np.concatenate([one.seconds for one in everybody])
    images = np.concatenate([one.images for one in everybody])
    limits = find_clustered_median_limits(seconds, images, level=settings.level)
    return _describe_median(_Taken(seconds, images, sum(one.n_unknown for one in everybody)), limits, WOODRUFF)


def _describe_median(taken: _Taken, limits: Limits, method: str) -> Row:
    known = len(taken.seconds) > 0
    return {
        "n": len(taken.seconds),
        "n_unknown": taken.n_unknown,
        "median": float(np.median(taken.seconds)) if known else None,
        "median_low": float(limits.low),
        "median_high": float(limits.high),
        "interval": None if np.isnan(limits.low) else method,
        "hours": float(taken.seconds.sum()) / SECONDS_PER_HOUR if known else None,
    }


def _bin(seconds: FloatArray) -> Iterator[tuple[float, float | None, BoolArray]]:
    """Every bin with the images in it; none where no seconds are known."""
    if np.isnan(seconds).all():
        return
    for start, end in zip(EDGES, (*EDGES[1:], None), strict=True):
        yield start, end, (seconds >= start) & (seconds < (np.inf if end is None else end))


def _name_bin(metric: str, start: float, end: float | None) -> Row:
    return {"metric": metric, "clock": SHOWN, "from_seconds": start, "to_seconds": end}


def _describe_share(right: BoolArray, settings: HumanSettings) -> Row:
    n, k = len(right), int(right.sum())
    limits = clopper_pearson([k], [n], level=settings.level)
    share = make_share(k, n, limits=(limits.low[0], limits.high[0]), method=CLOPPER_PEARSON)
    low, high = share.low, share.high
    return {
        "n": n,
        "n_correct": k,
        "value": share.value,
        "low": low,
        "high": high,
        "interval": CLOPPER_PEARSON if n else None,
    }
