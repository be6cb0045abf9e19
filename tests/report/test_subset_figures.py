"""The figure of parts: every interval drawn, a few participants told apart by colour and shape, and of many parts the ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.report.small_reports import HOSTILE, make_ids, make_reviewed, make_scores

from regauge.errors import InputError
from regauge.records.evaluation.scores import Scores
from regauge.report.subset_figures import MAX_PARTICIPANTS, N_ENDS, SHAPES, choose_spread, plot_parts, plot_subsets
from regauge.report.theme import HUMAN, PEOPLE, SEQUENCE
from regauge.workflows.reports.figures import convert_spec

TOP1 = ("top1", "dataset")


def make_lists(folder: Path, lists: dict[str, list[str]]) -> Path:
    (folder / "lists.json").write_text(json.dumps(lists))
    return folder / "lists.json"


@pytest.fixture
def scores(tmp_path: Path) -> Scores:
    by = make_lists(tmp_path, {"early": make_ids()[:10].tolist(), "late": make_ids()[30:].tolist(), "none": []})
    return make_scores({"weak": 10, "strong": 35}, by=by, label_sets=[make_reviewed(n_unjudged=4)])


def read_rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    (rows,) = spec["datasets"].values()
    return list(rows)


def test_every_part_holds_the_scores_with_their_intervals(scores: Scores) -> None:
    spec = plot_subsets(scores, ["strong", "weak"], measure=TOP1).to_dict()
    for row in read_rows(spec):
        score = scores.get(row["participant"], "top1", subset=row["subset"])
        assert (row["value"], row["low"], row["high"], row["n"]) == (score.value, score.low, score.high, score.n)
    assert len(read_rows(spec)) == 6
    rule, point, digits = spec["layer"]
    assert digits["encoding"]["text"]["field"] == "digits"
    assert [rule["encoding"][channel]["field"] for channel in ("x", "x2")] == ["low", "high"]
    assert point["encoding"]["x"]["field"] == "value"
    bands = ["whole test set (40)", "early (10)", "late (10)", "none (0)"]
    assert point["encoding"]["y"]["sort"] == point["encoding"]["y"]["scale"]["domain"] == bands
    assert spec["title"]["text"] == "Top-1 by part of drawn"
    assert spec["title"]["subtitle"] == ["Labels: dataset. Lines are 95% intervals."]


def test_participants_keep_their_order_colour_and_shape(scores: Scores) -> None:
    point = plot_subsets(scores, ["strong", "weak"], measure=TOP1).to_dict()["layer"][1]["encoding"]
    for channel, values in (("color", SEQUENCE), ("shape", SHAPES)):
        assert point[channel]["scale"] == {"domain": ["strong", "weak"], "range": list(values[:2])}
    assert point["yOffset"]["sort"] == ["strong", "weak"]
    # Only equal legends become one.
    assert point["color"]["legend"] == point["shape"]["legend"]


def test_unjudged_predictions_are_drawn_as_a_bar(scores: Scores) -> None:
    spec = plot_subsets(scores, ["weak"], measure=("multilabel_strict", "people@1")).to_dict()
    bar = spec["layer"][1]["encoding"]
    assert (bar["x"]["field"], bar["x2"]["field"]) == ("lower_bound", "upper_bound")
    late = next(row for row in read_rows(spec) if row["subset"] == "late")
    # Of the ten last images weak is right on none; on four nobody judged its answer.
    assert (late["lower_bound"], late["upper_bound"]) == (0.0, 0.4)
    assert "Thick bar: from all unjudged wrong to all unjudged right." in " ".join(spec["title"]["subtitle"])


def test_of_many_parts_the_easiest_and_the_hardest_for_the_first_are_drawn(tmp_path: Path) -> None:
    lists = {f"part {row:02d}": [f"image {row}", f"image {(row * 7) % 60}"] for row in range(60)}
    scores = make_scores({"weak": 20, "strong": 40}, n=60, by=make_lists(tmp_path, lists))
    spec = plot_subsets(scores, ["strong", "weak"], measure=TOP1).to_dict()
    drawn = spec["layer"][0]["encoding"]["y"]["sort"]
    assert len(drawn) == 2 * N_ENDS + 1
    assert drawn[0] == "whole test set (60)"
    values = [scores.get("strong", "top1", subset=name.partition(" (")[0]).value or 0 for name in drawn[1:]]
    assert values == sorted(values, reverse=True)
    kept = {row["subset"] for row in read_rows(spec)}
    left = [scores.get("strong", "top1", subset=name).value or 0 for name in lists if name not in kept]
    assert min(values[:N_ENDS]) >= max(left)
    assert max(values[N_ENDS:]) <= min(left)
    assert "Of 60 parts, the 20 easiest and the 20 hardest for strong." in " ".join(spec["title"]["subtitle"])
    assert spec["height"] < 2_000


def test_some_of_many_participants_are_drawn_with_the_one_that_others_are_compared_with(tmp_path: Path) -> None:
    by = make_lists(tmp_path, {"early": ["image 0"], "late": ["image 39"]})
    scores = make_scores({f"m{place}": 40 - place for place in range(10)}, by=by)
    against = Scores(scores.to_frame(), replace(scores.settings, against="m3"))
    named = [spec["layer"][1]["encoding"]["color"]["scale"]["domain"] for spec in (plot_parts(scores).to_dict(),)]
    assert named == [["m0", "m2", "m4", "m5", "m7", "m9"]]
    spec = plot_parts(against).to_dict()
    assert spec["layer"][1]["encoding"]["color"]["scale"]["domain"] == ["m0", "m2", "m3", "m4", "m5", "m9"]
    assert "6 of 10 participants." in " ".join(spec["title"]["subtitle"])
    everybody = plot_parts(make_scores({"a": 1, "b": 2}, by=by)).to_dict()
    assert "participants." not in str(everybody["title"])
    with pytest.raises(InputError, match=r"There are no scores to draw for the metrics top7\."):
        plot_parts(scores, metrics=["top7"])


def test_without_parts_or_with_too_many_participants_there_is_no_figure(scores: Scores) -> None:
    with pytest.raises(InputError, match=r"There are no subsets to draw; score them with `by=…`"):
        plot_subsets(make_scores({"a": 1}), ["a"], measure=TOP1)
    with pytest.raises(InputError, match="tells 6 participants apart, not 7"):
        plot_subsets(scores, list("abcdefg"), measure=TOP1)
    assert len(SEQUENCE) == len(SHAPES) == MAX_PARTICIPANTS


@pytest.mark.parametrize(("n", "chosen"), [(1, [0]), (6, [0, 1, 2, 3, 4, 5]), (67, [0, 13, 26, 40, 53, 66])])
def test_a_spread_has_the_first_the_last_and_some_between(n: int, chosen: list[int]) -> None:
    assert choose_spread([str(place) for place in range(n)]) == [str(place) for place in chosen]


def test_hostile_names_are_drawn_as_text(tmp_path: Path) -> None:
    lists = {name: ["image 0"] for name in HOSTILE}
    names = list(HOSTILE[:MAX_PARTICIPANTS])
    scores = make_scores(dict.fromkeys(names, 20), name=HOSTILE[0], by=make_lists(tmp_path, lists))
    picture = convert_spec(plot_subsets(scores, names, measure=TOP1).to_dict(), name="one")[".svg"].decode()
    assert not [word for word in ("<script", "<img") if word in picture]
    assert "&lt;script&gt;" in picture
    assert "{{7*7}}" in picture
    width = float(picture.partition('width="')[2].partition('"')[0])
    assert width < 1_000


def test_people_are_diamonds_in_orange_and_no_model_is(scores: Scores) -> None:
    found = replace(scores, people=frozenset({"weak"}))
    point = plot_subsets(found, ["strong", "weak"], measure=TOP1).to_dict()["layer"][1]["encoding"]
    assert point["color"]["scale"]["range"] == [SEQUENCE[0], HUMAN]
    assert point["shape"]["scale"]["range"] == ["circle", "diamond"]
    assert "diamond" not in SHAPES
    assert not {HUMAN, *PEOPLE} & set(SEQUENCE)
