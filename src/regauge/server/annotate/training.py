"""What people who are trained are told, and what they ask for; what is right leaves the server only after the answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, ConfigDict, Field

from regauge.arrays import NO_CLASS
from regauge.records.campaigns.campaign import AssignmentId
from regauge.records.guide.entries import MAX_NOTE
from regauge.records.taxonomy import Taxonomy, describe_class
from regauge.server.annotate.api import MAX_ID, CampaignId, Reader, State, Worker
from regauge.server.manage.roles import TypedText
from regauge.workflows.annotation.training.group_reviews import (
    GroupAnswers,
    GroupNote,
    GroupReview,
    find_group_answers,
    find_group_review,
    note_in_guide,
)
from regauge.workflows.annotation.training.trainees import TraineeLessons, find_lessons, request_classes, tell
from regauge.workflows.studies.audit import act_for
from regauge.workflows.studies.study import Study

router = APIRouter(prefix="/api")
N_UNCOVERED = 10
NOTHING = "Those who only look are told nothing."


class ClassesRequest(BaseModel):
    """What somebody asks for more of: classes, nodes of the hierarchy or groups, by name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)]


class NoteRequest(BaseModel):
    """A note for the guide on an image, and the version of the guide at which it was last changed; 0 for a new one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    note: Annotated[TypedText, Field(max_length=MAX_NOTE)]
    other: Annotated[int, Field(ge=NO_CLASS, le=MAX_ID)] = NO_CLASS
    edited: Annotated[int, Field(ge=0, le=MAX_ID)] = 0


AssignmentPath = Annotated[str, Path(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]


@router.get("/feedback/{assignment_id}")
async def get_feedback(state: State, session: Reader, assignment_id: AssignmentPath) -> dict[str, Any]:
    """Whether the answer to an image is right, and what is."""
    if session.is_trying:
        raise HTTPException(404, NOTHING)

    def read(study: Study) -> dict[str, Any]:
        found = tell(study, AssignmentId(assignment_id), annotator_id=session.annotator_id)
        (named,) = _describe(study.taxonomy, [found.named])
        return {"is_right": found.is_right, "named": named, "accepted": _describe(study.taxonomy, found.accepted)}

    return await state.read(read)


@router.get("/campaigns/{campaign_id}/lessons")
async def get_lessons(state: State, session: Reader, campaign_id: CampaignId) -> dict[str, Any]:
    """How one does, what one confuses, and what one asked for."""
    if session.is_trying:
        raise HTTPException(404, NOTHING)
    return await state.read(
        lambda study: _show(study.taxonomy, find_lessons(study, campaign_id, annotator_id=session.annotator_id))
    )


@router.post("/campaigns/{campaign_id}/requests")
async def request_more(state: State, session: Worker, campaign_id: CampaignId, body: ClassesRequest) -> ClassesRequest:
    """Get images of some classes first; of none, all in their order again."""
    if session.is_trying:
        raise HTTPException(404, NOTHING)
    kept = await state.writer.run(
        lambda study: request_classes(study, campaign_id, annotator_id=session.annotator_id, names=body.names)
    )
    return ClassesRequest(names=list(kept))


@router.get("/campaigns/{campaign_id}/group")
async def get_group_review(state: State, session: Reader, campaign_id: CampaignId) -> dict[str, Any]:
    """The images that one may look at with the group."""
    if session.is_trying:
        raise HTTPException(404, NOTHING)
    return await state.read(
        lambda study: _show_group(
            study.taxonomy, find_group_review(study, campaign_id, annotator_id=session.annotator_id)
        )
    )


@router.get("/group/{assignment_id}")
async def get_group_answers(state: State, session: Reader, assignment_id: AssignmentPath) -> dict[str, Any]:
    """What the group answered to an image, without names."""
    if session.is_trying:
        raise HTTPException(404, NOTHING)
    return await state.read(
        lambda study: _show_answers(
            study.taxonomy,
            find_group_answers(study, AssignmentId(assignment_id), annotator_id=session.annotator_id),
        )
    )


@router.post("/group/{assignment_id}/note")
async def save_group_note(
    state: State, session: Worker, assignment_id: AssignmentPath, body: NoteRequest
) -> dict[str, Any]:
    """Let the guide cite the image with a note."""
    if session.is_trying:
        raise HTTPException(404, NOTHING)
    note = GroupNote(body.note, body.other, body.edited)
    case = await state.writer.run(
        lambda study: note_in_guide(
            act_for(study, session.name), AssignmentId(assignment_id), note, annotator_id=session.annotator_id
        )
    )
    return {"version": case.version, "note": case.note}


def _show_group(taxonomy: Taxonomy, found: GroupReview) -> dict[str, Any]:
    coverage = found.coverage
    return {
        "images": [{"id": one.assignment_id, "n": one.n, "n_right": one.n_right} for one in found.images],
        "n_classes": coverage.n_classes,
        "n_written": coverage.n_classes - len(coverage.missing),
        "uncovered": [{"name": taxonomy.classes[one].name, "n": n} for one, n in found.uncovered[:N_UNCOVERED]],
    }


def _show_answers(taxonomy: Taxonomy, found: GroupAnswers) -> dict[str, Any]:
    return {
        "accepted": _describe(taxonomy, found.accepted),
        "answers": [
            {
                **_describe(taxonomy, [one])[0],
                "n": n,
                "is_own": one == found.own,
                "is_right": one in found.accepted,
            }
            for one, n in found.counts
        ],
        "notes": [{"other": one.other_index, "note": one.note, "version": one.version} for one in found.notes],
    }


def _show(taxonomy: Taxonomy, lessons: TraineeLessons) -> dict[str, Any]:
    return {
        "n": lessons.n,
        "n_right": lessons.n_right,
        "confusions": [
            {
                "accepted": taxonomy.classes[one.accepted].name,
                "named": taxonomy.classes[one.named].name,
                "n": one.n,
            }
            for one in lessons.confusions[:10]
        ],
        "requests": list(lessons.requests),
        "suggested": _describe(taxonomy, lessons.suggested),
        "has_group": lessons.has_group,
    }


def _describe(taxonomy: Taxonomy, classes: Iterable[int]) -> list[dict[str, Any]]:
    return [{"class": one, "id": taxonomy.classes[one].id, **describe_class(taxonomy.classes[one])} for one in classes]
