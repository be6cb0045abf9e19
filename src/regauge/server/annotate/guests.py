"""Those who only look: guests and workers before they accept a HIT get fixed tasks, managers real ones, and nothing is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from regauge.errors import InputError
from regauge.records.campaigns.campaign import NOT_YOURS, Assignment, AssignmentId, CampaignEntry, Payload, Role
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation.admission import get_open
from regauge.workflows.annotation.previews import list_previews, load_preview_picture, pick_tasks, view_preview
from regauge.workflows.annotation.renditions import RenditionSide
from regauge.workflows.annotation.showing import list_task_images, parse_answer, view_task
from regauge.workflows.annotation.tasks import get_task
from regauge.workflows.campaigns.campaign import get_campaign
from regauge.workflows.studies.study import Study

GUEST = "guest-"
"""How ids of fixed tasks begin."""
GUEST_TASK = re.compile(r"guest-(?P<campaign>[1-9][0-9]{0,9})-(?P<place>[0-9])-[0-9a-f]+", re.ASCII)
TRIED = "tried-"
"""How ids of tasks begin that a manager tries."""
TRIED_TASK = re.compile(r"tried-(?P<task>[1-9][0-9]{0,9})-[0-9a-f]+", re.ASCII)
N_TRIED = 2


@dataclass(frozen=True, slots=True)
class GuestTask:
    """A task for somebody who only looks, under an id that is signed instead of stored."""

    id: str
    n_images: int
    view: Mapping[str, Any]


def take_guest_tasks(
    study: Study, campaign_id: int, *, session: Session, state: ServerState
) -> tuple[CampaignEntry, tuple[GuestTask, ...]]:
    """Fixed tasks that show what those of a campaign are like; to a manager some of its own, also before it is open.

    Raises:
        InputError: the campaign is not open.
    """
    if session.role is Role.MANAGER:
        return _pick_tried(study, get_campaign(study, campaign_id), session, state=state)
    campaign = get_open(study, campaign_id)
    tasks = list_previews(study, campaign)
    ids = [_make_id(campaign.id, place, session, state=state) for place in range(len(tasks))]
    return campaign, tuple(
        GuestTask(
            one,
            len(list_task_images(study, campaign, task)),
            view_preview(study, campaign, task=task, shown_id=one),
        )
        for one, task in zip(ids, tasks, strict=True)
    )


def check_guest_answer(
    study: Study, assignment_id: str, answer: Payload, *, session: Session, state: ServerState
) -> str:
    """Look at an answer as at anybody's, and forget it.

    Raises:
        InputError: the answer does not fit the task.
    """
    if assignment_id.startswith(TRIED):
        campaign, task = get_tried_task(study, assignment_id, session=session, state=state)
    else:
        campaign, task = _get_task(study, assignment_id, session=session, state=state)
    parse_answer(study, campaign, task=task, answer=answer)
    return "guest"


def get_tried_task(
    study: Study, assignment_id: str, *, session: Session, state: ServerState
) -> tuple[CampaignEntry, Payload]:
    """The task of a campaign that a manager tries, with its campaign.

    Raises:
        InputError: there is no such task of theirs.
    """
    found = TRIED_TASK.fullmatch(assignment_id)
    if found is None or session.role is not Role.MANAGER:
        raise InputError(NOT_YOURS)
    task_id = int(found["task"])
    if assignment_id != _sign(f"{TRIED}{task_id}", session, state=state):
        raise InputError(NOT_YOURS)
    return get_task(study, task_id)


def load_guest_picture(
    study: Study, place: tuple[str, int], *, session: Session, state: ServerState, side: RenditionSide
) -> bytes:
    """A picture of a task that somebody looks at, by the task's id and its place there.

    Raises:
        InputError: there is no such task of theirs, or no such picture.
    """
    assignment_id, cell = place
    campaign, task = _get_task(study, assignment_id, session=session, state=state)
    pictures = list_task_images(study, campaign, task)
    if not 0 <= cell < len(pictures):
        raise InputError("There is no such image.")
    return load_preview_picture(pictures[cell], side=side)


def _get_task(
    study: Study, assignment_id: str, *, session: Session, state: ServerState
) -> tuple[CampaignEntry, Payload]:
    found = GUEST_TASK.fullmatch(assignment_id)
    if found is None:
        raise InputError(NOT_YOURS)
    campaign_id, place = int(found["campaign"]), int(found["place"])
    if assignment_id != _make_id(campaign_id, place, session, state=state):
        raise InputError(NOT_YOURS)
    campaign = get_campaign(study, campaign_id)
    return campaign, list_previews(study, campaign)[place]


def _pick_tried(
    study: Study, campaign: CampaignEntry, session: Session, *, state: ServerState
) -> tuple[CampaignEntry, tuple[GuestTask, ...]]:
    """Some tasks at random, which are the manager's to see: under ids that are signed, so that there is nothing to keep."""
    found = []
    for task_id, task in pick_tasks(study, campaign, n=N_TRIED).items():
        shown_id = AssignmentId(_sign(f"{TRIED}{task_id}", session, state=state))
        shown = Assignment(shown_id, task_id, campaign.id, session.annotator_id, task, "")
        n_images = len(list_task_images(study, campaign, task))
        found.append(GuestTask(shown_id, n_images, view_task(study, shown, campaign)))
    return campaign, tuple(found)


def _make_id(campaign_id: int, place: int, session: Session, *, state: ServerState) -> str:
    return _sign(f"{GUEST}{campaign_id}-{place}", session, state=state)


def _sign(text: str, session: Session, *, state: ServerState) -> str:
    """Signed for whoever looks: nobody can make an id, or use another's."""
    return f"{text}-{state.sessions.sign(f'{text}-{session.annotator_id}')}"
