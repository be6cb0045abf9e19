"""Answers as they come in are stored, and images that people were not shown are noted with who says so."""

from __future__ import annotations

from collections.abc import Sequence

from regauge.kinds.registry import find_kind
from regauge.records.campaigns.campaign import NOT_SHOWN, Kind, NewAnswer, Payload, Receipt
from regauge.responses.submissions import Reading, take_answers
from regauge.storage.campaigns.image_failures import get_campaign_id, note_failures
from regauge.storage.campaigns.responses import insert_answers, load_answer_context
from regauge.storage.study import Study


def submit_answers(study: Study, answers: Sequence[NewAnswer]) -> tuple[Receipt, ...]:
    """Store answers; each is taken once and credited with time that there was, and what was not shown is noted."""
    kinds, not_shown = study.around.kinds, dict[int, list[int]]()

    def _parse(kind: Kind, task: Payload, answer: Payload) -> Payload:
        asked = find_kind(kinds, kind).task
        parsed = asked.parse(task, answer)
        if NOT_SHOWN in parsed:
            not_shown[id(answer)] = asked.find_not_shown(task, parsed)
        return parsed

    def _is_unseen(kind: Kind, task: Payload, answer: Payload) -> bool:
        return find_kind(kinds, kind).task.is_unseen(task, answer)

    context = load_answer_context(study, answers)
    intake = take_answers(answers, context, reading=Reading(_parse, _is_unseen))
    insert_answers(study, intake)
    for answer, receipt in zip(answers, intake.receipts, strict=True):
        numbers = not_shown.get(id(answer.answer), [])
        if receipt.is_new and numbers:
            campaign_id = get_campaign_id(study, answer.assignment_id)
            note_failures(study, campaign_id, dict.fromkeys(numbers, ""), annotator_id=answer.annotator_id)
    return intake.receipts
