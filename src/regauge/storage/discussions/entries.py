"""What chairs entered, and what panelists handed in ↔ rows; both are only ever added to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, and_, func, insert, select

from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry, Payload, ResponseStatus
from regauge.records.campaigns.discussions import CastVote, DiscussionAct, DiscussionEntry, NewEntry
from regauge.records.responses.submissions import AnsweredAssignment
from regauge.storage.campaigns.campaign import is_work, was_shown
from regauge.storage.campaigns.payloads import TASK_TEXT, parse_task
from regauge.storage.database.schema import discussion_entries, responses, tasks
from regauge.storage.study import Study

_COLUMNS = ("id", "act", "who", "at", "task_id", "subject_id", "reason", "batch", "until")
_LATER = discussion_entries.alias("later")


def insert_entries(
    study: Study, campaign: CampaignEntry, entries: Sequence[NewEntry], *, annotator_id: int | None
) -> None:
    """Store what a chair enters at one time."""
    rows = [
        {
            "campaign_id": campaign.id,
            "act": one.act.value,
            "task_id": one.task_id,
            "subject_id": one.subject_id,
            "annotator_id": annotator_id,
            "who": study.around.who,
            "reason": one.reason,
            "batch": one.batch,
            "until": one.until,
            "at": study.around.now(),
        }
        for one in entries
    ]
    if rows:
        study.connection.execute(insert(discussion_entries), rows)


def list_entries(study: Study, campaign_id: int) -> tuple[DiscussionEntry, ...]:
    """All that was entered in a campaign, the oldest first."""
    columns = [discussion_entries.c[name] for name in _COLUMNS]
    query = select(*columns).where(discussion_entries.c.campaign_id == campaign_id).order_by(discussion_entries.c.id)
    return tuple(DiscussionEntry(row[0], DiscussionAct(row[1]), *row[2:]) for row in study.connection.execute(query))


def has_closed(study: Study, campaign_id: int) -> bool:
    """Whether round 1 of a campaign is over."""
    return find_close(study, campaign_id) is not None


def find_close(study: Study, campaign_id: int) -> int | None:
    """The number of the last answer of round 1; None while it goes on."""
    mine = and_(
        discussion_entries.c.campaign_id == campaign_id,
        discussion_entries.c.task_id.is_(None),
        discussion_entries.c.act == DiscussionAct.CLOSE.value,
    )
    found: int | None = study.connection.scalar(select(func.min(discussion_entries.c.until)).where(mine))
    return found


def load_items(study: Study, campaign: CampaignEntry, *, task_ids: Collection[int] | None = None) -> dict[int, Payload]:
    """The tasks of a campaign that are discussed, by number and in their order; all, or some of them."""
    mine = and_(tasks.c.campaign_id == campaign.id, is_work())
    if task_ids is not None:
        mine = and_(mine, tasks.c.id.in_(task_ids))
    query = select(tasks.c.id, TASK_TEXT).where(mine).order_by(tasks.c.position)
    return {row.id: parse_task(row.payload) for row in study.connection.execute(query)}


def load_cast(study: Study, campaign: CampaignEntry, *, task_ids: Collection[int] | None = None) -> list[CastVote]:
    """All that was handed in, the oldest first; reports that nothing could be shown are left out."""
    mine: list[ColumnElement[bool]] = [tasks.c.campaign_id == campaign.id, is_work(), was_shown()]
    if task_ids is not None:
        mine.append(tasks.c.id.in_(task_ids))
    names = ("id", "task_id", "annotator_id", "answer", "revision", "status", "received_at")
    query = select(*(responses.c[name] for name in names)).join(tasks, tasks.c.id == responses.c.task_id)
    return [
        CastVote(row[0], row[1], row[2], row[3], row[4], row[5] == ResponseStatus.COUNTED.value, row[6])
        for row in study.connection.execute(query.where(*mine).order_by(responses.c.id))
    ]


def find_last_answer(study: Study) -> int:
    """The number of the last answer to any campaign; 0 before the first."""
    return study.connection.scalar(select(func.max(responses.c.id))) or 0


def came_in_time() -> ColumnElement[bool]:
    """Whether an answer came before its item was locked, where it is locked."""
    same = and_(
        discussion_entries.c.task_id == responses.c.task_id, discussion_entries.c.act == DiscussionAct.LOCK.value
    )
    is_ended = (
        select(_LATER.c.id)
        .where(
            _LATER.c.task_id == discussion_entries.c.task_id,
            _LATER.c.act == DiscussionAct.UNLOCK.value,
            _LATER.c.id > discussion_entries.c.id,
        )
        .exists()
    )
    is_late = select(discussion_entries.c.id).where(same, ~is_ended, responses.c.id > discussion_entries.c.until)
    return ~is_late.exists()


def find_discussed(study: Study, given: Sequence[AnsweredAssignment]) -> dict[AssignmentId, Payload]:
    """What was answered last to items of discussions whose round 1 is over; of others nothing."""
    if not given:
        return {}
    is_closed = (
        select(discussion_entries.c.id)
        .where(
            discussion_entries.c.campaign_id == tasks.c.campaign_id,
            discussion_entries.c.task_id.is_(None),
            discussion_entries.c.act == DiscussionAct.CLOSE.value,
        )
        .exists()
    )
    query = (
        select(responses.c.assignment_id, responses.c.answer)
        .join(tasks, tasks.c.id == responses.c.task_id)
        .where(responses.c.task_id.in_({one.task_id for one in given}), is_closed, was_shown())
        .order_by(responses.c.revision, responses.c.id)
    )
    mine = {one.assignment_id for one in given}
    return {AssignmentId(row[0]): row[1] for row in study.connection.execute(query) if row[0] in mine}
