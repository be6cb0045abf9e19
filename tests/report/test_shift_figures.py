"""The figure of two test sets: one unit on both axes, every interval, and names only where they are wanted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from regauge.errors import InputError
from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.shifts import Shift, ShiftSettings
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.report.drawing.placement import Box
from regauge.report.drawing.sheet import DEFAULT_WIDTH
from regauge.report.drawing.words import measure_words
from regauge.report.shift_figures import N_ALL, plot_shift
from regauge.report.theme import HUMAN
from regauge.workflows.evaluation.shifts import shift
from regauge.workflows.inputs import TestSetAnswers
from regauge.workflows.reports.figures import save_figure

OLD = {"alpha": 180, "beta": 176, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 59, "gamma": 36, "delta": 12}


def compare(old: Mapping[str, int], fresh: Mapping[str, int], n: tuple[int, int] = (200, 80), **options: Any) -> Shift:
    """Models that are right on that many of the images."""
    sides = []
    for name, size, counts in (("old", n[0], old), ("fresh", n[1], fresh)):
        ids, labels = np.array([f"{name} {row}" for row in range(size)]), np.zeros(size, np.int32)
        models = [Predictions(one, ids, (np.arange(size) >= k).astype(np.int32)) for one, k in counts.items()]
        sides.append(TestSetAnswers(models, TestSet(name, ids, labels)))
    return shift(*sides, settings=ShiftSettings(**{"n_bootstrap": 200, **options}))


def describe(found: Shift, label: Sequence[str] = (), scale: Scale | None = None) -> dict[str, Any]:
    spec: dict[str, Any] = plot_shift(found, label=label, scale=scale).to_dict()
    return spec


def find_rows(spec: dict[str, Any], place: int) -> list[dict[str, Any]]:
    data = spec["layer"][place]["data"]
    rows: list[dict[str, Any]] = spec["datasets"][data["name"]] if "name" in data else data["values"]
    return rows


def find_layers(spec: dict[str, Any], mark: str) -> list[int]:
    return [place for place, layer in enumerate(spec["layer"]) if layer["mark"]["type"] == mark]


def find_names(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The names that are printed, with their places."""
    layers = [find_rows(spec, place) for place in find_layers(spec, "text")]
    return next((rows for rows in layers if "is_far" in rows[0]), [])


def tell(spec: dict[str, Any]) -> str:
    return " ".join(spec["title"]["subtitle"])


def find_domains(spec: dict[str, Any]) -> tuple[list[float], list[float]]:
    """The domains of both axes, which all layers share."""
    found: dict[str, set[tuple[float, ...]]] = {"x": set(), "y": set()}
    for layer in spec["layer"]:
        for axis, domains in found.items():
            domains.add(tuple(layer["encoding"][axis]["scale"]["domain"]))
    assert {len(domains) for domains in found.values()} == {1}
    return list(found["x"].pop()), list(found["y"].pop())


def find_tick_names(spec: dict[str, Any], axis: str) -> list[str]:
    ticks = spec["layer"][0]["encoding"][axis]["axis"]
    names, values = re.fullmatch(r"(\[.*\])\[indexof\((\[.*\]), .*\)\]", ticks["labelExpr"]).groups()  # type: ignore[union-attr]
    assert json.loads(values) == ticks["values"]
    found: list[str] = json.loads(names.replace("'", '"'))
    assert len(found) == len(ticks["values"])
    return found


PLACE = {
    Scale.LINEAR: lambda p: p,
    Scale.PROBIT: stats.norm.ppf,
    Scale.LOGIT: lambda p: np.log(p) - np.log1p(-p),
}


@pytest.mark.parametrize("scale", list(Scale))
def test_both_axes_have_one_unit(scale: Scale) -> None:
    spec = describe(compare(OLD, FRESH, scales=(scale,)))
    x, y = find_domains(spec)
    assert (x[1] - x[0]) / spec["width"] == pytest.approx((y[1] - y[0]) / spec["height"])
    assert DEFAULT_WIDTH - 110 < spec["width"] < DEFAULT_WIDTH - 50
    assert spec["height"] <= spec["width"]


@pytest.mark.parametrize("scale", list(Scale))
def test_every_model_is_a_point_with_intervals_both_ways(scale: Scale) -> None:
    found = compare(OLD, FRESH, scales=(scale,))
    spec = describe(found)
    (circles,) = find_layers(spec, "circle")
    rows = {row["model"]: row for row in find_rows(spec, circles)}
    assert list(rows) == [model.name for model in found.models]
    place = PLACE[scale]
    (x_low, x_high), (y_low, y_high) = find_domains(spec)
    for model in found.models:
        row = rows[model.name]
        ends = [model.original.value, model.original.low, model.original.high]
        ends += [model.new.value, model.new.low, model.new.high]
        found_ends = [row[name] for name in ("x", "x_low", "x_high", "y", "y_low", "y_high")]
        assert found_ends == pytest.approx([float(place(end)) for end in ends], abs=1e-9)
        assert x_low < row["x_low"] < row["x"] < row["x_high"] < x_high
        assert y_low < row["y_low"] < row["y"] < row["y_high"] < y_high
    drawn = {
        tuple(
            spec["layer"][rule]["encoding"][channel]["field"]
            for channel in ("x", "x2", "y", "y2")
            if channel in spec["layer"][rule]["encoding"]
        )
        for rule in find_layers(spec, "rule")
    }
    assert {("x_low", "x_high", "y"), ("x", "y_low", "y_high")} <= drawn


def test_the_diagonal_joins_equal_accuracies_across_the_whole_figure() -> None:
    spec = describe(compare(OLD, FRESH))
    (dashes,) = [place for place in find_layers(spec, "line") if "strokeDash" in spec["layer"][place]["mark"]]
    ends = find_rows(spec, dashes)
    x, y = find_domains(spec)
    assert [end["x"] for end in ends] == [end["y"] for end in ends] == [max(x[0], y[0]), min(x[1], y[1])]


def test_sets_without_a_common_accuracy_have_no_diagonal() -> None:
    found = compare({"a": 199, "b": 198}, {"a": 1, "b": 2})
    spec = describe(found, scale=Scale.LOGIT)
    assert find_rows(spec, find_layers(spec, "line")[0]) == []


@pytest.mark.parametrize("scale", list(Scale))
def test_the_line_and_its_band_are_those_of_the_fit(scale: Scale) -> None:
    found = compare(OLD, FRESH, scales=tuple(Scale))
    fit = found.get_fit(scale)
    spec = describe(found, scale=scale)
    (area,) = find_layers(spec, "area")
    rows = find_rows(spec, area)
    assert [row["x"] for row in rows] == fit.band_at.tolist()
    assert [(row["low"], row["high"]) for row in rows] == list(zip(fit.band_low, fit.band_high, strict=True))
    assert [row["y"] for row in rows] == pytest.approx((fit.slope.value * fit.band_at + fit.offset.value).tolist())
    (line,) = [place for place in find_layers(spec, "line") if "strokeDash" not in spec["layer"][place]["mark"]]
    assert find_rows(spec, line) == rows
    told = tell(spec)
    assert f"{scale.capitalize()} fit through 4 models: slope {fit.slope.value:.2f} [{fit.slope.low:.2f}" in told
    assert spec["title"]["text"] == "Top-1 on fresh against old"


def test_without_a_fit_there_is_no_line_and_the_axes_are_those_asked_for() -> None:
    spec = describe(compare({"a": 200, "b": 200}, {"a": 70, "b": 40}, scales=(Scale.PROBIT,)))
    assert find_layers(spec, "area") == []
    assert len(find_layers(spec, "line")) == 1
    assert "99%" in find_tick_names(spec, "x")
    assert find_domains(spec)[0][1] > 2


# Names


def test_every_name_shows_on_hover() -> None:
    found = compare(OLD, FRESH)
    spec = describe(found)
    (circles,) = find_layers(spec, "circle")
    fields = [one["field"] for one in spec["layer"][circles]["encoding"]["tooltip"]]
    assert fields[0] == "model"
    alpha = find_rows(spec, circles)[0]
    assert alpha["original"] == str(found.get_model("alpha").original)
    assert alpha["gap"].startswith("15.0% [")
    assert alpha["rank"] == "1 → 1"
    assert set(fields) <= set(alpha)


@pytest.mark.parametrize(
    ("label", "named"),
    [((), list(OLD)), (("alpha",), ["alpha"]), (("*ta",), ["beta", "delta"]), (("al*", "a*"), ["alpha"])],
)
def test_all_names_of_a_few_models_are_printed_unless_some_are_chosen(label: tuple[str, ...], named: list[str]) -> None:
    spec = describe(compare(OLD, FRESH), label)
    assert sorted(row["label"] for row in find_names(spec)) == sorted(named)


def test_of_many_models_the_best_the_worst_and_those_that_move_are_named() -> None:
    old = {f"m{place:02}": 190 - 5 * place for place in range(N_ALL + 6)}
    fresh = {name: 70 - 2 * place for place, name in enumerate(old)}
    fresh["m20"] = 69
    spec = describe(compare(old, fresh, fit_except=("m25",)))
    names = [row["label"] for row in find_names(spec)]
    assert {"m00", "m29", "m20", "m25"} <= set(names)
    assert len(names) < 12
    # Nobody asked for the others, so nobody is told of them.
    assert "No room" not in tell(spec)


def test_models_that_the_fit_leaves_out_are_hollow_and_said_to_be() -> None:
    spec = describe(compare(OLD, FRESH, fit_except=("delta",)))
    full, hollow = find_layers(spec, "circle")
    assert [row["model"] for row in find_rows(spec, full)] == ["alpha", "beta", "gamma"]
    assert [row["model"] for row in find_rows(spec, hollow)] == ["delta"]
    assert spec["layer"][hollow]["mark"]["fill"] == "white"
    assert "Hollow: 1 that the fit leaves out." in tell(spec)
    assert "Hollow" not in tell(describe(compare(OLD, FRESH)))


def test_the_equation_stands_in_the_figure_with_limits() -> None:
    found = compare(OLD, FRESH, scales=(Scale.LINEAR, Scale.PROBIT))
    for scale, words in (
        (Scale.LINEAR, "y = a · x + b, 4 models"),
        (Scale.PROBIT, "probit y = a · probit x + b, 4 models"),
    ):
        spec = describe(found, scale=scale)
        fit = found.get_fit(scale)
        (lines,) = [
            [row["label"] for row in find_rows(spec, place)]
            for place in find_layers(spec, "text")
            if find_rows(spec, place)[0]["label"].endswith("models")
        ]
        assert lines[0] == words
        assert lines[1] == f"a = {fit.slope.value:.2f} [{fit.slope.low:.2f}, {fit.slope.high:.2f}]"
        assert lines[2].startswith("b = ")


def test_a_glob_that_matches_no_model_is_refused() -> None:
    with pytest.raises(InputError, match=r"^No model matches 'alhpa', so there is no name to print in the figure\.$"):
        plot_shift(compare(OLD, FRESH), label=["beta", "alhpa"])


def find_boxes(spec: dict[str, Any]) -> list[Box]:
    """What names take, in pixels."""
    (x_low, x_high), (y_low, _) = find_domains(spec)
    unit = (x_high - x_low) / spec["width"]
    size = spec["layer"][find_layers(spec, "text")[-1]]["mark"]["fontSize"]
    places = [((one["label_x"] - x_low) / unit, (one["label_y"] - y_low) / unit, one) for one in find_names(spec)]
    return [Box(x, y - size / 2, x + measure_words(one["label"], size), y + size / 2) for x, y, one in places]


@pytest.mark.parametrize("n", [8, 60])
def test_names_do_not_overlap_and_those_without_room_are_listed(n: int) -> None:
    close = {f"a_rather_long_name_{row}": 150 + row % 3 for row in range(n)}
    spec = describe(compare(close, dict.fromkeys(close, 40)), ["*"])
    boxes = find_boxes(spec)
    assert not [1 for place, box in enumerate(boxes) for other in boxes[:place] if box.overlaps(other)]
    frame = Box(0, 0, spec["width"], spec["height"])
    assert all(frame.holds(box) for box in boxes)
    named = {row["label"] for row in find_names(spec)}
    listed = set(re.findall(r"a_rather_long_name_\d+", tell(spec)))
    assert named
    assert named | listed == set(close)
    assert not named & listed
    assert ("No room for the names of" in tell(spec)) == bool(listed)


def test_a_line_leads_to_every_name_that_stands_away_from_its_point() -> None:
    close = {f"a_rather_long_name_{row}": 150 + row % 3 for row in range(8)}
    spec = describe(compare(close, dict.fromkeys(close, 40)), ["*"])
    (leaders,) = [place for place in find_layers(spec, "rule") if "end_x" in str(spec["layer"][place]["encoding"])]
    far = [row["label"] for row in find_names(spec) if row["is_far"]]
    assert far
    assert [row["label"] for row in find_rows(spec, leaders)] == far


# Axes


@pytest.mark.parametrize("scale", list(Scale))
@pytest.mark.parametrize(
    ("old", "fresh"),
    [
        (OLD, FRESH),
        ({"a": 9_900, "b": 9_800, "c": 9_700}, {"a": 9_600, "b": 9_500, "c": 9_300}),
        ({"a": 9_990, "b": 9_985}, {"a": 9_980, "b": 9_975}),
        ({"a": 0, "b": 10_000}, {"a": 0, "b": 10_000}),
        ({"a": 9_900, "b": 9_700}, {"a": 1_000, "b": 3_000}),
    ],
)
def test_axes_have_a_few_ticks_with_distinct_names(old: dict[str, int], fresh: dict[str, int], scale: Scale) -> None:
    size = (200, 80) if old is OLD else (10_000, 10_000)
    spec = describe(compare(old, fresh, size, scales=(scale,)))
    for axis, domain in zip("xy", find_domains(spec), strict=True):
        names = find_tick_names(spec, axis)
        assert 2 <= len(names) == len(set(names)) <= 20
        shares = [float(name.removesuffix("%")) / 100 for name in names]
        assert all(0 <= share <= 1 for share in shares)
        places = [float(PLACE[scale](share)) for share in shares]
        assert spec["layer"][0]["encoding"][axis]["axis"]["values"] == pytest.approx(places, abs=1e-6)
        assert domain[0] <= min(places) < max(places) <= domain[1]


def test_linear_axes_have_ticks_at_one_distance() -> None:
    spec = describe(compare({"a": 190, "b": 80}, {"a": 60, "b": 50}))
    steps = {
        round(float(step), 6) for axis in "xy" for step in np.diff(spec["layer"][0]["encoding"][axis]["axis"]["values"])
    }
    assert len(steps) == 1


def test_very_different_ranges_do_not_make_a_ribbon() -> None:
    found = compare({"a": 9_900, "b": 9_899}, {"a": 1_000, "b": 9_000}, (10_000, 10_000))
    spec = describe(found)
    x, y = find_domains(spec)
    assert spec["height"] == pytest.approx(spec["width"])
    assert (x[1] - x[0]) / spec["width"] == pytest.approx((y[1] - y[0]) / spec["height"])
    assert x[1] < 1.05


@pytest.mark.parametrize("scale", [Scale.PROBIT, Scale.LOGIT])
def test_accuracies_of_0_and_1_stand_where_the_fit_has_them_and_a_line_says_so(scale: Scale) -> None:
    counts = {"all": 10_000, "nearly": 9_999, "hardly": 1, "none": 0}
    spec = describe(compare(counts, counts, (10_000, 10_000), scales=(scale,)))
    rows = {row["model"]: row for row in find_rows(spec, find_layers(spec, "circle")[0])}
    assert rows["all"]["x"] > rows["nearly"]["x"] == pytest.approx(float(PLACE[scale](0.9999)))
    assert rows["none"]["y"] < rows["hardly"]["y"] == pytest.approx(float(PLACE[scale](0.0001)))
    assert rows["all"]["x"] == pytest.approx(float(PLACE[scale](1 - 0.5 / 10_000)))
    said = f"Accuracies of 0% and 100%, which have no {scale}, are drawn half an answer from the end."
    assert said in tell(spec)
    assert "half an answer" not in str(describe(compare(OLD, FRESH, scales=(scale,)))["title"])


def test_one_model_can_be_drawn() -> None:
    spec = describe(compare({"a": 100}, {"a": 40}))
    assert spec["title"]["subtitle"] == ["1 model with 95% Clopper–Pearson intervals; dashed: equal accuracy."]
    assert len(find_rows(spec, find_layers(spec, "circle")[0])) == 1


def test_the_title_names_the_intervals_of_balanced_means() -> None:
    plain = compare({"a": 100}, {"a": 40})
    balanced = replace(plain, settings=replace(plain.settings, metric="top1_balanced"))
    (line,) = describe(balanced)["title"]["subtitle"]
    assert line == "1 model with 95% grouped mid-p intervals; dashed: equal accuracy."


# Files


class TagList(HTMLParser):
    """The attributes of all tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {name for name, _ in attrs}


@pytest.mark.parametrize("scale", list(Scale))
def test_every_kind_of_file_is_written(tmp_path: Path, scale: Scale) -> None:
    figure = plot_shift(compare({**OLD, "full": 200}, {**FRESH, "full": 80}), label=["*"], scale=scale)
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF-", ".html": b"<!doctype html>"}
    for suffix, start in starts.items():
        content = save_figure(figure, tmp_path / f"shift{suffix}").read_bytes()
        assert content.lstrip().lower().startswith(start.lower())
    picture = (tmp_path / "shift.svg").read_text(encoding="utf-8")
    for text in ("alpha", "full", "accuracy on old", "accuracy on fresh", "60%"):
        assert f">{text}</text>" in picture
    assert "NaN" not in picture
    assert "undefined" not in picture


def test_the_page_asks_the_network_for_nothing_and_knows_all_names(tmp_path: Path) -> None:
    page = save_figure(plot_shift(compare(OLD, FRESH)), tmp_path / "shift.html").read_text(encoding="utf-8")
    tags = TagList()
    tags.feed(page)
    assert not tags.names & {"src", "href", "srcset"}
    assert not re.search(r"cdn\.|unpkg|jsdelivr|googleapis", page)
    (spec,) = re.findall(r"const spec = (\{.*\});", page)
    assert '"url"' not in spec
    drawn = json.loads(spec)
    assert [row["model"] for row in find_rows(drawn, find_layers(drawn, "circle")[0])] == list(OLD)


def test_people_are_orange_diamonds_that_no_line_goes_through() -> None:
    found = replace(compare(OLD, FRESH), people=frozenset({"gamma"}))
    spec = describe(found)
    diamonds = [layer["mark"] for layer in spec["layer"] if layer["mark"]["type"] == "point"]
    assert [(mark["shape"], mark["color"], mark["filled"]) for mark in diamonds] == [("diamond", HUMAN, True)]
    (place,) = find_layers(spec, "point")
    assert [row["model"] for row in find_rows(spec, place)] == ["gamma"]
    dots = [row["model"] for place in find_layers(spec, "circle") for row in find_rows(spec, place)]
    assert sorted(dots) == ["alpha", "beta", "delta"]
    assert tell(spec).startswith("3 models and 1 person (diamonds) with 95% Clopper–Pearson intervals;")
