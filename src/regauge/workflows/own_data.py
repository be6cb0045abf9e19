"""What is stored about somebody, for that person alone to see and to take along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from regauge.campaigns.kinds import KINDS
from regauge.records.campaigns import AnnotatorEntry, CampaignEntry, Kind
from regauge.records.quizzes import Attempt
from regauge.records.studies import Event
from regauge.storage.attempts import list_own_attempts
from regauge.storage.campaigns import list_campaigns
from regauge.storage.events import find_events
from regauge.storage.own_data import (
    GivenConsent,
    OwnAnswer,
    Work,
    list_answers,
    list_consents,
    list_own_decisions,
    list_own_visits,
    list_work,
)
from regauge.storage.study import Study
from regauge.workflows.decisions import get_annotator
from regauge.workflows.erasure import ASKED

__all__ = ["OwnDecision", "OwnOverview", "describe_own_data", "take_own_data"]

FORMAT = 1


@dataclass(frozen=True, slots=True)
class OwnDecision:
    """That somebody's answers to a campaign no longer count, or count again, and why."""

    campaign: str
    is_dropped: bool
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class OwnOverview:
    """What is stored about somebody, in short.

    Attributes:
        annotator: by which name, and since when.
        consents: the texts that they agreed to, each with the name of its campaign.
        work: what they did, each with the name of its campaign.
        n_attempts: attempts at quizzes.
        decisions: what was decided about them.
        asked_at: when they last asked to be erased; None where they did not.
    """

    annotator: AnnotatorEntry
    consents: tuple[tuple[str, GivenConsent], ...]
    work: tuple[tuple[str, Work], ...]
    n_attempts: int
    decisions: tuple[OwnDecision, ...]
    asked_at: str | None


def describe_own_data(study: Study, annotator_id: int) -> OwnOverview:
    """What is stored about somebody, in short.

    Raises:
        InputError: there is no such annotator.
    """
    person = get_annotator(study, annotator_id)
    names = {entry.id: entry.name for entry in list_campaigns(study)}
    asked: tuple[Event, ...] = find_events(study, what=ASKED, who=person.name, limit=1)
    return OwnOverview(
        annotator=person,
        consents=tuple((names[one.campaign_id], one) for one in list_consents(study, annotator_id)),
        work=tuple((names[one.campaign_id], one) for one in list_work(study, annotator_id)),
        n_attempts=len(list_own_attempts(study, annotator_id)),
        decisions=_list_decisions(study, annotator_id, names),
        asked_at=asked[0].at if asked else None,
    )


def take_own_data(study: Study, annotator_id: int) -> dict[str, Any]:
    """Everything that is stored about somebody, ready for JSON.

    What a task asked and what was answered is there, never which images were controls or what is true of them, nor anybody
    else's data. It is also left out what an answer is good for, which would tell which tasks came twice: it can still be changed
    when a campaign is closed. That somebody was dropped is among the decisions.

    Raises:
        InputError: there is no such annotator.
    """
    person = get_annotator(study, annotator_id)
    campaigns = {entry.id: entry for entry in list_campaigns(study)}
    names = {number: entry.name for number, entry in campaigns.items()}
    return {
        "format": FORMAT,
        "taken_at": study.around.now(),
        "name": person.name,
        "came_by": person.platform.value,
        "since": person.created_at,
        "consents": [_show_consent(one, names) for one in list_consents(study, annotator_id)],
        "answers": [_show_answer(one, campaigns[one.campaign_id]) for one in list_answers(study, annotator_id)],
        "quiz_attempts": [_show_attempt(one, names) for one in list_own_attempts(study, annotator_id)],
        "visits": [{"campaign": names[one.pop("campaign_id")], **one} for one in list_own_visits(study, annotator_id)],
        "decisions": [asdict(one) for one in _list_decisions(study, annotator_id, names)],
    }


def _list_decisions(study: Study, annotator_id: int, names: Mapping[int, str]) -> tuple[OwnDecision, ...]:
    found = list_own_decisions(study, annotator_id)
    return tuple(OwnDecision(names[number], is_dropped, reason, at) for number, is_dropped, reason, at in found)


def _show_consent(one: GivenConsent, names: Mapping[int, str]) -> dict[str, Any]:
    return {"campaign": names[one.campaign_id], "given_at": one.given_at, **asdict(one.texts)}


def _show_answer(one: OwnAnswer, campaign: CampaignEntry) -> dict[str, Any]:
    asked: dict[str, Any] = {"n_images": len(KINDS[campaign.kind].list_images(one.task))}
    if campaign.kind is Kind.CONTAINS:
        asked["class"] = one.task["class"]
    else:
        asked["candidates"] = list(one.task["candidates"])
    return {
        "campaign": campaign.name,
        "kind": campaign.kind.value,
        "asked": asked,
        "answer": dict(one.answer),
        "seconds": one.seconds,
        "revision": one.revision,
        "received_at": one.received_at,
    }


def _show_attempt(one: Attempt, names: Mapping[int, str]) -> dict[str, Any]:
    # Only what was answered: a question that is still to come must not be known beforehand.
    answers = [
        {"answer": question.answer, "is_right": question.is_right, "at": question.answered_at}
        for question in one.questions
        if question.answer is not None
    ]
    return {
        "campaign": names[one.campaign_id],
        "number": one.number,
        "has_passed": one.has_passed,
        "began_at": one.began_at,
        "ended_at": one.ended_at,
        "answers": answers,
    }
