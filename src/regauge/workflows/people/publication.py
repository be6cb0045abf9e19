"""What a study knows of its HITs: batches that were begun and made, and what workers handed in beside what they did here."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from regauge.errors import InputError
from regauge.records.campaigns.campaign import CampaignEntry, CampaignState, Platform
from regauge.records.campaigns.hits import HitAssignment, HitPlan
from regauge.records.campaigns.terms import Prolific
from regauge.records.campaigns.visits import Visit
from regauge.records.responses.answers import Control
from regauge.recruitment.hits import make_hit_type
from regauge.responses.marks import count_controls
from regauge.storage.campaigns.campaign import get_campaign, set_terms
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.events import add_event
from regauge.storage.people.hits import finish_batch, insert_batch, list_batches
from regauge.storage.study import Study
from regauge.workflows.campaigns.responses import load_answers
from regauge.workflows.people.identities import check_receipt, hash_reference
from regauge.workflows.people.visits import describe_visits, list_unjudged

_RECEIPT = re.compile(r"\d+\.\d+\.[0-9a-f]{32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NewHitBatch:
    """HITs that are made together.

    Attributes:
        campaign: whose tasks they show.
        token: what tells the batch from all others.
        is_resumed: whether an earlier attempt was begun and not finished.
    """

    campaign: CampaignEntry
    token: str
    is_resumed: bool = False


@dataclass(frozen=True, slots=True)
class VisitOutlook:
    """A visit to judge, how many controls its annotator has right of how many, and whether they were dropped."""

    visit: Visit
    n_controls_right: int
    n_controls: int
    is_dropped: bool


def publish_on_prolific(study: Study, name: str, prolific: Prolific) -> CampaignEntry:
    """Let people from Prolific into a campaign, and note down with which codes they go back.

    Raises:
        InputError: there is no such campaign, or it is not said which study there sends people.
    """
    campaign = get_campaign(study, name)
    if not prolific.study_id:
        raise InputError(
            "Say which study on Prolific sends people, by its id there; links of other studies let nobody in."
        )
    set_terms(study, campaign, replace(campaign.plan.terms, prolific=prolific))
    add_event(study, "prolific publish", {"campaign": name, "n_tasks": prolific.n_tasks})
    return get_campaign(study, name)


def foresee_judgement(study: Study, name: str | int) -> tuple[VisitOutlook, ...]:
    """Everybody who waits for a code, with what is known of their answers and what a judgement would say now.

    Whoever has failed and was restored since is among them.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, name)
    controls, dropped = _count_controls(study, campaign), find_dropped(study, campaign)
    return tuple(
        VisitOutlook(one, *controls.get(one.annotator, (0, 0)), is_dropped=one.annotator_id in dropped)
        for one in list_unjudged(study, campaign)
    )


def begin_batch(study: Study, name: str, plan: HitPlan, *, is_production: bool) -> NewHitBatch:
    """Note down that HITs are about to be made, and let workers in who come by them.

    A batch of the same plan that was begun and not finished is gone on with: whoever gives the command again after it was
    stopped makes nothing twice.

    Raises:
        InputError: there is no such campaign, it is not open, a batch of another plan was not finished, or HITs with another
            share are out.
    """
    campaign = get_campaign(study, name)
    if campaign.state is not CampaignState.OPEN:
        raise InputError(f"Campaign {name} is {campaign.state}; open it first, or workers find no tasks.")
    # Whatever cannot be sent is refused before anything is noted down.
    make_hit_type(plan)
    described = _describe_plan(plan)
    for begun in list_batches(study, campaign, is_production=is_production):
        if begun.made_at is not None:
            continue
        if begun.plan == described:
            return NewHitBatch(campaign, begun.token, is_resumed=True)
        raise InputError(
            "HITs of another plan were begun and not all made. Give that command again, "
            f"or take them back with: regauge campaign mturk end {name}."
        )
    _check_share(study, campaign, plan)
    set_terms(study, campaign, replace(campaign.plan.terms, mturk_tasks=plan.n_tasks))
    token = secrets.token_hex(16)
    # A batch is kept before anything is made, and again when all of it is.
    insert_batch(study, campaign, token, plan=described, is_production=is_production)
    about = {"campaign": name, "batch": token, "is_production": is_production, "plan": described}
    add_event(study, "mturk begin", about)
    return NewHitBatch(get_campaign(study, name), token)


def note_batch(study: Study, batch: NewHitBatch, hit_ids: Sequence[str], *, is_production: bool) -> None:
    """Note down the HITs of a batch, all of which are made."""
    finish_batch(study, batch.token, hit_ids)
    parameters = {"campaign": batch.campaign.name, "batch": batch.token, "is_production": is_production}
    add_event(study, "mturk publish", {**parameters, "hits": list(hit_ids)})


def find_unfinished_batches(study: Study, name: str, *, is_production: bool) -> tuple[NewHitBatch, ...]:
    """Batches that were begun and not finished."""
    campaign = get_campaign(study, name)
    known = list_batches(study, campaign, is_production=is_production)
    return tuple(NewHitBatch(campaign, one.token, is_resumed=True) for one in known if one.made_at is None)


def list_hits(study: Study, name: str, *, is_production: bool) -> tuple[str, ...]:
    """The HITs of a campaign, in the order in which they were made.

    Raises:
        InputError: there is no such campaign, or it has none there.
    """
    known = list_batches(study, get_campaign(study, name), is_production=is_production)
    made = [one for one in known if one.made_at is not None]
    if not made:
        where = "Mechanical Turk" if is_production else "the sandbox of Mechanical Turk"
        raise InputError(
            f"Campaign {name} has no HITs on {where}; make some with: regauge campaign publish mturk {name}."
        )
    return tuple(hit for one in made for hit in one.hits)


def compare_with_records(study: Study, name: str, submitted: Sequence[Mapping[str, Any]]) -> tuple[HitAssignment, ...]:
    """What workers handed in, each with what our records say.

    Whoever was erased since cannot be found by the assignment any more, only by the receipt that they handed in with it.

    Raises:
        InputError: there is no such campaign.
    """
    campaign = get_campaign(study, name)
    known = describe_visits(study, campaign.id)
    visits = {visit.reference: visit for visit in known if visit.reference}
    forgotten = {visit.id: visit for visit in known if not visit.reference}
    controls, dropped = _count_controls(study, campaign), find_dropped(study, campaign)

    def compare(one: Mapping[str, Any]) -> HitAssignment:
        found = HitAssignment(one["AssignmentId"], one["WorkerId"], one["HITId"], one["AssignmentStatus"])
        receipt = _read_receipt(study, str(one.get("Answer", "")))
        visit = visits.get(hash_reference(study, Platform.MTURK, found.assignment_id)) or forgotten.get(receipt)
        if visit is None:
            return found
        n_right, n = controls.get(visit.annotator, (0, 0))
        return replace(
            found,
            annotator=visit.annotator,
            state=visit.state,
            n_done=visit.n_done,
            n_controls=n,
            n_controls_right=n_right,
            is_dropped=visit.annotator_id in dropped,
            has_receipt=receipt == visit.id,
        )

    return tuple(map(compare, submitted))


def note_decisions(study: Study, name: str, what: str, **counts: object) -> None:
    """Note down what was decided about assignments: how many, never whose."""
    add_event(study, f"mturk {what}", {"campaign": name, **counts})


def _check_share(study: Study, campaign: CampaignEntry, plan: HitPlan) -> None:
    """Refuse HITs with another share than those that workers may have accepted: it would change under their hands."""
    n_tasks = campaign.plan.terms.mturk_tasks
    is_out = any(list_batches(study, campaign, is_production=one) for one in (False, True))
    # Without a share they lead nobody here: the study was made of a file, and they are those of the original.
    if is_out and n_tasks and n_tasks != plan.n_tasks:
        raise InputError(
            f"The HITs of campaign {campaign.name} take {n_tasks:,} tasks each; new ones take as many: give `tasks={n_tasks}`."
        )


def _describe_plan(plan: HitPlan) -> dict[str, Any]:
    return {**asdict(plan), "reward": str(plan.reward), "qualifications": list(plan.qualifications)}


def _count_controls(study: Study, campaign: CampaignEntry) -> Mapping[str, tuple[int, int]]:
    """Per annotator, controls answered as they should be, and all; nothing where tasks have none."""
    held = load_answers(study, campaign.name, with_surplus=True, with_dropped=True).held
    n_positive, n_selected = count_controls(held.tasks, held.columns, control=Control.POSITIVE)
    n_negative, n_wrong = count_controls(held.tasks, held.columns, control=Control.NEGATIVE)
    who, n = held.columns.annotators, len(held.annotators)
    n_right = np.bincount(who, weights=n_selected + n_negative - n_wrong, minlength=n).astype(int).tolist()
    n_all = np.bincount(who, weights=n_positive + n_negative, minlength=n).astype(int).tolist()
    return dict(zip(held.annotators.tolist(), zip(n_right, n_all, strict=True), strict=True))


def _read_receipt(study: Study, answer: str) -> int:
    """The number of the visit whose receipt was handed in; 0 where there is none of ours, and visits count from 1."""
    found = _RECEIPT.search(answer)
    if found is None:
        return 0
    try:
        return check_receipt(study, found[0])[0]
    except InputError:
        return 0
