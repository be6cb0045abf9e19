"""People who come from a platform: let in under a pseudonym, given their share, and sent back with a code or a receipt.

What a visit is paid for is settled once, when it ends. Tasks that an earlier visit was paid for do not count again, so that
somebody who comes twice, or has two assignments open at once, is paid for every task exactly once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from regauge.errors import InputError
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, CampaignState, Platform
from regauge.records.campaigns.quizzes import Qualification, QualificationState
from regauge.records.campaigns.visits import Admission, Arrival, Visit, VisitProgress, VisitState
from regauge.recruitment.arrivals import (
    MTURK_FORM_ORIGINS,
    MTURK_FRAME_ORIGINS,
    Hit,
    make_completion_link,
    parse_hit,
    parse_prolific,
)
from regauge.recruitment.visits import choose_visit, find_share, judges_first, takes_people
from regauge.storage.campaigns.assignments import count_answered, find_unanswered, renew_leases
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.people.annotators import find_annotator, has_consented, insert_annotator
from regauge.storage.people.visits import count_visits, end_visit, insert_visit, list_visits
from regauge.storage.study import Study
from regauge.workflows.annotation.admission import find_qualification, get_announced, get_open
from regauge.workflows.annotation.choosing import take_tasks
from regauge.workflows.annotation.tasks import find_shown_since
from regauge.workflows.people.identities import hash_reference, make_pseudonym, make_receipt, note_identity

__all__ = [
    "MTURK_FORM_ORIGINS",
    "MTURK_FRAME_ORIGINS",
    "PLATFORM_NAMES",
    "Hit",
    "admit",
    "count_remaining",
    "count_visits",
    "find_visitor_name",
    "finish_visit",
    "hide_earlier",
    "make_completion_link",
    "parse_hit",
    "parse_prolific",
    "preview",
    "return_visit",
]

PLATFORM_NAMES = {Platform.PROLIFIC: "Prolific", Platform.MTURK: "Mechanical Turk", Platform.LINK: "links"}

ANOTHER_STUDY = (
    "This link belongs to another study on Prolific, so it does not work here. Please open this study from Prolific "
    "with its own button."
)
NOT_FROM_THERE = "This campaign does not take people from {}."


def admit(study: Study, campaign_id: int, arrival: Arrival) -> Admission:
    """Let somebody in who comes from a platform; whoever was here before goes on where they stopped.

    Raises:
        InputError: there is no such campaign, it does not take people from there, or it is closed to those who are new.
    """
    campaign = _get_campaign_for(study, campaign_id, arrival)
    name = make_pseudonym(study, arrival.platform, arrival.person)
    reference = hash_reference(study, arrival.platform, arrival.reference)
    annotator = find_annotator(study, name)
    found = None if annotator is None else _find_visit(study, campaign, annotator, reference)
    if annotator is not None and found is not None:
        return Admission(annotator, campaign, _resume(study, found))
    get_open(study, campaign_id)
    note_identity(study, arrival)
    annotator = annotator or insert_annotator(study, name, platform=arrival.platform)
    visit = insert_visit(study, campaign, annotator_id=annotator.id, platform=arrival.platform, reference=reference)
    return Admission(annotator, campaign, visit)


def find_visitor_name(study: Study, campaign_id: int, arrival: Arrival) -> str:
    """What somebody who comes from a platform is called here; nothing is stored.

    Raises:
        InputError: there is no such campaign, or it does not take them.
    """
    _get_campaign_for(study, campaign_id, arrival)
    return make_pseudonym(study, arrival.platform, arrival.person)


def preview(study: Study, campaign_id: int) -> CampaignEntry:
    """A campaign that somebody looks at on Mechanical Turk before they decide.

    Raises:
        InputError: there is no such campaign, it does not take people from there, or it is closed.
    """
    campaign = get_open(study, campaign_id)
    if not takes_people(campaign, Platform.MTURK):
        raise InputError(NOT_FROM_THERE.format(PLATFORM_NAMES[Platform.MTURK]))
    return campaign


def count_remaining(study: Study, campaign: CampaignEntry, *, annotator_id: int) -> int | None:
    """How many tasks of a campaign somebody may still be given; None for as many as there are.

    Nobody is given more than their share: they would work for nothing. Whoever came from a platform gets tasks of the campaigns
    that it sent them to, and only until they have gone back. Whoever has two assignments open at once does one share, hands it
    in, and goes on with the other.
    """
    annotator = find_annotator(study, annotator_id)
    if annotator is None or annotator.platform is Platform.LINK:
        return None
    visits = list_visits(study, campaign, annotator_id=annotator_id)
    if campaign.state is not CampaignState.OPEN or not any(visit.is_open for visit in visits):
        return 0
    n_share = find_share(campaign, annotator.platform)
    return max(0, n_share - _count_unpaid(study, campaign, visits)) if n_share else None


def finish_visit(
    study: Study, campaign_id: int, *, annotator_id: int, visit_id: int | None = None
) -> VisitProgress | None:
    """End somebody's visit if they have done their share, or if nothing is left for them; as it is, if they can go on.

    Codes are given to those only who have earned them, as often as they ask.

    Args:
        study: the study, inside a transaction that may write.
        campaign_id: which campaign.
        annotator_id: who.
        visit_id: which of their visits; by default the last that goes on, else the last.

    Returns:
        Where they stand, or None for somebody who did not come from a platform.
    """
    campaign = get_announced(study, campaign_id)
    visits = list_visits(study, campaign, annotator_id=annotator_id)
    if not visits:
        return None
    visit = choose_visit(visits, visit_id)
    if visit.is_open:
        n_done, n_share = _count_unpaid(study, campaign, visits), find_share(campaign, visit.platform)
        state = _decide(study, campaign, visit, n_done)
        if state is VisitState.STARTED:
            return VisitProgress(campaign, visit, n_done, n_share)
        if state is VisitState.COMPLETED and judges_first(campaign, visit):
            state = VisitState.WAITING
        visit = end_visit(study, visit, state, n_done=min(n_done, n_share or n_done))
    return _describe(study, campaign, visit)


def return_visit(study: Study, campaign_id: int, *, annotator_id: int) -> VisitProgress:
    """Somebody stops and gives their place back: their tasks go to others at once.

    Raises:
        InputError: the person has no visit under way.
    """
    campaign = get_announced(study, campaign_id)
    visits = list_visits(study, campaign, annotator_id=annotator_id)
    visit = next((one for one in reversed(visits) if one.is_open), None)
    if visit is None:
        raise InputError("You have no visit that could be returned; it has already ended.")
    held = find_unanswered(study, campaign, annotator_id=annotator_id)
    renew_leases(study, [one.id for one in held], expires_at=study.around.now())
    n_done = _count_unpaid(study, campaign, visits)
    return _describe(study, campaign, end_visit(study, visit, VisitState.RETURNED, n_done=n_done))


def hide_earlier(study: Study, standing: VisitProgress, *, came_at: float) -> VisitProgress:
    """Where somebody stands, without what was done before they came, in seconds since 1970: it may be somebody else's."""
    who = standing.visit.annotator_id
    since = find_shown_since(study, who, came_at=came_at)
    n_since = count_answered(study, standing.campaign, annotator_id=who, since=since)
    return replace(standing, n_done=min(standing.n_done, n_since))


def _get_campaign_for(study: Study, campaign_id: int, arrival: Arrival) -> CampaignEntry:
    campaign = get_announced(study, campaign_id)
    if not takes_people(campaign, arrival.platform):
        raise InputError(NOT_FROM_THERE.format(PLATFORM_NAMES[arrival.platform]))
    prolific = campaign.plan.terms.prolific if arrival.platform is Platform.PROLIFIC else None
    if prolific is not None and prolific.study_id and arrival.study_id != prolific.study_id:
        raise InputError(ANOTHER_STUDY)
    return campaign


def _find_visit(study: Study, campaign: CampaignEntry, annotator: AnnotatorEntry, reference: str) -> Visit | None:
    visits = list_visits(study, campaign, annotator_id=annotator.id)
    return next((visit for visit in reversed(visits) if visit.reference == reference), None)


def _resume(study: Study, visit: Visit) -> Visit:
    """A visit that was returned by mistake goes on; one that ended otherwise has ended."""
    return end_visit(study, visit, VisitState.STARTED, n_done=0) if visit.state is VisitState.RETURNED else visit


def _count_unpaid(study: Study, campaign: CampaignEntry, visits: Sequence[Visit]) -> int:
    """Tasks that somebody has done and that none of their visits was paid for."""
    n_answered = count_answered(study, campaign, annotator_id=visits[0].annotator_id)
    return max(0, n_answered - sum(visit.n_done for visit in visits))


def _decide(study: Study, campaign: CampaignEntry, visit: Visit, n_done: int) -> VisitState:
    """How a visit ends now; `STARTED` if it does not."""
    n_share = find_share(campaign, visit.platform)
    if n_share and n_done >= n_share:
        return VisitState.COMPLETED
    qualification = find_qualification(study, campaign, visit.annotator_id)
    if qualification.state is QualificationState.FAILED or visit.annotator_id in find_dropped(study, campaign):
        return VisitState.SCREENED_OUT
    if _can_go_on(study, campaign, visit.annotator_id, qualification):
        return VisitState.STARTED
    return VisitState.COMPLETED if n_done else VisitState.SCREENED_OUT


def _can_go_on(study: Study, campaign: CampaignEntry, annotator_id: int, qualification: Qualification) -> bool:
    """Whether somebody who goes on would find something to do."""
    if campaign.state is not CampaignState.OPEN:
        return False
    if not has_consented(study, annotator_id, campaign) or not qualification.is_qualified:
        return True
    return bool(take_tasks(study, campaign.id, annotator_id=annotator_id))


def _describe(study: Study, campaign: CampaignEntry, visit: Visit) -> VisitProgress:
    n_share = find_share(campaign, visit.platform)
    return VisitProgress(campaign, visit, visit.n_done, n_share, _find_code(study, campaign, visit))


def _find_code(study: Study, campaign: CampaignEntry, visit: Visit) -> str:
    """What shows the platform how a visit ended."""
    if visit.platform is Platform.MTURK:
        return make_receipt(study, visit) if visit.state is VisitState.COMPLETED else ""
    prolific = campaign.plan.terms.prolific
    if prolific is None:
        return ""
    codes = {
        VisitState.COMPLETED: prolific.completed,
        VisitState.SCREENED_OUT: prolific.screened_out,
        VisitState.FAILED: prolific.failed,
    }
    return codes.get(visit.state, "")
