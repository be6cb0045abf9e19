"""Images are ready before anybody asks for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.server.served_study import serve_pictured
from tests.waits import wait_for
from tests.workflows.campaign_studies import add_contains, make_pictured

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.server.annotate import painting
from regauge.server.app import create_app
from regauge.server.state import ServerSettings
from regauge.storage.campaigns.campaign import list_campaigns
from regauge.workflows.annotation.renditions import has_rendition, list_campaign_images
from regauge.workflows.campaigns.openings import UNCHECKED, open_campaign
from regauge.workflows.studies.study import Study

PAINTING = ServerSettings(paints_ahead=True)


def wait_until_ready(study: Study, campaign: CampaignEntry, *, n_missing: int = 0) -> None:
    """Until all images of a campaign are made but for so many."""
    with study.read() as reading:
        images = list_campaign_images(reading, campaign.id)
    wait_for(lambda: sum(not has_rendition(study, image) for image in images) <= n_missing, "the last image")


def count_looks(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Tells how often open campaigns were looked for since."""
    looks: list[Study] = []

    def note(study: Study) -> tuple[CampaignEntry, ...]:
        looks.append(study)
        return list_campaigns(study)

    monkeypatch.setattr(painting, "list_campaigns", note)
    return lambda: len(looks)


def test_images_of_an_open_campaign_are_made_when_the_server_starts(tmp_path: Path) -> None:
    with serve_pictured(tmp_path, settings=PAINTING) as served:
        wait_until_ready(served.study, served.campaign)


def test_images_of_a_campaign_that_opens_later_are_made_too_and_a_broken_one_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(painting, "LOOK_SECONDS", 0.01)
    count = count_looks(monkeypatch)
    with make_pictured(tmp_path) as study:
        campaign = add_contains(study, is_open=False)
        next((tmp_path / "pictures").glob("*.png")).write_bytes(b"no image")
        with TestClient(create_app(study, PAINTING)):
            # When the third look begins, whatever came of the first two is there.
            wait_for(lambda: count() > 2, "the third look")
            assert not list(study.paths.cache.glob("renditions/*/*.jpg"))
            with study.begin() as begun:
                open_campaign(begun, campaign.name, checked=UNCHECKED)
            wait_until_ready(study, campaign, n_missing=1)
