"""What selection frequencies explain of a gap, as sentences and as a table."""

from __future__ import annotations

from collections.abc import Iterator

from regauge.estimates import Estimate, format_estimate, typeset
from regauge.records.evaluation.gaps import MEAN, NAIVE_WARNING, GapDecomposition, GapMethod, GapReport, SetFrequency
from regauge.report.metrics import say_metric
from regauge.report.tables import DocumentTable, TableColumn, make_points


def describe_gap(gap: GapReport) -> Iterator[str]:
    """How much of the mean gap the selection explains, what is left at equal frequency, and what noise would have made of it."""
    best = gap.get(MEAN, gap.settings.methods[-1])
    n = len({one.participant for one in gap.decompositions}) - 1
    people = "one participant" if n == 1 else f"mean over {n} participants"
    yield (
        f"{_explain_share(best)} of the {_name_change(best)} in {say_metric(gap.settings.metric)} from {gap.original} to "
        f"{gap.new} ({people}, n = {best.n_original:,} and n = {best.n_new:,} images): {_tell(best.selection)} of "
        f"{_tell(best.gap)} points; {_tell(best.remainder)} points remain between images that people select equally often "
        f"({best.method})."
    )
    if GapMethod.NAIVE in gap.settings.methods and best.method is not GapMethod.NAIVE:
        naive = gap.get(MEAN, GapMethod.NAIVE)
        yield (
            f"Treating observed frequencies as the true ones would have left {_tell(naive.remainder)} points "
            f"between {gap.original} and {gap.new}."
        )
    if best.method.is_biased:
        yield NAIVE_WARNING
    for one in gap.frequencies:
        yield _compare_frequencies(one)


def _name_change(one: GapDecomposition) -> str:
    """What a gap of original − new is called: a drop or a rise if its interval excludes 0, else a change."""
    if one.gap.low <= 0 <= one.gap.high:
        return "change"
    return "drop" if one.gap.value > 0 else "rise"


def summarise_gap(gap: GapReport) -> str:
    """The mean gap and its parts in a line."""
    best = gap.get(MEAN, gap.settings.methods[-1])
    return (
        f"{gap.original} − {gap.new}: {_tell(best.gap)} points of {say_metric(gap.settings.metric)}, {_tell(best.selection)} of "
        f"them by selection and {_tell(best.remainder)} at equal selection frequency (n = {best.n_original:,} and "
        f"n = {best.n_new:,})"
    )


def make_gap_table(gap: GapReport) -> DocumentTable:
    """One row per participant, the mean first, split by the last method."""
    method = gap.settings.methods[-1]
    chosen = [one for one in gap.decompositions if one.method is method]
    ordered = sorted(chosen, key=lambda one: (one.participant != MEAN, -one.gap.value, one.participant))
    columns = (
        TableColumn("Gap", "points"),
        TableColumn("By selection", "points"),
        TableColumn("Remainder", "points"),
        TableColumn("Share explained", "%"),
    )
    rows = tuple(
        (
            "Mean" if one.participant == MEAN else one.participant,
            tuple(map(make_points, (one.gap, one.selection, one.remainder, one.selection_share))),
        )
        for one in ordered
    )
    return DocumentTable("participant", columns, rows)


def _explain_share(one: GapDecomposition) -> str:
    if one.selection_share is None:
        return "Selection frequencies explain an unknown share (the interval of the gap holds 0)"
    return f"Selection frequencies explain {typeset_share(one.selection_share)}"


def typeset_share(share: Estimate[float]) -> str:
    """A share of a gap as a document has it: it may be negative, or above 100%.

    >>> typeset_share(Estimate(0.113, -0.234, 0.394))
    '11.3% [−23.4, 39.4]'
    """
    return format_estimate(share).replace("-", "−")


def _compare_frequencies(one: SetFrequency) -> str:
    crowd = "" if one.expected is None else f"; an unlimited crowd would be expected to select them with {one.expected}"
    return (
        f"Annotators selected the labels of {one.test_set} with a mean frequency of {one.observed} "
        f"(n = {one.n:,}){crowd}."
    )


def _tell(part: Estimate[float] | None) -> str:
    return typeset(part, scale=100)
