"""Answers as they come in are stored, and images that people were not shown are noted with who says so."""

from __future__ import annotations

from collections.abc import Sequence

from regauge.campaigns.credit import credit_time
from regauge.campaigns.locks import find_lock
from regauge.records.campaigns import NOT_SHOWN, Kind, NewAnswer, Payload, Receipt
from regauge.storage.answer_rules import Rules
from regauge.storage.image_failures import get_campaign_id, note_failures
from regauge.storage.responses import insert_answers
from regauge.storage.study import Study
from regauge.workflows.kinds import get_kind


def store_answers(study: Study, answers: Sequence[NewAnswer]) -> tuple[Receipt, ...]:
    """Store answers; each is taken once and credited with time that there was, and what was not shown is noted."""
    not_shown: dict[int, list[int]] = {}

    def _parse(kind: Kind, task: Payload, answer: Payload) -> Payload:
        asked = get_kind(study, kind).task
        parsed = asked.parse(task, answer)
        if NOT_SHOWN in parsed:
            not_shown[id(answer)] = asked.find_not_shown(task, parsed)
        return parsed

    rules = Rules(
        parse=_parse,
        is_unseen=lambda kind, task, answer: get_kind(study, kind).task.is_unseen(task, answer),
        find_lock=find_lock,
        credit=credit_time,
    )
    receipts = insert_answers(study, answers, rules=rules)
    for answer, receipt in zip(answers, receipts, strict=True):
        numbers = not_shown.get(id(answer.answer), [])
        if receipt.is_new and numbers:
            campaign_id = get_campaign_id(study, answer.assignment_id)
            note_failures(study, campaign_id, dict.fromkeys(numbers, ""), annotator_id=answer.annotator_id)
    return receipts
