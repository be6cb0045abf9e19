"""Guests, and managers who look at what annotators see: real tasks to answer, and nothing of it is kept."""

from __future__ import annotations

from regauge.errors import InputError
from regauge.records.campaigns import NOT_YOURS, Assignment, AssignmentId, CampaignEntry, Payload, Role
from regauge.server.sessions import Session
from regauge.server.state import ServerState
from regauge.workflows.annotation import draw_tasks, get_open, get_task, parse_answer
from regauge.workflows.campaigns import get_campaign
from regauge.workflows.studies import Study

N_SHOWN = 2


def take_guest_tasks(
    study: Study, campaign_id: int, *, session: Session, state: ServerState
) -> tuple[CampaignEntry, tuple[Assignment, ...]]:
    """Some tasks at random, under ids that are signed instead of stored; to a manager also those of a campaign not yet open.

    Raises:
        InputError: the campaign is not open.
    """
    campaign = (get_campaign if session.role is Role.MANAGER else get_open)(study, campaign_id)
    tasks = tuple(
        Assignment(_make_id(task_id, session, state=state), task_id, campaign.id, session.annotator_id, payload, "")
        for task_id, payload in draw_tasks(study, campaign, n=N_SHOWN).items()
    )
    return campaign, tasks


def check_guest_answer(
    study: Study, assignment_id: str, answer: Payload, *, session: Session, state: ServerState
) -> str:
    """Look at an answer as at anybody's, and forget it.

    Raises:
        InputError: it is no answer to the task.
    """
    campaign, payload = get_guest_task(study, assignment_id, session=session, state=state)
    parse_answer(payload, answer, kind=campaign.kind)
    return "guest"


def get_guest_task(
    study: Study, assignment_id: str, *, session: Session, state: ServerState
) -> tuple[CampaignEntry, Payload]:
    """The task that was shown to a guest or a manager, with its campaign.

    Raises:
        InputError: this is no id of ours.
    """
    _, _, rest = assignment_id.partition("-")
    number = rest.partition("-")[0]
    if not number.isdecimal() or assignment_id != _make_id(int(number), session, state=state):
        raise InputError(NOT_YOURS)
    return get_task(study, int(number))


def _make_id(task_id: int, session: Session, *, state: ServerState) -> AssignmentId:
    """Signed for whoever looks: a manager and a guest who look at one task must not be taken for the same."""
    return AssignmentId(f"guest-{task_id}-{state.sessions.sign(f'guest-{task_id}-{session.annotator_id}')}")
