"""What somebody has before them in a campaign, as far as they may know it."""

from __future__ import annotations

from regauge.campaigns.eligibility import is_on_panel
from regauge.campaigns.estimates import TaskTime
from regauge.records.campaigns.campaign import CampaignEntry, CampaignState, Platform
from regauge.records.campaigns.evaluations import OWN_ORDER
from regauge.recruitment.outlooks import MOST_TOLD, Outlook, expect_tasks
from regauge.storage.campaigns.assignments import count_answered, count_own_work, find_unanswered
from regauge.storage.campaigns.decisions import find_dropped
from regauge.storage.people.annotators import find_annotator
from regauge.storage.study import Study
from regauge.workflows.annotation.choosing import Chooser, ChooserMemory
from regauge.workflows.annotation.tasks import AnnotatorProgress

__all__ = ["Outlook", "find_outlook", "foresee_work"]


def foresee_work(campaign: CampaignEntry, time: TaskTime) -> Outlook:
    """What a task of a campaign takes and pays, for those who only look."""
    return _add_terms(campaign, time, Outlook(0), is_paid_here=not campaign.plan.terms.prolific)


def find_outlook(
    study: Study, seat: AnnotatorProgress, *, annotator_id: int, time: TaskTime, start: int = 0
) -> Outlook:
    """How many tasks there are for somebody, how long these take and what they pay.

    Those who came from a platform are paid there, by what it says.

    Args:
        study: the study.
        seat: where they stand in the campaign, as far as they are told.
        annotator_id: who.
        time: how long a task takes.
        start: a position below which all tasks are done; only saves time.
    """
    annotator = find_annotator(study, annotator_id)
    is_paid_here = annotator is not None and annotator.platform is Platform.LINK
    n_left = _count_left(study, seat.campaign, annotator_id=annotator_id, start=start)
    return _add_terms(seat.campaign, time, Outlook(seat.n_answered, n_left), is_paid_here=is_paid_here)


def _count_left(study: Study, campaign: CampaignEntry, *, annotator_id: int, start: int) -> int | None:
    """The tasks that somebody will be given as things stand; None where they are many, or cannot be counted."""
    is_out = annotator_id in find_dropped(study, campaign) or not is_on_panel(campaign.plan.settings, annotator_id)
    # Where tasks come back the number could tell which; and nobody learns from it that they were dropped.
    if is_out or campaign.plan.terms.repeats:
        return None
    if campaign.state is not CampaignState.OPEN:
        return 0
    if OWN_ORDER in campaign.plan.settings:
        # They answer all there is, however long that takes, and want to know how far they are.
        return max(0, campaign.n_tasks - count_answered(study, campaign, annotator_id=annotator_id))
    n_open = Chooser(campaign, annotator_id, ChooserMemory(start)).count_open(study, MOST_TOLD + 1)
    if n_open is None or n_open > MOST_TOLD:
        return None
    n_work = n_open + count_own_work(study, campaign, annotator_id=annotator_id)
    n_all = expect_tasks(n_work, repeats=campaign.plan.terms.repeats)
    n_held = len(find_unanswered(study, campaign, annotator_id=annotator_id))
    return max(n_all - count_answered(study, campaign, annotator_id=annotator_id), n_held)


def _add_terms(campaign: CampaignEntry, time: TaskTime, known: Outlook, *, is_paid_here: bool) -> Outlook:
    pay = campaign.plan.terms.pay if is_paid_here else None
    return Outlook(
        known.n_done,
        known.n_left,
        time.seconds if time.seconds > 0 else None,
        None if pay is None else pay.per_task or None,
        "" if pay is None else pay.currency,
    )
