"""From answers to scores: judge, count in every subset, and give each count its interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from regauge.evaluation.coverage import Coverage, count_answers, find_coverage, note_coverages
from regauge.evaluation.joint_counts import count_joint
from regauge.evaluation.means import score_values
from regauge.evaluation.metrics import find_mean_measures, find_measures, list_needs
from regauge.evaluation.outcomes import MeanMeasure, Measure, Outcome, OutcomeArray
from regauge.evaluation.small_classes import note_small_classes
from regauge.evaluation.subsets import EVERY_IMAGE, Parts, Subset, by_class, count_codes, count_totals, prepare_parts
from regauge.evaluation.targets import Target, line_up_answers
from regauge.predictions.order import find_order_warning
from regauge.records.evaluation.scores import BALANCED_SUFFIX, COMPARISON_COLUMNS, SCORE_COLUMNS, Scores, ScoreSettings
from regauge.records.evaluation.standings import JointCount
from regauge.records.predictions import Predictions
from regauge.stats.balanced import find_balanced_limits
from regauge.stats.intervals import clopper_pearson
from regauge.stats.multiplicity import holm

CLOPPER_PEARSON = "clopper-pearson"
GROUPED_MID_P = "grouped mid-p"
OUTER = " (outer)"
"""Marks an interval that also spans the bounds which unjudged predictions leave open."""

Columns = Mapping[str, Any]

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
    people: set[str] = set()
    coverages: list[Coverage] = []
    joint: list[JointCount] = []
    wanted = [(one.n_answers, one.metric) for one in plan.measures]
    wanted += [(one.n_answers, one.metric) for one in plan.means]
    for predictions in participants:
        people |= {predictions.participant} if predictions.is_person else set()
        # People may stop before the end: they are scored on what they answered, and a note says on how much.
        may_stop = settings.allow_missing or predictions.is_person
        answers = line_up_answers(predictions, target, allow_missing=may_stop)
        coverages.append(find_coverage(predictions, answers, wanted=wanted))
        warnings += find_order_warning(predictions.participant, answers, labels=target.dataset_labels)
        found = list(judge_participant(predictions.participant, answers, plan=plan))
        joint += count_joint(predictions.participant, [(one.measure, one.outcomes) for one in found])
        for judged in found:
            frames += score_judged(judged, plan=plan)
        frames += _score_means(predictions.participant, answers, plan)
    notes += note_coverages(coverages, target.name)
    frame = _adjust_p_values(_complete(frames, plan))
    return Scores(frame, settings, tuple(notes), tuple(warnings), people=frozenset(people), joint=tuple(joint))


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
        raise InputError(
            f"The truth {target.name} has no {', '.join(others)} or {last}, so nothing can be scored; give a truth with labels "
            f"beside it, by the same image ids."
        )
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
    may_stop = settings.allow_missing or reference.is_person
    answers = line_up_answers(reference, target, allow_missing=may_stop)
    applicable = _find_applicable(measures, answers)
    outcomes = {(measure.metric, measure.labels): measure.judge(answers) for measure in applicable}
    return Reference(reference.participant, answers[:, 0], outcomes)


def _find_applicable(measures: Sequence[_AnyMeasure], answers: IntArray) -> list[_AnyMeasure]:
    """The measures that look at no more answers than every answered image has."""
    n_answers = count_answers(answers) if measures else 0
    return [measure for measure in measures if measure.n_answers <= n_answers]


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
    data = {**columns, "subset": [subset.name for subset in subsets]}
    if plan.reference is not None:
        data |= _compare(judged, plan, subsets, balanced=balanced)
    return pl.DataFrame(data).with_columns(_name(judged.participant, judged.measure, balanced=balanced))


def _score_means(participant: str, answers: IntArray, plan: ScoringPlan) -> Iterator[pl.DataFrame]:
    """The rows of one participant under every real-valued measure that applies to it."""
    subsets = plan.parts.subsets
    names = pl.Series("subset", [subset.name for subset in subsets])
    for measure in _find_applicable(plan.means, answers):
        rows = score_values(measure.rate(answers), target=plan.target, subsets=subsets, level=plan.settings.level)
        yield rows.with_columns(names, *_name(participant, measure))


def _name(participant: str, measure: Measure | MeanMeasure, *, balanced: bool = False) -> list[pl.Expr]:
    """The columns that tell whose rows these are and under which measure."""
    metric = measure.metric + (BALANCED_SUFFIX if balanced else "")
    named = {"participant": participant, "labels": measure.labels, "metric": metric, "remark": measure.remark}
    return [pl.lit(value, pl.String).alias(name) for name, value in named.items()]


def _complete(frames: Sequence[pl.DataFrame], plan: ScoringPlan) -> pl.DataFrame:
    """The rows of all frames with all columns of a score, in output order."""
    schema = {**SCORE_COLUMNS, **(COMPARISON_COLUMNS if plan.reference is not None else {})}
    rows = pl.concat(frames, how="diagonal_relaxed").with_columns(test_set=pl.lit(plan.target.name))
    missing = [pl.lit(None).alias(name) for name in schema if name not in rows.columns]
    return rows.with_columns(missing).select(pl.col(name).cast(kind) for name, kind in schema.items()).fill_nan(None)


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
