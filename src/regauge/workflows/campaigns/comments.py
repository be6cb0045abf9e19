"""Reviewers and managers talk about the images of a campaign in threads, and hand images back to each other with a comment.

Whoever has not judged a task learns nothing of what others wrote at it: votes are independent.
"""

from __future__ import annotations

from dataclasses import replace

from regauge.campaigns.comments import ThreadReader, is_returned, keep_readable, read_comment
from regauge.campaigns.eligibility import is_on_panel
from regauge.campaigns.locks import find_lock
from regauge.errors import InputError
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import NOT_YOURS, Assignment, AssignmentId, CampaignEntry, CampaignState
from regauge.records.campaigns.comments import CommentThread, NewComment
from regauge.records.responses.submissions import MAX_REVISIONS
from regauge.storage.campaigns.assignments import find_assignment
from regauge.storage.campaigns.campaign import find_task, get_campaign
from regauge.storage.campaigns.comments import (
    count_open_threads,
    find_last_answers,
    find_returned,
    find_thread,
    insert_comment,
    list_threads,
    list_unanswered,
    set_resolved,
)
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.campaigns.ledgers import find_images
from regauge.storage.events import add_event
from regauge.storage.people.annotators import get_annotator
from regauge.storage.study import Study

__all__ = [
    "comment_as_manager",
    "comment_as_reviewer",
    "count_open_threads",
    "has_threads",
    "list_image_threads",
    "list_readable_threads",
    "resolve_as_manager",
    "resolve_as_reviewer",
    "return_answer",
]

NO_THREAD = "There is no such thread."


def has_threads(study: Study, campaign: CampaignEntry) -> bool:
    """Whether the images of a campaign can be commented on."""
    return find_kind(study.around.kinds, campaign.kind).has_threads


def list_image_threads(study: Study, campaign: CampaignEntry, *, number: int) -> tuple[CommentThread, ...]:
    """All threads of an image, for managers."""
    return list_threads(study, campaign, numbers=[number])


def list_readable_threads(
    study: Study, campaign_id: int, *, assignment_id: AssignmentId, annotator_id: int
) -> tuple[tuple[int, CommentThread], ...]:
    """What a reviewer may read about the images of a task that they have, each thread with the image's place in the task.

    Raises:
        InputError: the task is not theirs, or the campaign has no threads.
    """
    campaign, assignment = _get_mine(study, campaign_id, assignment_id, annotator_id)
    images = _list_images(study, campaign, assignment)
    found = list_threads(study, campaign, numbers=images)
    reader = _find_reader(study, campaign, assignment, found)
    readable = (keep_readable(one, reader) for one in found)
    return tuple((images.index(one.number), one) for one in readable if one is not None)


def comment_as_reviewer(
    study: Study, campaign_id: int, *, assignment_id: AssignmentId, annotator_id: int, new: NewComment
) -> int:
    """Write something about an image of a task that one has; returns the number of the thread.

    Args:
        study: the study, inside a transaction that may write.
        campaign_id: which campaign.
        assignment_id: the task that the reviewer has.
        annotator_id: who writes.
        new: what they write; its number is the place of the image in the task.

    Raises:
        InputError: the task is not theirs, it has no such image, nothing is said, or they cannot read that thread.
    """
    campaign, assignment = _get_mine(study, campaign_id, assignment_id, annotator_id)
    images = _list_images(study, campaign, assignment)
    if not 0 <= new.number < len(images):
        raise InputError(f"The task has {len(images)} images, and none at place {new.number}.")
    said = replace(new, number=images[new.number], task_id=assignment.task_id, text=read_comment(new.text))
    _check_class(study, said)
    if said.thread_id is not None:
        _get_readable(study, campaign, assignment, said)
    return insert_comment(study, campaign, annotator_id=annotator_id, new=said, n_answers=0)


def comment_as_manager(study: Study, campaign_id: int, *, annotator_id: int, new: NewComment) -> int:
    """Write something about an image of a campaign, as its manager; returns the number of the thread.

    Raises:
        InputError: the campaign has no threads, no such image or no such thread, or nothing is said.
    """
    campaign = _get_discussed(study, campaign_id)
    # A campaign may have very many images, and one is meant.
    if not find_images(study, campaign, numbers=[new.number]):
        raise InputError(f"Campaign {campaign.name} has no image {new.number}.")
    _check_class(study, new)
    if new.thread_id is not None:
        thread = find_thread(study, campaign, new.thread_id)
        if thread is None or thread.number != new.number:
            raise InputError(NO_THREAD)
    said = replace(new, text=read_comment(new.text))
    return insert_comment(study, campaign, annotator_id=annotator_id, new=said, n_answers=0)


def resolve_as_reviewer(
    study: Study, campaign_id: int, *, assignment_id: AssignmentId, annotator_id: int, change: tuple[int, bool]
) -> None:
    """Say that nothing is open in a thread that one began, or that something is.

    Args:
        study: the study, inside a transaction that may write.
        campaign_id: which campaign.
        assignment_id: the task that the reviewer has.
        annotator_id: who says so.
        change: the number of the thread, and whether it is resolved.

    Raises:
        InputError: the task is not theirs, or the thread was begun by somebody else.
    """
    campaign, assignment = _get_mine(study, campaign_id, assignment_id, annotator_id)
    thread_id, is_resolved = change
    thread = _get_readable(study, campaign, assignment, NewComment(-1, "", thread_id=thread_id))
    if thread.began_by != annotator_id:
        raise InputError("A thread is resolved by whoever began it, or by the manager.")
    set_resolved(study, thread_id, is_resolved=is_resolved)


def resolve_as_manager(study: Study, campaign_id: int, *, thread_id: int, is_resolved: bool) -> None:
    """Say that nothing is open in a thread, or that something is.

    Raises:
        InputError: the campaign has no such thread.
    """
    campaign = _get_discussed(study, campaign_id)
    thread = find_thread(study, campaign, thread_id)
    if thread is None:
        raise InputError(NO_THREAD)
    set_resolved(study, thread_id, is_resolved=is_resolved)
    add_event(
        study,
        "thread resolve" if is_resolved else "thread reopen",
        {"campaign": campaign.name, "image": thread.number, "thread": thread_id},
    )


def return_answer(study: Study, campaign_id: int, *, task_id: int, by: int, new: NewComment) -> int:
    """Return an answer to the reviewer who gave it, with a comment: it is the next thing that they are shown, to be revised.

    Args:
        study: the study, inside a transaction that may write.
        campaign_id: which campaign.
        task_id: the task that was answered.
        by: the manager who returns it.
        new: what they say, about which image, and to whom the answer is returned.

    Returns:
        The number of the thread.

    Raises:
        InputError: the campaign is not open, the reviewer has not answered the task, can no longer change the answer, has it to
            revise already, or nothing is said.
    """
    campaign = _get_discussed(study, campaign_id)
    if campaign.state is not CampaignState.OPEN:
        raise InputError(
            f"Campaign {campaign.name} is {campaign.state}, so nobody could revise an answer; open it first."
        )
    found = find_task(study, task_id)
    if new.returned_to is None or found is None or found[0] != campaign.id:
        raise InputError(f"Campaign {campaign.name} has no task {task_id}.")
    kind, person = find_kind(study.around.kinds, campaign.kind), get_annotator(study, new.returned_to)
    if new.number not in kind.task.list_images(found[1]):
        raise InputError(f"Task {task_id} does not show image {new.number}.")
    last = find_last_answers(study, [task_id], annotator_id=person.id).get(task_id)
    if last is None:
        raise InputError(f"{person.name} has not answered task {task_id}, so there is nothing to return.")
    if find_lock(found[1]) or last.n > MAX_REVISIONS:
        raise InputError(f"The answer of {person.name} to task {task_id} can no longer be changed.")
    if person.erased_at is not None or person.id in find_dropped(study, campaign):
        raise InputError(f"{person.name} does not work on campaign {campaign.name} any more.")
    said = replace(new, text=read_comment(new.text), task_id=task_id)
    waiting = find_returned(study, campaign, annotator_id=person.id)
    if any(_get_task_id(study, one) == task_id for one in waiting):
        raise InputError(f"{person.name} has task {task_id} to revise already.")
    thread_id = insert_comment(study, campaign, annotator_id=by, new=said, n_answers=last.n)
    add_event(study, "answer return", {"campaign": campaign.name, "annotator": person.name, "task": task_id})
    return thread_id


def _get_task_id(study: Study, assignment_id: AssignmentId) -> int | None:
    assignment = find_assignment(study, assignment_id)
    return None if assignment is None else assignment.task_id


def _get_discussed(study: Study, campaign_id: int) -> CampaignEntry:
    campaign = get_campaign(study, campaign_id)
    if not has_threads(study, campaign):
        raise InputError(f"Campaign {campaign.name} is of the kind {campaign.kind}, whose images have no threads.")
    return campaign


def _get_mine(
    study: Study, campaign_id: int, assignment_id: AssignmentId, annotator_id: int
) -> tuple[CampaignEntry, Assignment]:
    """A task that somebody was given in a campaign that they may work on."""
    assignment = find_assignment(study, assignment_id)
    if assignment is None or assignment.annotator_id != annotator_id or assignment.campaign_id != campaign_id:
        raise InputError(NOT_YOURS)
    campaign = _get_discussed(study, campaign_id)
    is_in = is_on_panel(campaign.plan.settings, annotator_id) and annotator_id not in find_dropped(study, campaign)
    if campaign.state is not CampaignState.OPEN or not is_in:
        raise InputError("You do not work on this campaign at the moment, so you cannot comment on its images.")
    return campaign, assignment


def _list_images(study: Study, campaign: CampaignEntry, assignment: Assignment) -> list[int]:
    return find_kind(study.around.kinds, campaign.kind).task.list_images(assignment.payload)


def _find_reader(
    study: Study, campaign: CampaignEntry, assignment: Assignment, threads: tuple[CommentThread, ...]
) -> ThreadReader:
    """Who looks at a task, and what of it and of the tasks at which others wrote they have judged."""
    written_at = {one.task_id for thread in threads for one in thread.comments if one.task_id is not None}
    asked = sorted({assignment.task_id, *written_at})
    last = find_last_answers(study, asked, annotator_id=assignment.annotator_id)
    answered = frozenset(task_id for task_id, one in last.items() if not is_returned(one.answer))
    kind, shown = find_kind(study.around.kinds, campaign.kind), set(_list_images(study, campaign, assignment))
    waiting = list_unanswered(study, campaign, annotator_id=assignment.annotator_id)
    is_waiting = any(not shown.isdisjoint(kind.task.list_images(one)) for one in waiting)
    return ThreadReader(assignment.annotator_id, answered, assignment.task_id in answered and not is_waiting)


def _get_readable(study: Study, campaign: CampaignEntry, assignment: Assignment, said: NewComment) -> CommentThread:
    """The thread that a comment is added to, if whoever writes may read it; of any other they do not learn that it is there."""
    thread = find_thread(study, campaign, said.thread_id or 0)
    is_here = thread is not None and thread.number in _list_images(study, campaign, assignment)
    if thread is None or not is_here or said.number not in {-1, thread.number}:
        raise InputError(NO_THREAD)
    readable = keep_readable(thread, _find_reader(study, campaign, assignment, (thread,)))
    if readable is None:
        raise InputError(NO_THREAD)
    return thread


def _check_class(study: Study, new: NewComment) -> None:
    if new.class_index is not None and not 0 <= new.class_index < len(study.taxonomy):
        raise InputError(f"There is no class of the number {new.class_index}.")
