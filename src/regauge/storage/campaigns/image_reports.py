"""What people say is wrong with an image ↔ rows: one per campaign, image and person, of which the last holds."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import delete, insert, select

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.campaigns.image_reports import ImageProblem, ImageReport
from regauge.storage.campaigns.image_failures import select_noted
from regauge.storage.database.schema import image_reports
from regauge.storage.study import Study


class OwnReport(NamedTuple):
    """What somebody reported, by the number of its campaign."""

    campaign_id: int
    problem: str
    words: str
    at: str


def put_report(
    study: Study, campaign_id: int, *, number: int, annotator_id: int, said: tuple[ImageProblem, str]
) -> None:
    """Keep what somebody says of an image, in the place of what they said before; sent again, it is the same."""
    mine = (image_reports.c.campaign_id == campaign_id, image_reports.c.annotator_id == annotator_id)
    study.connection.execute(delete(image_reports).where(*mine, image_reports.c.number == number))
    fields = {"campaign_id": campaign_id, "number": number, "annotator_id": annotator_id, "at": study.around.now()}
    study.connection.execute(insert(image_reports).values(**fields, problem=said[0].value, words=said[1]))


def list_reports(study: Study, campaign: CampaignEntry) -> tuple[ImageReport, ...]:
    """What people say of the images of a campaign, by image."""
    columns = (image_reports.c.problem, image_reports.c.words, image_reports.c.at)
    query = select_noted(image_reports, columns, campaign=campaign)
    return tuple(
        ImageReport(number, image_id, test_set, who, ImageProblem(problem), words, at)
        for number, image_id, test_set, who, problem, words, at in study.connection.execute(query)
    )


def list_own_reports(study: Study, annotator_id: int) -> tuple[OwnReport, ...]:
    """What somebody reported, the oldest first; which image it was they know, and nobody is told its name."""
    columns = (image_reports.c.campaign_id, image_reports.c.problem, image_reports.c.words, image_reports.c.at)
    query = select(*columns).where(image_reports.c.annotator_id == annotator_id)
    return tuple(OwnReport(*row) for row in study.connection.execute(query.order_by(image_reports.c.at)))
