"""What managers do with relations between classes: have some proposed, and accept or reject them with a reason."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from regauge.records.names import MAX_REASON
from regauge.records.taxonomy import RelationKind, RelationStatus
from regauge.server.annotate.api import MAX_ID, State
from regauge.server.manage.roles import ManagingWriter, Strict, TypedText, WithReason, change
from regauge.workflows.labels.relations import decide_relation, make_relation, propose_study_relations
from regauge.workflows.studies.study import Study

router = APIRouter(prefix="/api/manage/relations")

ClassNumber = Annotated[int, Field(ge=0, le=MAX_ID)]


class DecisionRequest(Strict):
    """Which relation is accepted or rejected, and why."""

    kind: Literal["same", "subset", "part"]
    first: ClassNumber
    second: ClassNumber
    status: Literal["accepted", "rejected"]
    reason: Annotated[TypedText, Field(min_length=1, max_length=MAX_REASON)]


class NotesView(Strict):
    """How many relations it was about, and what else to know."""

    n: int
    notes: list[str]


@router.post("/propose")
async def propose(state: State, session: ManagingWriter) -> NotesView:
    """Propose what verdicts, the taxonomy and publications suggest."""
    proposed = await change(state, session, work=propose_study_relations)
    return NotesView(n=len(proposed.entries), notes=list(proposed.notes))


@router.post("/decide")
async def decide(state: State, session: ManagingWriter, body: DecisionRequest) -> NotesView:
    """Accept or reject a relation."""

    def work(study: Study) -> NotesView:
        relation = make_relation(study, RelationKind(body.kind), first=str(body.first), second=str(body.second))
        decided = decide_relation(study, relation, status=RelationStatus(body.status), reason=body.reason)
        return NotesView(n=1, notes=list(decided.notes))

    return await change(state, session, work=work, why=WithReason(reason=body.reason))
