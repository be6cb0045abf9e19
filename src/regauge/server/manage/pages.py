"""The manager's pages: each handler finds out who asks, calls one function, and gives its template one record."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from regauge.errors import FormatError, InputError
from regauge.kinds.contract import KindOutput
from regauge.kinds.registry import find_kind, list_giving
from regauge.records.campaigns.campaign import CampaignState
from regauge.records.evaluation.planning import Workforce
from regauge.records.exposure.exposures import ExposureRole
from regauge.server.annotate.api import MAX_ID, CampaignId, State
from regauge.server.annotate.classes import CardQuery
from regauge.server.annotate.pages import render
from regauge.server.manage.blindness import find_blind
from regauge.server.manage.form_fields import make_inputs, make_rows
from regauge.server.manage.forms import FormLimits, make_new_form
from regauge.server.manage.lists import (
    AnnotatorQuery,
    ImageQuery,
    LogQuery,
    PeopleQuery,
    WorkforceQuery,
    list_annotators_page,
    list_images_page,
    list_log_page,
    list_people_page,
)
from regauge.server.manage.new import MAX_TABLE
from regauge.server.manage.overview import make_overview
from regauge.server.manage.roles import ManagingReader
from regauge.server.manage.views import (
    CampaignPage,
    ClassesView,
    ImageView,
    LabelsView,
    NewView,
    Pages,
    ReferralsView,
)
from regauge.server.state import ServerState
from regauge.workflows.annotation.barred_experts import count_unreached, describe_unreached
from regauge.workflows.annotation.class_cards import list_set_names
from regauge.workflows.annotation.referrals import count_referrals
from regauge.workflows.annotation.renditions import RenditionSide, load_rendition
from regauge.workflows.campaigns.campaign import count_classes, get_campaign, list_campaigns, pick_seed
from regauge.workflows.campaigns.comments import has_threads, list_image_threads
from regauge.workflows.campaigns.estimates import estimate_campaign
from regauge.workflows.campaigns.fields import QuestionSource
from regauge.workflows.campaigns.image_failures import describe_failures
from regauge.workflows.campaigns.image_reports import list_reports
from regauge.workflows.campaigns.openings import describe_unfinished
from regauge.workflows.discussions.coding import offer_coding
from regauge.workflows.kinds import list_kinds
from regauge.workflows.labels.campaign_labels import list_campaign_labels, list_counted_labels
from regauge.workflows.live.items import tell_answers
from regauge.workflows.people.visitors import count_visits
from regauge.workflows.people.visits import list_unjudged
from regauge.workflows.studies.study import Study, describe_status

PICTURE_HEADERS = {"Cache-Control": "private, max-age=86400, immutable"}

router = APIRouter(prefix="/manage", default_response_class=HTMLResponse, include_in_schema=False)

ImageNumber = Annotated[int, Path(ge=0, le=MAX_ID)]


@router.get("")
async def show_overview(request: Request, state: State, _session: ManagingReader) -> Response:
    """The study at a glance."""
    view = await state.read(lambda study: make_overview(study, state))
    return render(request, "manage_overview.html", view)


@router.get("/campaigns/new")
async def show_new(request: Request, state: State, _session: ManagingReader) -> Response:
    """The form of a new campaign."""
    return render(request, "manage_new.html", await state.read(_make_new))


@router.get("/campaigns/{campaign_id}")
async def show_campaign(
    request: Request,
    state: State,
    _session: ManagingReader,
    campaign_id: CampaignId,
    force: Annotated[WorkforceQuery, Query()],
) -> Response:
    """How a campaign goes, and before it is open, what it will take."""
    blind = await state.read(lambda study: find_blind(study, campaign_id))
    if blind is not None:
        return render(request, "manage_blind.html", blind)
    view = await state.read(lambda study: _make_campaign(study, state, campaign_id, force))
    return render(request, "manage_campaign.html", view)


@router.get("/campaigns/{campaign_id}/annotators")
async def show_annotators(
    request: Request,
    state: State,
    _session: ManagingReader,
    campaign_id: CampaignId,
    query: Annotated[AnnotatorQuery, Query()],
) -> Response:
    """The annotators of a campaign."""
    view = await state.read(lambda study: list_annotators_page(study, state.live, campaign_id=campaign_id, query=query))
    return _turn(view.pages) or render(request, "manage_annotators.html", view)


@router.get("/campaigns/{campaign_id}/images")
async def show_images(
    request: Request,
    state: State,
    _session: ManagingReader,
    campaign_id: CampaignId,
    query: Annotated[ImageQuery, Query()],
) -> Response:
    """The images of a campaign."""
    view = await state.read(lambda study: list_images_page(study, state.live, campaign_id=campaign_id, query=query))
    return _turn(view.pages) or render(request, "manage_images.html", view)


@router.get("/campaigns/{campaign_id}/images/{number}")
async def show_image(
    request: Request, state: State, _session: ManagingReader, campaign_id: CampaignId, number: ImageNumber
) -> Response:
    """One image with all that people said of it."""
    n_images = len(await state.beside(lambda: state.get_album(campaign_id)))
    if number >= n_images:
        raise HTTPException(404, "There is no such image.")

    def make(study: Study) -> ImageView:
        campaign = get_campaign(study, campaign_id)
        found = state.live.image(study, campaign, number=number)
        threads = list_image_threads(study, campaign, number=number) if has_threads(study, campaign) else None
        return ImageView(campaign, study.taxonomy, found, n_images, threads, tell_answers(study, campaign, found))

    return render(request, "manage_image.html", await state.read(make))


@router.get("/campaigns/{campaign_id}/images/{number}/picture", response_class=Response)
async def get_picture(
    state: State,
    session: ManagingReader,
    campaign_id: CampaignId,
    number: ImageNumber,
    *,
    side: RenditionSide = RenditionSide.USUAL,
) -> Response:
    """The image itself, as annotators see it; smaller in a list."""

    def load() -> bytes:
        album = state.get_album(campaign_id)
        if number >= len(album):
            raise InputError("There is no such image.")
        return load_rendition(state.study, album[number], side=side)

    try:
        content = await state.paint(load)
    except (InputError, FormatError):
        raise HTTPException(404, "There is no such image.") from None
    state.note_sent(session, state.get_album(campaign_id)[number], role=ExposureRole.MANAGER, campaign_id=campaign_id)
    return Response(content, media_type="image/jpeg", headers=PICTURE_HEADERS)


@router.get("/campaigns/{campaign_id}/labels")
async def show_labels(
    request: Request,
    state: State,
    _session: ManagingReader,
    campaign_id: CampaignId,
    built: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """What was and can be built of a campaign."""
    return render(
        request, "manage_labels.html", await state.read(lambda study: _make_labels(study, campaign_id, built))
    )


@router.get("/classes")
async def show_classes(
    request: Request, state: State, _session: ManagingReader, asked: Annotated[CardQuery, Query()]
) -> Response:
    """The classes of the study: the finder, the hierarchy and the cards."""
    return render(request, "manage_classes.html", await state.read(lambda study: _make_classes(study, asked)))


@router.get("/log")
async def show_log(
    request: Request, state: State, _session: ManagingReader, query: Annotated[LogQuery, Query()]
) -> Response:
    """Who did what, when and why."""
    view = await state.read(lambda study: list_log_page(study, query))
    return _turn(view.pages) or render(request, "manage_log.html", view)


@router.get("/people")
async def show_people(
    request: Request, state: State, _session: ManagingReader, query: Annotated[PeopleQuery, Query()]
) -> Response:
    """Everybody who works on the study."""
    view = await state.read(lambda study: list_people_page(study, query))
    return _turn(view.pages) or render(request, "manage_people.html", view)


def _turn(pages: Pages) -> Response | None:
    """To the last page of a list, where a later one was asked for."""
    if pages.page <= pages.n_pages:
        return None
    return RedirectResponse(pages.find_address(page=str(pages.n_pages)), status_code=303)


_OF_MODELS = (QuestionSource.PREDICTIONS, QuestionSource.UNJUDGED, QuestionSource.NOVEL, QuestionSource.MISTAKES)
"""Questions that need predictions."""


def _make_new(study: Study) -> NewView:
    status = describe_status(study)
    sets = (*status.test_sets, *status.pools)
    counting = {kind.name for kind in list_giving(list_kinds(study), KindOutput.SELECTION_COUNTS)}
    sources = [entry.name for entry in list_campaigns(study) if entry.kind in counting]
    problems = {
        **({} if status.predictions else dict.fromkeys(_OF_MODELS, "The study has no predictions yet.")),
        **({} if sources else {QuestionSource.CAMPAIGN: "There is no CONTAINS campaign yet."}),
    }
    sizes = [(one.name, f"{one.name} – {one.n_images:,} {'image' if one.n_images == 1 else 'images'}") for one in sets]
    label_sets = [(one.full_name, one.full_name) for one in status.label_sets]
    things = {"test set": sizes, "campaign": [(one, one) for one in sources], "label set": label_sets}
    limits = FormLimits(problems, {one.name: count_classes(study, one) for one in sets})
    form = make_new_form({"seed": pick_seed()}, kinds=list_kinds(study), things=things, limits=limits)
    return NewView(form, bool(sets), bool(status.pools), MAX_TABLE // 1024**2)


def _make_classes(study: Study, asked: CardQuery) -> ClassesView:
    source = asked.choose_source(study)
    return ClassesView(study.taxonomy, list_set_names(study), source, asked.to_address())


def _make_campaign(study: Study, state: ServerState, campaign_id: int, force: WorkforceQuery) -> CampaignPage:
    campaign = get_campaign(study, campaign_id)
    is_draft = campaign.state is CampaignState.DRAFT
    workforce = Workforce(force.people, force.hours)
    estimate = estimate_campaign(study, campaign_id, force=workforce) if is_draft else None
    failures, reports = describe_failures(study, campaign), list_reports(study, campaign)
    kind, visits = find_kind(study.around.kinds, campaign.kind), count_visits(study, campaign)
    n_unjudged = len(list_unjudged(study, campaign))
    pulse, standings = state.live.pulse(study, campaign), state.standings.find(study, campaign)
    referrals = ReferralsView(
        count_referrals(study, campaign), tuple(describe_unreached(campaign.name, count_unreached(study, campaign)))
    )
    unfinished = () if is_draft else describe_unfinished(study, campaign_id)
    known = (campaign, kind, pulse, estimate, visits, failures, reports, n_unjudged, standings)
    return CampaignPage(*known, referrals=referrals, unfinished=unfinished)


def _make_labels(study: Study, campaign_id: int, built: str) -> LabelsView:
    campaign = get_campaign(study, campaign_id)
    found = list_campaign_labels(study, campaign_id)
    suggested = found[-1].name if found else campaign.name.replace("@", "-")
    is_there = built in {entry.full_name for entry in found}
    table = find_kind(study.around.kinds, campaign.kind).fields
    things = {"label set": [(one, f"by the counts of {one}") for one in list_counted_labels(study)]}
    rule = make_inputs(table.rule, values=table.suggest_rule(campaign.plan), things=things)
    known = (campaign, found, suggested, built if is_there else "")
    coding = offer_coding(study, campaign_id)
    return LabelsView(*known, about=table.about_rule, rule=make_rows(rule), coding=coding)
