"""One participant against another on the same images.

Every image falls into one of four codes: both right or both wrong, only the participant right, only the other right, or
not counted for both. The counts of these codes are all that the intervals and McNemar's test need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from regauge.arrays import BoolArray, CountArray, FloatArray, IntArray
from regauge.evaluation.outcomes import Measure, Outcome, OutcomeArray
from regauge.evaluation.subsets import CodeArray, Subset, by_class, count_codes, count_totals, prepare_parts
from regauge.evaluation.targets import Target
from regauge.records.evaluation.scores import ScoreSettings
from regauge.stats.balanced import find_balanced_difference_limits
from regauge.stats.intervals import Limits
from regauge.stats.paired import exact_mcnemar, tango

TANGO = "tango"
PAIRED_GROUPED_MID_P = "paired grouped mid-p"


class Pairing(IntEnum):
    """How two participants' outcomes on one image compare."""

    SAME = 0
    ONLY_FIRST = 1
    ONLY_SECOND = 2
    NOT_COUNTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """The participant that the others are compared with, judged once.

    Attributes:
        participant: its name.
        answers: its first answer per row of the target.
        outcomes: its outcomes per (metric, labels); a measure that does not apply to it is absent.
    """

    participant: str
    answers: IntArray
    outcomes: Mapping[tuple[str, str], OutcomeArray]


@dataclass(frozen=True, slots=True, eq=False)
class PairCodes:
    """The pairing of every image: as scored, and at both ends of what unjudged predictions leave open."""

    value: CodeArray
    lower: CodeArray
    upper: CodeArray


def pair_with(reference: Reference, measure: Measure, *, outcomes: OutcomeArray, answers: IntArray) -> PairCodes | None:
    """The pairing of a participant with the reference, or None when the measure does not apply to the reference.

    As scored, an unjudged prediction counts as wrong. The lower bound takes the participant's unjudged predictions as
    wrong and the reference's as right, the upper bound the other way round; where both predict the same class, the two
    stand or fall together.
    """
    second = reference.outcomes.get((measure.metric, measure.labels))
    if second is None:
        return None
    is_same = answers[:, 0] == reference.answers
    value = _pair(outcomes == Outcome.RIGHT, second == Outcome.RIGHT)
    first_maybe, second_maybe = _is_maybe_right(outcomes), _is_maybe_right(second)
    lower = _pair(outcomes == Outcome.RIGHT, second_maybe & ~(is_same & (second == Outcome.UNJUDGED)))
    upper = _pair(first_maybe & ~(is_same & (outcomes == Outcome.UNJUDGED)), second == Outcome.RIGHT)
    left_out = (outcomes == Outcome.NOT_COUNTED) | (second == Outcome.NOT_COUNTED)
    for codes in (value, lower, upper):
        codes[left_out] = Pairing.NOT_COUNTED
    return PairCodes(value, lower, upper)


def compare_plain(
    codes: PairCodes, target: Target, *, subsets: Sequence[Subset], settings: ScoreSettings
) -> dict[str, FloatArray | CountArray]:
    """The paired difference in every subset: counts, difference, interval, bounds and McNemar's p."""
    value, lower, upper = (
        count_totals(one, target, parts=prepare_parts(subsets, target))
        for one in (codes.value, codes.lower, codes.upper)
    )
    return _count_columns(value) | {
        "difference": _difference(value),
        "difference_low": _limit_plain(lower, settings).low,
        "difference_high": _limit_plain(upper, settings).high,
        "difference_lower_bound": _difference(lower),
        "difference_upper_bound": _difference(upper),
        "p_mcnemar": np.where(_n(value) > 0, _least_favourable_p(lower, upper), np.nan),
    }


def compare_balanced(
    codes: PairCodes, target: Target, *, subsets: Sequence[Subset], settings: ScoreSettings
) -> dict[str, FloatArray | CountArray]:
    """As `compare_plain` for the mean of per-class means; McNemar's test does not apply to it."""
    value, lower, upper = (
        [
            by_class(counts, subset)
            for counts, subset in zip(count_codes(one, target, subsets=subsets), subsets, strict=True)
        ]
        for one in (codes.value, codes.lower, codes.upper)
    )
    limits = np.array([_balanced_limits(*ends, settings) for ends in zip(lower, upper, strict=True)]).reshape(-1, 2)
    return _count_columns(np.array([counts.sum(axis=0) for counts in value])) | {
        "difference": np.array([_balanced_difference(counts) for counts in value]),
        "difference_low": limits[:, 0],
        "difference_high": limits[:, 1],
        "difference_lower_bound": np.array([_balanced_difference(counts) for counts in lower]),
        "difference_upper_bound": np.array([_balanced_difference(counts) for counts in upper]),
        "p_mcnemar": np.full(len(value), np.nan),
    }


def _pair(first: BoolArray, second: BoolArray) -> CodeArray:
    return (first & ~second) * np.int8(Pairing.ONLY_FIRST) + (second & ~first) * np.int8(Pairing.ONLY_SECOND)


def _is_maybe_right(outcomes: OutcomeArray) -> BoolArray:
    is_maybe_right: BoolArray = (outcomes == Outcome.RIGHT) | (outcomes == Outcome.UNJUDGED)
    return is_maybe_right


def _n(counts: CountArray) -> CountArray:
    n: CountArray = counts[..., : Pairing.NOT_COUNTED].sum(axis=-1)
    return n


def _count_columns(counts: CountArray) -> dict[str, FloatArray | CountArray]:
    return {
        "n_both": _n(counts),
        "n_only_participant": counts[:, Pairing.ONLY_FIRST],
        "n_only_against": counts[:, Pairing.ONLY_SECOND],
    }


def _difference(counts: CountArray) -> FloatArray:
    with np.errstate(invalid="ignore"):
        difference: FloatArray = (counts[..., Pairing.ONLY_FIRST] - counts[..., Pairing.ONLY_SECOND]) / _n(counts)
    return difference


def _balanced_difference(counts: CountArray) -> float:
    used = counts[_n(counts) > 0]
    return float(_difference(used).mean()) if len(used) else np.nan


def _least_favourable_p(lower: CountArray, upper: CountArray) -> FloatArray:
    """McNemar's p where it is known; with unjudged predictions the larger of both ends, and 1 where 0 lies between."""
    p = np.maximum(
        exact_mcnemar(lower[:, Pairing.ONLY_FIRST], lower[:, Pairing.ONLY_SECOND]),
        exact_mcnemar(upper[:, Pairing.ONLY_FIRST], upper[:, Pairing.ONLY_SECOND]),
    )
    is_either = (_difference(lower) < 0) & (_difference(upper) > 0)
    return np.where(is_either, 1.0, p)


def _limit_plain(counts: CountArray, settings: ScoreSettings) -> Limits:
    return tango(counts[:, Pairing.ONLY_FIRST], counts[:, Pairing.ONLY_SECOND], n=_n(counts), level=settings.level)


def _balanced_limits(lower: CountArray, upper: CountArray, settings: ScoreSettings) -> tuple[float, float]:
    """Outer limits: the lower one of the lower bound, the upper one of the upper bound; both count the same images."""
    ends = np.stack([lower, upper])
    limits = find_balanced_difference_limits(
        ends[..., Pairing.ONLY_FIRST], ends[..., Pairing.ONLY_SECOND], n_by_class=_n(lower), level=settings.level
    )
    return float(limits.low[0]), float(limits.high[1])
