"""Figures of benchmark and task: what they show, what has none, and that nothing is drawn of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.report.context.small_context import make_bare, make_context

import regauge
from regauge.errors import InputError
from regauge.evaluation.context.registry import ANALYSES
from regauge.records.canvas import Canvas
from regauge.report.context.figures import can_plot, plot_context

DRAWN = [name for name in ANALYSES if name != "mislabeled"]


@pytest.mark.parametrize("name", DRAWN)
def test_every_analysis_has_a_figure_that_fits_its_width(name: str, tmp_path: Path) -> None:
    report = make_context(name)
    figure = plot_context(report, canvas=Canvas(width=500))
    file = regauge.save_figure(figure, tmp_path / "figure.svg")
    assert 'width="500.00"' in file.read_text(encoding="utf-8")
    assert report.test_set in figure.title.text


def test_a_list_for_review_has_no_figure() -> None:
    with pytest.raises(InputError, match="There is no figure of mislabeled; its table counts has the numbers"):
        make_context("mislabeled").plot()
    assert not can_plot(make_context("mislabeled"))


@pytest.mark.parametrize("name", ["disagreement", "confusion"])
def test_where_nothing_was_found_nothing_is_drawn(name: str) -> None:
    with pytest.raises(InputError, match="nothing was found on tiny that a figure could show"):
        plot_context(make_bare(name))
    assert not can_plot(make_bare(name))


def test_points_stand_at_the_numbers_of_the_table() -> None:
    report = make_context("objects")
    spec = plot_context(report).to_dict()
    rows = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "point")
    values = rows["data"]["values"] if "values" in rows["data"] else spec["datasets"][rows["data"]["name"]]
    one = {row["participant"]: row["y"] for row in values if row["series"] == "one object"}
    table = report.get_table("accuracies").filter(metric="top1")
    assert one == dict(table.select("participant", "one").rows())


def test_a_matrix_has_its_numbers_and_the_objects_beside_it() -> None:
    figure = plot_context(make_context("confusion"))
    titles = [part.title.text for part in figure.vconcat]
    assert titles == [
        "Predicted by people (main label)",
        "Predicted by people (highest frequency)",
        "Predicted by good",
        "Objects that images hold, by their names",
    ]
    spec = figure.to_dict()
    first = spec["vconcat"][0]
    cells = first.get("data") or first["layer"][0]["data"]
    rows = cells.get("values") or spec["datasets"][cells["name"]]
    # Nobody was asked about f, which is not easy; of the other five only c is a thing.
    assert {row["side"] for row in rows} == {"1. animals (n = 4)", "2. things (n = 1)"}


def test_without_participants_the_pairs_themselves_are_drawn() -> None:
    assert plot_context(make_context("ambiguous")).title.text == "Ambiguous pairs told apart on toy"
    alone = plot_context(make_context("ambiguous", has_models=False))
    assert alone.title.text == "Ambiguous pairs of classes on toy"
