"""What chairs enter: that round 1 is over, that items are locked or open again, and that a panelist has left."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from regauge.campaigns.discussions.words import list_chairs
from regauge.errors import AccessError, ConflictError, InputError
from regauge.estimates import count_things
from regauge.records.campaigns.campaign import CampaignEntry, CampaignState
from regauge.records.campaigns.discussions import DiscussionAct, DiscussionStanding, ItemStanding, NewEntry
from regauge.records.names import MAX_REASON, is_blank
from regauge.storage.campaigns.campaign import count_up_generation
from regauge.storage.campaigns.decisions import find_dropped, insert_decision
from regauge.storage.campaigns.ledgers import find_names
from regauge.storage.discussions.entries import find_last_answer, insert_entries, list_entries
from regauge.storage.events import add_event
from regauge.storage.people.annotators import get_annotator
from regauge.storage.study import Study
from regauge.workflows.discussions.standing import get_discussion, load_standing

NOT_CLOSED = "Round 1 goes on, and nothing can be locked before it is closed."


def close_round(study: Study, campaign: str | int, *, by: int | None) -> DiscussionStanding:
    """End round 1: from now on all panelists see all votes.

    Args:
        study: the study, inside a transaction that may write.
        campaign: which, by name or number.
        by: the chair; None for whoever is at the command line and has the study in hand.

    Raises:
        AccessError: they are not a chair.
        ConflictError: it was closed before.
        InputError: somebody has not voted on everything, and was not excused.
    """
    entry, standing = _begin(study, campaign, by)
    if standing.closed is not None:
        raise ConflictError(
            f"Round 1 of {entry.name} was closed by {standing.closed.who} before; reload the page.",
            version=standing.closed.id,
        )
    if any(one.missing for one in standing.items):
        raise InputError(
            f"Not all panelists have voted on everything in {entry.name}; close round 1 when they have, or excuse those who left."
        )
    new = NewEntry(DiscussionAct.CLOSE, until=find_last_answer(study))
    insert_entries(study, entry, [new], annotator_id=by)
    add_event(study, "discussion close", {"campaign": entry.name})
    return load_standing(study, entry)


def lock_items(study: Study, campaign: str | int, *, seen: Mapping[int, int], by: int | None) -> DiscussionStanding:
    """Let the votes on items count as they stand; all of them are locked, or none.

    Args:
        study: the study, inside a transaction that may write.
        campaign: which, by name or number.
        seen: the items by their numbers, each with the version that the chair saw: what changed since is looked at again first.
        by: the chair; None for whoever is at the command line.

    Raises:
        AccessError: they are not a chair.
        ConflictError: somebody else locked one of them, or votes came in since.
        InputError: round 1 goes on, an item is none of the campaign, or panelists have not voted on it.
    """
    entry, standing = _begin(study, campaign, by)
    items = _pick(entry, standing, seen)
    if standing.closed is None:
        raise InputError(NOT_CLOSED)
    for one in items:
        _check_lockable(study, one, seen[one.task_id])
    until, batch = find_last_answer(study), secrets.token_hex(8) if len(items) > 1 else ""
    new = [NewEntry(DiscussionAct.LOCK, one.task_id, batch=batch, until=until) for one in items]
    insert_entries(study, entry, new, annotator_id=by)
    add_event(study, "discussion lock", {"campaign": entry.name, "n_items": len(items)})
    return load_standing(study, entry, task_ids=list(seen))


def unlock_item(study: Study, campaign: str | int, *, task_id: int, reason: str, by: int | None) -> DiscussionStanding:
    """Open an item again, by a new entry: its votes can change, and those that came too late count from now on.

    Args:
        study: the study, inside a transaction that may write.
        campaign: which, by name or number.
        task_id: the item.
        reason: why.
        by: the chair; None for whoever is at the command line.

    Raises:
        AccessError: they are not a chair.
        InputError: there is no such item, it is not locked, or no reason is given.
    """
    entry, standing = _begin(study, campaign, by)
    (item,) = _pick(entry, standing, {task_id: 0})
    if not item.is_locked:
        raise InputError("This item is not locked; reload the page.")
    until = find_last_answer(study)
    new = NewEntry(DiscussionAct.UNLOCK, task_id, reason=_read_reason(reason), until=until)
    insert_entries(study, entry, [new], annotator_id=by)
    # Late answers count again, so whoever remembers the answers that do must read them again.
    count_up_generation(study, entry)
    add_event(study, "discussion unlock", {"campaign": entry.name, "task": task_id, "reason": reason.strip()})
    return load_standing(study, entry, task_ids=[task_id])


def excuse_panelist(
    study: Study, campaign: str | int, *, panelist: str | int, reason: str, by: int | None
) -> DiscussionStanding:
    """Enter that a panelist has left: the votes of the others decide, and theirs are kept and do not count.

    Args:
        study: the study, inside a transaction that may write.
        campaign: which, by name or number.
        panelist: who has left, by name or number.
        reason: why the others decide alone.
        by: the chair; None for whoever is at the command line.

    Raises:
        AccessError: they are not a chair.
        InputError: there is no such panelist, nobody would be left, or no reason is given.
    """
    entry, standing = _begin(study, campaign, by)
    person, dropped = get_annotator(study, panelist), find_dropped(study, entry)
    if person.id not in standing.panel:
        raise InputError(f"{person.name} is not on the panel of {entry.name}.")
    words = _read_reason(reason)
    if set(standing.panel) <= {*dropped, person.id}:
        raise InputError(f"Nobody else is on the panel of {entry.name}, so nobody would be left to decide.")
    if person.id in dropped and any(
        one.act is DiscussionAct.EXCUSE and one.subject_id == person.id for one in list_entries(study, entry.id)
    ):
        raise InputError(f"{person.name} was excused before; nothing changes. Reload the page.")
    if person.id not in dropped:
        insert_decision(study, entry, annotator_id=person.id, is_dropped=True, reason=words)
    new = NewEntry(DiscussionAct.EXCUSE, subject_id=person.id, reason=words, until=find_last_answer(study))
    insert_entries(study, entry, [new], annotator_id=by)
    add_event(study, "discussion excuse", {"campaign": entry.name, "annotator": person.name, "reason": words})
    return load_standing(study, entry)


def check_chair(study: Study, campaign: CampaignEntry, annotator_id: int) -> None:
    """Make sure that somebody chairs a campaign.

    Raises:
        AccessError: they do not, or no longer work on it.
    """
    is_chair = annotator_id in list_chairs(campaign.plan.settings)
    if not is_chair or annotator_id in find_dropped(study, campaign):
        raise AccessError("Only a chair of the panel can do this.")


def _begin(study: Study, campaign: str | int, by: int | None) -> tuple[CampaignEntry, DiscussionStanding]:
    entry = get_discussion(study, campaign)
    if by is not None:
        check_chair(study, entry, by)
    if entry.state is CampaignState.DRAFT:
        raise InputError(f"Campaign {entry.name} was not opened yet, so nobody has voted.")
    return entry, load_standing(study, entry)


def _pick(campaign: CampaignEntry, standing: DiscussionStanding, wanted: Mapping[int, int]) -> list[ItemStanding]:
    items = [one for one in standing.items if one.task_id in wanted]
    if not wanted:
        raise InputError("No item was chosen, so nothing changes.")
    if len(items) < len(wanted):
        raise InputError(
            f"Some of the items that were chosen do not belong to campaign {campaign.name}; nothing changes."
        )
    return items


def _check_lockable(study: Study, item: ItemStanding, seen: int) -> None:
    if item.lock is not None:
        raise ConflictError(
            f"This item was locked before, by {item.lock.who}; nothing was locked. Reload the page.",
            version=item.version,
        )
    if item.missing:
        names = ", ".join(sorted(find_names(study, item.missing).values()))
        raise InputError(
            f"{count_things(len(item.missing), 'panelist')} did not vote on this item ({names}); excuse whoever has left, or "
            "wait."
        )
    if item.version != seen:
        raise ConflictError(
            "Panelists have voted on this item since you looked; nothing was locked. Reload the page and look again.",
            version=item.version,
        )


def _read_reason(reason: str) -> str:
    words = reason.strip()
    if is_blank(words) or len(words) > MAX_REASON:
        raise InputError(f"Say why, in 1 to {MAX_REASON:,} characters: the reason is kept with the entry.")
    return words
