"""Erase somebody from the manager's pages: what it would do, and doing it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from regauge.errors import StorageError
from regauge.records.names import MAX_REASON
from regauge.server.annotate.api import AnnotatorId, State
from regauge.server.manage.roles import ManagingReader, ManagingWriter, Strict, TypedText, change
from regauge.server.state import ServerState
from regauge.workflows.people.erasure import erase_annotator, foresee_erasure, scrub

router = APIRouter(prefix="/api/manage")


class ErasurePlanView(Strict):
    """What erasing somebody with their answers would do; panels that vote alone are named and not counted."""

    n_answers: int
    n_campaigns: int
    labels: list[str]
    blind: list[str]


class EraseRequest(Strict):
    """Why somebody is erased, and whether with their answers."""

    reason: Annotated[TypedText, Field(min_length=1, max_length=MAX_REASON)]
    with_answers: bool = False


class ErasureView(Strict):
    """What was done: the new name, answers deleted, new labels, labels to merge again, and who and what is gone or left."""

    name: str
    n_answers: int
    labels: list[str]
    stale_labels: list[str]
    participants: list[str]
    remaining: list[str]
    scrubbed: bool


@router.get("/people/{annotator_id}/erasure")
async def foresee(state: State, _session: ManagingReader, annotator_id: AnnotatorId) -> ErasurePlanView:
    """What erasing somebody would do, before it is done."""
    plan = await state.read(lambda study: foresee_erasure(study, annotator_id, is_blind=True))
    return ErasurePlanView(
        n_answers=plan.n_answers, n_campaigns=plan.n_campaigns, labels=list(plan.labels), blind=list(plan.blind)
    )


@router.post("/people/{annotator_id}/erase")
async def erase(state: State, session: ManagingWriter, annotator_id: AnnotatorId, body: EraseRequest) -> ErasureView:
    """Forget who somebody is, and if asked what they answered; it cannot be undone."""
    done = await change(
        state,
        session,
        work=lambda study: erase_annotator(study, annotator_id, reason=body.reason, with_answers=body.with_answers),
    )
    await state.tell_servers()
    return ErasureView(
        name=done.annotator,
        n_answers=done.n_answers,
        labels=[one.after.full_name for one in done.rebuilt if one.after is not None],
        stale_labels=list(done.stale),
        participants=list(done.participants),
        remaining=list(done.remaining),
        scrubbed=await state.beside(lambda: _scrub(state)),
    )


def _scrub(state: ServerState) -> bool:
    try:
        return scrub(state.study)
    except StorageError:
        # Nothing of the erasure is lost by it; the reply says that the file was not written anew.
        return False
