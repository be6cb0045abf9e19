"""Judged sets and settings refuse nonsense; a report becomes tables with all columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.evaluation.judged_sets import make_set

from regauge.errors import InputError
from regauge.evaluation.gaps import split_gap
from regauge.records.evaluation.gaps import (
    BIN_COLUMNS,
    GAP_COLUMNS,
    MEAN,
    REWEIGHTED_COLUMNS,
    SET_COLUMNS,
    GapMethod,
    GapReport,
    GapSettings,
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


def test_the_mean_of_one_participant_is_not_shown(report: GapReport):
    assert [one.participant for one in report.shown] == ["model", "model"]
    both = [make_set(name, "10 11\n01 10", [1, 9], names="a b") for name in ("old", "new")]
    assert MEAN in {one.participant for one in split_gap(*both, settings=FEW).shown}


def test_every_column_is_documented():
    page = (Path(__file__).resolve().parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
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
