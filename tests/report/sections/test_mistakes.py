"""Mistakes that remain, in a report: folded, the flow with counts, codes and accuracies, every number in a file."""

from __future__ import annotations

from dataclasses import replace

from tests.report.reviewed_mistakes import make_review, make_uncoded, summarise
from tests.report.small_reports import HOSTILE, make_content, make_scores, render_drawn

from regauge.report.document import lay_out
from regauge.report.sections.blocks import Fold, ReportTable, Text, list_figures
from regauge.report.sections.mistakes import N_DRAWN, make_mistakes

SCORES = make_scores({"alpha": 30, "beta": 20})


def test_one_review_is_shown_at_once_and_folded():
    section = make_mistakes([make_review()])
    assert (section.is_folded, section.anchor) == (True, "mistakes")
    assert section.gist.startswith("vit: Overturned on drawn since people@1: 40 of 140 mistakes, 28.6%")
    assert [figure.name for figure in list_figures(section.blocks)] == ["mistakes-1-flow"]
    assert [name for name, _ in section.frames] == ["mistakes-1-flow", "mistakes-1-codes", "mistakes-1-accuracies"]
    assert Text("A note.", "quiet") in section.blocks


def test_the_table_of_codes_has_shares_with_counts_and_says_what_borderline_is():
    section = make_mistakes([make_review()])
    codes, changes = (block.content for block in section.blocks if isinstance(block, ReportTable))
    assert codes.rows[0][0] == "fine-grained"
    cells = codes.rows[0][1]
    assert [(cell.text, cell.note) for cell in cells] == [
        ("100.0% [96.4, 100.0]", "100 of 100"),
        ("20.0% [12.7, 29.2]", "20 of 100"),
    ]
    # A category that nobody used has no share of major mistakes.
    assert (codes.rows[1][1][1].text, codes.rows[1][1][1].value) == ("–", None)
    assert codes.rows[-1][0] == "all"
    assert Text("Borderline mistakes, 5 of 100, count as minor.", "quiet") in section.blocks
    assert [cell.text for cell in changes.rows[0][1]] == [
        "80.0% [71.0, 87.0]",
        "88.9% [81.0, 94.0]",
        "+8.0 [3.0, 15.0]",
    ]
    assert [cell.text for cell in changes.rows[1][1]] == ["–", "–", "–"]


def test_several_reviews_are_behind_a_line_each_and_few_are_drawn():
    section = make_mistakes([make_review(participant=f"model {number}") for number in range(4)])
    folds = [block for block in section.blocks if isinstance(block, Fold)]
    assert [fold.title for fold in folds] == [f"model {number} on drawn" for number in (1, 2, 3)]
    assert len(list(list_figures(section.blocks))) == N_DRAWN
    assert len(section.frames) == 12


def test_codes_alone_and_a_flow_alone_can_be_shown():
    alone = replace(make_review(), flow=None, accuracies=())
    assert list(list_figures(make_mistakes([alone]).blocks)) == []
    assert [name for name, _ in make_mistakes([make_uncoded()]).frames] == ["mistakes-1-flow"]
    nothing_borderline = replace(alone, summary=summarise(1, 4))
    assert not any("Borderline" in str(block) for block in make_mistakes([nothing_borderline]).blocks)


def test_the_frame_of_a_flow_adds_up():
    (name, frame), *_ = make_mistakes([make_review()]).frames
    assert name == "mistakes-1-flow"
    first = frame.filter(before="people@1")
    assert first.filter(first["what"] != "new")["n_what"].sum() == first["n"][0] == 140


def test_a_report_without_reviews_has_no_such_section_and_no_such_finding():
    document = lay_out(make_content([SCORES]))
    assert "mistakes" not in {section.anchor for section in document.sections}


def test_a_finding_competes_by_rank():
    document = lay_out(make_content([SCORES], reviewed=(make_review(),)))
    assert any(finding.anchor == "mistakes" for finding in document.findings)
    assert len(document.findings) <= 6


def test_names_stay_names_on_the_page():
    reviews = tuple(make_review(participant=name) for name in HOSTILE)
    page = render_drawn(make_content([SCORES], reviewed=reviews))
    assert "<script>alert" not in page
    assert "<img src=x" not in page
