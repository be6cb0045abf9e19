"""The figure of a multi-label truth: everybody twice in each plot, strict beside lenient, medians in the caption."""

from __future__ import annotations

from tests.report.multilabel_truths import make_truth

from regauge.records.canvas import Canvas
from regauge.records.labels.label_set import LabelKind
from regauge.report.multilabel_figures import plot_truth
from regauge.workflows.reports.figures import convert_spec


def test_everybody_stands_in_both_plots_against_top_1_and_top_5():
    spec = plot_truth(make_truth()).to_dict()
    for plot, metric in zip(spec["hconcat"], ("multi-label (strict)", "multi-label (lenient)"), strict=True):
        circles = [layer for layer in plot["layer"] if layer["mark"]["type"] == "circle"]
        rows = [spec["datasets"][layer["data"]["name"]] for layer in circles]
        assert [{row["against"] for row in some} for some in rows] == [{"top1"}, {"top5"}]
        assert {row["model"]: (row["x"], row["y"]) for row in rows[0]} == {
            "alpha": (1.0, 1.0),
            "beta": (0.0, 0.4),
            "gamma": (0.0, 0.0),
        }
        assert all(row["y_low"] <= row["y"] <= row["y_high"] for some in rows for row in some)
        assert circles[0]["encoding"]["y"]["title"] == metric
        assert circles[1]["mark"]["fill"] == "white"


def test_the_caption_has_the_medians_and_says_which_dots_are_which():
    told = " ".join(plot_truth(make_truth()).to_dict()["title"]["subtitle"])
    assert "3 participants on drawn with 95% Clopper–Pearson intervals; dashed: equal accuracy." in told
    assert "Full dots: against top-1; hollow: against top-5." in told
    assert "Median changes in points: multi-label (strict) 0.0 [" in told
    assert told.count(" from top-5") == 2


def test_reassessed_labels_are_one_plot():
    spec = plot_truth(make_truth(kind=LabelKind.REAL, wrong=None)).to_dict()
    assert len(spec["hconcat"]) == 1


def test_it_is_as_wide_as_asked_for():
    spec = plot_truth(make_truth(), canvas=Canvas(width=500)).to_dict()
    svg = convert_spec(spec, name="one")[".svg"].decode()
    assert 'width="500.00"' in svg[:400]
