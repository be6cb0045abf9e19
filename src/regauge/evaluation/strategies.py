"""Several new test sets beside one original: mean changes, and the spread across sets against the spread across participants.

After Table 2 of Recht et al. (2019). Participants and images answer different questions, so both are drawn anew, each by
itself: what if other participants had taken part, and what if other images had been drawn by the same strategies?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from regauge.arrays import CountArray, FloatArray, divide, find_repeated
from regauge.errors import InputError
from regauge.estimates import Estimate
from regauge.evaluation.mean_changes import find_mean_change
from regauge.evaluation.means import score_values
from regauge.evaluation.metrics.selection_frequency import find_ratings
from regauge.evaluation.shared_images import match_numbers
from regauge.evaluation.shifts import compare_sides
from regauge.evaluation.side_pairs import pair_sides
from regauge.evaluation.sides import CHANGES, Side, sort_side
from regauge.evaluation.subsets import EVERY_IMAGE
from regauge.evaluation.targets import Target
from regauge.records.evaluation.fits import Resample
from regauge.records.evaluation.scores import is_balanced
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.evaluation.strategies import (
    IMAGES,
    PARTICIPANTS,
    REST,
    SETS,
    MeanFrequency,
    NewSet,
    SetChange,
    SetOverlap,
    StrategyComparison,
    VariancePart,
)
from regauge.stats.image_fits import bootstrap_image_accuracies, resample_sets
from regauge.stats.intervals import Limits
from regauge.stats.resampling import percentile_limits
from regauge.stats.two_way import Squares, bootstrap_participant_squares, expect_image_squares, split_squares

N_RESAMPLES = 2_000
_FIRST_STREAM = 3
"""The first two streams of a seed draw the images of fits."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSet:
    """All participants on one set, and how often people selected its dataset labels, where any were asked."""

    side: Side
    frequency: MeanFrequency | None = None


def compare_strategies(
    original: ComparedSet, new: Sequence[ComparedSet], *, settings: ShiftSettings
) -> StrategyComparison:
    """Every new set against the original, and what varies more, sets or participants.

    Raises:
        InputError: there are fewer than two new sets, two sets have one name, the participants are not the same, or the
            metric is a balanced mean.
    """
    if is_balanced(settings.metric):
        raise InputError(
            f"Several sets are compared by a plain metric such as top1, not by {settings.metric}; `shift` takes it for two sets."
        )
    names = [one.side.name for one in new]
    if len(names) < 2:
        raise InputError(
            f"Strategies are compared on at least two new sets, not on {', '.join(names) or 'none'} alone; one new set is "
            "compared with the original by `compare`, or by `shift`."
        )
    repeated = find_repeated((original.side.name, *names))
    if repeated is not None:
        raise InputError(f"Two of the sets are called {repeated!r}; compare different sets, under different names.")
    shifts = [compare_sides(original.side, one.side, settings=settings) for one in new]
    order = [model.name for model in shifts[0].models]
    sides = [sort_side(one.side, order) for one in new]
    images = np.stack(_resample(sides, settings), axis=-1)
    table = np.stack([_find_accuracies(side) for side in sides], axis=-1)
    return StrategyComparison(
        original=original.side.name,
        original_frequency=original.frequency,
        sets=tuple(
            _summarise(original, one, shift=shift, accuracies=(table[:, place], images[:, :, place]))
            for place, (one, shift) in enumerate(zip(new, shifts, strict=True))
        ),
        ranges=_find_ranges(order, table, images, settings.level),
        variance=_split_variance(sides, table, images, settings),
        settings=settings,
        notes=tuple(dict.fromkeys(note for shift in shifts for note in shift.notes)),
        warnings=tuple(dict.fromkeys(warning for shift in shifts for warning in shift.warnings)),
        overlaps=tuple(_find_overlaps([one.side for one in (original, *new)])),
    )


def find_mean_frequency(target: Target, *, settings: ShiftSettings) -> MeanFrequency | None:
    """The mean selection frequency of the images' own dataset labels; None where nobody was asked about any of them.

    Where several label sets hold counts, the one that knows most images is taken.
    """
    found = []
    for rating in find_ratings(target):
        values = rating.rate(target.dataset_labels[:, np.newaxis])
        row = score_values(values, target=target, subsets=[EVERY_IMAGE], level=settings.level).row(0, named=True)
        if row["n"]:
            told = {name: row[name] for name in ("value", "low", "high", "n")}
            found.append(MeanFrequency(**told, method=row["interval"], labels=rating.labels))
    return max(found, key=lambda one: one.n, default=None)


def _find_accuracies(side: Side) -> FloatArray:
    return np.asarray(side.is_right.mean(axis=1), np.float64)


def _resample(sides: Sequence[Side], settings: ShiftSettings) -> list[FloatArray]:
    """Per set, accuracies on redrawn images, [replicates, participants]; the same images for everybody.

    Sets that share images are drawn together.
    """
    numbers = _find_numbers(sides)
    if numbers is not None:
        answers = [side.is_right for side in sides]
        drawn = resample_sets(answers, numbers, seed=settings.seed, stream=_FIRST_STREAM, n_resamples=N_RESAMPLES)
        present = np.logical_and.reduce([one.n > 0 for one in drawn])
        return [one.accuracies[present] for one in drawn]
    return [
        bootstrap_image_accuracies(
            side.is_right, seed=settings.seed, stream=_FIRST_STREAM + place, n_resamples=N_RESAMPLES
        )
        for place, side in enumerate(sides)
    ]


def _find_overlaps(sides: Sequence[Side]) -> Iterator[SetOverlap]:
    for one, other in combinations(sides, 2):
        if one.numbers is not None and other.numbers is not None:
            n = len(match_numbers(one.numbers, other.numbers))
            if n:
                yield SetOverlap(one.name, other.name, n)


def _find_numbers(sides: Sequence[Side]) -> list[CountArray] | None:
    """The numbers of the images that count for everybody; None where no two sets share any."""
    numbers = [side.numbers[side.is_shared] for side in sides if side.numbers is not None]
    if len(numbers) < len(sides) or len(np.unique(np.concatenate(numbers))) == sum(map(len, numbers)):
        return None
    return numbers


def _summarise(
    original: ComparedSet, new: ComparedSet, *, shift: Shift, accuracies: tuple[FloatArray, FloatArray]
) -> NewSet:
    values, replicates = accuracies
    spread = _measure(len(values), float(np.ptp(values)), np.ptp(replicates, axis=1), shift)
    deviation = None
    if len(values) > 1:
        deviation = _measure(len(values), float(values.std(ddof=1)), replicates.std(axis=1, ddof=1), shift)
    changes = _find_changes(original.side, new.side, shift)
    return NewSet(shift, int(new.side.is_shared.sum()), new.frequency, changes, spread, deviation)


def _measure(n: int, value: float, replicates: FloatArray, shift: Shift) -> Estimate[float]:
    limits = percentile_limits(replicates, level=shift.settings.level)
    return Estimate(value, float(limits.low), float(limits.high), n=n)


def _find_changes(original: Side, new: Side, shift: Shift) -> Mapping[str, SetChange]:
    """Top-1 and top-5 where everybody allows them, and the metric that is compared; models and images drawn anew apart."""
    names = [model.name for model in shift.models]
    pair = pair_sides(sort_side(original, names), new, settings=shift.settings)
    changes: dict[str, SetChange] = {}
    for metric in dict.fromkeys((shift.settings.metric, *CHANGES)):
        if metric not in shift.mean_changes:
            continue
        # Images can always be drawn anew, for a side has at least one that counts.
        changes[metric] = SetChange(
            *(find_mean_change(pair, metric, resample=drawn) for drawn in (Resample.MODELS, Resample.IMAGES))
        )
    return changes


def _find_ranges(
    names: Sequence[str], table: FloatArray, images: FloatArray, level: float
) -> dict[str, Estimate[float]]:
    limits = percentile_limits(np.ptp(images, axis=-1), level=level)
    columns = zip(names, np.ptp(table, axis=-1).tolist(), limits.low.tolist(), limits.high.tolist(), strict=True)
    return {name: Estimate(value, low, high, n=table.shape[1]) for name, value, low, high in columns}


def _split_variance(
    sides: Sequence[Side], table: FloatArray, images: FloatArray, settings: ShiftSettings
) -> tuple[VariancePart, ...]:
    """The parts of the variance; what the chance of images adds to each is told apart.

    Accuracies on redrawn images hold that chance twice, once in the images and once in their redrawing, so it is taken off
    twice, and the replicates lie around the estimate.
    """
    chance = expect_image_squares([side.is_right for side in sides], _find_numbers(sides))
    estimate = _find_parts(split_squares(table), chance)
    people = bootstrap_participant_squares(table, rng=np.random.default_rng(settings.seed))
    limits = [
        percentile_limits(_find_shares(parts), level=settings.level)
        for parts in (_find_parts(people, chance), _find_parts(split_squares(images), chance, times=2))
    ]
    n_participants, n_sets = table.shape
    dofs = (n_sets - 1, n_participants - 1, (n_sets - 1) * (n_participants - 1), None)
    shares = _find_shares(estimate[np.newaxis])[0]
    return tuple(
        VariancePart(
            component=name,
            dof=dofs[place],
            squares=float(estimate[place]),
            by_participants=_estimate(shares[place], limits[0], place),
            by_images=_estimate(shares[place], limits[1], place),
        )
        for place, name in enumerate((SETS, PARTICIPANTS, REST, IMAGES))
    )


def _find_parts(squares: Squares, chance: Squares, *, times: int = 1) -> FloatArray:
    """Sums of squares without chance, and the chance [..., 4]; no part is less than nothing."""
    own = [np.maximum(part - times * float(off), 0) for part, off in zip(squares, chance, strict=True)]
    return np.stack([*own, np.broadcast_to(sum(map(float, chance)), own[0].shape)], axis=-1)


def _find_shares(parts: FloatArray) -> FloatArray:
    """Of the whole; NaN where nothing varies."""
    return divide(parts, parts.sum(axis=-1, keepdims=True))


def _estimate(share: float, limits: Limits, place: int) -> Estimate[float | None]:
    return Estimate(*(None if np.isnan(one) else float(one) for one in (share, limits.low[place], limits.high[place])))
