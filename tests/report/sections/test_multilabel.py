"""Multi-label truths in a report: folded, one table of all, few of them closer, every number in a file."""

from __future__ import annotations

from dataclasses import replace

from tests.report.multilabel_truths import make_truth
from tests.report.small_reports import HOSTILE, make_content, make_scores, render_drawn

from regauge.report.document import lay_out
from regauge.report.sections.blocks import Fold, ReportTable, list_figures
from regauge.report.sections.multilabel import N_CLOSER, choose_closer, make_multilabel

SCORES = make_scores({"alpha": 30, "beta": 20})


def test_one_label_set_is_shown_at_once():
    section = make_multilabel([make_truth()])
    assert section.is_folded
    assert section.gist.startswith(
        "people@1 on drawn: 40.0% [12.2, 73.8] of images have several correct labels (n = 10)"
    )
    assert [figure.name for figure in list_figures(section.blocks)] == ["multilabel-1"]
    assert [name for name, _ in section.frames] == ["multilabel-1"]


def test_of_many_a_few_are_drawn_and_all_are_in_the_table_and_in_files():
    truths = [make_truth(f"people@{number}") for number in range(1, 6)]
    section = make_multilabel(truths)
    table = section.blocks[0]
    assert isinstance(table, ReportTable)
    assert [name for name, _ in table.content.rows] == [f"people@{number} on drawn" for number in range(1, 6)]
    assert sum(isinstance(block, Fold) for block in section.blocks) == N_CLOSER
    assert len(list(list_figures(section.blocks))) == N_CLOSER
    assert [name for name, _ in section.frames] == [f"multilabel-{number}" for number in range(1, 6)]


def test_reviews_come_first_then_what_leaves_least_open():
    open_ = replace(make_truth("open@1"), n_open=9)
    assert choose_closer([open_, make_truth("done@1"), replace(make_truth("review@1", reasons=True), n_open=4)]) == [
        2,
        1,
    ]


def test_a_report_without_such_labels_has_no_such_section():
    sections = {section.anchor for section in lay_out(make_content([SCORES])).sections}
    assert "multilabel" not in sections


def test_names_stay_names_on_the_page():
    truth = make_truth(HOSTILE[0], answers={HOSTILE[1]: 0, HOSTILE[2]: 1}, reasons=True)
    page = render_drawn(make_content([SCORES], truths=(truth, make_truth())))
    assert HOSTILE[0] not in page
    assert "<img src=x" not in page


def test_somebody_alone_and_nobody_at_all_can_be_shown():
    assert any("alpha" in str(block) for block in make_multilabel([make_truth(answers={"alpha": 0})]).blocks)
    assert list(list_figures(make_multilabel([make_truth(answers={})]).blocks)) == []
