"""People from platforms, for tests: campaigns that take them, and their ways in."""

from __future__ import annotations

from dataclasses import replace

from tests.workflows.campaign_studies import add_contains, answer, make_answer

from regauge.records.campaigns.campaign import Assignment, CampaignEntry, Platform
from regauge.records.campaigns.terms import Prolific
from regauge.records.campaigns.visits import Admission, Arrival, VisitProgress
from regauge.storage.campaigns.campaign import get_campaign, set_terms
from regauge.workflows.annotation.choosing import take_tasks
from regauge.workflows.annotation.tasks import consent
from regauge.workflows.people.visitors import admit, count_remaining, finish_visit, return_visit
from regauge.workflows.studies.study import Study

PID = "5a9d64f5f6dfdd0001eaa73d"
OTHER_PID = "5b9d64f5f6dfdd0001eaa73e"
SESSION = "6b9d64f5f6dfdd0001eaa111"
WORKER = "A2SECRETWORKER77"
ASSIGNMENT = "3SECRETASSIGNMENT9QZ"
DONE, OUT = "DONE1234", "OUT5678"


def change_terms(study: Study, campaign: CampaignEntry, **terms: object) -> CampaignEntry:
    """The campaign on other terms."""
    with study.begin() as begun:
        set_terms(begun, campaign, replace(campaign.plan.terms, **terms))  # type: ignore[arg-type]
        return get_campaign(begun, campaign.id)


def add_recruiting(
    study: Study, name: str = "grids", *, n_tasks: int = 2, mturk_tasks: int = 2, quota: int = 2
) -> CampaignEntry:
    """An open campaign of six grids that takes people from Prolific and Mechanical Turk."""
    campaign = add_contains(study, name, quota=quota)
    return change_terms(study, campaign, prolific=Prolific(DONE, OUT, n_tasks), mturk_tasks=mturk_tasks)


def come(
    study: Study,
    campaign: CampaignEntry,
    person: str = PID,
    *,
    reference: str = SESSION,
    platform: Platform = Platform.PROLIFIC,
) -> Admission:
    """Somebody comes in and agrees to the text."""
    with study.begin() as begun:
        found = admit(begun, campaign.id, Arrival(platform, person, reference))
        consent(begun, campaign.id, annotator_id=found.annotator.id, version=campaign.plan.texts.version)
    return found


def take_share(study: Study, who: Admission, n: int = 5) -> tuple[Assignment, ...]:
    """Tasks as the server gives them: never more than the share."""
    with study.begin() as begun:
        left = count_remaining(begun, who.campaign, annotator_id=who.annotator.id)
        wanted = n if left is None else min(n, left)
        return take_tasks(begun, who.campaign.id, annotator_id=who.annotator.id, n=wanted) if wanted else ()


def work(study: Study, who: Admission, n: int) -> int:
    """Do up to n tasks one after the other; says how many there were."""
    for done in range(n):
        given = take_share(study, who, 1)
        if not given:
            return done
        answer(study, make_answer(given[0]))
    return n


def finish(study: Study, who: Admission) -> VisitProgress:
    """Ask to be sent back."""
    with study.begin() as begun:
        found = finish_visit(begun, who.campaign.id, annotator_id=who.annotator.id, visit_id=who.visit.id)
    assert found is not None
    return found


def give_back(study: Study, who: Admission) -> VisitProgress:
    """Stop and return the submission."""
    with study.begin() as begun:
        return return_visit(begun, who.campaign.id, annotator_id=who.annotator.id)
