"""The pages of drawn test sets: one that says what was drawn and how far its review is, and one for every class."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse

from regauge.errors import FormatError, InputError
from regauge.records.campaigns.campaign import CampaignImage
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.option_names import name_options
from regauge.records.taxonomy import describe_class
from regauge.records.testsets.draws import RevisionForecast
from regauge.server.annotate.api import MAX_ID, State
from regauge.server.annotate.pages import render
from regauge.server.manage.draws.views import DrawClassView, DrawView, RevisionForecastView
from regauge.server.manage.pages import PICTURE_HEADERS
from regauge.server.manage.roles import ManagingReader
from regauge.server.state import ServerState
from regauge.workflows.annotation.renditions import RenditionSide, load_rendition
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_descriptions import describe_draw, diff_draws
from regauge.workflows.testsets.draw_reviews import (
    Review,
    find_pictures,
    foresee_revision,
    is_candidate,
    list_class,
    open_review,
)

router = APIRouter(prefix="/manage", default_response_class=HTMLResponse, include_in_schema=False)

Name = Annotated[str, Path(min_length=1, max_length=300)]
Number = Annotated[int, Path(ge=0, le=MAX_ID)]


@router.get("/testsets/{name}")
async def show_draw(request: Request, state: State, _session: ManagingReader, name: Name) -> Response:
    """A drawn test set: its review, its numbers, and what it changed."""
    return render(request, "manage_draw.html", await state.read(lambda study: make_draw(study, state, name)))


@router.get("/testsets/{name}/{class_index}")
async def show_class(
    request: Request, state: State, _session: ManagingReader, name: Name, class_index: Number
) -> Response:
    """The images of a class, to be looked at one by one."""
    view = await state.read(lambda study: make_class(study, name, class_index=class_index))
    return render(request, "manage_draw_class.html", view)


@router.get("/pools/{pool_id}/pictures/{row}", response_class=Response)
async def get_picture(
    state: State, session: ManagingReader, pool_id: Number, row: Number, *, side: RenditionSide = RenditionSide.USUAL
) -> Response:
    """A candidate's image, as annotators see it; smaller in a list."""

    def load() -> bytes:
        if not state.read_now(lambda study: is_candidate(study, pool_id, row)):
            raise InputError("There is no such image.")
        return load_rendition(state.study, CampaignImage(pool_id, row), side=side)

    try:
        content = await state.paint(load)
    except (InputError, FormatError):
        raise HTTPException(404, "There is no such image.") from None
    state.note_sent(session, CampaignImage(pool_id, row), role=ExposureRole.MANAGER)
    return Response(content, media_type="image/jpeg", headers=PICTURE_HEADERS)


def make_draw(study: Study, state: ServerState, name: str) -> DrawView:
    """The page of a drawn test set, put together."""
    review = open_review(study, name)
    parent = review.drawn.parent
    return DrawView(
        review=review,
        description=describe_draw(study, name),
        taxonomy=study.taxonomy,
        foresight=foresee_all(study, state, review) if review.removed or review.n_barred else None,
        diff=diff_draws(study, parent, name) if parent else None,
        pictures=find_pictures(study, *filter(None, (parent, name))),
    )


def make_class(study: Study, name: str, *, class_index: int) -> DrawClassView:
    """The page of a class, put together."""
    review = open_review(study, name)
    standing = review.get_class(class_index)
    after = review.classes[review.classes.index(standing) + 1 :][:1]
    return DrawClassView(
        review=review,
        standing=standing,
        target=describe_class(study.taxonomy.classes[class_index]),
        images=list_class(review, class_index=class_index),
        ahead=tuple(image for one in after for image in list_class(review, class_index=one.class_index)),
    )


def foresee_all(
    study: Study, state: ServerState, review: Review, *, class_index: int | None = None
) -> RevisionForecastView:
    """What a revision would do, to one class or to all; or why that cannot be told, as where a table is gone."""
    n_removed = len(review.removed) if class_index is None else review.get_class(class_index).n_removed
    try:
        found = foresee_revision(study, review, memory=state.draws, class_index=class_index)
    except InputError as error:
        return RevisionForecastView(
            RevisionForecast(0, ()), study.taxonomy, n_removed, problem=name_options(str(error))
        )
    return RevisionForecastView(
        found, study.taxonomy, n_removed, n_barred=0 if class_index is not None else review.n_barred
    )
