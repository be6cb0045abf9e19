"""What is stored about somebody, for that person alone to see and to take along, and whether they may."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from regauge.campaigns.visibility import TaskContext, find_order
from regauge.errors import InputError
from regauge.kinds.registry import find_kind, has_kind
from regauge.records.campaigns.campaign import AnnotatorEntry, CampaignEntry, Platform
from regauge.records.campaigns.evaluations import OWN_DATA, is_blind, withholds
from regauge.records.campaigns.quizzes import Attempt
from regauge.records.exposure.exposures import StoredExposure
from regauge.storage.campaigns.attempts import list_own_attempts
from regauge.storage.campaigns.campaign import get_campaign, list_campaigns, set_settings
from regauge.storage.campaigns.comments import list_own_comments
from regauge.storage.campaigns.extra_tasks import load_tasks_of
from regauge.storage.campaigns.image_reports import list_own_reports
from regauge.storage.events import add_event
from regauge.storage.exposure.exposures import list_exposures
from regauge.storage.files import open_private, write_whole
from regauge.storage.people.annotators import get_annotator
from regauge.storage.people.erasure import find_request
from regauge.storage.people.expertises import find_expertises
from regauge.storage.people.own_data import (
    GivenConsent,
    OwnAnswer,
    OwnWork,
    list_answers,
    list_consents,
    list_own_decisions,
    list_own_visits,
    list_work,
)
from regauge.storage.study import Study

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
        withheld: campaigns that tested them, of which they see no answer until the study allows it.
        asked_at: when they last asked to be erased; None where they did not.
    """

    annotator: AnnotatorEntry
    consents: tuple[tuple[str, GivenConsent], ...]
    work: tuple[tuple[str, OwnWork], ...]
    n_attempts: int
    decisions: tuple[OwnDecision, ...]
    asked_at: str | None
    withheld: tuple[str, ...] = ()


def describe_own_data(study: Study, annotator_id: int) -> OwnOverview:
    """What is stored about somebody, in short.

    Raises:
        InputError: there is no such annotator.
    """
    person = get_annotator(study, annotator_id)
    campaigns = list_campaigns(study)
    names = {entry.id: entry.name for entry in campaigns}
    asked, work = find_request(study, annotator_id), list_work(study, annotator_id)
    of_theirs = {one.campaign_id for one in work}
    return OwnOverview(
        annotator=person,
        consents=tuple((names[one.campaign_id], one) for one in list_consents(study, annotator_id)),
        work=tuple((names[one.campaign_id], one) for one in work),
        n_attempts=len(list_own_attempts(study, annotator_id)),
        decisions=_list_decisions(study, annotator_id, names),
        asked_at=None if asked is None else asked.at,
        withheld=tuple(one.name for one in campaigns if one.id in of_theirs and withholds(one.plan.settings)),
    )


def take_own_data(study: Study, annotator_id: int) -> dict[str, Any]:
    """Everything that is stored about somebody, ready for JSON.

    What a task asked and what was answered is there, in the order in which they saw it, never which images were controls or what
    is true of them, what an answer is good for, which would tell which tasks came twice, nor anybody else's data. That holds for
    closed campaigns too: they may be opened again, and answers to them can still be changed. That somebody was dropped is among
    the decisions. Of a campaign that tested them nothing is there that they saw or said until the study allows it: whoever reads
    it again would remember it when they are tested again.

    Raises:
        InputError: there is no such annotator.
    """
    person = get_annotator(study, annotator_id)
    campaigns = {entry.id: entry for entry in list_campaigns(study)}
    names = {number: entry.name for number, entry in campaigns.items()}
    asked = find_request(study, annotator_id)
    kept_back = {number for number, entry in campaigns.items() if withholds(entry.plan.settings)}
    return {
        "format": FORMAT,
        "taken_at": study.around.now(),
        "name": person.name,
        "came_by": person.platform.value,
        "since": person.created_at,
        "expertises": sorted(find_expertises(study, annotator_id)),
        "consents": [_show_consent(one, names) for one in list_consents(study, annotator_id)],
        "withheld": sorted(
            names[one.campaign_id] for one in list_work(study, annotator_id) if one.campaign_id in kept_back
        ),
        "answers": [
            _show_answer(study, one, campaigns[one.campaign_id])
            for one in list_answers(study, annotator_id)
            if one.campaign_id not in kept_back
        ],
        "quiz_attempts": [
            _show_attempt(study, one, campaigns[one.campaign_id]) for one in list_own_attempts(study, annotator_id)
        ],
        "image_reports": [
            {"campaign": names[one.campaign_id], "problem": one.problem, "words": one.words, "at": one.at}
            for one in list_own_reports(study, annotator_id)
            if one.campaign_id not in kept_back
        ],
        "comments": [
            {"campaign": names[one.campaign_id], "text": one.text, "at": one.at}
            for one in list_own_comments(study, annotator_id)
            if one.campaign_id not in kept_back
        ],
        "exposure": _count_exposures(study, annotator_id, names),
        "visits": [{"campaign": names[one.pop("campaign_id")], **one} for one in list_own_visits(study, annotator_id)],
        "decisions": [asdict(one) for one in _list_decisions(study, annotator_id, names)],
        "erasure_asked": None if asked is None else {"with_answers": asked.with_answers, "at": asked.at},
    }


def _count_exposures(study: Study, annotator_id: int, names: Mapping[int, str]) -> list[dict[str, Any]]:
    """How many images they were shown as what, by campaign, and when; not which, for that would tell what set they are from."""
    found: dict[tuple[str, str], list[StoredExposure]] = defaultdict(list)
    for one in list_exposures(study, annotator_ids=[annotator_id]):
        found[names.get(one.campaign_id, ""), one.role.value].append(one)
    return [
        {
            "campaign": campaign,
            "as": role,
            "n_images": len(own),
            "first_at": min(one.first_at for one in own),
            "last_at": max(one.last_at for one in own),
        }
        for (campaign, role), own in sorted(found.items())
    ]


def find_platform(study: Study, annotator_id: int) -> Platform:
    """How somebody came: by a personal link, which proves who they are, or from a platform, whose ids prove nothing.

    Raises:
        InputError: there is no such annotator.
    """
    return get_annotator(study, annotator_id).platform


def write_own_data(study: Study, annotator: str, path: Path) -> None:
    """Write what somebody would take along themselves to a new file that only its owner can read, and put it on record.

    Whoever came from a platform asks for it there: here, nothing proves who they are.

    Raises:
        InputError: there is no such annotator, or the file exists.
    """
    person = get_annotator(study, annotator)
    with write_whole(path) as partial, open_private(partial) as file:
        json.dump(take_own_data(study, person.id), file, indent=1)
    add_event(study, "own data", {"annotator": person.name})


def _list_decisions(study: Study, annotator_id: int, names: Mapping[int, str]) -> tuple[OwnDecision, ...]:
    found = list_own_decisions(study, annotator_id)
    return tuple(OwnDecision(names[number], is_dropped, reason, at) for number, is_dropped, reason, at in found)


def _show_consent(one: GivenConsent, names: Mapping[int, str]) -> dict[str, Any]:
    return {"campaign": names[one.campaign_id], "given_at": one.given_at, **asdict(one.texts)}


def _show_answer(study: Study, one: OwnAnswer, campaign: CampaignEntry) -> dict[str, Any]:
    asked, answer = _read_answer(study, one, campaign)
    return {
        "campaign": campaign.name,
        "kind": str(campaign.kind),
        "asked": asked,
        "answer": answer,
        "seconds": one.seconds,
        "shown_seconds": one.shown_seconds,
        "revision": one.revision,
        "received_at": one.received_at,
    }


def _read_answer(study: Study, one: OwnAnswer, campaign: CampaignEntry) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was asked and answered; of a kind that this program does not have, the answer as it is stored."""
    if not has_kind(study.around.kinds, campaign.kind):
        return {}, dict(one.answer)
    kind, order = find_kind(study.around.kinds, campaign.kind).task, find_order(one.assignment_id)
    asked = {
        "n_images": len(kind.list_images(one.task)),
        **kind.describe_asked(one.task, TaskContext(study.taxonomy, order)),
    }
    return asked, dict(kind.arrange(one.answer, task=one.task, order=order))


def _show_attempt(study: Study, one: Attempt, campaign: CampaignEntry) -> dict[str, Any]:
    # Only what was answered: a question that is still to come must not be known beforehand.
    answered = [(question, question.answer) for question in one.questions if question.answer is not None]
    asked = load_tasks_of(study, [question.task_id for question, _ in answered])
    is_known = has_kind(study.around.kinds, campaign.kind)
    arrange = find_kind(study.around.kinds, campaign.kind).task.arrange if is_known else None
    answers = [
        {
            "answer": dict(
                answer
                if arrange is None
                else arrange(answer, task=asked[question.task_id], order=find_order(question.id))
            ),
            "is_right": question.is_right,
            "at": question.answered_at,
        }
        for question, answer in answered
    ]
    return {
        "campaign": campaign.name,
        "number": one.number,
        "has_passed": one.has_passed,
        "began_at": one.began_at,
        "ended_at": one.ended_at,
        "answers": answers,
    }


def allow_own_data(study: Study, name: str | int, *, is_allowed: bool = True) -> CampaignEntry:
    """Let people see and take along what they answered in a campaign that tested them, or no longer.

    Args:
        study: the study, inside a transaction.
        name: which campaign.
        is_allowed: whether they may.

    Raises:
        InputError: there is no such campaign, or it tests nobody, so that people see their answers anyway.
    """
    campaign = get_campaign(study, name)
    if not is_blind(campaign.plan.settings):
        raise InputError(f"Campaign {campaign.name} tests nobody, so people see what they answered anyway.")
    set_settings(study, campaign, {**campaign.plan.settings, OWN_DATA: is_allowed})
    add_event(study, "campaign own data", {"campaign": campaign.name, "is_allowed": is_allowed})
    return get_campaign(study, campaign.id)
