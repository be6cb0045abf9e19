"""Slices in a report: one folded section, with a figure and a table each."""

from __future__ import annotations

from tests.report.small_reports import make_content
from tests.slices.small_parts import make_part

from regauge.report.document import lay_out, render_report
from regauge.report.sections.blocks import Fold, ReportFigure, ReportTable, Text
from regauge.report.slices.section import make_slices


def test_one_slice_has_its_figure_and_its_table():
    section = make_slices([make_part(unjudged=1)])
    assert (section.is_folded, section.gist) == (True, "major: 6 images of val under panel@1")
    assert [type(one) for one in section.blocks] == [Text, ReportFigure, ReportTable, Text]
    table = next(one for one in section.blocks if isinstance(one, ReportTable)).content
    rows = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert rows == {
        "ann": ["66.7% [22.3, 95.7]", "2", "0", "0", "0", "0", "yes"],
        "model": ["50.0% to 66.7% [11.8, 95.7]", "2", "0", "0", "0", "1", "yes"],
    }
    ((name, frame),) = section.frames
    assert (name, frame.height) == ("slices-1", 2)


def test_several_slices_are_folded_one_by_one_and_one_without_top1_has_no_figure():
    section = make_slices([make_part("a"), make_part("b", has_top1=False)])
    assert section.gist == "2 slices"
    first, second = (one for one in section.blocks if isinstance(one, Fold))
    assert any(isinstance(one, ReportFigure) for one in first.blocks)
    assert not any(isinstance(one, ReportFigure) for one in second.blocks)


def test_a_report_has_the_section_only_where_there_are_slices():
    without = lay_out(make_content())
    assert "slices" not in [one.anchor for one in without.sections]
    document = lay_out(make_content(slices=(make_part("<b>odd"),)))
    assert "slices" in [one.anchor for one in document.sections]
    page = render_report(document, pictures={one.name: "" for one in document.figures})
    assert "<b>odd" not in page
    assert "&lt;b&gt;odd" in page
