"""What reviewers of drawn test sets do: remove images and take that back, mark classes, and draw a revision."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from regauge.records.names import MAX_REASON
from regauge.server.annotate.api import MAX_ID, ClassNumber, State
from regauge.server.annotate.pages import render_macros
from regauge.server.manage.draws.pages import foresee_all, make_class
from regauge.server.manage.draws.views import find_address
from regauge.server.manage.live import PartsView
from regauge.server.manage.roles import ManagingReader, ManagingWriter, Strict, TypedText, change
from regauge.workflows.studies.study import Study
from regauge.workflows.testsets.draw_reviews import (
    mark_reviewed,
    name_drawn,
    open_review,
    remove_from_draw,
    restore_to_draw,
)
from regauge.workflows.testsets.draws import DrawnTestSet, revise_test_set

router = APIRouter(prefix="/api/manage/draws/{test_set_id}")

TestSetId = Annotated[int, Path(ge=1, le=MAX_ID)]
ImageId = Annotated[TypedText, Field(min_length=1, max_length=1_000)]


class Removal(Strict):
    """Which image is removed, and why."""

    image_id: ImageId
    reason: Annotated[TypedText, Field(min_length=1, max_length=MAX_REASON)]


class Restoring(Strict):
    """Which image is taken back."""

    image_id: ImageId


class RevisionRequest(Strict):
    """How to draw a revision; without a name it is numbered."""

    name: Annotated[TypedText, Field(max_length=200)] = ""
    allow_short: bool = False


class ImageState(Strict):
    """Whether an image is removed now."""

    image_id: str
    is_removed: bool


class ClassNews(PartsView):
    """What changed about a class."""

    n_removed: int


class RevisionView(Strict):
    """The revision that was drawn, and where its page is."""

    name: str
    address: str
    n_images: int
    n_carried: int


@router.get("/classes/{class_index}")
async def follow_class(
    state: State, _session: ManagingReader, test_set_id: TestSetId, class_index: ClassNumber
) -> ClassNews:
    """The images of a class, as they are now."""
    view = await state.read(lambda study: make_class(study, name_drawn(study, test_set_id), class_index=class_index))
    parts = render_macros(
        state, "manage_draw_parts.html", {"progress": ("progress", view), "pictures": ("pictures", view)}
    )
    return ClassNews(parts=parts, n_removed=view.standing.n_removed)


@router.get("/classes/{class_index}/foresight")
async def foresee(
    state: State, _session: ManagingReader, test_set_id: TestSetId, class_index: ClassNumber
) -> PartsView:
    """What a revision would take anew in a class, and what it would lack."""

    def look(study: Study) -> dict[str, str]:
        found = foresee_all(study, state, open_review(study, name_drawn(study, test_set_id)), class_index=class_index)
        return render_macros(state, "manage_draw_parts.html", {"foresight": ("foresight", found)})

    return PartsView(parts=await state.read(look))


@router.post("/classes/{class_index}/reviewed", status_code=204)
async def mark(state: State, session: ManagingWriter, test_set_id: TestSetId, class_index: ClassNumber) -> None:
    """Note down that somebody has looked at every image of a class."""

    def work(study: Study) -> None:
        mark_reviewed(study, name_drawn(study, test_set_id), class_index=class_index)

    await change(state, session, work=work)


@router.post("/remove")
async def remove(state: State, session: ManagingWriter, test_set_id: TestSetId, body: Removal) -> ImageState:
    """Remove an image: revisions are drawn without it."""

    def work(study: Study) -> None:
        remove_from_draw(study, name_drawn(study, test_set_id), image_id=body.image_id, reason=body.reason)

    await change(state, session, work=work)
    return ImageState(image_id=body.image_id, is_removed=True)


@router.post("/restore")
async def restore(state: State, session: ManagingWriter, test_set_id: TestSetId, body: Restoring) -> ImageState:
    """Take back that an image was removed."""

    def work(study: Study) -> None:
        restore_to_draw(study, name_drawn(study, test_set_id), image_id=body.image_id)

    await change(state, session, work=work)
    return ImageState(image_id=body.image_id, is_removed=False)


@router.post("/revise")
async def revise(state: State, session: ManagingWriter, test_set_id: TestSetId, body: RevisionRequest) -> RevisionView:
    """Draw the test set anew, keeping what can be kept."""

    def work(study: Study) -> DrawnTestSet:
        name = name_drawn(study, test_set_id)
        return revise_test_set(study, name, new_name=body.name.strip(), allow_short=body.allow_short)

    made = await change(state, session, work=work)
    return RevisionView(
        name=made.entry.name,
        address=find_address(made.entry.name),
        n_images=made.entry.n_images,
        n_carried=int(made.draw.is_carried.sum()),
    )
