"""A split gap in words and as a table."""

from __future__ import annotations

from dataclasses import replace

from regauge.estimates import Estimate
from regauge.records.evaluation.gaps import MEAN, GapDecomposition, GapMethod, GapReport, GapSettings, SetFrequency
from regauge.report.gap_parts import describe_gap, make_gap_table, summarise_gap


def split(participant: str, method: GapMethod, *, selection: float, is_known: bool = True) -> GapDecomposition:
    """A gap of ten points, of which some are by selection."""
    share = Estimate(10 * selection, 10 * selection - 0.1, 10 * selection + 0.1) if is_known else None
    gap, by_selection, rest = (
        Estimate(value, value - 0.01, value + 0.01) for value in (0.1, selection, 0.1 - selection)
    )
    return GapDecomposition(participant, method, 1_000, 900, gap, by_selection, rest, share)


def make_gap(*, is_known: bool = True) -> GapReport:
    found = [
        split(name, method, selection=selection, is_known=is_known)
        for name in ("a", "b", MEAN)
        for method, selection in ((GapMethod.NAIVE, 0.02), (GapMethod.DECONVOLUTION, 0.04))
    ]
    frequencies = (
        SetFrequency("original", 1_000, Estimate(0.8, 0.78, 0.82), Estimate(0.79, 0.77, 0.81)),
        SetFrequency("new", 900, Estimate(0.9, 0.88, 0.92), Estimate(0.85, 0.83, 0.87)),
    )
    return GapReport("original", "new", 5_000, tuple(found), (), (), frequencies, GapSettings())


def test_the_share_that_selection_explains_is_told_with_n_and_intervals() -> None:
    first, second, *frequencies = describe_gap(make_gap())
    assert first == (
        "Selection frequencies explain 40.0% [30.0, 50.0] of the drop in top-1 accuracy from original to new (mean over 2 "
        "participants, n = 1,000 and n = 900 images): 4.0 [3.0, 5.0] of 10.0 [9.0, 11.0] points; 6.0 [5.0, 7.0] points remain "
        "between images that people select equally often (deconvolution)."
    )
    assert "would have left 8.0 [7.0, 9.0] points" in second
    assert frequencies[1].startswith(
        "Annotators selected the labels of new with a mean frequency of 90.0% [88.0, 92.0] (n = 900)"
    )
    assert "85.0% [83.0, 87.0]" in frequencies[1]


def test_no_share_is_told_where_the_gap_may_be_none() -> None:
    assert next(describe_gap(make_gap(is_known=False))).startswith("Selection frequencies explain an unknown share")


def test_a_gap_is_a_drop_or_a_rise_only_where_its_limits_are_on_one_side() -> None:
    def tell(low: float, high: float) -> str:
        found = make_gap(is_known=not low <= 0 <= high)
        gap = Estimate((low + high) / 2, low, high)
        return next(
            describe_gap(replace(found, decompositions=tuple(replace(one, gap=gap) for one in found.decompositions)))
        )

    assert " of the drop in top-1 accuracy " in tell(0.01, 0.05)
    assert " of the rise in top-1 accuracy " in tell(-0.05, -0.01)
    assert " unknown share (the interval of the gap holds 0) of the change in " in tell(-0.05, 0.01)


def test_the_table_begins_with_the_mean_and_has_one_row_per_participant() -> None:
    table = make_gap_table(make_gap())
    assert [name for name, _ in table.rows] == ["Mean", "a", "b"]
    assert [cell.text for cell in table.rows[0][1]] == [
        "10.0 [9.0, 11.0]",
        "4.0 [3.0, 5.0]",
        "6.0 [5.0, 7.0]",
        "40.0 [30.0, 50.0]",
    ]
    assert make_gap_table(make_gap(is_known=False)).rows[0][1][-1].text == "–"


def test_a_line_tells_both_parts() -> None:
    assert summarise_gap(make_gap()) == (
        "original − new: 10.0 [9.0, 11.0] points of top-1 accuracy, 4.0 [3.0, 5.0] of them by selection and 6.0 [5.0, 7.0] at "
        "equal selection frequency (n = 1,000 and n = 900)"
    )


def test_single_votes_say_nothing_of_an_endless_crowd() -> None:
    gap = make_gap()
    single = replace(gap, frequencies=(replace(gap.frequencies[0], expected=None),))
    assert [*describe_gap(single)][-1] == (
        "Annotators selected the labels of original with a mean frequency of 80.0% [78.0, 82.0] (n = 1,000)."
    )
