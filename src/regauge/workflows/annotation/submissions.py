"""Answers as they come in are stored; images that people were not shown are noted, and those that they hand back get a thread."""

from __future__ import annotations

from collections.abc import Sequence

from regauge.campaigns.comments import COMMENT, is_returned
from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import NOT_SHOWN, Kind, NewAnswer, Payload, Receipt
from regauge.records.campaigns.comments import NewComment
from regauge.records.responses.submissions import AnsweredAssignment
from regauge.responses.submissions import Reading, take_answers
from regauge.storage.campaigns.assignments import find_assignment
from regauge.storage.campaigns.campaign import get_campaign
from regauge.storage.campaigns.comments import insert_comment
from regauge.storage.campaigns.image_failures import get_campaign_id, note_failures
from regauge.storage.campaigns.responses import insert_answers, load_answer_context
from regauge.storage.exposure.exposures import delete_unshown
from regauge.storage.study import Study
from regauge.workflows.annotation.referrals import follow_referrals
from regauge.workflows.discussions.standing import refuse_change


def submit_answers(study: Study, answers: Sequence[NewAnswer]) -> tuple[Receipt, ...]:
    """Store answers; each is taken once and credited with time that there was, and what was not shown is noted."""
    kinds, not_shown, returned = study.around.kinds, dict[int, list[int]](), dict[int, str]()

    def _parse(kind: Kind, task: Payload, answer: Payload) -> Payload:
        asked = find_kind(kinds, kind).task
        parsed = asked.parse(task, answer)
        if NOT_SHOWN in parsed:
            not_shown[id(answer)] = asked.find_not_shown(task, parsed)
        if is_returned(parsed):
            returned[id(answer)] = parsed[COMMENT]
        return parsed

    def _is_unseen(kind: Kind, task: Payload, answer: Payload) -> bool:
        return find_kind(kinds, kind).task.is_unseen(task, answer)

    def _find_refusal(given: AnsweredAssignment, before: Payload, now: Payload) -> str:
        return refuse_change(study, given, before=before, now=now)

    context = load_answer_context(study, answers)
    intake = take_answers(answers, context, reading=Reading(_parse, _is_unseen, _find_refusal))
    insert_answers(study, intake)
    follow_referrals(study, intake)
    for answer, receipt in zip(answers, intake.receipts, strict=True):
        numbers = not_shown.get(id(answer.answer), [])
        if receipt.is_new and numbers:
            campaign_id = get_campaign_id(study, answer.assignment_id)
            note_failures(study, campaign_id, dict.fromkeys(numbers, ""), annotator_id=answer.annotator_id)
            delete_unshown(study, answer.assignment_id, numbers)
        if receipt.is_new and id(answer.answer) in returned:
            _open_thread(study, answer, returned[id(answer.answer)])
    return intake.receipts


def _open_thread(study: Study, answer: NewAnswer, comment: str) -> None:
    """What somebody says who hands an image back begins a thread; of a grid, one about its first image."""
    assignment = find_assignment(study, answer.assignment_id)
    if assignment is None:
        return
    campaign = get_campaign(study, assignment.campaign_id)
    number, *_ = find_kind(study.around.kinds, campaign.kind).task.list_images(assignment.payload)
    new = NewComment(number, comment, task_id=assignment.task_id, client_id=answer.client_id)
    insert_comment(study, campaign, annotator_id=answer.annotator_id, new=new, n_answers=0)
