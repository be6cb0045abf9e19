"""What annotators see of what is stored about them, can take along, and ask to have erased."""

from __future__ import annotations

import json

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict

from regauge.records.campaigns import Role
from regauge.server.api import Reader, State, Writer, get_session
from regauge.server.pages import render
from regauge.server.sessions import Session
from regauge.workflows.erasure import ask_for_erasure
from regauge.workflows.own_data import describe_own_data, take_own_data

NOTHING = "Nothing is stored about you: only people who came by a personal link or from a platform have data here."

router = APIRouter()


class ErasureWish(BaseModel):
    """Whether somebody wants their answers to be erased, too."""

    model_config = ConfigDict(extra="forbid", strict=True)

    with_answers: bool


@router.get("/me", include_in_schema=False)
async def show_own(request: Request, state: State) -> Response:
    """What is stored about whoever asks."""
    session = _check(get_session(request))
    view = await state.read(lambda study: describe_own_data(study, session.annotator_id))
    return render(request, "own.html", view)


@router.get("/api/me")
async def download_own(state: State, session: Reader) -> Response:
    """All of it as a file."""
    _check(session)
    found = await state.read(lambda study: take_own_data(study, session.annotator_id))
    headers = {"Content-Disposition": 'attachment; filename="my-data.json"'}
    return Response(json.dumps(found, indent=1), media_type="application/json", headers=headers)


@router.post("/api/me/erasure", status_code=204)
async def ask_to_be_erased(state: State, session: Writer, body: ErasureWish) -> None:
    """Ask the manager to erase one's identity, and if wished one's answers."""
    _check(session)
    await state.writer.run(lambda study: ask_for_erasure(study, session.annotator_id, with_answers=body.with_answers))


def _check(session: Session) -> Session:
    if session.role is not Role.ANNOTATOR:
        raise HTTPException(404, NOTHING)
    return session
