"""Figures: what is drawn is what was scored, every interval with it, and files open without a network."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from PIL import Image

from regauge.errors import FigureError, InputError
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.report.figures import plot_scores
from regauge.workflows.evaluation.scoring import score
from regauge.workflows.reports.figures import PNG_SCALE, convert_spec, save_figure


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Scores:
    """Two models on 40 images; the better one comes second."""
    ids = np.array([f"image {row}" for row in range(40)])
    labels = np.arange(40, dtype=np.int32) % 4
    review = LabelSet.from_lists("review", ids, correct=[[int(label)] for label in labels])
    weak = Predictions("weak", ids, np.where(np.arange(40) < 10, labels, 7).astype(np.int32))
    strong = Predictions("strong", ids, np.where(np.arange(40) < 30, labels, 7).astype(np.int32))
    lists = tmp_path_factory.mktemp("lists") / "lists.json"
    lists.write_text('{"few": ["image 0", "image 39"], "none": []}')
    truth = Truth(TestSet("drawn", ids, labels), (review,))
    return score([weak, strong], truth, by=lists, settings=ScoreSettings(level=0.9, n_bootstrap=100))


class TagList(HTMLParser):
    """The tags of a page with the names of their attributes; what stands inside scripts is no tag."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, set[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name for name, _ in attrs}))


def read_rows(spec: dict[str, Any], place: int) -> list[dict[str, Any]]:
    """The rows that a panel draws; Vega-Lite keeps them beside the panels, by name."""
    panel = spec["concat"][place]
    data = panel.get("data") or panel["layer"][0]["data"]
    rows: list[dict[str, Any]] = spec["datasets"][data["name"]] if "name" in data else data["values"]
    return rows


def read_values(spec: dict[str, Any], place: int) -> dict[str, tuple[float, ...]]:
    return {row["participant"]: (row["value"], row["low"], row["high"]) for row in read_rows(spec, place)}


def test_every_panel_holds_the_scores_of_its_metric_with_their_intervals(scores: Scores) -> None:
    spec = plot_scores(scores).to_dict()
    panels = spec["concat"]
    metrics = {
        "Top-1": "top1",
        "Multi-label, lenient": "multilabel_lenient",
        "Multi-label, strict": "multilabel_strict",
    }
    assert [panel["title"]["text"] for panel in panels] == list(metrics)
    for place, panel in enumerate(panels):
        metric = metrics[panel["title"]["text"]]
        rows = {row.participant: row for row in scores if (row.metric, row.subset) == (metric, "all")}
        assert read_values(spec, place) == {name: (row.value, row.low, row.high) for name, row in rows.items()}
        fields = [layer["encoding"]["x"]["field"] for layer in panel["layer"]]
        assert fields == ["low", "value"]
        assert panel["layer"][0]["encoding"]["x2"]["field"] == "high"
        assert panel["title"]["subtitle"] == ["n = 40", f"labels: {'dataset' if metric == 'top1' else 'review'}"]
    assert spec["title"]["text"] == "Accuracy on drawn"
    assert spec["title"]["subtitle"] == "90% intervals: clopper-pearson."


def test_participants_stand_best_first(scores: Scores) -> None:
    layer = plot_scores(scores).to_dict()["concat"][0]["layer"][0]
    assert layer["encoding"]["y"]["sort"] == ["strong", "weak"]


def test_metrics_and_subset_can_be_chosen(scores: Scores) -> None:
    spec = plot_scores(scores, metrics=["top1_balanced", "top1"], subset="few").to_dict()
    assert [panel["title"]["text"] for panel in spec["concat"]] == ["Top-1, balanced", "Top-1"]
    assert spec["title"]["text"] == "Accuracy on drawn, few"
    assert {values[0] for values in read_values(spec, 1).values()} == {0.5}


def test_unjudged_predictions_are_drawn_as_a_bar_up_to_the_value_with_all_of_them_right() -> None:
    ids = np.array(["a", "b", "c", "d"])
    reviews = [
        LabelSet.from_lists("early", ids, correct=[[0], [0], [], []], wrong=[[], [], [], [0]]),
        LabelSet.from_lists("late", ids, correct=[[0], [0], [0], []], wrong=[[], [], [], [0]]),
    ]
    model = Predictions("model", ids, np.zeros(4, np.int32))
    spec = plot_scores(score(model, reviews), metrics=["multilabel_strict"]).to_dict()
    # Two label sets have a panel each; in the first, two of four are right and one more may be.
    early, late = spec["concat"]
    assert early["title"]["subtitle"] == ["n = 4", "labels: early"]
    assert late["title"]["subtitle"] == ["n = 4", "labels: late"]
    bar = early["layer"][1]
    assert (bar["encoding"]["x"]["field"], bar["encoding"]["x2"]["field"]) == ("lower_bound", "upper_bound")
    (row,) = read_rows(spec, 0)
    assert (row["lower_bound"], row["upper_bound"]) == (0.5, 0.75)
    assert len(late["layer"]) == 2
    assert "Thick bar" in spec["title"]["subtitle"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"metrics": []}, "subset 'all' and the metrics (none)"),
        ({"metrics": ["top5"]}, "subset 'all' and the metrics top5"),
        ({"subset": "elsewhere"}, "subset 'elsewhere' and the metrics (none)"),
        ({"subset": "none", "metrics": ["top1"]}, "subset 'none' and the metrics top1"),
    ],
)
def test_a_figure_of_nothing_is_refused(scores: Scores, options: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=f"^There are no scores to draw for {re.escape(named)}\\.$"):
        plot_scores(scores, **options)


def test_many_participants_have_smaller_dots_and_a_line_says_what_they_hide() -> None:
    ids = np.array([f"image {row}" for row in range(4_000)])
    truth = TestSet("drawn", ids, np.zeros(4_000, np.int32))
    models = [
        Predictions(f"model {place}", ids, (np.arange(4_000) >= 100 * place).astype(np.int32)) for place in range(40)
    ]
    spec, few = plot_scores(score(models, truth)).to_dict(), plot_scores(score(models[20:22], truth)).to_dict()
    sizes = [one["concat"][0]["layer"][-1]["mark"]["size"] for one in (spec, few)]
    assert sizes[0] < sizes[1]
    assert "Where no line shows, the interval is narrower than the dot." in spec["title"]["subtitle"]
    assert "Where no line shows" not in few["title"]["subtitle"]


def test_a_drawing_is_laid_out_once_for_all_kinds_of_file(scores: Scores) -> None:
    drawn = convert_spec(plot_scores(scores).to_dict(), name="one")
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF-"}
    assert {kind: content[: len(starts[kind])] for kind, content in drawn.items()} == starts
    assert b">strong</text>" in drawn[".svg"]


def test_letters_have_7_points_where_the_figure_is_17_cm_wide(scores: Scores) -> None:
    names = {name: f"{name} {'m' * 60}" for name in ("weak", "strong")}
    frame = scores.to_frame().with_columns(pl.col("participant").replace(names))
    picture = convert_spec(plot_scores(Scores(frame)).to_dict(), name="one")[".svg"].decode()
    width = float(re.findall(r'<svg[^>]* width="([\d.]+)"', picture)[0])
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)px"', picture)}
    points = 17 / 2.54 * 72
    assert min(sizes) * points / width >= 7


def test_an_svg_shows_the_participants_and_metrics(scores: Scores, tmp_path: Path) -> None:
    path = save_figure(plot_scores(scores), tmp_path / "scores.SVG")
    assert path == tmp_path / "scores.SVG"
    root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - we wrote it ourselves
    assert root.tag.endswith("svg")
    words = {text.strip() for text in root.itertext()}
    assert {"weak", "strong", "Top-1", "Multi-label, strict", "Accuracy on drawn"} <= words


def test_a_png_is_a_picture_of_twice_the_size(scores: Scores, tmp_path: Path) -> None:
    svg = ET.fromstring(save_figure(plot_scores(scores), tmp_path / "scores.svg").read_text())  # noqa: S314
    content = save_figure(plot_scores(scores), str(tmp_path / "scores.png")).read_bytes()
    with Image.open(io.BytesIO(content)) as image:
        assert image.format == "PNG"
        assert image.width == pytest.approx(PNG_SCALE * float(svg.attrib["width"]), abs=2)
        assert len(image.convert("RGB").getcolors(maxcolors=1 << 24) or ()) > 10


def test_a_pdf_is_one(scores: Scores, tmp_path: Path) -> None:
    content = save_figure(plot_scores(scores), tmp_path / "scores.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"%%EOF" in content[-64:]


def test_an_html_page_holds_all_it_needs_and_asks_the_network_for_nothing(scores: Scores, tmp_path: Path) -> None:
    page = save_figure(plot_scores(scores), tmp_path / "scores.html").read_text(encoding="utf-8")
    assert "vegaEmbed" in page
    tags = TagList()
    tags.feed(page)
    assert "script" in [tag for tag, _ in tags.found]
    assert [tag for tag, names in tags.found if names & {"src", "href", "srcset", "data"}] == []
    assert not re.search(r"""(?:\bimport|@import|\bfrom|importScripts\()\s*\(?["'](?:https?:)?//""", page)
    assert not re.search(r"cdn\.|unpkg|jsdelivr|googleapis", page)
    (spec,) = re.findall(r"const spec = (\{.*\});", page)
    drawn = json.loads(spec)
    assert read_values(drawn, 0) == read_values(plot_scores(scores).to_dict(), 0)
    assert '"url"' not in spec


@pytest.mark.parametrize(("name", "written"), [("scores.jpg", ".jpg"), ("scores", "a file without extension")])
def test_another_extension_is_refused_before_anything_is_written(
    scores: Scores, tmp_path: Path, name: str, written: str
) -> None:
    message = f"A figure is .svg, .png, .pdf, .html, not {written}: {tmp_path / name}."
    with pytest.raises(FigureError, match=f"^{re.escape(message)}$"):
        save_figure(plot_scores(scores), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_refused(scores: Scores, tmp_path: Path) -> None:
    path = tmp_path / "absent" / "scores.svg"
    message = f"{path} cannot be written: No such file or directory."
    with pytest.raises(FigureError, match=f"^{re.escape(message)}$"):
        save_figure(plot_scores(scores), path)
