"""What annotators see of what is stored about them, can take along, and ask to have erased."""

from __future__ import annotations

import json
from dataclasses import dataclass

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict

from regauge.records.campaigns.campaign import Platform, Role
from regauge.server.annotate.api import Reader, State, Worker, get_session
from regauge.server.annotate.pages import render
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.people.erasure import ask_for_erasure
from regauge.workflows.people.own_data import describe_own_data, find_platform, take_own_data

NOTHING = "Nothing is stored about you: only people who came through a personal link or from a platform have data here."
UNPROVEN = {
    Platform.PROLIFIC: "Send the researchers a message on Prolific; that way they know it is you.",
    Platform.MTURK: "Write to the requester through “Contact” on Mechanical Turk; that way they know it is you.",
}
"""Whom people ask whose address says who they are, and nothing proves it: whoever knows their id can come as them."""

router = APIRouter()


@dataclass(frozen=True, slots=True)
class UnprovenView:
    """Whom somebody asks for their data who cannot prove here who they are."""

    words: str


class OwnErasureRequest(BaseModel):
    """Whether somebody wants their answers to be erased, too."""

    model_config = ConfigDict(extra="forbid", strict=True)

    with_answers: bool


@router.get("/me", include_in_schema=False)
async def show_own(request: Request, state: State) -> Response:
    """What is stored about whoever asks."""
    session = _check(get_session(request))
    words = await _find_unproven(state, session)
    if words:
        return render(request, "own_unproven.html", UnprovenView(words), status=403)
    view = await state.read(lambda study: describe_own_data(study, session.annotator_id))
    return render(request, "own.html", view)


@router.get("/api/me")
async def download_own(state: State, session: Reader) -> Response:
    """Everything that is stored about somebody, as a JSON file."""
    await _check_proven(state, session)
    found = await state.read(lambda study: take_own_data(study, session.annotator_id))
    headers = {"Content-Disposition": 'attachment; filename="my-data.json"'}
    return Response(json.dumps(found, indent=1), media_type="application/json", headers=headers)


@router.post("/api/me/erasure", status_code=204)
async def ask_to_be_erased(state: State, session: Worker, body: OwnErasureRequest) -> None:
    """Ask the manager to erase one's identity and, if asked for, one's answers."""
    await _check_proven(state, session)
    await state.writer.run(lambda study: ask_for_erasure(study, session.annotator_id, with_answers=body.with_answers))


def _check(session: Session) -> Session:
    if session.role is not Role.ANNOTATOR:
        raise HTTPException(404, NOTHING)
    return session


async def _check_proven(state: ServerState, session: Session) -> None:
    """Refuse those whom an id in an address let in: it may be somebody else's."""
    _check(session)
    words = await _find_unproven(state, session)
    if words:
        raise HTTPException(403, f"An id in an address does not prove who you are. {words}")


async def _find_unproven(state: ServerState, session: Session) -> str:
    """Whom somebody from a platform asks instead; empty for those who came by a personal link."""
    platform = await state.read(lambda study: find_platform(study, session.annotator_id))
    return UNPROVEN.get(platform, "")
