"""Where discussions stand, and what of it whom may be told: in round 1 nobody anything of what others did."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from regauge.campaigns.discussions.standing import (
    DiscussionInputs,
    explain_waiting,
    find_refusal,
    is_waiting_for,
    judge_discussion,
    show_discussion,
)
from regauge.campaigns.discussions.words import ARGUMENT, is_discussed, list_chairs, list_panel
from regauge.errors import InputError
from regauge.kinds.contract import Discussion
from regauge.kinds.registry import find_kind, has_kind
from regauge.records.campaigns.campaign import NOT_YOURS, Assignment, CampaignEntry, CampaignState, Payload
from regauge.records.campaigns.discussions import CHAIRS, DiscussionStanding, ShownDiscussion
from regauge.records.responses.submissions import AnsweredAssignment
from regauge.storage.campaigns.assignments import find_assignment, find_given_ids
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.campaigns.ledgers import find_names
from regauge.storage.discussions.entries import has_closed, list_entries, load_cast, load_items
from regauge.storage.study import Study


def is_discussion(study: Study, campaign: CampaignEntry) -> bool:
    """Whether the answers to a campaign are votes of a panel that discusses them."""
    kinds = study.around.kinds
    has_chairs = CHAIRS in campaign.plan.settings
    return has_chairs and has_kind(kinds, campaign.kind) and find_kind(kinds, campaign.kind).discussion is not None


def is_blind(study: Study, campaign: CampaignEntry) -> bool:
    """Whether everybody still votes alone: then nobody is told what others did, whoever asks."""
    is_begun = campaign.state is not CampaignState.DRAFT
    return is_begun and is_discussion(study, campaign) and not has_closed(study, campaign.id)


def list_blind(study: Study) -> frozenset[str]:
    """The names of campaigns in which everybody still votes alone."""
    return frozenset(one.name for one in list_campaigns(study) if is_blind(study, one))


def list_blind_panels(study: Study) -> dict[int, tuple[int, ...]]:
    """Campaigns in which everybody still votes alone, by their numbers, each with its panelists."""
    return {one.id: list_panel(one.plan.settings) for one in list_campaigns(study) if is_blind(study, one)}


def get_discussion(study: Study, campaign: str | int) -> CampaignEntry:
    """A campaign whose answers are discussed.

    Raises:
        InputError: there is no such campaign, or its answers are not discussed.
    """
    entry = get_campaign(study, campaign)
    if not is_discussion(study, entry):
        raise InputError(
            f"Campaign {entry.name} is of the kind {entry.kind}, whose answers are not discussed by a panel."
        )
    return entry


def load_standing(
    study: Study, campaign: CampaignEntry, *, task_ids: Collection[int] | None = None
) -> DiscussionStanding:
    """Where a discussion stands, all of it or some items; it tells everything, so it is not for everybody."""
    settings = campaign.plan.settings
    found = DiscussionInputs(
        panel=list_panel(settings),
        chairs=list_chairs(settings),
        dropped=find_dropped(study, campaign),
        tasks=load_items(study, campaign, task_ids=task_ids),
        cast=load_cast(study, campaign, task_ids=task_ids),
        entries=list_entries(study, campaign.id),
    )
    return judge_discussion(found, _get_kind(study, campaign).read_votes)


def load_named_standing(study: Study, campaign: CampaignEntry) -> DiscussionStanding:
    """The same with what the panelists are called, for the record of what was decided."""
    found = load_standing(study, campaign)
    return replace(found, names=find_names(study, found.panel))


def find_shown(study: Study, assignment: Assignment, campaign: CampaignEntry) -> ShownDiscussion | None:
    """What a panelist sees of the discussion of a task; None in round 1, and where nothing is discussed."""
    if not is_discussed(assignment.payload) or is_blind(study, campaign):
        return None
    standing = load_standing(study, campaign, task_ids=[assignment.task_id])
    if standing.closed is None or not standing.items or assignment.annotator_id not in standing.panel:
        return None
    (item,) = standing.items
    return show_discussion(item, to=assignment.annotator_id, panel=standing.panel, closed=standing.closed)


def list_waiting(study: Study, campaign: CampaignEntry, *, annotator_id: int, n: int) -> tuple[Assignment, ...]:
    """The first items of a discussion that wait for a panelist, each with what they said last and why it waits."""
    standing = load_standing(study, campaign)
    if standing.closed is None:
        return ()
    closed = standing.closed
    waiting = [one for one in standing.items if is_waiting_for(one, annotator_id, closed=closed)][:n]
    ids = find_given_ids(study, annotator_id, [one.task_id for one in waiting])
    found = (
        (find_assignment(study, ids[one.task_id]), explain_waiting(one, annotator_id, closed=closed))
        for one in waiting
        if one.task_id in ids
    )
    return tuple(replace(one, returned=words) for one, words in found if one is not None)


def get_own_item(
    study: Study, campaign_id: int, *, task_id: int, annotator_id: int
) -> tuple[CampaignEntry, Assignment]:
    """An item of a discussion as a panelist was given it, whether or not it waits for them.

    Raises:
        InputError: there is no such item, they were not given it, or they have left the panel.
    """
    campaign = get_discussion(study, campaign_id)
    if annotator_id in find_dropped(study, campaign):
        raise InputError(NOT_YOURS)
    found = find_given_ids(study, annotator_id, [task_id]).get(task_id)
    assignment = None if found is None else find_assignment(study, found)
    if assignment is None or assignment.campaign_id != campaign.id:
        raise InputError(NOT_YOURS)
    return campaign, assignment


def refuse_change(study: Study, given: AnsweredAssignment, *, before: Payload, now: Payload) -> str:
    """Why an answer to a discussed item is not taken once round 1 is over; empty where it is."""
    discussion = find_kind(study.around.kinds, given.kind).discussion
    if discussion is None:
        return ""
    votes = [discussion.read_votes(given.payload, one) for one in (before, now)]
    return find_refusal(votes[0], votes[1], argument=now.get(ARGUMENT, ""))


def _get_kind(study: Study, campaign: CampaignEntry) -> Discussion:
    found = find_kind(study.around.kinds, campaign.kind).discussion
    if found is None:
        raise InputError(f"Campaign {campaign.name} is of the kind {campaign.kind}, whose answers are not discussed.")
    return found


def find_panel(study: Study, campaign: CampaignEntry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of those on the panel, and of its chairs, in the order of the alphabet."""
    settings = campaign.plan.settings
    names = find_names(study, list_panel(settings))
    chairs = (names[one] for one in list_chairs(settings) if one in names)
    return tuple(sorted(names.values())), tuple(sorted(chairs))


class DiscussionCounts(NamedTuple):
    """A discussion in numbers: its round, its items by their state, and whose votes are missing."""

    campaign: str
    round: int
    n_items: int
    n_disputed: int
    n_unanimous: int
    n_locked: int
    waits_for: tuple[str, ...]


def count_discussion(study: Study, campaign: str) -> DiscussionCounts:
    """Where a discussion stands, for whoever has the study in hand; nobody on the panel should look in round 1.

    Raises:
        InputError: there is no such campaign, or its answers are not discussed.
    """
    entry = get_discussion(study, campaign)
    standing = load_standing(study, entry)
    missing = {who for one in standing.items for who in one.missing}
    return DiscussionCounts(
        campaign=entry.name,
        round=1 if standing.closed is None else 2,
        n_items=len(standing.items),
        n_disputed=sum(one.is_disputed for one in standing.items),
        n_unanimous=sum(one.is_unanimous and not one.missing for one in standing.items),
        n_locked=sum(one.is_locked for one in standing.items),
        waits_for=tuple(sorted(find_names(study, missing).values())),
    )
