"""The page: it shows what was measured, loads nothing, and no name in the data can become anything but text."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.report.small_reports import (
    HOSTILE,
    Page,
    make_content,
    make_ids,
    make_reviewed,
    make_scores,
    make_shift,
    render,
)

from regauge.records.evaluation.scales import Scale
from regauge.records.evaluation.scores import WHOLE
from regauge.records.labels.label_set import LabelSet
from regauge.records.studies import Event
from regauge.report.content import ImageSample, SampleImage, ShownOutcome
from regauge.report.document import list_commands, list_tables, make_sections
from regauge.report.theme import DARK

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}
MANY = {f"model {place:02d}": place for place in range(67)}
EMBEDDED = b"\xff\xd8\xff a picture"


def make_samples(text: str = "cat", **changes: object) -> ImageSample:
    image = SampleImage(text, EMBEDDED, text, (text,), (text,), text, ShownOutcome.WRONG)
    return replace(ImageSample(text, text, 40, (image,), (image,), 3, 0, 7), **changes)  # type: ignore[arg-type]


# What it shows


def test_the_numbers_behind_the_cells_are_those_that_were_measured() -> None:
    scores = make_scores({"weak": 10, "strong": 33}, label_sets=[make_reviewed(n_unjudged=3)])
    found = make_shift(OLD, FRESH)
    page = Page(render(make_content([scores], [found])))
    metrics = ("top1", "multilabel_lenient", "multilabel_strict")
    for name, values in page.find_values("scores-1-participants").items():
        assert values == [scores.get(name, metric).value for metric in metrics]
    for name, values in page.find_values("scores-1-balanced").items():
        assert values == [scores.get(name, f"{metric}_balanced").value for metric in metrics]
    models = page.find_values("shift-1-models")
    assert list(models) == list(OLD)
    for name, values in models.items():
        one = found.get_model(name)
        exact = [one.rank_original, one.original.value, one.new.value, one.gap.value, one.rank_new, one.delta_rank]
        assert values == exact


def test_the_tables_beside_the_page_are_the_frames_of_the_results() -> None:
    scores, found = make_scores({"a": 10}), make_shift(OLD, FRESH)
    tables = dict(list_tables(make_sections(make_content([scores], [found]))))
    assert list(tables) == ["scores-1", "shift-1"]
    assert tables["scores-1"].equals(scores.to_frame())
    assert tables["shift-1"].equals(found.to_frame())


def test_bounds_and_label_versions_are_shown() -> None:
    scores = make_scores({"model": 10}, label_sets=[make_reviewed("people@3", n_unjudged=8)])
    text = Page(render(make_content([scores]))).text
    assert "up to 45.0%, 8 unjudged" in text
    assert "8 predictions unjudged, so between" in html.unescape(text)
    assert "labels: dataset, people@3." in text
    assert "by people@3" in text


def test_two_label_sets_of_one_metric_have_a_column_each() -> None:
    scores = make_scores({"model": 10}, label_sets=[make_reviewed("early@1"), make_reviewed("late@1")])
    header = Page(render(make_content([scores]))).tables["scores-1-participants"][0]
    assert [text.partition("n =")[0] for text, _ in header[1:]] == [
        "Top-1by dataset",
        "Multi-label, lenientby early@1",
        "Multi-label, lenientby late@1",
        "Multi-label, strictby early@1",
        "Multi-label, strictby late@1",
    ]


def test_three_scales_are_three_figures_and_three_sentences() -> None:
    page = Page(render(make_content([make_scores(OLD, n=200)], [make_shift(OLD, FRESH, scales=tuple(Scale))])))
    figures = [attributes["data-figure"] for tag, attributes in page.tags if "data-figure" in attributes]
    assert figures == ["scores-1", "shift-1-linear", "shift-1-probit", "shift-1-logit"]
    # In the findings and in the section.
    assert page.text.count("On the probit scale the line through 4 models") == 2


def test_one_participant_and_one_test_set_are_counted_as_one() -> None:
    page = Page(render(make_content([make_scores({"only": 10})])))
    assert "1 test set, 1 participant, 10 classes." in page.text
    assert "data-table" not in {name for _, attributes in page.tags for name in attributes}
    assert "There are no label sets: answers are judged by the dataset labels alone." in page.text


def test_participants_that_differ_in_case_only_are_two() -> None:
    assert "2 participants" in Page(render(make_content([make_scores({"vit": 10, "ViT": 12})]))).text


def test_67_participants_can_be_filtered_and_a_few_are_named_in_the_scatter() -> None:
    shift = make_shift(MANY, MANY)
    page = Page(render(make_content([make_scores(MANY, n=80)], [shift])))
    assert len(page.tables["scores-1-participants"]) == 68
    filters = {attributes["data-table"] for tag, attributes in page.tags if "data-table" in attributes}
    assert filters == {"scores-1-participants", "scores-1-balanced", "shift-1-models"}
    spec = json.loads(page.scripts[0])["specs"]["shift-1-linear"]
    names = [row["label"] for rows in spec["datasets"].values() for row in rows if "is_far" in row]
    assert set(names) > {"model 66", "model 00"}
    assert len(set(names)) <= 8


def test_parts_have_a_figure_and_a_table_of_a_few_participants(tmp_path: Path) -> None:
    (tmp_path / "lists.json").write_text('{"first": ["image 0"], "rest": ["image 1"]}')
    scores = make_scores(MANY, n=80, by=tmp_path / "lists.json")
    page = Page(render(make_content([scores])))
    assert [text for text, _ in page.tables["scores-1-by"][0]][1:] == [f"model {n}" for n in (66, 53, 40, 26, 13, "00")]
    values = page.find_values("scores-1-by")["first (n = 1)"]
    assert values == [1.0] * 5 + [0.0]
    assert any(attributes.get("data-figure") == "scores-1-parts" for _, attributes in page.tags)


def test_only_metrics_in_the_report_are_explained() -> None:
    page = Page(render(make_content([make_scores({"a": 1})])))
    assert "the first answer is the dataset label" in page.text
    assert "people found the first answer" not in page.text
    real = LabelSet.from_lists("real@1", make_ids(), correct=[[0]] * 40)
    assert (
        "people found the first answer" in Page(render(make_content([make_scores({"a": 1}, label_sets=[real])]))).text
    )


def test_images_are_embedded_with_labels_answers_and_what_they_are_worth() -> None:
    page = Page(render(make_content([make_scores({"a": 1})], samples=make_samples("tabby", n_missing=2))))
    sources = [attributes["src"] for tag, attributes in page.tags if tag == "img"]
    assert sources == [f"data:image/jpeg;base64,{base64.b64encode(EMBEDDED).decode()}"] * 2
    assert "answer: tabby (wrong)" in page.text
    assert "people found: tabby" in page.text
    assert "unclear: tabby" in page.text
    assert "2 more could not be read." in page.text
    assert "1 of the 3 images that tabby got wrong" in page.text


def test_where_no_image_could_be_read_the_page_says_so() -> None:
    nothing = make_samples(anyone=(), missed=(), n_missing=24)
    text = Page(render(make_content([make_scores({"a": 1})], samples=nothing))).text
    assert "None of the 24 images that were drawn could be read, so none are shown." in text
    assert "The image files of drawn are not at hand" in Page(render(make_content([make_scores({"a": 1})]))).text


def test_notes_and_warnings_of_results_are_shown() -> None:
    scores = replace(make_scores({"a": 1}), notes=("A note <1>.",), warnings=("A warning & more.",))
    shift = replace(make_shift(OLD, FRESH), notes=("Few models.",), warnings=("Odd order.",))
    text = Page(render(make_content([scores], [shift]))).text
    assert all(sentence in text for sentence in ("A note <1>.", "A warning & more.", "Few models.", "Odd order."))


def test_commands_are_listed_once_in_order_and_earlier_reports_are_not() -> None:
    typed = ["regauge init x", "regauge evaluate", "regauge report", "regauge evaluate", ""]
    whats = ["init", "evaluate", "report", "evaluate", "labels"]
    events = [
        Event(what, "me", "2026-01-31T12:00:00.000Z", {"command": command} if command else {}, "0.1")
        for what, command in zip(whats, typed, strict=True)
    ]
    content = make_content([make_scores({"a": 1})], events=tuple(events), command="regauge report --title B")
    assert list_commands(content) == ["regauge init x", "regauge evaluate", "regauge report --title B"]
    assert "regauge init x\nregauge evaluate\nregauge report --title B" in Page(render(content)).text


# What it loads and what it lets in


def test_the_page_loads_nothing_and_allows_its_own_scripts_only() -> None:
    text = render(make_content([make_scores(OLD, n=200)], [make_shift(OLD, FRESH)], samples=make_samples()))
    page = Page(text)
    assert not {tag for tag, _ in page.tags} & {"link", "iframe", "object", "embed", "base", "form", "video", "audio"}
    for _, attributes in page.tags:
        links = [value for name, value in attributes.items() if name in {"src", "href", "srcset", "data", "action"}]
        assert all(link and link.startswith(("#", "data:image/jpeg;base64,")) for link in links)
    assert not re.search(r"@import|url\(", text.partition("<style>")[2].partition("</style>")[0])
    (policy,) = [one["content"] for tag, one in page.tags if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    scripts = dict(re.findall(r"([a-z-]+)-src ([^;]*)", policy))["script"]
    assert "unsafe-inline" not in scripts
    ours = [script for script, (_, attributes) in zip(page.scripts, find_scripts(page), strict=True) if not attributes]
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in ours]
    assert scripts.split() == hashes
    assert len(hashes) == 2


def find_scripts(page: Page) -> list[tuple[str, dict[str, str | None]]]:
    return [(tag, attributes) for tag, attributes in page.tags if tag == "script"]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_anywhere_is_text_and_nothing_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "lists.json").write_text(json.dumps({name: ["image 0"], "other": ["image 1"]}))
    reviewed = make_reviewed(f"{name}@1", n_unjudged=3)
    scores = make_scores({name: 10, "b": 20}, name=name, label_sets=[reviewed], by=tmp_path / "lists.json")
    scores = replace(scores, notes=(name,), warnings=(name,))
    old, fresh = {name: 100, "b": 80, "c": 60}, {name: 40, "b": 30, "c": 10}
    events = (Event(name, name, "2026-01-31T12:00:00.000Z", {name: name, "command": name}, name),)
    changes = {"title": name, "about": name, "events": events, "command": name, "code_version": name}
    shift = make_shift(old, fresh, names=(name, f"{name} 2"))
    page = Page(render(make_content([scores], [shift], samples=make_samples(name), **changes)))
    plain = Page(render(make_content([make_scores({"a": 10, "b": 20})], [make_shift(OLD, FRESH)])))
    assert len(page.scripts) == len(plain.scripts) == 3
    assert not [attributes for _, attributes in page.tags if any(one.startswith("on") for one in attributes)]
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags} | {"br", "img"}
    assert name in page.text
    assert name in page.find_values("scores-1-participants")
    assert name in page.find_values("shift-1-models")
    specs = json.loads(page.scripts[0])["specs"]
    drawn = {row["participant"] for rows in specs["scores-1"]["datasets"].values() for row in rows}
    assert drawn == {name, "b"}


def test_anchors_and_file_names_hold_no_name_from_the_data() -> None:
    content = make_content([make_scores({"a": 1}, name="../../etc")], [make_shift(OLD, FRESH, names=("/", ".."))])
    sections = make_sections(content)
    names = [figure.name for section in sections for figure in section.figures]
    assert names == ["scores-1", "shift-1-linear"]
    assert [name for name, _ in list_tables(sections)] == ["scores-1", "shift-1"]


def test_every_colour_of_a_figure_has_a_twin_on_the_dark_page() -> None:
    specs = json.loads(Page(render(make_content([make_scores(OLD, n=200)], [make_shift(OLD, FRESH)]))).scripts[0])
    colours = set(re.findall(r'"#[0-9A-Fa-f]{6}"', json.dumps(specs["specs"])))
    assert {colour.strip('"') for colour in colours} <= set(specs["dark"])
    assert specs["dark"] == DARK


def test_the_whole_set_is_no_part() -> None:
    scores = make_scores({"a": 1})
    assert set(scores.to_frame()["subset"]) == {WHOLE}
    assert not [
        figure for one in make_sections(make_content([scores])) for figure in one.figures if "parts" in figure.name
    ]


def test_the_same_content_gives_the_same_page() -> None:
    content = make_content([make_scores({"a": 1, "b": 2})], [make_shift(OLD, FRESH)])
    again = make_content([make_scores({"a": 1, "b": 2})], [make_shift(OLD, FRESH)])
    assert render(content) == render(again)


def test_numbers_keep_all_their_digits() -> None:
    scores = make_scores({"a": 1, "b": 13}, n=39)
    page = Page(render(make_content([scores])))
    assert page.find_values("scores-1-participants")["a"] == [np.float64(1) / 39]
