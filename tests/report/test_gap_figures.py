"""The figure of a split gap: a point and an interval per participant, method and part."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evaluation.judged_sets import make_set

from regauge.evaluation.gaps import split_gap
from regauge.records.canvas import Canvas
from regauge.records.evaluation.gaps import MEAN, GapMethod, GapReport, GapSettings
from regauge.report.gap_figures import plot_gap


def find_rows(spec: dict[str, Any], place: int) -> list[dict[str, Any]]:
    data = spec["layer"][place]["data"]
    rows: list[dict[str, Any]] = spec["datasets"][data["name"]] if "name" in data else data["values"]
    return rows


def split(n: int = 2, methods: tuple[GapMethod, ...] = tuple(GapMethod)) -> GapReport:
    names = " ".join("abcdefghij"[:n])
    lines = ["0001 1111", "0011 0111"] * n
    old = make_set("old", "\n".join(lines[:n]), [3, 9], names=names)
    new = make_set("new", "\n".join(["0001 0011", "0011 0111"][place % 2] for place in range(n)), [3, 9], names=names)
    return split_gap(old, new, settings=GapSettings(methods, n_bootstrap=100))


def test_the_gap_and_both_parts_stand_on_one_scale_for_everybody_and_the_mean_comes_first():
    report = split()
    spec = plot_gap(report).to_dict()
    _, intervals, hollow, full, *_ = spec["layer"]
    assert [(one["mark"]["type"], one["encoding"]["x"]["field"]) for one in (intervals, full)] == [
        ("rule", "low"),
        ("point", "value"),
    ]
    rows = find_rows(spec, 1)
    # The whole gap once, and two parts by every method.
    assert len(rows) == 3 * (1 + 2 * len(GapMethod))
    assert intervals["encoding"]["y"]["sort"] == [MEAN, "a", "b"]
    assert [one["mark"]["filled"] for one in (hollow, full)] == [False, True]
    assert {row["method"] for row in find_rows(spec, 3)} == {"deconvolution"}
    naive = next(
        row for row in rows if (row["participant"], row["lane"]) == ("a", "naive, Remainder at equal frequency")
    )
    assert naive["value"] == 100 * report.get("a", "naive").remainder.value
    assert naive["low"] <= naive["value"] <= naive["high"]
    whole = next(row for row in rows if (row["participant"], row["part"]) == ("a", "Whole gap"))
    assert whole["value"] == 100 * report.get("a", "naive").gap.value
    told = " ".join(spec["title"]["subtitle"])
    assert "8 and 8 images" in told
    assert "Full dots: deconvolution; hollow, from the top: naive, jackknife, beta-binomial." in told


def test_for_more_than_a_few_participants_only_the_last_method_is_drawn():
    spec = plot_gap(split(n=8, methods=(GapMethod.NAIVE, GapMethod.DECONVOLUTION))).to_dict()
    assert {row["method"] for row in find_rows(spec, 1)} == {"deconvolution"}
    assert "Split by deconvolution." in " ".join(spec["title"]["subtitle"])


def test_one_method_has_no_hollow_dots_and_nothing_is_said_of_any():
    spec = plot_gap(split(methods=(GapMethod.NAIVE,))).to_dict()
    assert [layer["mark"].get("filled") for layer in spec["layer"] if layer["mark"]["type"] == "point"] == [True]
    assert "hollow" not in str(spec["title"])
    assert "Split by" not in str(spec["title"])


def test_the_figure_is_as_wide_as_asked_for_and_has_no_title():
    spec = plot_gap(split(), canvas=Canvas.read("84mm", has_title=False)).to_dict()
    assert "title" not in spec
    assert spec["usermeta"]["regauge"]["width"] == pytest.approx(84 / 25.4 * 96)
