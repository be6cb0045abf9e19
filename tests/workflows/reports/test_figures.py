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
from regauge.records.canvas import Canvas
from regauge.records.evaluation.scores import Scores, ScoreSettings
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.predictions import Predictions
from regauge.records.testsets.test_set import TestSet
from regauge.report.figures import plot_scores
from regauge.report.theme import DATASET, MODEL
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
    """The tags of a page with the names of their attributes; what stands inside scripts is not a tag."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, set[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name for name, _ in attrs}))


def read_rows(spec: dict[str, Any], mark: str = "circle") -> list[dict[str, Any]]:
    """The rows that the layer with this mark draws; Vega-Lite keeps them beside the layers, by name."""
    data = get_layer(spec, mark)["data"]
    rows: list[dict[str, Any]] = spec["datasets"][data["name"]] if "name" in data else data["values"]
    return rows


def get_layer(spec: dict[str, Any], mark: str, field: str | None = None) -> dict[str, Any]:
    """The first layer with this mark, and with this field along the axis where one is named."""
    layers = [layer for layer in spec["layer"] if layer["mark"]["type"] == mark]
    found: dict[str, Any] = next(one for one in layers if field in (None, one["encoding"]["x"]["field"]))
    return found


def read_values(spec: dict[str, Any]) -> dict[tuple[str, str, str], tuple[float, ...]]:
    return {
        (row["participant"], row["metric"], row["labels"]): (row["value"], row["low"], row["high"])
        for row in read_rows(spec)
    }


def name_measures(spec: dict[str, Any]) -> list[str]:
    names: list[str] = get_layer(spec, "circle")["encoding"]["color"]["scale"]["domain"]
    return names


def test_one_axis_holds_the_scores_by_every_label_with_their_intervals(scores: Scores) -> None:
    spec = plot_scores(scores).to_dict()
    measures = ("top1", "multilabel_lenient")
    wanted = {
        (row.participant, row.metric, row.labels): (row.value, row.low, row.high)
        for row in scores
        if row.metric in measures and row.subset == "all"
    }
    assert read_values(spec) == wanted
    assert name_measures(spec) == [
        "Top-1 (labels: dataset; n = 40)",
        "Multi-label, lenient (labels: review; n = 40)",
    ]
    interval = get_layer(spec, "rule", "low")["encoding"]
    assert interval["x2"]["field"] == "high"
    assert spec["title"]["text"] == "Accuracy on drawn"
    assert spec["title"]["subtitle"] == ["90% intervals: Clopper–Pearson."]


def test_dots_of_a_participant_are_joined_and_their_values_stand_in_digits(scores: Scores) -> None:
    spec = plot_scores(scores).to_dict()
    join = get_layer(spec, "line")["encoding"]
    assert (join["x"]["field"], join["detail"]["field"]) == ("value", "participant")
    assert {(row["participant"], row["digits"]) for row in read_rows(spec, "text")} == {
        ("weak", "25.0"),
        ("strong", "75.0"),
    }
    alone = plot_scores(scores, metrics=["top1"]).to_dict()
    assert "line" not in [layer["mark"]["type"] for layer in alone["layer"]]
    assert get_layer(alone, "circle")["encoding"]["x"]["title"] == "Top-1 (labels: dataset; n = 40)"


def test_the_labels_of_the_dataset_are_grey_beside_others_and_models_are_blue_alone(scores: Scores) -> None:
    both = get_layer(plot_scores(scores).to_dict(), "circle")["encoding"]["color"]["scale"]["range"]
    assert both == [DATASET, MODEL]
    alone = get_layer(plot_scores(scores, metrics=["top1"]).to_dict(), "circle")["encoding"]["color"]
    assert alone["scale"]["range"] == [MODEL]
    assert alone["legend"] is None


def test_participants_stand_best_first(scores: Scores) -> None:
    layer = plot_scores(scores).to_dict()["layer"][0]
    assert layer["encoding"]["y"]["sort"] == ["strong", "weak"]


def test_metrics_and_subset_can_be_chosen(scores: Scores) -> None:
    spec = plot_scores(scores, metrics=["top1_balanced", "top1"], subset="few").to_dict()
    assert name_measures(spec) == [
        "Top-1, balanced (labels: dataset; n = 2)",
        "Top-1 (labels: dataset; n = 2)",
    ]
    assert spec["title"]["text"] == "Accuracy on drawn, few"
    assert {values[0] for (_, metric, _), values in read_values(spec).items() if metric == "top1"} == {0.5}


def test_unjudged_predictions_are_drawn_as_a_bar_up_to_the_value_with_all_of_them_right() -> None:
    ids = np.array(["a", "b", "c", "d"])
    reviews = [
        LabelSet.from_lists("early", ids, correct=[[0], [0], [], []], wrong=[[], [], [], [0]]),
        LabelSet.from_lists("late", ids, correct=[[0], [0], [0], []], wrong=[[], [], [], [0]]),
    ]
    model = Predictions("model", ids, np.zeros(4, np.int32))
    spec = plot_scores(score(model, reviews), metrics=["multilabel_strict"]).to_dict()
    # Two label sets have a lane each; by the first, two of four are right and one more may be.
    assert name_measures(spec) == [f"Multi-label, strict (labels: {name}; n = 4)" for name in ("early", "late")]
    bar = get_layer(spec, "rule", "lower_bound")
    assert bar["encoding"]["x2"]["field"] == "upper_bound"
    data = bar["data"]
    (row,) = spec["datasets"][data["name"]] if "name" in data else data["values"]
    assert (row["labels"], row["lower_bound"], row["upper_bound"]) == ("early", 0.5, 0.75)
    assert "Thick bar: from all unjudged wrong to all unjudged right." in " ".join(spec["title"]["subtitle"])
    judged = plot_scores(score(model, reviews[1]), metrics=["multilabel_strict"]).to_dict()
    assert "Thick bar" not in str(judged["title"])


def test_of_many_label_sets_a_figure_draws_the_last_few_unless_it_is_asked_for_others() -> None:
    ids = np.array(["a", "b"])
    reviews = [LabelSet.from_lists(f"people@{place}", ids, correct=[[0], [0]]) for place in range(6)]
    found = score(
        Predictions("model", ids, np.zeros(2, np.int32)),
        Truth(TestSet("drawn", ids, np.zeros(2, np.int32)), tuple(reviews)),
    )
    labels = {row["labels"] for row in read_rows(plot_scores(found).to_dict())}
    assert labels == {"dataset", "people@3", "people@4", "people@5"}
    with pytest.raises(InputError, match=r"^A figure tells 5 metrics and label sets apart, not 6\.$"):
        plot_scores(found, metrics=["multilabel_lenient"])


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


def make_many(n: int, against: str | None = None) -> Scores:
    """So many models, of which the first is best; the one in the middle is the best by other labels."""
    ids = np.array([f"image {row}" for row in range(4_000)])
    truth = TestSet("drawn", ids, np.zeros(4_000, np.int32))
    answers = [(np.arange(4_000) >= 3_900 - 30 * place).astype(np.int32) for place in range(n)]
    answers[n // 3][3_000:] = 2
    review = LabelSet.from_lists("review", ids, correct=[[0, 2]] * 4_000)
    models = [Predictions(f"model {place:03}", ids, rows) for place, rows in enumerate(answers)]
    return score(models, Truth(truth, (review,)), settings=ScoreSettings(against=against))


def test_of_100_participants_the_interesting_ones_are_named_with_their_values_and_no_name_covers_another() -> None:
    spec = plot_scores(make_many(100, against="model 061")).to_dict()
    axis = spec["layer"][0]["encoding"]["y"]["axis"]
    order = spec["layer"][0]["encoding"]["y"]["sort"]
    assert {"model 000", "model 099", "model 061", "model 033"} <= set(axis["values"])
    assert len(axis["values"]) <= 8
    row = spec["height"] / 100
    places = sorted(order.index(name) * row for name in axis["values"])
    assert min(np.diff(places)) > spec["config"]["axis"]["labelFontSize"]
    assert "model 000 97.5 → 97.5" in axis["labelExpr"].encode().decode("unicode_escape")
    assert f"100 participants, {len(axis['values'])} of them named." in " ".join(spec["title"]["subtitle"])
    assert spec["height"] < 700
    few = plot_scores(make_many(3)).to_dict()
    assert "values" not in few["layer"][0]["encoding"]["y"]["axis"]
    assert "named" not in str(few["title"])


def test_many_participants_have_smaller_dots_and_a_line_says_what_they_hide() -> None:
    spec, few = (plot_scores(make_many(n)).to_dict() for n in (50, 4))
    sizes = [get_layer(one, "circle")["mark"]["size"] for one in (spec, few)]
    assert sizes[0] < sizes[1]
    assert "Where no line shows" not in str(plot_scores(make_many(100)).to_dict()["title"])
    apart = make_many(130).to_frame().filter(pl.col("participant").is_in(["model 000", "model 129"]))
    told = " ".join(plot_scores(Scores(apart)).to_dict()["title"]["subtitle"])
    assert "Where no line shows, the interval is narrower than the dot." in told


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
    assert {"weak", "strong", "Top-1 (labels: dataset; n = 40)", "Accuracy on drawn", "25.0"} <= words


def test_a_png_is_a_picture_of_twice_the_size(scores: Scores, tmp_path: Path) -> None:
    svg = ET.fromstring(save_figure(plot_scores(scores), tmp_path / "scores.svg").read_text())  # noqa: S314
    content = save_figure(plot_scores(scores), str(tmp_path / "scores.png")).read_bytes()
    with Image.open(io.BytesIO(content)) as image:
        assert image.format == "PNG"
        assert image.width == pytest.approx(PNG_SCALE * float(svg.attrib["width"]), abs=2)
        assert len(image.convert("RGB").getcolors(maxcolors=1 << 24) or ()) > 10


def read_extent(pdf: bytes) -> tuple[float, float]:
    """Width and height of the page in points."""
    (box,) = re.findall(rb"/MediaBox\s*\[([^\]]*)\]", pdf)
    _, _, width, height = (float(number) for number in box.split())
    return width, height


def test_a_pdf_holds_the_letters_that_it_uses(scores: Scores, tmp_path: Path) -> None:
    content = save_figure(plot_scores(scores), tmp_path / "scores.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"%%EOF" in content[-64:]
    # Every font has a descriptor, and every descriptor a font file; words that were drawn as shapes would have neither.
    descriptors = re.findall(rb"/Type\s*/FontDescriptor.*?>>", content, re.DOTALL)
    assert len(descriptors) >= 2
    assert all(re.search(rb"/FontFile[23]?\s+\d+ 0 R", one) for one in descriptors)
    names = set(re.findall(rb"/BaseFont\s*/([\w+-]+)", content))
    # Six letters and a plus sign begin the name of a font that is embedded in part.
    assert names
    assert all(re.match(rb"[A-Z]{6}\+", name) for name in names)


@pytest.mark.parametrize(
    ("width", "inches"), [("84mm", 84 / 25.4), ("17.4 cm", 17.4 / 2.54), ("3.3in", 3.3), ("400px", 400 / 96)]
)
def test_files_are_exactly_as_wide_as_asked_for(scores: Scores, tmp_path: Path, width: str, inches: float) -> None:
    figure = plot_scores(scores, canvas=Canvas.read(width))
    root = ET.fromstring(save_figure(figure, tmp_path / "one.svg").read_text())  # noqa: S314 - we wrote it ourselves
    assert float(root.attrib["width"]) == pytest.approx(96 * inches, abs=0.01)
    assert read_extent(save_figure(figure, tmp_path / "one.pdf").read_bytes())[0] == pytest.approx(72 * inches, abs=0.5)
    ppi = 192 if width.endswith("px") else 300
    with Image.open(save_figure(figure, tmp_path / "one.png")) as image:
        assert image.width == pytest.approx(ppi * inches, abs=1)
        assert image.info["dpi"][0] == pytest.approx(ppi, abs=0.5)
    # What was laid out is nearly as wide already: letters keep their size.
    viewed = float(root.attrib["viewBox"].split()[2])
    assert viewed == pytest.approx(96 * inches, rel=0.06)


def test_a_figure_without_a_title_has_none_and_is_lower(scores: Scores) -> None:
    bare = plot_scores(scores, canvas=Canvas(has_title=False)).to_dict()
    assert "title" not in bare
    heights = [
        float(re.findall(r'<svg[^>]* height="([\d.]+)"', convert_spec(one, name="one")[".svg"].decode())[0])
        for one in (bare, plot_scores(scores).to_dict())
    ]
    assert heights[0] < heights[1]


@pytest.mark.parametrize("width", [None, "84mm", "174mm"])
def test_no_name_and_no_legend_is_cut_unless_it_is_longer_than_two_fifths(scores: Scores, width: str | None) -> None:
    frame = scores.to_frame().with_columns(pl.col("participant").replace({"weak": "gradients-histogram-logistic"}))
    shown = Scores(frame) if width != "84mm" else scores
    picture = convert_spec(plot_scores(shown, canvas=Canvas.read(width)).to_dict(), name="one")[".svg"].decode()
    words = re.findall(r">([^<>]+)</text>", picture)
    assert not [word for word in words if "…" in word]
    assert "Multi-label, lenient (labels: review; n = 40)" in words


def test_a_name_that_is_too_long_loses_its_middle_and_the_figure_stays_as_wide(scores: Scores) -> None:
    frame = scores.to_frame().with_columns(pl.col("participant").replace({"weak": "m" * 300 + "-end"}))
    picture = convert_spec(plot_scores(Scores(frame)).to_dict(), name="one")[".svg"].decode()
    assert float(re.findall(r'<svg[^>]* width="([\d.]+)"', picture)[0]) < 690
    assert re.search(r">m+…m+-end</text>", picture)


def test_no_name_of_a_model_ends_the_script_of_an_html_page(tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script><!--"
    truth = TestSet("tiny", ["a", "b"], [0, 1])
    scores = score(Predictions(name, ["a", "b"], [0, 1]), truth)
    page = save_figure(plot_scores(scores), tmp_path / "scores.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "<!--" not in page.partition("const spec")[2]
    assert r"\u003c/script>\u003cscript>alert(1)" in page


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
    assert read_values(drawn) == read_values(plot_scores(scores).to_dict())
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
