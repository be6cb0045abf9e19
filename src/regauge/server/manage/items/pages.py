"""The page with the items of a campaign: what its address asks for is the view, so that an address saves one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from pydantic import Field

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry
from regauge.records.responses.items import ItemFilter, ItemList, ItemOrder, ItemState
from regauge.records.taxonomy import Taxonomy
from regauge.server.annotate.api import MAX_ID, CampaignId, State
from regauge.server.annotate.pages import render
from regauge.server.manage.lists import ListQuery, Name
from regauge.server.manage.roles import ManagingReader
from regauge.server.manage.views import Pages, name_class
from regauge.server.state import ServerState
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.live.items import find_classes, find_expertise, list_items, list_nothing, list_reviewers
from regauge.workflows.studies.study import Study

router = APIRouter(
    prefix="/manage/campaigns/{campaign_id}", default_response_class=HTMLResponse, include_in_schema=False
)


class ItemQuery(ListQuery):
    """Which items of a campaign are wanted, and in which order; an empty state stands for all."""

    order: ItemOrder = ItemOrder.DISAGREEMENT
    descending: bool = True
    of: Name = ""
    state: ItemState | Annotated[str, Field(max_length=0)] = ""
    disputed: bool = False
    reviewer: Annotated[int, Field(ge=0, le=MAX_ID)] = 0
    comments: bool = False
    expertise: Name = ""

    def make_filter(self, study: Study) -> ItemFilter:
        """What the query asks for.

        Raises:
            InputError: no class and no kind is called so, or nothing can be referred to such words.
        """
        return ItemFilter(
            classes=find_classes(study, self.of) if self.of.strip() else None,
            state=self.state if isinstance(self.state, ItemState) else None,
            is_disputed=self.disputed,
            reviewer=self.reviewer or None,
            has_comments=self.comments,
            expertise=find_expertise(study, self.expertise) if self.expertise.strip() else None,
        )

    def to_address(self) -> dict[str, str]:
        """What the address says, the page aside; what is as it is at first is left out."""
        flags = {"disputed": self.disputed, "comments": self.comments}
        return {
            "order": self.order.value,
            "descending": str(self.descending).lower(),
            "of": self.of.strip(),
            "state": str(self.state),
            "reviewer": str(self.reviewer or ""),
            "expertise": self.expertise.strip(),
            **{name: "true" for name, is_set in flags.items() if is_set},
        }


@dataclass(frozen=True, slots=True)
class ItemsView:
    """A page of the items of a campaign.

    Attributes:
        campaign: which campaign.
        taxonomy: the classes.
        list: what is shown.
        pages: where it stands in the whole.
        query: what was asked for.
        people: who can be chosen.
        problem: why what was asked for is nothing; empty otherwise.
    """

    campaign: CampaignEntry
    taxonomy: Taxonomy
    list: ItemList
    pages: Pages
    query: ItemQuery
    people: tuple[AnnotatorEntry, ...]
    problem: str = ""

    @property
    def order(self) -> str:
        """What it is sorted by."""
        return self.query.order.value

    @property
    def is_descending(self) -> bool:
        """Whether the highest comes first."""
        return self.query.descending

    @property
    def kept(self) -> Mapping[str, str]:
        """What the form of the filter hands on."""
        return {name: value for name, value in self.pages.query.items() if name in {"order", "descending"}}

    def name(self, class_index: int | None) -> str:
        """What a class is called."""
        return name_class(self.taxonomy, class_index)

    def sort_by(self, order: str) -> str:
        """The address of the list in another order; in the other direction where it has that order already."""
        is_descending = not self.is_descending if order == self.order else not ItemOrder(order).is_by_words
        return self.pages.find_address(order=order, descending=str(is_descending).lower(), page="")


@router.get("/items")
async def show_items(
    request: Request,
    state: State,
    _session: ManagingReader,
    campaign_id: CampaignId,
    query: Annotated[ItemQuery, Query()],
) -> Response:
    """The items of a campaign."""
    view = await state.read(lambda study: _make(study, state, campaign_id, query))
    if view.pages.page > view.pages.n_pages:
        return RedirectResponse(view.pages.find_address(page=str(view.pages.n_pages)), status_code=303)
    return render(request, "manage_items.html", view)


def _make(study: Study, state: ServerState, campaign_id: int, query: ItemQuery) -> ItemsView:
    campaign = get_campaign(study, campaign_id)
    table = state.live.items(study, campaign)
    problem = ""
    try:
        asked = query.make_filter(study)
    except InputError as error:
        problem, found = str(error), list_nothing(study, campaign, table=table)
    else:
        part = query.find_rows(is_descending=query.descending)
        found = list_items(study, campaign, table=table, asked=asked, page=(query.order, part))
    address = f"/manage/campaigns/{campaign_id}/items"
    pages = Pages(address, query.to_address(), 1 if problem else query.page, found.n)
    return ItemsView(campaign, study.taxonomy, found, pages, query, list_reviewers(study, campaign), problem)
