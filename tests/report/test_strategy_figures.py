"""The figure of several new sets: a colour and a line for each, on axes that all share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import regauge
from regauge.errors import InputError
from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.shifts import ShiftSettings
from regauge.records.evaluation.strategies import StrategyComparison
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.report.strategy_figures import COLOURS, plot_strategies
from regauge.workflows.evaluation.shifts import compare_sets
from regauge.workflows.inputs import TestSetAnswers

COUNTS = {"old": (90, 80, 60), "hard": (60, 50, 20), "easy": (95, 85, 70)}


def make(name: str, counts: tuple[int, ...]) -> TestSetAnswers:
    ids = np.array([f"{name}{row}" for row in range(100)])
    models = [
        Predictions(chr(97 + place), ids, (np.arange(100) >= k).astype(np.int32)) for place, k in enumerate(counts)
    ]
    return TestSetAnswers(models, TestSet(name, ids, np.zeros(100, np.int32)))


@pytest.fixture(scope="module")
def comparison() -> StrategyComparison:
    old, *new = (make(name, counts) for name, counts in COUNTS.items())
    return compare_sets(old, new, settings=ShiftSettings(n_bootstrap=200, scales=tuple(Scale)))


def test_every_set_has_its_colour_its_points_and_its_line(comparison: StrategyComparison) -> None:
    spec = plot_strategies(comparison).to_dict()
    layers = [layer["mark"] for layer in spec["layer"]]
    points = [mark["color"] for mark in layers if mark["type"] == "circle" and "color" in mark]
    lines = [mark["color"] for mark in layers if mark["type"] == "line" and "strokeDash" not in mark]
    assert points == lines == list(COLOURS[:2])
    key = spec["layer"][-1]["encoding"]["color"]["scale"]
    assert (key["domain"], key["range"]) == (["hard", "easy"], list(COLOURS[:2]))


def test_all_layers_share_their_axes(comparison: StrategyComparison) -> None:
    spec = plot_strategies(comparison).to_dict()
    for axis in "xy":
        encodings = [layer["encoding"].get(axis) for layer in spec["layer"]]
        assert len({json.dumps(one["scale"]) for one in encodings if one}) == 1


def test_the_subtitle_tells_the_mean_changes_with_limits_and_the_slopes(comparison: StrategyComparison) -> None:
    first, hard, easy = plot_strategies(comparison).to_dict()["title"]["subtitle"]
    assert first.startswith("3 models with 95% Clopper–Pearson intervals")
    # (60 + 50 + 20 − 90 − 80 − 60)/3 = −33.3.
    assert hard.startswith("hard: −33.3 [")
    assert "linear slope 1.36 [" in hard
    assert easy.startswith("easy: +6.7 [")


def test_names_are_printed_once_and_only_where_wanted(comparison: StrategyComparison) -> None:
    spec = plot_strategies(comparison, label=["a"], scale="probit").to_dict()
    names = [row["label"] for rows in spec["datasets"].values() for row in rows if "is_far" in row]
    inline = [
        row["label"] for layer in spec["layer"] for row in layer.get("data", {}).get("values", []) if "is_far" in row
    ]
    assert sorted({*names, *inline}) == ["a"]
    with pytest.raises(InputError, match="No model matches 'z'"):
        plot_strategies(comparison, label=["z"])


def test_more_sets_than_colours_are_refused(comparison: StrategyComparison) -> None:
    old = make("old", COUNTS["old"])
    many = [make(f"n{place}", COUNTS["hard"]) for place in range(7)]
    found = compare_sets(old, many, settings=ShiftSettings(n_bootstrap=100))
    with pytest.raises(InputError, match="tells 6 sets apart, not 7"):
        plot_strategies(found)


def test_the_figure_can_be_written(comparison: StrategyComparison, tmp_path: Path) -> None:
    path = regauge.save_figure(regauge.plot_strategies(comparison), tmp_path / "sets.svg")
    assert "2 new sets against old" in path.read_text()
