"""Which answers are taken, and what each is good for.

Each answer is taken exactly once however often it comes. It counts while its task has room; after that it is surplus. Answers
of somebody who was dropped, to a hidden repeat, and of those who were shown nothing that is asked are kept as what they are. A
revision is good for the same as what it revises. An answer that cannot be taken is refused with a reason, and the others are
taken all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from regauge.campaigns.credit import credit_time, judge_shown
from regauge.campaigns.locks import find_lock
from regauge.errors import InputError
from regauge.records.campaigns.campaign import (
    NOT_SHOWN,
    NOT_YOURS,
    Kind,
    NewAnswer,
    Payload,
    Receipt,
    ResponseStatus,
    TaskRole,
    is_report,
)
from regauge.records.campaigns.times import ShownTime
from regauge.records.responses.submissions import (
    MAX_REVISIONS,
    AnswerContent,
    AnswerContext,
    AnsweredAssignment,
    AnswerTime,
    Intake,
    JudgedSeconds,
    TakenAnswer,
)

TOO_MANY = f"An answer can be changed {MAX_REVISIONS} times; your last accepted answer stands."
OTHER_CONTENT = "A different answer was already stored under the same id."
REPORTED = "You reported that this task could not be shown, so it was given to somebody else."
ANSWERED = "This task was answered before."

_NO_TIME = AnswerTime(0.0, 0.0)


def _refuse_nothing(given: AnsweredAssignment, before: Payload, now: Payload) -> str:  # noqa: ARG001 - all is taken
    """Whatever is answered, it is taken."""
    return ""


class Reading(NamedTuple):
    """How answers are read, which is for their kind to say.

    Attributes:
        parse: from the kind, the task and an answer to the answer in its canonical form; raises InputError.
        is_unseen: from the same and a parsed answer to whether it says nothing of what the task asks.
        find_refusal: from an assignment that is discussed, what was answered before and what is answered now to why that is not
            taken; empty where it is.
    """

    parse: Callable[[Kind, Payload, Payload], Payload]
    is_unseen: Callable[[Kind, Payload, Payload], bool]
    find_refusal: Callable[[AnsweredAssignment, Payload, Payload], str] = _refuse_nothing


def take_answers(answers: Iterable[NewAnswer], context: AnswerContext, *, reading: Reading) -> Intake:
    """What becomes of answers that come together, each after those before it."""
    counter = _Counter(context, reading)
    receipts = tuple([counter.take(answer) for answer in answers])
    free = {who: left for who, left in counter.free.items() if left != context.free[who]}
    return Intake(context.now, receipts, tuple(counter.taken), free)


class _Counter:
    """What is known, kept up to date while answer after answer is decided on."""

    def __init__(self, context: AnswerContext, reading: Reading) -> None:
        self.context, self.reading = context, reading
        self.known, self.status_of, self.n_rows = dict(context.known), dict(context.status_of), dict(context.n_rows)
        self.times, self.n_counted, self.free = dict(context.times), dict(context.n_counted), dict(context.free)
        self.taken: list[TakenAnswer] = []
        self.discussed = dict(context.discussed)

    def take(self, answer: NewAnswer) -> Receipt:
        """Decide on one answer."""
        given = self.context.given.get(answer.assignment_id)
        if given is None or given.annotator_id != answer.annotator_id:
            return Receipt(answer.client_id, None, NOT_YOURS)
        if given.is_erased:
            # A page that was open when they were erased may send what it still has.
            return Receipt(answer.client_id, None, "You were erased from this study, so nothing more is stored.")
        try:
            parsed = self.reading.parse(given.kind, given.payload, answer.answer)
        except InputError as error:
            return Receipt(answer.client_id, None, str(error))
        content = AnswerContent(parsed, answer.seconds, answer.revision)
        stored = self.known.get((given.assignment_id, answer.client_id))
        if stored is not None:
            is_same = _is_same(stored, content)
            status = self.status_of[given.assignment_id] if is_same else None
            return Receipt(answer.client_id, status, "" if is_same else OTHER_CONTENT)
        refusal = self._find_refusal(given, content)
        if refusal:
            return Receipt(answer.client_id, None, refusal)
        return self._add(given, answer.client_id, content, shown=answer.shown)

    def _add(
        self, given: AnsweredAssignment, client_id: str, content: AnswerContent, *, shown: ShownTime | None
    ) -> Receipt:
        status = self.status_of.get(given.assignment_id) or self._find_status(given, content)
        self.status_of[given.assignment_id] = status
        self.known[given.assignment_id, client_id] = content
        self.n_rows[given.assignment_id] += 1
        if given.assignment_id in self.discussed:
            self.discussed[given.assignment_id] = content.answer
        seconds = self._find_seconds(given, content.claimed)
        self.taken.append(TakenAnswer(client_id, given, content, status, seconds, self._judge_shown(given, shown)))
        return Receipt(client_id, status, is_new=True)

    def _find_refusal(self, given: AnsweredAssignment, content: AnswerContent) -> str:
        """Why a further answer to an assignment is not taken; empty where it is."""
        if self.n_rows[given.assignment_id] > MAX_REVISIONS:
            return TOO_MANY
        before = self.status_of.get(given.assignment_id)
        if before is None:
            return ""
        if (before is ResponseStatus.NOT_SHOWN) is not is_report(content.answer):
            return REPORTED if before is ResponseStatus.NOT_SHOWN else ANSWERED
        earlier = self.discussed.get(given.assignment_id)
        refusal = "" if earlier is None else self.reading.find_refusal(given, earlier, content.answer)
        return refusal or find_lock(given.payload)

    def _find_status(self, given: AnsweredAssignment, content: AnswerContent) -> ResponseStatus:
        """What a first answer is good for."""
        if is_report(content.answer):
            return ResponseStatus.NOT_SHOWN
        if given.role is TaskRole.REPEAT:
            return ResponseStatus.REPEAT
        if NOT_SHOWN in content.answer and self.reading.is_unseen(given.kind, given.payload, content.answer):
            return ResponseStatus.UNSEEN
        return self._find_room(given)

    def _find_room(self, given: AnsweredAssignment) -> ResponseStatus:
        if given.is_dropped:
            return ResponseStatus.DROPPED
        if self.n_counted[given.task_id] >= given.n_annotators:
            return ResponseStatus.SURPLUS
        self.n_counted[given.task_id] += 1
        return ResponseStatus.COUNTED

    def _judge_shown(self, given: AnsweredAssignment, shown: ShownTime | None) -> JudgedSeconds | None:
        """The seconds from the image being shown to the answer; None where the page says nothing of them."""
        if shown is None or not shown.is_known:
            return None
        return judge_shown(shown, shown_at=given.shown_at, leased_at=given.leased_at, now=self.context.moment)

    def _find_seconds(self, given: AnsweredAssignment, claimed: float | None) -> float | None:
        """The seconds that an answer is credited with; a revision claims those of the answer before it, too."""
        if claimed is None:
            return None
        earlier = self.times.get(given.assignment_id, _NO_TIME)
        more, free = max(0.0, claimed - earlier.claimed), self.free[given.annotator_id]
        credited, left = credit_time(free, more, leased_at=given.leased_at, now=self.context.moment)
        self.free[given.annotator_id] = left
        longest = AnswerTime(max(claimed, earlier.claimed), earlier.credited + credited)
        self.times[given.assignment_id] = longest
        return min(claimed, longest.credited)


def _is_same(stored: AnswerContent, sent: AnswerContent) -> bool:
    """Whether two answers say the same; a later version of Regauge may write it down otherwise."""
    answers = [{key: value for key, value in one.answer.items() if key != "version"} for one in (stored, sent)]
    return answers[0] == answers[1] and stored.revision == sent.revision and _is_as_long(stored.claimed, sent.claimed)


def _is_as_long(stored: float | None, sent: float | None) -> bool:
    """Whether two times are the same; SQLite gives back fifteen digits of what it was given, and not all that there were."""
    if stored is None or sent is None:
        return stored is sent
    return math.isclose(stored, sent, rel_tol=1e-9, abs_tol=1e-9)
