"""Threads of comments about images of a campaign ↔ rows: one per comment; the first says what holds for its thread."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, delete, func, insert, or_, select, update

from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, Payload, Role
from regauge.records.campaigns.comments import CommentThread, NewComment, ReviewComment
from regauge.storage.campaigns.campaign import was_shown
from regauge.storage.database.schema import annotators, assignments, responses, review_comments, tasks
from regauge.storage.study import Study

_FIRSTS = review_comments.alias("firsts")


class LastAnswer(NamedTuple):
    """What somebody answered to a task last, and how many answers to it they sent."""

    answer: Payload
    n: int


class OwnComment(NamedTuple):
    """What somebody wrote, by the number of its campaign."""

    campaign_id: int
    text: str
    at: str


def insert_comment(study: Study, campaign: CampaignEntry, *, annotator_id: int, new: NewComment, n_answers: int) -> int:
    """Store a comment, once however often it is sent; returns the number of its thread.

    Args:
        study: the study.
        campaign: which campaign.
        annotator_id: who writes.
        new: what they write.
        n_answers: how many answers had been sent by whoever an answer is returned to; means nothing where none is.
    """
    known = _find_sent(study, campaign, annotator_id, new.client_id)
    if known is not None:
        return known
    row = {
        "campaign_id": campaign.id,
        "number": new.number,
        "class_index": new.class_index,
        "thread_id": new.thread_id,
        "task_id": new.task_id,
        "annotator_id": annotator_id,
        "text": new.text,
        "at": study.around.now(),
        "client_id": new.client_id or None,
        "returned_to": new.returned_to,
        "n_answers": None if new.returned_to is None else n_answers,
    }
    made: int = study.connection.execute(insert(review_comments).returning(review_comments.c.id), row).scalar_one()
    if new.thread_id is None:
        return made
    # Whoever writes again has something to settle.
    set_resolved(study, new.thread_id, is_resolved=False)
    return new.thread_id


def list_threads(
    study: Study, campaign: CampaignEntry, *, numbers: Collection[int] | None = None
) -> tuple[CommentThread, ...]:
    """The threads of a campaign, or of some of its images; those that were begun first come first."""
    mine = review_comments.c.campaign_id == campaign.id
    if numbers is not None:
        mine = and_(mine, review_comments.c.number.in_(numbers))
    return _load_threads(study, mine)


def find_thread(study: Study, campaign: CampaignEntry, thread_id: int) -> CommentThread | None:
    """A thread of a campaign by its number, or None."""
    is_of = or_(review_comments.c.id == thread_id, review_comments.c.thread_id == thread_id)
    found = _load_threads(study, and_(review_comments.c.campaign_id == campaign.id, is_of))
    return next((one for one in found if one.id == thread_id), None)


def set_resolved(study: Study, thread_id: int, *, is_resolved: bool) -> None:
    """Say that nothing is open in a thread any more, or that something is."""
    at = study.around.now() if is_resolved else None
    study.connection.execute(update(review_comments).where(review_comments.c.id == thread_id).values(resolved_at=at))


def count_open_threads(study: Study, campaign: CampaignEntry) -> dict[int, int]:
    """Per image of a campaign that has any, how many threads are open."""
    is_open = (review_comments.c.thread_id.is_(None), review_comments.c.resolved_at.is_(None))
    query = (
        select(review_comments.c.number, func.count())
        .where(review_comments.c.campaign_id == campaign.id, *is_open)
        .group_by(review_comments.c.number)
    )
    return {row[0]: row[1] for row in study.connection.execute(query)}


def find_returned(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> dict[AssignmentId, str]:
    """What was returned to somebody and they have not answered anew, with what was said; the oldest first."""
    n_sent = (
        select(func.count())
        .where(responses.c.task_id == review_comments.c.task_id, responses.c.annotator_id == annotator_id)
        .correlate(review_comments)
        .scalar_subquery()
    )
    is_given = and_(
        assignments.c.task_id == review_comments.c.task_id, assignments.c.annotator_id == review_comments.c.returned_to
    )
    query = (
        select(assignments.c.id, review_comments.c.text)
        .select_from(review_comments.join(assignments, is_given))
        .where(
            review_comments.c.campaign_id == campaign.id,
            review_comments.c.returned_to == annotator_id,
            n_sent <= review_comments.c.n_answers,
        )
        .order_by(review_comments.c.id)
    )
    return {AssignmentId(row.id): row.text for row in study.connection.execute(query)}


def find_last_answers(study: Study, task_ids: Sequence[int], *, annotator_id: int) -> dict[int, LastAnswer]:
    """What somebody answered last to some tasks, by their numbers; reports that nothing could be shown are none."""
    query = (
        select(responses.c.task_id, responses.c.answer)
        .where(responses.c.task_id.in_(task_ids), responses.c.annotator_id == annotator_id, was_shown())
        .order_by(responses.c.revision, responses.c.id)
    )
    found: dict[int, LastAnswer] = {}
    for row in study.connection.execute(query) if task_ids else ():
        n = found[row.task_id].n if row.task_id in found else 0
        found[row.task_id] = LastAnswer(row.answer, n + 1)
    return found


def list_unanswered(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> list[Payload]:
    """The tasks of a campaign that somebody was given and did not answer."""
    is_answered = (
        select(responses.c.id)
        .where(responses.c.task_id == assignments.c.task_id, responses.c.annotator_id == annotator_id)
        .exists()
    )
    query = (
        select(tasks.c.payload)
        .join(assignments, assignments.c.task_id == tasks.c.id)
        .where(tasks.c.campaign_id + 0 == campaign.id, assignments.c.annotator_id == annotator_id, ~is_answered)
    )
    return list(study.connection.scalars(query))


def list_own_comments(study: Study, annotator_id: int) -> tuple[OwnComment, ...]:
    """What somebody wrote, the oldest first; which images it was about they know, and nobody is told their names."""
    columns = (review_comments.c.campaign_id, review_comments.c.text, review_comments.c.at)
    query = select(*columns).where(review_comments.c.annotator_id == annotator_id, review_comments.c.text != "")
    return tuple(OwnComment(*row) for row in study.connection.execute(query.order_by(review_comments.c.id)))


def delete_comments(study: Study, annotator_id: int) -> None:
    """Delete what somebody wrote, and that something was returned to them; where others answered them, the place stays, empty."""
    mine = review_comments.c.annotator_id == annotator_id
    followed = select(_FIRSTS.c.thread_id).where(
        _FIRSTS.c.annotator_id != annotator_id, _FIRSTS.c.thread_id.is_not(None)
    )
    is_followed = and_(review_comments.c.thread_id.is_(None), review_comments.c.id.in_(followed))
    study.connection.execute(update(review_comments).where(mine, is_followed).values(text=""))
    study.connection.execute(delete(review_comments).where(mine, review_comments.c.text != ""))
    returned = review_comments.c.returned_to == annotator_id
    study.connection.execute(update(review_comments).where(returned).values(n_answers=None))


def _find_sent(study: Study, campaign: CampaignEntry, annotator_id: int, client_id: str) -> int | None:
    """The thread of a comment that was sent before, or None."""
    if not client_id:
        return None
    mine = and_(review_comments.c.campaign_id == campaign.id, review_comments.c.annotator_id == annotator_id)
    first = func.coalesce(review_comments.c.thread_id, review_comments.c.id)
    found: int | None = study.connection.scalar(select(first).where(mine, review_comments.c.client_id == client_id))
    return found


def _load_threads(study: Study, mine: ColumnElement[bool]) -> tuple[CommentThread, ...]:
    names = (
        "id",
        "number",
        "class_index",
        "thread_id",
        "task_id",
        "annotator_id",
        "text",
        "at",
        "resolved_at",
        "returned_to",
    )
    query = (
        select(*(review_comments.c[name] for name in names), annotators.c.name, annotators.c.role)
        .join(annotators, annotators.c.id == review_comments.c.annotator_id)
        .where(mine)
        .order_by(review_comments.c.id)
    )
    rows = study.connection.execute(query).all()
    comments: dict[int, list[ReviewComment]] = {}
    for row in rows:
        comments.setdefault(row.id if row.thread_id is None else row.thread_id, []).append(
            ReviewComment(
                row.id, row.annotator_id, row.name, row.role == Role.MANAGER.value, row.task_id, row.text, row.at
            )
        )
    return tuple(
        CommentThread(row.id, row.number, row.class_index, row.resolved_at, row.returned_to, tuple(comments[row.id]))
        for row in rows
        if row.thread_id is None
    )
