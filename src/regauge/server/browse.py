"""The website of the study, served: the page, script and chunks that `regauge export site` writes, made when they are asked for.

Managers see pictures. Guests see it where the server was told to show it to them, without pictures: whoever annotates could look
there, too.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Request, Response
from fastapi.responses import HTMLResponse

from regauge.errors import FormatError, InputError
from regauge.records.campaigns.campaign import CampaignImage, Role
from regauge.records.exposure.exposures import ExposureRole
from regauge.records.site import SitePictures, SiteSettings
from regauge.server.annotate.api import MAX_ID, Reader, State
from regauge.server.assets import load_assets, takes_gzip
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.renditions import load_rendition
from regauge.workflows.kinds import list_kinds, list_packages
from regauge.workflows.site.serving import ServedPlaces, get_script, write_page
from regauge.workflows.studies.study import Study

PLACE = "/browse"
STYLES = ("tokens.css", "parts/parts.css", "site/site.css")
KEPT = "private, max-age=31536000, immutable"
KEPT_WHILE_OPEN = "private, max-age=3600"

router = APIRouter(prefix=PLACE, include_in_schema=False)

StateName = Annotated[str, Path(pattern=r"^[0-9a-f]{12,16}$")]
Name = Annotated[str, Path(pattern=r"^[a-z][a-z0-9-]{0,63}$")]
Number = Annotated[int, Path(ge=0, le=MAX_ID)]


async def get_visitor(state: State, session: Reader) -> Session:
    """The session, if it may look around.

    Raises:
        HTTPException: it may not: annotators would see what they are asked.
    """
    is_guest = session.role is Role.GUEST and not session.is_framed and state.settings.shows_results
    if session.role is not Role.MANAGER and not is_guest:
        raise HTTPException(
            403, "Only the manager of the study and, where the server allows it, guests can browse its results."
        )
    return session


Visitor = Annotated[Session, Depends(get_visitor)]


@router.get("", response_class=HTMLResponse)
async def show_page(state: State, visitor: Visitor) -> Response:
    """The page; which of its pages it shows stands behind the # of the address."""
    settings = choose_settings(visitor)
    source = await state.read(lambda study: state.site.open(study, settings))
    home = "/manage" if visitor.role is Role.MANAGER else "/"
    places = ServedPlaces(_locate(state, STYLES), _locate(state, ("icon.svg",))[0], PLACE, home)
    return HTMLResponse(write_page(state.study, source, places=places))


@router.get("/scripts/{digest}.js", response_class=Response)
async def send_script(request: Request, _visitor: Visitor, digest: StateName) -> Response:
    """The script, under an address that changes when it does."""
    headers = {"Cache-Control": KEPT if digest == get_script().digest else "no-cache"}
    return _send(request, get_script().content, headers)


@router.get("/data/{site}/{name}.js", response_class=Response)
async def send_chunk(request: Request, state: State, visitor: Visitor, *, site: StateName, name: Name) -> Response:
    """A chunk."""
    settings = choose_settings(visitor)

    def load(study: Study) -> bytes:
        return state.site.load(study, state.site.find(study, settings, state=site), name=name)

    try:
        content = await state.read(load)
    except InputError as error:
        raise HTTPException(404, str(error)) from None
    return _send(request, content, {"Cache-Control": KEPT_WHILE_OPEN})


@router.get("/pictures/{site}/{key}/{row}.jpg", response_class=Response)
async def send_picture(state: State, visitor: Visitor, *, site: StateName, key: Number, row: Number) -> Response:
    """An image, as annotators see it; for managers alone."""
    if visitor.role is not Role.MANAGER:
        raise HTTPException(403, "Only the manager of the study sees its pictures here.")
    settings = choose_settings(visitor)

    def find(study: Study) -> CampaignImage:
        sets = state.site.find(study, settings, state=site).sets
        if key >= len(sets) or row >= len(sets[key].test_set):
            raise InputError("There is no such image.")
        return CampaignImage(sets[key].entry.id, row)

    try:
        image = await state.read(find)
        content = await state.paint(lambda: load_rendition(state.study, image))
    except (InputError, FormatError):
        raise HTTPException(404, "There is no such image.") from None
    state.note_sent(visitor, image, role=ExposureRole.MANAGER)
    return Response(content, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=86400, immutable"})


def choose_settings(visitor: Session) -> SiteSettings:
    """What a visitor is shown: everything, and managers the pictures as well."""
    is_manager = visitor.role is Role.MANAGER
    return SiteSettings(pictures=SitePictures.SERVED if is_manager else SitePictures.NONE)


def _send(request: Request, content: bytes, headers: dict[str, str]) -> Response:
    sent = {**headers, "Vary": "Accept-Encoding, Cookie"}
    if takes_gzip(request.headers.get("accept-encoding", "")):
        content, sent = gzip.compress(content, compresslevel=1, mtime=0), {**sent, "Content-Encoding": "gzip"}
    return Response(content, media_type="text/javascript; charset=utf-8", headers=sent)


def _locate(state: ServerState, names: Sequence[str]) -> tuple[str, ...]:
    assets = load_assets(list_packages(list_kinds(state.study)))
    return tuple(assets.locate(name) for name in names)
