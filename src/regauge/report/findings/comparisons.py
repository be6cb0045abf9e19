"""What a comparison of two test sets says: what drops, how much of it is selection, and whether ranks change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from regauge.estimates import count_things, typeset, typeset_number
from regauge.evaluation.outcomes import DATASET_LABELS
from regauge.evaluation.standings import compare_standings
from regauge.records.evaluation.details import EvaluationDetails
from regauge.records.evaluation.gaps import MEAN, GapReport
from regauge.records.evaluation.shifts import MeanChange, Shift
from regauge.report.content import ComparisonPart
from regauge.report.findings.evaluations import tell_order
from regauge.report.findings.ranks import Question, ReportFinding
from regauge.report.gap_parts import typeset_share
from regauge.report.metrics import say_metric

TOP_1 = ("top1", DATASET_LABELS)


def find_in_comparison(
    part: ComparisonPart, details: Mapping[str, EvaluationDetails], *, anchor: str
) -> Iterator[ReportFinding]:
    """The findings of one comparison.

    Args:
        part: the comparison.
        details: by test set, a closer look at its evaluation, where there is one.
        anchor: the section that tells more.
    """
    shift = part.shift
    change = shift.mean_changes.get(shift.settings.metric)
    if change is not None:
        yield _tell_drop(shift, change, gap=part.gap, anchor=anchor)
    sides = [details[name].standings.get(TOP_1) for name in (shift.original, shift.new) if name in details]
    if len(sides) == 2 and sides[0] is not None and sides[1] is not None:
        found = compare_standings(sides[0], sides[1])
        if found.n_pairs:
            ways = (f"by top-1 on {shift.original}", f"by top-1 on {shift.new}")
            yield tell_order(found, ways, where=f" from {shift.original} to {shift.new}", anchor=anchor)


def _tell_drop(shift: Shift, change: MeanChange, *, gap: GapReport | None, anchor: str) -> ReportFinding:
    is_clear = change.low is not None and change.high is not None and (change.low > 0 or change.high < 0)
    points = typeset_number(100 * abs(change.value))
    sets = f"from {shift.original} to {shift.new}"
    if is_clear:
        claim = f"Accuracy {'rises' if change.value > 0 else 'drops'} by {points} points {sets}."
    elif change.low is None:
        side = "higher" if change.value > 0 else "lower"
        claim = f"Accuracy is {points} points {side} on {shift.new} than on {shift.original}."
    else:
        claim = f"Accuracy does not clearly change {sets}."
    evidence = (
        f"{typeset(change, scale=100, sign=True)} points of {say_metric(shift.settings.metric)}, "
        f"{'one model' if change.n == 1 else f'mean of {change.n} models'} ({_count_images(shift)})."
    )
    if gap is not None:
        evidence += f" {_tell_selection(gap)}"
    return ReportFinding(Question.DROP, claim, evidence, is_clear=is_clear, size=50 * change.value, anchor=anchor)


def _count_images(shift: Shift) -> str:
    """On how many images; the most that any model was counted on."""
    if not shift.models:
        return "no images"
    n_old, n_new = (max(getattr(one, side).n for one in shift.models) for side in ("original", "new"))
    return f"n = {n_old:,} and {n_new:,} images"


def _tell_selection(gap: GapReport) -> str:
    """How much of the gap selection explains, by the last method; a share only where the gap is clear."""
    best = gap.get(MEAN, gap.settings.methods[-1])
    left = f"{typeset(best.remainder, scale=100)} remain between images that people select equally often"
    explained = f"{typeset(best.selection, scale=100)} points"
    if best.selection_share is None or best.selection.low <= 0 <= best.selection.high:
        return f"How much of it selection explains is unclear: {explained}; {left}."
    return f"Selection explains {typeset_share(best.selection_share)} of it: {explained}; {left}."


def tell_ranks(shift: Shift) -> str:
    """How many models have another rank on the new set, which by itself says nothing about chance."""
    n_moved = sum(one.delta_rank != 0 for one in shift.models)
    models = count_things(len(shift.models), "model")
    return f"{n_moved:,} of {models} {'has' if n_moved == 1 else 'have'} a different rank on {shift.new}, by chance or not."
