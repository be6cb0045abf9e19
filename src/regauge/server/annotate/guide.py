"""The labeling guide for those who work: what it says of a class, and pictures by addresses that tell nothing of their set."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, TypeVar

from fastapi import APIRouter, HTTPException, Path, Response
from pydantic import BaseModel, ConfigDict

from regauge.errors import FormatError, InputError
from regauge.records.campaigns.campaign import CampaignImage, Role
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.guide.entries import GuideTopic, ShownEntry, name_topic
from regauge.records.guide.images import NOTHING_WITHHELD, WithheldImages
from regauge.records.taxonomy import Taxonomy
from regauge.server.annotate.api import MAX_ID, CampaignId, ClassNumber, Reader, State
from regauge.server.annotate.images import HEADERS, NO_IMAGE
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.admission import get_own_campaign
from regauge.workflows.annotation.renditions import load_rendition
from regauge.workflows.guide.entries import get_guide_version
from regauge.workflows.guide.reading import (
    check_reader,
    find_campaign_case,
    find_campaign_picture,
    find_frozen,
    read_for_campaign,
)
from regauge.workflows.studies.study import Study

_Result = TypeVar("_Result")

router = APIRouter(prefix="/api/campaigns/{campaign_id}/guide")

Number = Annotated[int, Path(ge=0, le=MAX_ID)]


class CitedCaseView(BaseModel):
    """A verdict on an image, as the guide cites it."""

    model_config = ConfigDict(extra="forbid")

    picture: str
    verdict: str
    name: str
    note: str


class GuideTextView(BaseModel):
    """An entry: on the class itself, or on how to tell it from another; the HTML is of a few harmless tags."""

    model_config = ConfigDict(extra="forbid")

    classes: list[int]
    title: str
    html: str
    version: int
    cases: list[CitedCaseView]
    n_hidden: int
    n_unfinished: int


class ClassGuideView(BaseModel):
    """What the guide says of a class; `version` is what evidence names."""

    model_config = ConfigDict(extra="forbid")

    version: int
    class_index: int
    name: str
    entries: list[GuideTextView]


@router.get("/{class_index}")
async def read_class(
    state: State, session: Reader, campaign_id: CampaignId, class_index: ClassNumber
) -> ClassGuideView:
    """What the guide says of a class, without what the campaign hides and what whoever reads has still to judge."""

    def name_address(version: int, place: int | None) -> str:
        where = f"/api/campaigns/{campaign_id}/guide"
        return f"{where}/cases/{version}" if place is None else f"{where}/pictures/{version}/{place}"

    def read(study: Study) -> ClassGuideView:
        frozen = find_frozen(study, campaign_id)
        shown = read_for_campaign(
            study,
            campaign_id,
            class_index=class_index,
            name_address=name_address,
            find_withheld=partial(_find_withheld, study, state, campaign_id, session),
        )
        return ClassGuideView(
            version=get_guide_version(study) if frozen is None else frozen,
            class_index=class_index,
            name=name_topic(GuideTopic(class_index), study.taxonomy),
            entries=[_view(one, study.taxonomy) for one in shown],
        )

    return await state.read(lambda study: _open(study, campaign_id, session, read))


@router.get("/pictures/{version}/{place}", response_class=Response)
async def get_picture(
    state: State,
    session: Reader,
    campaign_id: CampaignId,
    version: Number,
    *,
    place: Number,
) -> Response:
    """A picture of a text."""

    def find(study: Study) -> CampaignImage:
        return find_campaign_picture(
            study,
            campaign_id,
            version=version,
            place=place,
            find_withheld=partial(_find_withheld, study, state, campaign_id, session),
        )

    return await _show(state, session, lambda study: _open(study, campaign_id, session, find), campaign_id=campaign_id)


@router.get("/cases/{version}", response_class=Response)
async def get_case(
    state: State,
    session: Reader,
    campaign_id: CampaignId,
    version: Number,
) -> Response:
    """The picture of a case."""

    def find(study: Study) -> CampaignImage:
        return find_campaign_case(
            study,
            campaign_id,
            version=version,
            find_withheld=partial(_find_withheld, study, state, campaign_id, session),
        )

    return await _show(state, session, lambda study: _open(study, campaign_id, session, find), campaign_id=campaign_id)


def _open(study: Study, campaign_id: int, session: Session, work: Callable[[Study], _Result]) -> _Result:
    """Do something for somebody who may read the guide: guests see no image of the study, and so none of its guide."""
    if session.role is Role.GUEST:
        raise InputError("Guests cannot read the guide: it shows images of the study.")
    if session.role is Role.ANNOTATOR:
        check_reader(study, campaign_id, annotator_id=session.annotator_id)
    return work(study)


def _find_withheld(study: Study, state: ServerState, campaign_id: int, session: Session) -> WithheldImages:
    """What somebody is measured by and has still to judge in a campaign; managers do neither."""
    if session.role is not Role.ANNOTATOR:
        return NOTHING_WITHHELD
    campaign = get_own_campaign(study, campaign_id, annotator_id=session.annotator_id)
    return state.cards.get_for(study, campaign, (), annotator_id=session.annotator_id)


async def _show(
    state: ServerState, session: Session, find: Callable[[Study], CampaignImage], *, campaign_id: int
) -> Response:
    def load() -> tuple[bytes, CampaignImage]:
        image = state.read_now(find)
        return load_rendition(state.study, image), image

    try:
        content, image = await state.paint(load)
    except (InputError, FormatError):
        raise HTTPException(404, NO_IMAGE) from None
    state.note_sent(session, image, role=ExposureRole.GUIDE, campaign_id=campaign_id)
    # Not for a day, as images of tasks: what is hidden from a campaign must be gone from the next page on, and so must
    # what a later round asks about.
    return Response(content, media_type="image/jpeg", headers={**HEADERS, "Cache-Control": "private, no-cache"})


def _view(shown: ShownEntry, taxonomy: Taxonomy) -> GuideTextView:
    cases = [
        CitedCaseView(
            picture=one.address,
            verdict=one.case.verdict.name.lower(),
            name=name_topic(GuideTopic(one.case.class_index), taxonomy),
            note=one.case.note,
        )
        for one in shown.cases
    ]
    return GuideTextView(
        classes=list(shown.entry.topic.classes),
        title=name_topic(shown.entry.topic, taxonomy),
        html=shown.html,
        version=shown.entry.version,
        cases=cases,
        n_hidden=shown.n_hidden,
        n_unfinished=shown.n_unfinished,
    )
