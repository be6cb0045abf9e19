"""What editors of the labeling guide do: look at a text before it is saved, save it, restore an older one, and cite verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from regauge.arrays import NO_CLASS
from regauge.errors import ConflictError
from regauge.records.guide.entries import MAX_NOTE, MAX_TEXT, GuideEdit, GuideTopic, GuideVersion
from regauge.records.names import MAX_REASON
from regauge.server.annotate.api import MAX_ID, State
from regauge.server.annotate.pages import render_macros
from regauge.server.manage.guide.views import ConflictView, find_picture
from regauge.server.manage.live import PartsView
from regauge.server.manage.roles import ManagingWriter, Strict, TypedText, change
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.guide.cases import Citation, cite_label, withdraw_case
from regauge.workflows.guide.entries import diff_with, get_entry, restore_entry, save_entry
from regauge.workflows.guide.pictures import preview_text
from regauge.workflows.studies.study import Study

PATH = "/api/manage/guide"
MAX_SAVED = 8 * MAX_TEXT + 16_384
"""Bytes of a text at most: a character takes up to six in JSON, and what comes with it has room."""

router = APIRouter(prefix=PATH)

ClassNumber = Annotated[int, Field(ge=0, le=MAX_ID)]
VersionNumber = Annotated[int, Field(ge=0, le=MAX_ID)]
Text = Annotated[TypedText, Field(max_length=2 * MAX_TEXT)]
Reason = Annotated[TypedText, Field(max_length=MAX_REASON)]


class TopicRequest(Strict):
    """Which entry is meant: one class, or two."""

    classes: Annotated[list[ClassNumber], Field(min_length=1, max_length=2)]

    @property
    def topic(self) -> GuideTopic:
        """What it is on."""
        return GuideTopic(*self.classes)


class SaveRequest(TopicRequest):
    """A text, and the version that was edited; sent again with the same id, it is saved once."""

    text: Text
    reason: Reason = ""
    edited: VersionNumber
    client_id: Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


class TextRestoration(TopicRequest):
    """The version whose text comes back, and the one that stood when that was asked for."""

    version: Annotated[int, Field(ge=1, le=MAX_ID)]
    edited: VersionNumber


class PreviewRequest(Strict):
    """A text that is not saved yet."""

    text: Text


class CiteRequest(Strict):
    """Which verdict of which label set is cited, and why."""

    labels: Annotated[TypedText, Field(min_length=1, max_length=300)]
    image: Annotated[TypedText, Field(min_length=1, max_length=1_000)]
    class_index: ClassNumber
    other_index: Annotated[int, Field(ge=NO_CLASS, le=MAX_ID)] = NO_CLASS
    note: Annotated[TypedText, Field(max_length=MAX_NOTE)] = ""


class WithdrawRequest(Strict):
    """The version that cited the case."""

    version: Annotated[int, Field(ge=1, le=MAX_ID)]


class SavedView(Strict):
    """The version that stands now."""

    version: int


@router.post("/preview")
async def preview(state: State, _session: ManagingWriter, body: PreviewRequest) -> PartsView:
    """A text as it would look, or why it may not stand in the guide."""
    html = await state.read(lambda study: preview_text(study, body.text, find_address=find_picture))
    return PartsView(parts={"preview": html})


@router.post("/entries", response_model=SavedView)
async def save(state: State, session: ManagingWriter, body: SaveRequest) -> Response:
    """Save a text as a new version; where somebody else was faster, nothing is stored, and both texts come back."""
    topic, edit = body.topic, GuideEdit(body.text, body.reason, body.edited, body.client_id)
    try:
        return await _store(state, session, lambda study: save_entry(study, topic, edit))
    except ConflictError as error:
        return await _show_conflict(state, error, topic, body.text)


@router.post("/restore", response_model=SavedView)
async def restore(state: State, session: ManagingWriter, body: TextRestoration) -> Response:
    """Give an entry the text again that it had at a version of the guide."""
    topic = body.topic
    return await _store(
        state, session, lambda study: restore_entry(study, topic, version=body.version, edited=body.edited)
    )


@router.post("/cases")
async def cite(state: State, session: ManagingWriter, body: CiteRequest) -> SavedView:
    """Cite the verdict of a label set as a case."""
    citation = Citation(body.image, body.class_index, body.note, body.other_index)
    case = await change(state, session, work=lambda study: cite_label(study, citation, labels=body.labels))
    return SavedView(version=case.version)


@router.post("/cases/withdraw")
async def withdraw(state: State, session: ManagingWriter, body: WithdrawRequest) -> SavedView:
    """Take a case out of the guide again."""
    case = await change(state, session, work=lambda study: withdraw_case(study, body.version))
    return SavedView(version=case.version)


async def _store(state: ServerState, session: Session, work: Callable[[Study], GuideVersion]) -> Response:
    stored = await change(state, session, work=work)
    return JSONResponse(SavedView(version=stored.version).model_dump())


async def _show_conflict(state: ServerState, error: ConflictError, topic: GuideTopic, text: str) -> Response:
    """What stands now beside what was to be saved, for the page of whoever came second."""

    def look(study: Study) -> ConflictView | None:
        current = get_entry(study, topic).current
        return None if current is None else ConflictView(current, diff_with(study, topic, text))

    found = await state.read(look)
    current = {} if found is None else {"version": found.current.version, "text": found.current.text}
    parts = {} if found is None else render_macros(state, "manage_guide_parts.html", {"conflict": ("conflict", found)})
    return JSONResponse({"detail": str(error), "current": current, "parts": parts}, status_code=409)
