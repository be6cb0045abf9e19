"""Lists on the manager's pages: what may be asked for, and the page of them that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.responses.quality import (
    MAX_PAGE,
    AnnotatorFilter,
    AnnotatorList,
    AnnotatorOrder,
    ImageOrder,
    ListPage,
)
from regauge.server.manage.roles import TypedText
from regauge.server.manage.views import GALLERY_ROWS, PAGE_ROWS, AnnotatorsView, ImagesView, LogView, Pages, PeopleView
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.live.campaigns import LiveCampaigns
from regauge.workflows.people.directory import list_people
from regauge.workflows.people.erasure import list_pending_erasures
from regauge.workflows.studies.audit import list_log
from regauge.workflows.studies.study import Study

LAST_PAGE = 1_000_000
"""The last page that may be asked for."""


class ListQuery(BaseModel):
    """Which page of a list is wanted; what else stands in the address is left alone."""

    model_config = ConfigDict(extra="ignore")

    page: Annotated[int, Field(ge=1, le=LAST_PAGE)] = 1

    def find_rows(self, n_rows: int = PAGE_ROWS, *, is_descending: bool = False) -> ListPage:
        """Which rows of a list the page shows."""
        return ListPage((self.page - 1) * n_rows, n_rows, is_descending)


Name = Annotated[TypedText, Field(max_length=200)]


class AnnotatorQuery(ListQuery):
    """Which annotators of a campaign, whose name has something in it, and in which order."""

    order: AnnotatorOrder = AnnotatorOrder.FLAGS
    show: AnnotatorFilter = AnnotatorFilter.ALL
    descending: bool = False
    name: Name = ""


class ImageQuery(ListQuery):
    """In which order the images of a campaign are wanted."""

    order: ImageOrder = ImageOrder.DISAGREEMENT
    descending: bool = True


class WorkforceQuery(BaseModel):
    """How many people are thought to work on a campaign, and for how long a day."""

    model_config = ConfigDict(extra="ignore")

    people: Annotated[int, Field(ge=1, le=10_000)] = 10
    hours: Annotated[float, Field(gt=0, le=24, allow_inf_nan=False)] = 2.0


class LogQuery(ListQuery):
    """Which events of the log are wanted."""

    what: Name = ""
    who: Name = ""


class PeopleQuery(ListQuery):
    """Whose name has that in it."""

    name: Name = ""


def list_annotators_page(
    study: Study, live: LiveCampaigns, *, campaign_id: int, query: AnnotatorQuery
) -> AnnotatorsView:
    """A page of the annotators of a campaign."""
    campaign = get_campaign(study, campaign_id)
    rows = query.find_rows(is_descending=query.descending)
    name = query.name.strip()
    if name:
        found = _find_named(list(_list_all(study, live, campaign, query)), name, rows)
    else:
        found = live.annotators(study, campaign, order=query.order, shown=query.show, page=rows)
    asked = {
        "name": name,
        "order": query.order.value,
        "show": query.show.value,
        "descending": str(query.descending).lower(),
    }
    pages = Pages(f"/manage/campaigns/{campaign_id}/annotators", asked, query.page, found.n)
    return AnnotatorsView(campaign, found, pages, query.order.value, query.show.value, query.descending, name)


def _list_all(
    study: Study, live: LiveCampaigns, campaign: CampaignEntry, query: AnnotatorQuery
) -> Iterator[AnnotatorList]:
    """All that the filter leaves, in order, part by part; at least one part."""
    offset, n = 0, 1
    while offset < n:
        page = ListPage(offset, MAX_PAGE, query.descending)
        found = live.annotators(study, campaign, order=query.order, shown=query.show, page=page)
        yield found
        offset, n = offset + MAX_PAGE, found.n


def _find_named(parts: list[AnnotatorList], name: str, page: ListPage) -> AnnotatorList:
    """Those whose name has that in it, whatever the case; the counts of the filters stay those of everybody."""
    wanted = name.casefold()
    rows = tuple(row for part in parts for row in part.rows if wanted in row.name.casefold())
    return replace(parts[-1], rows=rows[page.offset : page.offset + page.limit], n=len(rows))


def list_images_page(study: Study, live: LiveCampaigns, *, campaign_id: int, query: ImageQuery) -> ImagesView:
    """A page of the images of a campaign."""
    campaign = get_campaign(study, campaign_id)
    rows = query.find_rows(GALLERY_ROWS, is_descending=query.descending)
    found = live.images(study, campaign, order=query.order, page=rows)
    asked = {"order": query.order.value, "descending": str(query.descending).lower()}
    pages = Pages(f"/manage/campaigns/{campaign_id}/images", asked, query.page, found.n, GALLERY_ROWS)
    return ImagesView(campaign, study.taxonomy, found, pages, query.order.value, query.descending)


def list_log_page(study: Study, query: LogQuery) -> LogView:
    """A page of what happened."""
    found = list_log(study, query.find_rows(), what=query.what or None, who=query.who or None)
    pages = Pages("/manage/log", {"what": query.what, "who": query.who}, query.page, found.n)
    return LogView(found, pages, query.what, query.who)


def list_people_page(study: Study, query: PeopleQuery) -> PeopleView:
    """A page of those who work on the study."""
    name = query.name.strip()
    found = list_people(study, query.find_rows(), name=name)
    pages = Pages("/manage/people", {"name": name}, query.page, found.n)
    return PeopleView(found, pages, name, list_pending_erasures(study))
