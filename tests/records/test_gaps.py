"""Judged sets and settings refuse nonsense; a report becomes tables with all columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.evaluation.judging import make_set

from regauge.errors import InputError
from regauge.evaluation.gaps import split_gap
from regauge.records.gaps import (
    BIN_COLUMNS,
    GAP_COLUMNS,
    MEAN,
    REWEIGHTED_COLUMNS,
    SET_COLUMNS,
    CandidateCounts,
    GapMethod,
    GapReport,
    GapSettings,
    JudgedSet,
)

FEW = GapSettings(n_bootstrap=100, shares=((0, 0, 0.1, 0.3, 0.6),))


@pytest.fixture(scope="module")
def report() -> GapReport:
    return split_gap(make_set("old", "1010 1110 0111", [1, 5, 9]), make_set("new", "0010 1010", [2, 8]), settings=FEW)


def test_all_tables_have_their_columns(report: GapReport):
    assert report.to_frame().columns == list(GAP_COLUMNS)
    assert report.to_bins_frame().columns == list(BIN_COLUMNS)
    assert report.to_reweighted_frame().columns == list(REWEIGHTED_COLUMNS)
    assert report.to_sets_frame().columns == list(SET_COLUMNS)
    # One participant and the mean, by two methods.
    assert report.to_frame().select("participant", "method").rows() == [
        ("model", "naive"),
        ("model", "deconvolution"),
        (MEAN, "naive"),
        (MEAN, "deconvolution"),
    ]
    assert repr(report) == "<GapReport from old to new: naive, deconvolution>"


def test_every_column_is_documented():
    page = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    section = page.split("\n## Gap\n")[1].split("\n## ")[0]
    for column in (*GAP_COLUMNS, *BIN_COLUMNS, *REWEIGHTED_COLUMNS, *SET_COLUMNS):
        assert f"`{column}`" in section, column


def test_a_gap_that_was_not_split_cannot_be_got(report: GapReport):
    assert report.get("model", "naive").method is GapMethod.NAIVE
    with pytest.raises(InputError, match="no gap of 'model' split by jackknife"):
        report.get("model", "jackknife")


def test_methods_are_named_once_and_known():
    assert GapSettings(("naive", "naive")).methods == (GapMethod.NAIVE,)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no-such"):
        GapSettings(("no-such",))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ()}, "at least one method"),
        ({"n_bootstrap": 99}, "100 to 1,000,000 bootstrap samples, not 99"),
        ({"seed": -1}, "A seed"),
        ({"level": 1.0}, "confidence level"),
        ({"shares": ((0.5, 0.5),)}, "5 shares from 0 up that add up to 1, not 0.5, 0.5"),
        ({"shares": ((0.5, 0.5, 0.5, -0.5, 0),)}, "5 shares"),
        ({"shares": ((0.1, 0.1, 0.1, 0.1, 0.1),)}, "5 shares"),
    ],
)
def test_settings_that_make_no_sense_are_refused(change: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        replace(GapSettings(), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_shown": [10, 0, 10]}, "seen by an annotator"),
        ({"n_selected": [11, 0, 1]}, "selected by no more than saw it"),
        ({"n_shown": [10, 10]}, "as many counts"),
        ({"participants": ("a", "b")}, "an outcome for each participant and image"),
        ({"is_correct": [[True, True]]}, "an outcome for each participant and image"),
        ({"image_ids": ["a", "a", "b"]}, "more than once"),
    ],
)
def test_a_judged_set_without_counts_or_outcomes_is_refused(change: dict[str, object], message: str):
    columns = {"image_ids": ["a", "b", "c"], "n_shown": [10] * 3, "n_selected": [1] * 3, "participants": ("a",)}
    with pytest.raises(InputError, match=message):
        JudgedSet("old", **{**columns, "is_correct": [[True] * 3], **change})  # type: ignore[arg-type]


def test_two_participants_of_one_name_are_refused():
    with pytest.raises(InputError, match="Two participants on old are called 'a'"):
        JudgedSet("old", ["x"], [1], [1], ("a", "a"), [[True], [True]])  # type: ignore[arg-type]


@pytest.mark.parametrize(("n_shown", "n_selected"), [([], []), ([3], [4]), ([0], [0]), ([3, 3], [1])])
def test_a_pool_needs_candidates_that_somebody_saw(n_shown: list[int], n_selected: list[int]):
    with pytest.raises(InputError, match="candidate"):
        CandidateCounts(n_shown, n_selected)  # type: ignore[arg-type]


def test_a_set_says_how_large_it_is():
    assert repr(make_set("old", "1010", [1])) == "<JudgedSet old: 4 images, 1 participants>"
