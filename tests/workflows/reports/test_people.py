"""A study without models has a report: what people answered, how far they agree, and the images they disagree about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflows.campaign_studies import (
    add_classify,
    add_contains,
    add_people,
    answer,
    make_answer,
    make_pictured,
    take,
)

from regauge.records.responses.quality import ImageOrder, ListPage
from regauge.storage.campaigns.campaign import get_campaign
from regauge.workflows.campaigns.assigning import drop_annotator
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.reports.people import N_DISPUTED
from regauge.workflows.reports.report import gather_campaigns, gather_report, write_report
from regauge.workflows.studies.study import Study


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Study]:
    """Two people answered five grids, one selecting everything and one nothing; nobody answered the other campaign."""
    with make_pictured(tmp_path) as study:
        campaign = add_contains(study, "grids")
        add_classify(study, "silent")
        for who, mask in zip(add_people(study, campaign, 2), ("ff", "00"), strict=True):
            answer(study, *(make_answer(one, mask) for one in take(study, campaign, who, 5)))
        yield study


def test_campaigns_with_answers_are_gathered_with_the_figures_of_the_managers_pages(asked: Study) -> None:
    with asked.read() as reading:
        (part,) = gather_campaigns(reading)
        live = LiveCampaigns()
        (entry,) = [one for one in gather_report(reading).campaigns if one.name == "grids"]
        campaign = get_campaign(reading, "grids")
        assert part.pulse == live.pulse(reading, campaign) == entry.pulse
        assert set(part.annotators) == set(live.list_everybody(reading, campaign))
        rows = live.images(reading, campaign, order=ImageOrder.NUMBER, page=ListPage(limit=1000)).rows
    assert (part.pulse.n_answers, len(part.annotators)) == (10, 2)
    # One of two selected every pair: all of them are divided, and agreement is as low as it gets.
    n_pairs = sum(not row.is_control and row.frequency.n == 2 for row in rows)
    assert part.summary.divided is not None
    assert n_pairs
    assert (part.summary.divided.k, part.summary.divided.n) == (n_pairs, n_pairs)
    assert part.summary.alpha is not None
    assert part.summary.alpha.value is not None
    assert part.summary.alpha.value < 0
    assert part.disputed is not None
    assert len(part.disputed) == N_DISPUTED
    assert all(image.votes.endswith(": 1 of 2 annotators") for image in part.disputed)
    assert all(image.picture for image in part.disputed)


def test_a_report_without_models_is_written_and_names_nobody(asked: Study, tmp_path: Path) -> None:
    with asked.begin() as begun:
        report = write_report(begun, tmp_path / "report", title="People only")
        names = [one.name for part in gather_campaigns(begun) for one in part.annotators]
    page = report.page.read_text(encoding="utf-8")
    assert "2 annotators gave 10 answers to grids." in page
    assert "The 2 annotators of grids get from " in page
    assert page.count("<img ") == N_DISPUTED
    assert [path.name for path in report.tables] == ["people-1.csv"]
    assert [path.name for path in report.figures] == [f"people-1-frequencies.{kind}" for kind in ("pdf", "png", "svg")]
    main = page.partition("<main>")[2].partition('id="provenance"')[0]
    assert not [name for name in names if name in main]
    assert not [name for name in names if name in report.tables[0].read_text()]


def test_disputed_images_need_files_and_somebody_whose_answers_count(asked: Study, tmp_path: Path) -> None:
    for picture in (tmp_path / "pictures").glob("*.png"):
        picture.unlink()
    with asked.begin() as begun:
        (part,) = gather_campaigns(begun)
        assert part.disputed is None
        drop_annotator(begun, "grids", annotator=part.annotators[0].name, reason="odd")
        (part,) = gather_campaigns(begun)
    # With one answer left there is nothing to disagree about.
    assert part.disputed == ()
    assert [one.is_dropped for one in part.annotators].count(True) == 1
    assert part.summary.alpha is None
