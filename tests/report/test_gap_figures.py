"""The figure of a split gap: a point and an interval per participant, method and part."""

from __future__ import annotations

from tests.evaluation.judged_sets import make_set

from regauge.evaluation.gaps import split_gap
from regauge.records.evaluation.gaps import MEAN, GapMethod, GapSettings
from regauge.report.gap_figures import plot_gap


def test_both_parts_are_drawn_for_everybody_and_the_mean_comes_first():
    old = make_set("old", "0001 1111\n0011 0111", [3, 9], names="a b")
    new = make_set("new", "0001 0011\n0011 0111", [3, 9], names="a b")
    report = split_gap(old, new, settings=GapSettings(tuple(GapMethod), n_bootstrap=100))
    spec = plot_gap(report).to_dict()
    panels = spec["hconcat"]
    assert [panel["title"]["text"] for panel in panels] == ["Explained by selection", "Remainder at equal frequency"]
    data = panels[1]["layer"][1]["data"]
    rows = spec["datasets"][data["name"]] if "name" in data else data["values"]
    assert len(rows) == 3 * len(GapMethod)
    assert panels[1]["layer"][1]["encoding"]["y"]["sort"] == [MEAN, "a", "b"]
    naive = next(row for row in rows if row["participant"] == "a" and row["method"] == "naive")
    assert naive["value"] == 100 * report.get("a", "naive").remainder.value
    assert naive["low"] <= naive["value"] <= naive["high"]
    assert "8 and 8 images" in spec["title"]["subtitle"][0]
