"""Guests, workers before they accept a HIT, and managers who look at what annotators see: fixed tasks, and nothing is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from regauge.errors import InputError
from regauge.records.campaigns import NOT_YOURS, CampaignEntry, Kind, Payload, Role
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation import get_open, list_task_images, parse_answer
from regauge.workflows.campaigns import get_campaign
from regauge.workflows.previews import list_previews, load_drawn, view_preview
from regauge.workflows.studies import Study

GUEST = "guest-"
"""How ids of tasks begin that are only looked at."""
GUEST_TASK = re.compile(r"guest-(?P<campaign>[1-9][0-9]{0,9})-(?P<place>[0-9])-[0-9a-f]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class GuestTask:
    """A task for somebody who only looks, under an id that is signed instead of stored."""

    id: str
    n_images: int
    view: Mapping[str, Any]


def take_guest_tasks(
    study: Study, campaign_id: int, *, session: Session, state: ServerState
) -> tuple[CampaignEntry, tuple[GuestTask, ...]]:
    """The tasks that show what those of a campaign are like; to a manager also of a campaign not yet open.

    Raises:
        InputError: the campaign is not open.
    """
    campaign = (get_campaign if session.role is Role.MANAGER else get_open)(study, campaign_id)
    tasks = list_previews(campaign.kind)
    ids = [_make_id(campaign.id, place, session, state=state) for place in range(len(tasks))]
    return campaign, tuple(
        GuestTask(one, len(list_task_images(campaign.kind, task)), view_preview(task, campaign.kind, shown_id=one))
        for one, task in zip(ids, tasks, strict=True)
    )


def check_guest_answer(
    study: Study, assignment_id: str, answer: Payload, *, session: Session, state: ServerState
) -> str:
    """Look at an answer as at anybody's, and forget it.

    Raises:
        InputError: it is no answer to the task.
    """
    kind, task = _get_task(study, assignment_id, session=session, state=state)
    parse_answer(task, answer, kind=kind)
    return "guest"


def load_guest_picture(study: Study, assignment_id: str, cell: int, *, session: Session, state: ServerState) -> bytes:
    """A picture of a task that somebody looks at.

    Raises:
        InputError: there is no such task of theirs, or no such picture.
    """
    kind, task = _get_task(study, assignment_id, session=session, state=state)
    pictures = list_task_images(kind, task)
    if not 0 <= cell < len(pictures):
        raise InputError("There is no such image.")
    return load_drawn(pictures[cell])


def _get_task(study: Study, assignment_id: str, *, session: Session, state: ServerState) -> tuple[Kind, Payload]:
    found = GUEST_TASK.fullmatch(assignment_id)
    if found is None:
        raise InputError(NOT_YOURS)
    campaign_id, place = int(found["campaign"]), int(found["place"])
    if assignment_id != _make_id(campaign_id, place, session, state=state):
        raise InputError(NOT_YOURS)
    kind = get_campaign(study, campaign_id).kind
    return kind, list_previews(kind)[place]


def _make_id(campaign_id: int, place: int, session: Session, *, state: ServerState) -> str:
    """Signed for whoever looks: a manager and a guest who look at one task must not be taken for the same."""
    text = f"guest-{campaign_id}-{place}"
    return f"{text}-{state.sessions.sign(f'{text}-{session.annotator_id}')}"
