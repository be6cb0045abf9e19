"""What people and models lose between two test sets, and whether people lose less (Table 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray
from regauge.estimates import make_share
from regauge.evaluation.humans.accuracies import NEWCOMBE, Row, list_kinds, name_group, name_one
from regauge.evaluation.humans.judged import AnsweredSet
from regauge.evaluation.humans.parts import Part
from regauge.evaluation.outcomes import Outcome
from regauge.evaluation.sides import score_images
from regauge.records.evaluation.humans.report import HumanSettings
from regauge.records.testsets.shared_images import NO_SHARED_IMAGES, SharedImages
from regauge.stats.gap_differences import draw_gap_differences
from regauge.stats.gap_limits import GapLimits, find_gap_limits, find_mean_limits
from regauge.stats.intervals import clopper_pearson
from regauge.stats.resampling import percentile_limits

SHARED_ONCE = f"{NEWCOMBE}, shared images once"
BOOTSTRAP = "paired bootstrap"


@dataclass(frozen=True, slots=True, eq=False)
class TwoSets:
    """Everybody on both test sets, and the images that these share.

    Attributes:
        original: everybody on the original set.
        new: everybody on the new one; in an order of its own.
        shared: the images of both, by their rows among those that take part.
    """

    original: AnsweredSet
    new: AnsweredSet
    shared: SharedImages = NO_SHARED_IMAGES

    @property
    def sides(self) -> tuple[AnsweredSet, AnsweredSet]:
        """Both."""
        return self.original, self.new

    def find_both(self) -> list[tuple[int, int]]:
        """The rows of those who answered both sets, in the order of the original."""
        places = {name: place for place, name in enumerate(self.new.names)}
        return [(place, places[name]) for place, name in enumerate(self.original.names) if name in places]

    def limit(self, original: FloatArray, new: FloatArray, *, level: float) -> GapLimits:
        """The gap between two means of scores, and its limits; images without a score (NaN) do not count."""
        counted = ~np.isnan(original), ~np.isnan(new)
        shared = self.shared.keep(*counted)
        x, y = original[counted[0]], new[counted[1]]
        rows = self.shared.rows_original, self.shared.rows_new
        has_same_labels = np.array_equal(self.original.labels[rows[0]], self.new.labels[rows[1]])
        is_same = has_same_labels and np.array_equal(x[shared.rows_original], y[shared.rows_new])
        return find_gap_limits(x, y, shared=shared, is_same=bool(is_same), level=level)


def measure_gaps(
    sets: TwoSets, parts: tuple[Mapping[str, Part], Mapping[str, Part]], *, metric: str, settings: HumanSettings
) -> Iterator[Row]:
    """The gap of everybody who answered both sets on every subset, and those of the mean person and the mean model.

    An accuracy without images has no value, and then there is no gap.
    """
    for name in [name for name in parts[0] if name in parts[1]]:
        pair = parts[0][name], parts[1][name]
        for place, other in sets.find_both():
            scores = [
                _score(side, one, row, metric) for side, one, row in zip(sets.sides, pair, (place, other), strict=True)
            ]
            yield {
                **name_one(sets.original.who[place]),
                "metric": metric,
                "subset": name,
                **_measure(sets, scores, settings),
            }
        if pair[0].is_in.ndim == 1:
            yield from _measure_means(sets, pair, metric=metric, settings=settings)


def compare_gaps(sets: TwoSets, *, metric: str, settings: HumanSettings) -> Iterator[Row]:
    """The gap of every person less that of every model, on the images of each set that count for both of the two."""
    both = sets.find_both()
    people = [pair for pair in both if sets.original.who[pair[0]].is_person]
    models = [pair for pair in both if not sets.original.who[pair[0]].is_person]
    for person in people:
        for model in models:
            columns = [
                _pair(side, one, other, metric) for side, one, other in zip(sets.sides, person, model, strict=True)
            ]
            yield {
                "person": sets.original.names[person[0]],
                "model": sets.original.names[model[0]],
                "metric": metric,
                **_compare(sets, columns, settings),
            }


def _score(judged: AnsweredSet, part: Part, place: int, metric: str) -> FloatArray:
    """1 where somebody is right, 0 where not, NaN where an image does not count or is outside of the subset."""
    outcomes = judged.outcomes[metric][place]
    counted = (outcomes != Outcome.NOT_COUNTED) & part.get_images(place)
    return np.where(counted, (outcomes == Outcome.RIGHT).astype(np.float64), np.nan)


def _measure(sets: TwoSets, scores: Sequence[FloatArray], settings: HumanSettings) -> Row:
    row: Row = {}
    for name, column in zip(("original", "new"), scores, strict=True):
        n, k = int((~np.isnan(column)).sum()), int(np.nansum(column))
        limits = clopper_pearson([k], [n], level=settings.level)
        share = make_share(k, n, limits=(limits.low[0], limits.high[0]), method="")
        row |= {f"n_{name}": n, name: share.value, f"{name}_low": share.low, f"{name}_high": share.high}
    return row | _describe_gap(sets, scores, settings, method=NEWCOMBE)


def _describe_gap(sets: TwoSets, scores: Sequence[FloatArray], settings: HumanSettings, *, method: str) -> Row:
    gap = sets.limit(scores[0], scores[1], level=settings.level)
    if np.isnan(gap.value):
        return {"gap": None, "gap_low": None, "gap_high": None, "gap_interval": None}
    how = SHARED_ONCE if len(sets.shared) else method
    return {"gap": gap.value, "gap_low": gap.low, "gap_high": gap.high, "gap_interval": how}


def _measure_means(sets: TwoSets, parts: tuple[Part, Part], *, metric: str, settings: HumanSettings) -> Iterator[Row]:
    """The mean over those of a kind who answered both sets."""
    both = np.array(sets.find_both(), np.int64).reshape(-1, 2)
    for kind, members in list_kinds(sets.original):
        rows = both[members[both[:, 0]]]
        if len(rows) < 2:
            continue
        chosen = np.zeros(len(sets.original.who), np.bool_)
        chosen[rows[:, 0]] = True
        scores = [
            np.where(part.is_in, score_images(side.outcomes[metric][own]), np.nan)
            for side, part, own in zip(sets.sides, parts, rows.T, strict=True)
        ]
        row: Row = {"metric": metric, "subset": parts[0].name}
        for name, column in zip(("original", "new"), scores, strict=True):
            mean = find_mean_limits(column[~np.isnan(column)], level=settings.level)
            row |= {f"n_{name}": int((~np.isnan(column)).sum()), name: mean.value}
            row |= {f"{name}_low": mean.low, f"{name}_high": mean.high}
        yield name_group(kind, chosen) | row | _describe_gap(sets, scores, settings, method="score")


def _pair(judged: AnsweredSet, first: int, second: int, metric: str) -> tuple[CountArray, CountArray, BoolArray]:
    """Who of two is right where, on the images that count for both, and which these are."""
    outcomes = judged.outcomes[metric][[first, second]]
    counted = (outcomes != Outcome.NOT_COUNTED).all(axis=0)
    right = (outcomes[:, counted] == Outcome.RIGHT).astype(np.int64)
    return right[0], right[1], counted


def _compare(
    sets: TwoSets, columns: Sequence[tuple[CountArray, CountArray, BoolArray]], settings: HumanSettings
) -> Row:
    (person, model, counted), (person_new, model_new, counted_new) = columns
    n, n_new = len(person), len(person_new)
    row: Row = {"n_original": n, "n_new": n_new}
    if not n or not n_new:
        return row
    gaps = float(person.mean() - person_new.mean()), float(model.mean() - model_new.mean())
    draws = draw_gap_differences(
        person - model,
        person_new - model_new,
        rng=np.random.default_rng(settings.seed),
        shared=sets.shared.keep(counted, counted_new),
        n_resamples=settings.n_bootstrap,
    )
    low, high = percentile_limits(draws, level=settings.level)
    return row | {
        "gap_person": gaps[0],
        "gap_model": gaps[1],
        "difference": gaps[0] - gaps[1],
        "difference_low": float(low),
        "difference_high": float(high),
        "difference_interval": BOOTSTRAP,
        "n_bootstrap": settings.n_bootstrap,
    }
