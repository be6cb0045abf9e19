"""The flow of mistakes as a figure: what it counts, that all words fit at every width, and every kind of file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import regauge
from regauge.mistakes.sampling import share_of_sample
from regauge.records.canvas import Canvas
from regauge.records.mistakes.flows import FlowStep, MistakeFlow
from regauge.report.drawing.words import measure_words
from regauge.report.mistakes.figures import COLOURS, plot_flow
from regauge.workflows.reports.figures import convert_spec

REASONS = (("missed object", 90), ("against the guide", 48), ("against the class's images", 20))
WHOLE = MistakeFlow(
    participant="ViT-3B",
    test_set="val",
    labels=("panel@1", "panel@2"),
    steps=(
        FlowStep("panel@1", "panel@2", 676, 221, (("correct", 82), ("unclear", 23), ("problematic", 35)), 536),
        FlowStep("panel@2", "coded@1", 536, 0, REASONS, 378, is_coding=True),
    ),
    n_end=378,
    n_end_novel=0,
    ends=(("major", 154), ("minor", 150), ("borderline", 74)),
    overturned=share_of_sample(298, 676, n_whole=676),
    coding="coded@1",
)
SHORT = MistakeFlow(
    participant="vit-large-patch14-clip-336-laion2b-ft-in12k",
    test_set="a test set with a long name",
    labels=("labels@1", "labels@2"),
    steps=(FlowStep("labels@1", "labels@2", 5, 2, (), 5, 3),),
    n_end=8,
    n_end_novel=8,
    ends=(),
    overturned=share_of_sample(0, 5, n_whole=5),
    is_strict=True,
)


def read_svg(flow: MistakeFlow, width: str | None = None) -> ET.Element:
    drawn = convert_spec(plot_flow(flow, canvas=Canvas.read(width)).to_dict(), name="flow")
    return ET.fromstring(drawn[".svg"])  # noqa: S314 - our own drawing


def read_words(flow: MistakeFlow, width: str | None = None) -> str:
    return " ".join("".join(one.itertext()) for one in read_svg(flow, width).iter() if one.tag.endswith("text"))


def test_every_count_of_the_review_flow_stands_in_the_figure() -> None:
    words = read_words(WHOLE)
    for said in (
        "Overturned: 298 of 676 first mistakes on val, 44.1% [40.3, 47.9].",
        "676 mistakes under panel@1, 221 of them judged by nobody",
        "taken away by panel@2: 140 (correct 82, unclear 23, problematic 35)",
        "536 mistakes under panel@2",
        "taken away by coders: 158 (missed object 90, against the guide 48, against the class's images 20)",
        "378 mistakes after coded@1",
        "154 major, 150 minor, 74 borderline",
    ):
        assert said in words


def test_nothing_taken_away_and_what_joined_are_said() -> None:
    words = read_words(SHORT)
    assert "taken away by labels@2: none" in words
    assert "accepted or not judged before: 3" in words
    assert "Unclear answers are mistakes." in words


def test_bars_are_as_long_as_their_counts() -> None:
    rows = [
        row
        for layer in plot_flow(WHOLE).to_dict()["layer"]
        if layer["mark"]["type"] == "rect"
        for row in find_rows(plot_flow(WHOLE).to_dict(), layer)
    ]
    lengths = [row["x2"] - row["x"] for row in rows]
    counts = [536, 82, 23, 35, 378, 158, 154, 150, 74]
    assert lengths == pytest.approx([lengths[0] * n / 536 for n in counts])
    assert [row["color"] for row in rows[-3:]] == [COLOURS[name] for name in ("major", "minor", "borderline")]


def find_rows(spec: dict[str, Any], layer: dict[str, Any]) -> list[dict[str, Any]]:
    data = layer["data"]
    return list(spec["datasets"][data["name"]] if "name" in data else data["values"])


@pytest.mark.parametrize("flow", [WHOLE, SHORT], ids=["whole", "short"])
@pytest.mark.parametrize("width", [None, "84mm", "180mm"])
def test_no_word_is_cut_at_any_width(flow: MistakeFlow, width: str | None) -> None:
    svg = read_svg(flow, width)
    *_, right, _ = map(float, svg.attrib["viewBox"].split())
    n_lines = 0
    for text, x, anchor in walk(svg, 0.0):
        size = float(text.attrib["font-size"].removesuffix("px"))
        for said in [span.text or "" for span in text] or [text.text or ""]:
            assert "…" not in said
            assert anchor == "start"
            n_lines += 1
            assert x + measure_words(said, size) <= right + 1, said
    assert n_lines > 5


def walk(node: ET.Element, x: float) -> Iterator[tuple[ET.Element, float, str]]:
    """Every text with the place where it begins."""
    moved = re.match(r"translate\((-?[\d.]+)", node.attrib.get("transform", ""))
    x += float(moved[1]) if moved else 0.0
    if node.tag.endswith("text"):
        yield node, x, node.attrib.get("text-anchor", "start")
    for child in node:
        yield from walk(child, x)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".html"])
def test_every_kind_of_file_is_written(tmp_path: Path, suffix: str) -> None:
    path = regauge.save_figure(plot_flow(WHOLE), tmp_path / f"flow{suffix}")
    assert path.stat().st_size > 2_000
