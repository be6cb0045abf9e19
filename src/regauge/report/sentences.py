"""The findings of a study, a sentence each: every number with its n and its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from regauge.estimates import format_estimate, format_percent, typeset
from regauge.evaluation.conclusions import conclude
from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.scores import WHOLE, Score, Scores
from regauge.records.evaluation.shifts import MeanChange, Shift, ShiftFit
from regauge.records.option_names import name_options
from regauge.report.content import EvaluationPart, ReportContent
from regauge.report.metrics import find_place, get_title, is_balanced, is_finding


def list_findings(content: ReportContent) -> tuple[str, ...]:
    """What the study found, in the order of the report."""
    findings = [sentence for part in content.evaluations for sentence in describe_evaluation(part)]
    findings += [sentence for part in content.comparisons for sentence in describe_shift(part.shift)]
    return tuple(findings)


def describe_evaluation(part: EvaluationPart) -> Iterator[str]:
    """Who is right most often, by which labels, and where it is hard."""
    leading: Score | None = None
    for metric, labels in list_measures(part.scores):
        ranked = rank(part.scores, metric, labels=labels)
        if not ranked or is_balanced(metric):
            continue
        if leading is None:
            leading = ranked[0]
            yield _describe_first(ranked)
            yield from _describe_parts(part.scores, leading)
        elif is_finding(metric):
            yield _describe_again(ranked, leading)


def list_measures(scores: Scores) -> list[tuple[str, str]]:
    """Every metric with the labels it judges by, in the order of all metrics, and of one metric in output order."""
    rows = scores.to_frame().select("metric", "labels").unique(maintain_order=True)
    return sorted(((metric, labels) for metric, labels in rows.iter_rows()), key=lambda measure: find_place(measure[0]))


def rank(scores: Scores, metric: str, *, labels: str, subset: str = WHOLE) -> list[Score]:
    """Those who have a value, the best first; ties by name."""
    is_asked = (pl.col("metric") == metric) & (pl.col("labels") == labels) & (pl.col("subset") == subset)
    rows = scores.to_frame().filter(is_asked & pl.col("value").is_not_null())
    return list(Scores(rows.sort(pl.col("value").neg(), "participant")))


def describe_score(score: Score) -> str:
    """A value with interval and n, and its upper bound where predictions are unjudged."""
    text = f"{format_estimate(score)} (n = {score.n:,}"
    if score.n_unjudged:
        predictions = "prediction" if score.n_unjudged == 1 else "predictions"
        text += f"; {score.n_unjudged:,} {predictions} unjudged, so between {format_percent(score.lower_bound)} "
        text += f"and {format_percent(score.upper_bound)}"
    return text + ")"


def describe_shift(shift: Shift) -> Iterator[str]:
    """How accuracies move between two test sets, whether the order holds, the lines through the models and what they say."""
    for metric, change in shift.mean_changes.items():
        drawn = "" if change.low is None else f" (limits with {change.resample.words} drawn anew)"
        yield f"{_describe_change(get_title(metric), change)} from {shift.original} to {shift.new}{drawn}."
    if shift.models:
        best = shift.models[0]
        gap = typeset(best.gap, scale=100)
        yield (
            f"{best.name}, {_name_best(shift)} on {shift.original} by {get_title(shift.settings.metric)} with {best.original} "
            f"(n = {best.original.n:,}), reaches {best.new} (n = {best.new.n:,}) on {shift.new}: a gap of {gap} points"
            f"{_tell_rank(shift)}."
        )
    yield from (describe_fit(fit) for fit in shift.fits)
    if shift.fits:
        yield name_options(conclude(shift))


def _name_best(shift: Shift) -> str:
    """The best, or one of several that are: a rank goes by name where accuracies are equal."""
    if len(shift.models) == 1:
        return "the only one"
    n_best = sum(one.original.value == shift.models[0].original.value for one in shift.models)
    return "the best" if n_best == 1 else f"one of the {n_best} best"


def _tell_rank(shift: Shift) -> str:
    """Where the best one is on the new set; nothing where nobody is compared with it."""
    if len(shift.models) == 1:
        return ""
    best = shift.models[0].new.value
    n_better = sum(one.new.value > best for one in shift.models)
    n_equal = sum(one.new.value == best for one in shift.models) - 1
    beside = f", with {n_equal} more" if n_equal else ""
    return f"; it is first there too{beside}" if not n_better else f"; it is number {n_better + 1} there{beside}"


def describe_fit(fit: ShiftFit) -> str:
    """Slope and offset in words."""
    unit, name, decimals = (100, " points", 1) if fit.scale is Scale.LINEAR else (1, "", 2)
    slope, offset = typeset(fit.slope, decimals=2), typeset(fit.offset, scale=unit, decimals=decimals)
    return (
        f"On the {fit.scale} scale the line through {fit.n_models} models has slope {slope} and offset {offset}{name} "
        f"({fit.n_bootstrap:,} bootstrap samples of {fit.resample.words})."
    )


def _describe_first(ranked: Sequence[Score]) -> str:
    best, last = ranked[0], ranked[-1]
    measure = f"{get_title(best.metric, best.remark)} by the {_name_labels(best.labels)}"
    if len(ranked) == 1:
        return f"On {best.test_set}, {best.participant} reaches {describe_score(best)}: {measure}."
    if len({describe_score(one) for one in ranked}) == 1:
        return f"On {best.test_set}, all {len(ranked)} participants reach {describe_score(best)}: {measure}."
    if best.value == last.value:
        return (
            f"On {best.test_set}, all {len(ranked)} participants are right equally often, though not on equally many judged "
            f"images; {best.participant}: {describe_score(best)}, {measure}."
        )
    n_tied = sum(one.value == best.value for one in ranked) - 1
    tied = f", as often as {n_tied} more," if n_tied else ""
    return (
        f"On {best.test_set}, {best.participant}{tied} is right most often of {len(ranked)} participants: "
        f"{describe_score(best)}, {measure}; {last.participant} least often: {describe_score(last)}."
    )


def _describe_again(ranked: Sequence[Score], leading: Score) -> str:
    best = ranked[0]
    same = next((score for score in ranked if score.participant == leading.participant), None)
    where = f"On {best.test_set} by the {_name_labels(best.labels)}"
    if same is None or same.value == best.value:
        told = best if same is None else same
        more = "; nobody more" if len(ranked) > 1 else ""
        return (
            f"{where}, {told.participant} reaches {describe_score(told)}, {get_title(best.metric, best.remark)}{more}."
        )
    return (
        f"{where}, {leading.participant} reaches {describe_score(same)}, {get_title(best.metric, best.remark)}; the most has "
        f"{best.participant}: {describe_score(best)}."
    )


def _describe_parts(scores: Scores, leading: Score) -> Iterator[str]:
    """The easiest and the hardest subset for whoever leads; nothing where all are equally hard."""
    found = [
        one
        for one in scores
        if (one.participant, one.metric, one.labels) == (leading.participant, leading.metric, leading.labels)
        and one.subset != WHOLE
        and one.value is not None
    ]
    if len(found) < 2:
        return
    ordered = sorted(found, key=lambda one: (-(one.value or 0), one.subset))
    easy, hard = ordered[0], ordered[-1]
    if easy.value == hard.value:
        return
    n_easy, n_hard = (sum(one.value == end.value for one in found) - 1 for end in (easy, hard))
    yield (
        f"For {leading.participant} the easiest of {len(found)} parts of {leading.test_set} is {easy.subset}"
        f"{_name_others(n_easy)}: {describe_score(easy)}; the hardest is {hard.subset}{_name_others(n_hard)}: "
        f"{describe_score(hard)}."
    )


def _name_others(n: int) -> str:
    return f", as {n:,} more" if n else ""


def _describe_change(title: str, change: MeanChange) -> str:
    models = "one model" if change.n == 1 else f"{change.n} models"
    return f"{title} accuracy changes by {typeset(change, scale=100, sign=True)} points on average over {models}"


def _name_labels(labels: str) -> str:
    return "dataset labels" if labels == "dataset" else f"labels {labels}"
