"""From answers to scores: judge, count in every subset, and give each count its interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from regauge.arrays import NO_CLASS, CountArray, IntArray, divide
from regauge.errors import InputError
from regauge.estimates import count_things
from regauge.evaluation.comparison import (
    PAIRED_GROUPED_MID_P,
    TANGO,
    PairCodes,
    Reference,
    compare_balanced,
    compare_plain,
    pair_with,
)
from regauge.evaluation.means import score_values
from regauge.evaluation.metrics import find_mean_measures, find_measures, list_needs
from regauge.evaluation.outcomes import MeanMeasure, Measure, Outcome, OutcomeArray
from regauge.evaluation.small_classes import note_small_classes
from regauge.evaluation.subsets import EVERY_IMAGE, Parts, Subset, by_class, count_codes, count_totals, prepare_parts
from regauge.evaluation.targets import Target, line_up_answers
from regauge.predictions.order import find_order_warning
from regauge.records.evaluation.scores import BALANCED_SUFFIX, COMPARISON_COLUMNS, SCORE_COLUMNS, Scores, ScoreSettings
from regauge.records.predictions import Predictions
from regauge.stats.balanced import find_balanced_limits
from regauge.stats.intervals import clopper_pearson
from regauge.stats.multiplicity import holm

N_THREADS = 4

CLOPPER_PEARSON = "clopper-pearson"
GROUPED_MID_P = "grouped mid-p"
OUTER = " (outer)"
"""Marks an interval that also spans the bounds which unjudged predictions leave open."""

Columns = Mapping[str, Any]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_AnyMeasure = TypeVar("_AnyMeasure", Measure, MeanMeasure)


@dataclass(frozen=True, slots=True, eq=False)
class ScoringPlan:
    """What is the same for all participants of one run."""

    target: Target
    measures: tuple[Measure, ...]
    parts: Parts
    settings: ScoreSettings
    reference: Reference | None
    means: tuple[MeanMeasure, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ParticipantOutcomes:
    """One participant's outcomes under one measure."""

    participant: str
    measure: Measure
    outcomes: OutcomeArray
    pairs: PairCodes | None


def score_participants(
    participants: Iterable[Predictions],
    target: Target,
    *,
    subsets: Sequence[Subset] = (),
    reference: Predictions | None = None,
    settings: ScoreSettings,
) -> Scores:
    """Every measure that the target allows, for every participant, on every image and on each subset.

    Participants are taken one at a time and none is kept, so a thousand need no more memory than one.

    Args:
        participants: whose answers to score.
        target: what is true.
        subsets: parts to score as well.
        reference: the participant to compare the others with.
        settings: level, seed and what to do about missing images.
    """
    plan = make_plan(target, subsets=subsets, reference=reference, settings=settings)
    frames: list[pl.DataFrame] = []
    notes = [
        *_note_empty_classes(target),
        *note_small_classes(target.name, target.dataset_labels),
        *_note_unknown_images(plan),
    ]
    warnings: list[str] = []
    # Most of the time goes into random draws, which run outside of Python's lock: measures are scored side by side. The
    # result does not depend on it, as every row draws from a generator of its own.
    with ThreadPoolExecutor(N_THREADS) as pool:
        for predictions in participants:
            answers = line_up_answers(predictions, target, allow_missing=settings.allow_missing)
            notes += _note_coverage(predictions, answers, plan)
            warnings += find_order_warning(predictions.participant, answers, labels=target.dataset_labels)
            judged = judge_participant(predictions.participant, answers, plan=plan)
            frames += chain.from_iterable(pool.map(partial(score_judged, plan=plan), judged))
            frames += _score_means(predictions.participant, answers, plan)
    return Scores(_adjust_p_values(pl.concat(frames)), settings=settings, notes=tuple(notes), warnings=tuple(warnings))


def make_plan(
    target: Target, *, subsets: Sequence[Subset], reference: Predictions | None, settings: ScoreSettings
) -> ScoringPlan:
    """Find the measures, and judge the reference once.

    Raises:
        InputError: the truth has nothing to score by.
    """
    measures, means = find_measures(target), find_mean_measures(target)
    if not (measures or means):
        *others, last = list_needs()
        raise InputError(f"The truth {target.name} has no {', '.join(others)} or {last}, so nothing can be scored.")
    judged = None if reference is None else _judge_reference(reference, target, measures, settings)
    parts = prepare_parts((EVERY_IMAGE, *subsets), target)
    return ScoringPlan(target, measures, parts, settings, judged, means)


def judge_participant(participant: str, answers: IntArray, *, plan: ScoringPlan) -> Iterator[ParticipantOutcomes]:
    """The participant's outcomes under every measure that applies to it."""
    for measure in _find_applicable(plan.measures, answers):
        outcomes = measure.judge(answers)
        pairs = None
        if plan.reference is not None and plan.reference.participant != participant:
            pairs = pair_with(plan.reference, measure, outcomes=outcomes, answers=answers)
        yield ParticipantOutcomes(participant, measure, outcomes, pairs)


def score_judged(judged: ParticipantOutcomes, *, plan: ScoringPlan) -> list[pl.DataFrame]:
    """The rows of one participant and one measure: plain accuracy, then the mean of per-class means."""
    totals = count_totals(judged.outcomes, plan.target, parts=plan.parts)
    frames = [_make_frame(judged, plan, plan.parts.subsets, _score_plain(totals, plan.settings), balanced=False)]
    if plan.target.has_dataset_labels:
        subsets = tuple(subset for subset in plan.parts.subsets if not subset.is_one_class)
        counts = count_codes(judged.outcomes, plan.target, subsets=subsets)
        per_class = [by_class(one, subset) for one, subset in zip(counts, subsets, strict=True)]
        frames.append(_make_frame(judged, plan, subsets, _score_balanced(per_class, plan.settings), balanced=True))
    return frames


def _judge_reference(
    reference: Predictions, target: Target, measures: Sequence[Measure], settings: ScoreSettings
) -> Reference:
    answers = line_up_answers(reference, target, allow_missing=settings.allow_missing)
    applicable = _find_applicable(measures, answers)
    outcomes = {(measure.metric, measure.labels): measure.judge(answers) for measure in applicable}
    return Reference(reference.participant, answers[:, 0], outcomes)


def _find_applicable(measures: Sequence[_AnyMeasure], answers: IntArray) -> list[_AnyMeasure]:
    """The measures that look at no more answers than every answered image has."""
    n_answers = _count_answers(answers) if measures else 0
    return [measure for measure in measures if measure.n_answers <= n_answers]


def _count_answers(answers: IntArray) -> int:
    """How many answers every answered image has; 0 where none is answered."""
    given = answers[answers[:, 0] != NO_CLASS]
    return int((given != NO_CLASS).sum(axis=1).min()) if len(given) else 0


def _score_plain(totals: CountArray, settings: ScoreSettings) -> Columns:
    n, n_correct, n_unjudged = _n(totals), totals[:, Outcome.RIGHT], totals[:, Outcome.UNJUDGED]
    low = clopper_pearson(n_correct, n, level=settings.level).low
    high = clopper_pearson(n_correct + n_unjudged, n, level=settings.level).high
    return {
        "n": n,
        "n_correct": n_correct,
        "n_unjudged": n_unjudged,
        "value": divide(n_correct, n),
        "low": low,
        "high": high,
        "interval": _name_intervals(CLOPPER_PEARSON, n, n_unjudged),
        "lower_bound": divide(n_correct, n),
        "upper_bound": divide(n_correct + n_unjudged, n),
    }


def _score_balanced(counts: Sequence[CountArray], settings: ScoreSettings) -> Columns:
    totals = np.array([one.sum(axis=0) for one in counts])
    n, n_unjudged = _n(totals), totals[:, Outcome.UNJUDGED]
    bounds = np.array([_balanced_bounds(one) for one in counts])
    limits = np.array([_balanced_limits(one, settings) for one in counts])
    return {
        "n": n,
        "n_correct": totals[:, Outcome.RIGHT],
        "n_unjudged": n_unjudged,
        "value": bounds[:, 0],
        "low": limits[:, 0],
        "high": limits[:, 1],
        "interval": _name_intervals(GROUPED_MID_P, n, n_unjudged),
        "lower_bound": bounds[:, 0],
        "upper_bound": bounds[:, 1],
    }


def _make_frame(
    judged: ParticipantOutcomes, plan: ScoringPlan, subsets: tuple[Subset, ...], columns: Columns, *, balanced: bool
) -> pl.DataFrame:
    metric = judged.measure.metric + (BALANCED_SUFFIX if balanced else "")
    data = {**columns, "subset": [subset.name for subset in subsets]}
    if plan.reference is not None:
        data |= _compare(judged, plan, subsets, balanced=balanced)
    fixed = {"labels": judged.measure.labels, "metric": metric, "remark": judged.measure.remark}
    return _complete(pl.DataFrame(data), plan, judged.participant, fixed)


def _score_means(participant: str, answers: IntArray, plan: ScoringPlan) -> Iterator[pl.DataFrame]:
    """The rows of one participant under every real-valued measure that applies to it."""
    subsets = plan.parts.subsets
    names = pl.Series("subset", [subset.name for subset in subsets])
    for measure in _find_applicable(plan.means, answers):
        rows = score_values(measure.rate(answers), target=plan.target, subsets=subsets, level=plan.settings.level)
        fixed = {"labels": measure.labels, "metric": measure.metric, "remark": measure.remark}
        yield _complete(rows.with_columns(names), plan, participant, fixed)


def _complete(rows: pl.DataFrame, plan: ScoringPlan, participant: str, fixed: Mapping[str, str | None]) -> pl.DataFrame:
    """The rows with all columns of a score, in output order."""
    named = {"participant": participant, "test_set": plan.target.name, **fixed}
    schema = {**SCORE_COLUMNS, **(COMPARISON_COLUMNS if plan.reference is not None else {})}
    frame = rows.with_columns(pl.lit(value).alias(name) for name, value in named.items())
    missing = [pl.lit(None).alias(name) for name in schema if name not in frame.columns]
    return frame.with_columns(missing).select(pl.col(name).cast(kind) for name, kind in schema.items()).fill_nan(None)


def _compare(judged: ParticipantOutcomes, plan: ScoringPlan, subsets: tuple[Subset, ...], *, balanced: bool) -> Columns:
    """The comparison columns; none for the reference itself, or where the measure does not apply to it."""
    if judged.pairs is None or plan.reference is None:
        return {}
    compare = compare_balanced if balanced else compare_plain
    columns = compare(judged.pairs, plan.target, subsets=subsets, settings=plan.settings)
    is_open = columns["difference_lower_bound"] < columns["difference_upper_bound"]
    method = PAIRED_GROUPED_MID_P if balanced else TANGO
    return {
        **columns,
        "against": [plan.reference.participant] * len(subsets),
        "difference_interval": _name_intervals(method, columns["n_both"], is_open),
    }


def _adjust_p_values(frame: pl.DataFrame) -> pl.DataFrame:
    """Holm's adjustment over all McNemar tests of the frame, which are the family shown."""
    if "p_mcnemar" not in frame.columns:
        return frame
    adjusted = holm(frame["p_mcnemar"].fill_null(np.nan).to_numpy())
    return frame.with_columns(pl.Series("p_holm", adjusted).fill_nan(None))


def _n(counts: CountArray) -> CountArray:
    n: CountArray = counts[..., : Outcome.NOT_COUNTED].sum(axis=-1)
    return n


def _balanced_bounds(counts: CountArray) -> tuple[float, float]:
    """The mean of per-class means with unjudged predictions taken as wrong, and as right; NaN without any image."""
    used = counts[_n(counts) > 0]
    if not len(used):
        return np.nan, np.nan
    right, unjudged = used[:, Outcome.RIGHT], used[:, Outcome.UNJUDGED]
    return float((right / _n(used)).mean()), float(((right + unjudged) / _n(used)).mean())


def _balanced_limits(counts: CountArray, settings: ScoreSettings) -> tuple[float, float]:
    """Outer limits of the mean of per-class means: the lower one of the lower bound, the upper one of the upper bound."""
    right, unjudged = counts[:, Outcome.RIGHT], counts[:, Outcome.UNJUDGED]
    limits = find_balanced_limits(np.stack([right, right + unjudged]), _n(counts), level=settings.level)
    return float(limits.low[0]), float(limits.high[1])


def _name_intervals(method: str, n: NDArray[Any], n_unjudged: NDArray[Any]) -> list[str | None]:
    """The method of every row: none without images, marked as outer where unjudged predictions widen it."""
    return [
        None if images == 0 else method + OUTER * (unjudged > 0)
        for images, unjudged in zip(n.tolist(), n_unjudged.tolist(), strict=True)
    ]


def _note_empty_classes(target: Target) -> Iterator[str]:
    if target.n_classes is None or not target.has_dataset_labels:
        return
    n_used = len(np.unique(target.dataset_labels[target.dataset_labels != NO_CLASS]))
    if n_used < target.n_classes:
        yield (
            f"{target.n_classes - n_used:,} of {target.n_classes:,} classes have no image in {target.name}; "
            "balanced means leave them out."
        )


def _note_unknown_images(plan: ScoringPlan) -> Iterator[str]:
    for subset in plan.parts.subsets:
        if subset.n_unknown:
            yield (
                f"Subset {subset.name} names "
                f"{count_things(subset.n_unknown, 'image that is', many='images that are')} not in "
                f"{plan.target.name} (ignored)."
            )


def _note_coverage(predictions: Predictions, answers: IntArray, plan: ScoringPlan) -> Iterator[str]:
    n_missing = int((answers[:, 0] == NO_CLASS).sum())
    n_extra = len(predictions) - (len(answers) - n_missing)
    if n_missing:
        yield (
            f"{predictions.participant} has no prediction for {n_missing:,} of {len(answers):,} images; "
            "it is scored on the rest."
        )
    if n_extra:
        yield (
            f"{predictions.participant} also answers "
            f"{count_things(n_extra, 'image that is', many='images that are')} not in {plan.target.name} (ignored)."
        )
    yield from _note_absent(predictions.participant, answers, plan)


def _note_absent(participant: str, answers: IntArray, plan: ScoringPlan) -> Iterator[str]:
    """Which metrics are absent because they look at more answers than the participant gives."""
    n_given = _count_answers(answers)
    absent: dict[int, list[str]] = {}
    wanted = [(one.n_answers, one.metric) for one in plan.measures]
    wanted += [(one.n_answers, one.metric) for one in plan.means]
    for n_answers, metric in wanted:
        if n_answers > n_given:
            absent.setdefault(n_answers, []).append(metric)
    for n_answers, metrics in absent.items():
        names = list(dict.fromkeys(metrics))
        are = "is" if len(names) == 1 else "are"
        yield f"{participant} gives fewer than {_spell(n_answers)} answers for some images; {_join(names)} {are} absent."


def _join(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _spell(number: int) -> str:
    """The number in letters up to ten, as text has it.

    >>> _spell(5), _spell(20)
    ('five', '20')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
