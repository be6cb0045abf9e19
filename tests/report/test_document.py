"""The page: it shows what was measured, loads nothing, and no name in the data can become anything but text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import altair as alt
import numpy as np
import pytest
from tests.report.small_reports import (
    HOSTILE,
    Page,
    make_campaign,
    make_content,
    make_details,
    make_ids,
    make_pulse,
    make_reviewed,
    make_scores,
    make_shift,
    render,
    render_document,
)
from tests.report.test_gap_parts import make_gap

from regauge.records.evaluation.fits import Scale
from regauge.records.evaluation.scores import WHOLE
from regauge.records.labels.label_set import LabelSet
from regauge.records.studies import Event
from regauge.report.content import MistakeImages, SampleImage, ShownOutcome
from regauge.report.document import lay_out
from regauge.report.findings.ranks import MAX_FINDINGS
from regauge.report.sections.background import list_commands
from regauge.report.sections.blocks import Fold, Section, Text

OLD = {"alpha": 180, "beta": 150, "gamma": 120, "delta": 60}
FRESH = {"alpha": 60, "beta": 61, "gamma": 36, "delta": 12}
MANY = {f"model {place:02d}": place for place in range(67)}
EMBEDDED = b"\xff\xd8\xff a picture"


def make_mistakes(text: str = "cat", **changes: object) -> MistakeImages:
    image = SampleImage(text, EMBEDDED, text, (text,), (text,), text, ShownOutcome.WRONG)
    return replace(MistakeImages(text, text, (image,), 3, 0, 7), **changes)  # type: ignore[arg-type]


# What it shows


def test_the_numbers_behind_the_cells_are_those_that_were_measured() -> None:
    scores = make_scores({"weak": 10, "strong": 33}, label_sets=[make_reviewed(n_unjudged=3)])
    found = make_shift(OLD, FRESH)
    page = Page(render(make_content([scores], [found])))
    metrics = ("top1", "multilabel_lenient", "multilabel_strict")
    # Without a closer look the dataset labels come first, and the rest is behind "Other label sets".
    for table, shown in (("participants", metrics[:1]), ("others", metrics[1:])):
        for name, values in page.find_values(f"scores-1-{table}").items():
            assert values == [scores.get(name, metric).value for metric in shown]
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
    tables = dict(lay_out(make_content([scores], [found])).tables)
    assert list(tables) == ["shift-1", "scores-1"]
    assert tables["scores-1"].equals(scores.to_frame())
    assert tables["shift-1"].equals(found.to_frame())


def test_bounds_and_label_versions_are_shown() -> None:
    scores = make_scores({"model": 10}, label_sets=[make_reviewed("people@3", n_unjudged=8)])
    text = Page(render(make_content([scores]))).text
    assert "up to 45.0%, 8 unjudged" in text
    assert "labels: dataset, people@3." in text
    assert "by people@3" in text


def test_the_primary_labels_come_first_and_the_others_are_folded() -> None:
    early, late = make_reviewed("early@1"), make_reviewed("late@1")
    scores = make_scores({"model": 10}, label_sets=[early, late])
    page = Page(render(make_content([scores], details=[make_details({"model": 10}, label_set=late)])))
    titles = {
        name: [text.partition("n =")[0] for text, _ in page.tables[f"scores-1-{name}"][0][1:]]
        for name in ("participants", "others")
    }
    assert titles == {
        "participants": ["Top-1by dataset", "Multi-label, lenientby late@1", "Multi-label, strictby late@1"],
        "others": ["Multi-label, lenientby early@1", "Multi-label, strictby early@1"],
    }
    assert "Other label sets" in page.text
    alone = make_content(
        [make_scores({"model": 10}, label_sets=[late])], details=[make_details({"model": 10}, label_set=late)]
    )
    assert "Other label sets" not in Page(render(alone)).text


def test_three_scales_are_three_figures_of_which_one_leads() -> None:
    content = make_content([make_scores(OLD, n=200)], [make_shift(OLD, FRESH, scales=tuple(Scale))])
    page = Page(render(content))
    figures = [attributes["data-figure"] for tag, attributes in page.tags if "data-figure" in attributes]
    assert figures == ["shift-1-linear", "shift-1-probit", "shift-1-logit", "scores-1"]
    assert page.text.count("On the probit scale the line through 4 models") == 1


def test_one_participant_and_one_test_set_are_counted_as_one() -> None:
    page = Page(render(make_content([make_scores({"only": 10})])))
    assert "1 test set, 1 participant, 10 classes." in page.text
    assert "data-table" not in {name for _, attributes in page.tags for name in attributes if name}
    assert "There are no label sets: answers are judged by the dataset labels alone." in page.text


def test_participants_that_differ_in_case_only_are_two() -> None:
    assert "2 participants" in Page(render(make_content([make_scores({"vit": 10, "ViT": 12})]))).text


def test_67_participants_can_be_filtered_and_a_few_are_named_in_the_scatter() -> None:
    shift = make_shift(MANY, MANY)
    page = Page(render(make_content([make_scores(MANY, n=80)], [shift])))
    assert len(page.tables["scores-1-participants"]) == 68
    filters = {attributes["data-table"] for tag, attributes in page.tags if "data-table" in attributes}
    assert filters == {"scores-1-participants", "scores-1-balanced", "shift-1-models"}


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


def test_mistakes_are_embedded_with_labels_answers_and_the_rule_that_chose_them() -> None:
    content = make_content(
        [make_scores({"a": 1})], details=[make_details({"a": 1})], mistakes=make_mistakes("tabby", n_missing=2)
    )
    page = Page(render(content))
    sources = [attributes["src"] for tag, attributes in page.tags if tag == "img"]
    assert sources == [f"data:image/jpeg;base64,{base64.b64encode(EMBEDDED).decode()}"]
    for words in ("answered tabby", "labelled tabby", "people found tabby", "unclear tabby"):
        assert words in page.text
    assert "1 of 3 answers of tabby that are wrong by the labels tabby: one of each confusion" in page.text
    assert "2 images could not be read." in page.text


def test_where_there_are_no_pictures_of_mistakes_the_page_says_why() -> None:
    scores, details = make_scores({"a": 1}), make_details({"a": 1})

    def read(mistakes: MistakeImages | None, looks: object = (details,)) -> str:
        return Page(render(make_content([scores], details=looks, mistakes=mistakes))).text  # type: ignore[arg-type]

    nothing = make_mistakes(images=(), n_missing=6)
    assert "None of the 6 images chosen could be read, so no mistakes are shown." in read(nothing)
    assert "cat makes no mistake by the labels cat." in read(replace(nothing, n_wrong=0))
    assert "The image files of drawn are not at hand, so no mistakes are shown." in read(None)
    assert "No answers on drawn are stored as they were evaluated" in read(None, ())


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
    text = render(make_content([make_scores(OLD, n=200)], [make_shift(OLD, FRESH)], mistakes=make_mistakes()))
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
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in page.scripts]
    assert scripts.split() == hashes
    assert len(hashes) == 1


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
    details = replace(make_details({name: 10, "b": 20}, label_set=reviewed), best=name)
    campaign = make_campaign(name=name, kind=name, disputed=(replace(make_mistakes(name).images[0], votes=name),))
    found = {"details": [details], "mistakes": make_mistakes(name), "campaigns": (campaign,)}
    page = Page(render(make_content([scores], [shift], **found, **changes)))  # type: ignore[arg-type]
    plain = Page(render(make_content([make_scores({"a": 10, "b": 20})], [make_shift(OLD, FRESH)])))
    assert len(page.scripts) == len(plain.scripts) == 1
    assert not [attributes for _, attributes in page.tags if any(one.startswith("on") for one in attributes)]
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags} | {
        "br",
        "img",
        "figcaption",
        "label",
        "input",
        "h3",
    }
    assert name in page.text
    assert name in page.find_values("scores-1-participants")
    assert name in page.find_values("shift-1-models")


def test_anchors_and_file_names_hold_no_name_from_the_data() -> None:
    content = make_content([make_scores({"a": 1}, name="../../etc")], [make_shift(OLD, FRESH, names=("/", ".."))])
    document = lay_out(content)
    assert [figure.name for figure in document.figures] == ["shift-1-linear", "scores-1"]
    assert [name for name, _ in document.tables] == ["shift-1", "scores-1"]


def test_the_whole_set_is_no_part() -> None:
    scores = make_scores({"a": 1})
    assert set(scores.to_frame()["subset"]) == {WHOLE}
    assert not [figure for figure in lay_out(make_content([scores])).figures if "parts" in figure.name]


def test_the_same_content_gives_the_same_page() -> None:
    content = make_content([make_scores({"a": 1, "b": 2})], [make_shift(OLD, FRESH)])
    again = make_content([make_scores({"a": 1, "b": 2})], [make_shift(OLD, FRESH)])
    assert render(content) == render(again)


def test_numbers_keep_all_their_digits() -> None:
    scores = make_scores({"a": 1, "b": 13}, n=39)
    page = Page(render(make_content([scores])))
    assert page.find_values("scores-1-participants")["a"] == [np.float64(1) / 39]


# How it is laid out


def make_full(n_sets: int = 2) -> object:
    """Several new sets beside the original, all with a closer look, and a campaign."""
    names = ("old", *(f"fresh {place}" for place in range(1, n_sets)))
    counts = {"alpha": 36, "beta": 30, "gamma": 20}
    reviewed = make_reviewed()
    scores = [make_scores(counts, name=name, label_sets=[reviewed]) for name in names]
    # The last set is the hardest by far.
    old = {one: 5 * k for one, k in counts.items()}
    fresh = [{one: 2 * k - 5 * place for one, k in counts.items()} for place in range(1, n_sets)]
    shifts = [replace(make_shift(old, k), original="old", new=name) for k, name in zip(fresh, names[1:], strict=True)]
    details = [make_details(counts, label_set=reviewed)] * n_sets
    return make_content(scores, shifts, details=details, campaigns=(make_campaign(),))


def test_the_page_leads_with_the_largest_drop_and_folds_the_other_sets() -> None:
    document = lay_out(make_full(4))  # type: ignore[arg-type]
    assert document.headline is not None
    assert document.headline.name == "shift-3-linear"
    assert [(one.anchor, one.is_folded) for one in document.sections] == [
        ("shift-3", False),
        ("scores-1", False),
        ("scores-4", False),
        ("scores-2", True),
        ("scores-3", True),
        ("shift-1", True),
        ("shift-2", True),
        ("people", False),
        ("measured", True),
        ("labels", True),
        ("provenance", True),
    ]
    # A figure is drawn once, wherever it stands.
    names = [figure.name for figure in document.figures]
    assert len(names) == len(set(names))
    page = Page(render_document(document))
    assert sorted(one["data-figure"] or "" for _, one in page.tags if "data-figure" in one) == sorted(names)


def test_every_figure_is_valid_though_the_report_does_not_ask() -> None:
    figures = lay_out(make_full(3)).figures  # type: ignore[arg-type]
    assert {figure.name.split("-")[0] for figure in figures} == {"scores", "shift", "people"}
    for figure in figures:
        # What is not valid is refused here.
        assert alt.Chart.from_dict(dict(figure.spec)).to_dict()
    with pytest.raises(Exception, match="'so wide' is not of type 'number'"):
        alt.Chart.from_dict({**figures[0].spec, "width": "so wide"})


def test_there_are_at_most_six_findings_each_with_a_link_to_its_section() -> None:
    document = lay_out(make_full(3))  # type: ignore[arg-type]
    assert len(document.findings) == MAX_FINDINGS == 6
    assert len({one.question for one in document.findings}) == 6
    page = Page(render_document(document))
    ids = {one["id"] for _, one in page.tags if "id" in one}
    links = [one["href"] for tag, one in page.tags if tag == "a"]
    assert {f"#{one.anchor}" for one in document.findings} <= set(links)
    assert {link.removeprefix("#") for link in links if link} <= ids
    assert len(ids) == len([one for _, one in page.tags if "id" in one])


def test_without_models_the_page_leads_with_what_people_selected_in_the_largest_campaign() -> None:
    large = make_campaign(name="large", pulse=make_pulse(n_answers=500))
    document = lay_out(make_content(campaigns=(make_campaign(name="small"), large)))
    assert document.headline is not None
    assert document.headline.name == "people-2-frequencies"
    assert [one.anchor for one in document.sections] == ["people", "measured", "labels", "provenance"]
    assert all("large" in one.claim for one in document.findings)
    text = Page(render_document(document)).text
    assert "0 test sets, 8 annotators, 10 classes." in text
    assert "annotator 1" in text
    # A report may be published, so that nobody is in it by name; the maker of the study is in its provenance.
    assert "somebody 1" not in text


def test_a_study_of_which_nothing_can_be_told_says_so() -> None:
    document = lay_out(make_content([make_scores({"only": 10})]))
    assert (document.findings, document.headline) == ((), None)
    assert "answer none of the questions" in Page(render_document(document)).text


def test_a_section_of_blocks_joins_without_a_change_to_the_page() -> None:
    document = lay_out(make_content([make_scores({"a": 10})]))
    more = Section(
        "slices", "Slices", (Text("Two slices."), Fold("Behind", (Text("A third one."),), "third")), "three", True
    )
    page = Page(render_document(replace(document, sections=(*document.sections, more))))
    assert "Two slices." in page.text
    assert "A third one." in page.text
    assert ("a", {"href": "#slices"}) in page.tags
    assert ("details", {"class": "section", "id": "slices"}) in page.tags


def test_the_gap_is_split_in_the_section_of_its_comparison() -> None:
    content = make_content([make_scores(OLD, n=200)], [make_shift(OLD, FRESH)])
    content = replace(content, comparisons=tuple(replace(one, gap=make_gap()) for one in content.comparisons))
    document = lay_out(content)
    assert [figure.name for figure in document.figures] == ["shift-1-linear", "shift-1-gap", "scores-1"]
    assert [name for name, _ in document.tables] == ["shift-1", "shift-1-gap", "scores-1"]
    assert "shift-1-split" in Page(render_document(document)).tables
