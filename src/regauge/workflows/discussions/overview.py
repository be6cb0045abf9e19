"""What a panelist may know of a discussion: in round 1 how far they are themselves, after that where every item stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from regauge.campaigns.discussions.standing import count_votes, is_waiting_for
from regauge.errors import AccessError
from regauge.records.campaigns.campaign import AssignmentId, CampaignEntry
from regauge.records.campaigns.discussions import DiscussionEntry, DiscussionStanding, ItemStanding
from regauge.storage.campaigns.assignments import find_given_ids
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.study import Study
from regauge.workflows.annotation.admission import get_own_campaign
from regauge.workflows.discussions.standing import find_panel, get_discussion, load_standing


@dataclass(frozen=True, slots=True)
class ItemLine:
    """An item in the list of a discussion.

    Attributes:
        standing: where it stands.
        shown_id: under which id whoever looks was given it; empty where they were not.
        counts: per question how many gave which vote by now.
        waits_for_you: whether whoever looks is asked about it.
    """

    standing: ItemStanding
    shown_id: AssignmentId
    counts: Mapping[str, Mapping[str, int]]
    waits_for_you: bool


@dataclass(frozen=True, slots=True)
class DiscussionOverview:
    """A discussion as a panelist sees it.

    Attributes:
        campaign: which.
        closed: the entry that closed round 1; None while it goes on.
        n_items: items in all.
        n_own: those that whoever looks has voted on.
        is_chair: whether they chair the panel.
        can_close: whether round 1 can be closed; only chairs who have voted on everything themselves are told, others get None.
        people: the names of the panelists, for chairs.
        items: every item, once round 1 is over.
    """

    campaign: CampaignEntry
    closed: DiscussionEntry | None
    n_items: int
    n_own: int
    is_chair: bool
    can_close: bool | None = None
    people: tuple[str, ...] = ()
    items: tuple[ItemLine, ...] = field(default_factory=tuple)


def describe_discussion(study: Study, campaign_id: int, *, annotator_id: int) -> DiscussionOverview:
    """A discussion as one of its panelists sees it.

    Raises:
        InputError: there is no such campaign, or its answers are not discussed.
        AccessError: they are not on its panel, or have left it.
    """
    campaign = get_own_campaign(study, campaign_id, annotator_id=annotator_id)
    get_discussion(study, campaign.id)
    standing = load_standing(study, campaign)
    if annotator_id not in standing.panel or annotator_id in find_dropped(study, campaign):
        raise AccessError("You are not on the panel of this campaign.")
    own = [_has_voted(one, annotator_id) for one in standing.items]
    is_chair = annotator_id in standing.chairs
    known = DiscussionOverview(
        campaign,
        standing.closed,
        n_items=len(own),
        n_own=sum(own),
        is_chair=is_chair,
        can_close=_may_close(standing) if is_chair and all(own) else None,
        people=find_panel(study, campaign)[0] if is_chair else (),
    )
    if standing.closed is None:
        return known
    return DiscussionOverview(
        *(known.campaign, known.closed, known.n_items, known.n_own, known.is_chair, None, known.people),
        items=tuple(_list_lines(study, standing, annotator_id)),
    )


def _list_lines(study: Study, standing: DiscussionStanding, annotator_id: int) -> list[ItemLine]:
    ids = find_given_ids(study, annotator_id, [one.task_id for one in standing.items])
    closed = standing.closed
    return [
        ItemLine(
            one,
            ids.get(one.task_id, AssignmentId("")),
            {_name(study, question): votes for question, votes in count_votes(one).items()},
            closed is not None and is_waiting_for(one, annotator_id, closed=closed),
        )
        for one in standing.items
    ]


def _name(study: Study, question: str) -> str:
    """What a question is called: one that is about a class, by the class."""
    is_class = question.isdigit() and int(question) < len(study.taxonomy)
    return study.taxonomy.classes[int(question)].name if is_class else question


def _has_voted(item: ItemStanding, annotator_id: int) -> bool:
    return any(one.annotator_id == annotator_id and one.final for one in item.stances)


def _may_close(standing: DiscussionStanding) -> bool | None:
    """Whether everybody has voted on everything; None once the round is closed."""
    return None if standing.closed is not None else not any(one.missing for one in standing.items)
