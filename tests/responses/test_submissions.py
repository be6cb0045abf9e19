"""Which answers are taken, and what each is good for, without a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from regauge.errors import InputError
from regauge.records.campaigns.campaign import (
    ALL_FREE,
    NOT_SHOWN,
    NOT_YOURS,
    AssignmentId,
    Kind,
    NewAnswer,
    Payload,
    ResponseStatus,
    TaskRole,
)
from regauge.records.responses.submissions import AnswerContext, AnsweredAssignment, Intake
from regauge.responses.submissions import OTHER_CONTENT, Reading, take_answers

COUNTED, SURPLUS = ResponseStatus.COUNTED, ResponseStatus.SURPLUS
A_SECOND = 1_000


def parse(_kind: Kind, _task: Payload, answer: Payload) -> Payload:
    if "bad" in answer:
        raise InputError("That is not an answer.")
    return answer


READING = Reading(parse, lambda _kind, _task, answer: answer[NOT_SHOWN] == "all")


def give(number: int, **changes: object) -> AnsweredAssignment:
    """An assignment of the one task, which two people are to answer, to the person of the same number."""
    given = AnsweredAssignment(
        AssignmentId(str(number)), number, 1, {}, Kind("contains"), 2, TaskRole.WORK, 0, False, False
    )
    return given._replace(**changes)  # type: ignore[arg-type]


def make_context(*given: AnsweredAssignment) -> AnswerContext:
    return AnswerContext(
        now="",
        moment=100 * A_SECOND,
        given={one.assignment_id: one for one in given},
        known={},
        status_of={},
        n_rows={one.assignment_id: 0 for one in given},
        times={},
        n_counted={1: 0},
        free={one.annotator_id: ALL_FREE for one in given},
    )


def send(number: int, answer: Mapping[str, object] | None = None, **more: object) -> NewAnswer:
    return NewAnswer(f"client-{number}", AssignmentId(str(number)), number, answer or {"mask": "1"}, **more)  # type: ignore[arg-type]


def take(context: AnswerContext, *answers: NewAnswer) -> Intake:
    return take_answers(answers, context, reading=READING)


def test_an_answer_counts_while_its_task_has_room() -> None:
    found = take(make_context(*map(give, range(3))), *map(send, range(3)))
    assert [one.status for one in found.receipts] == [COUNTED, COUNTED, SURPLUS]
    assert [one.status for one in found.taken] == [COUNTED, COUNTED, SURPLUS]


def test_answers_of_the_dropped_to_repeats_and_of_what_was_not_seen_take_no_room() -> None:
    people = (give(0, is_dropped=True), give(1, role=TaskRole.REPEAT), give(2), give(3), give(4), give(5))
    sent = (send(0), send(1), send(2, {NOT_SHOWN: True}), send(3, {NOT_SHOWN: "all"}), send(4), send(5))
    assert [one.status for one in take(make_context(*people), *sent).receipts] == [
        ResponseStatus.DROPPED,
        ResponseStatus.REPEAT,
        ResponseStatus.NOT_SHOWN,
        ResponseStatus.UNSEEN,
        COUNTED,
        COUNTED,
    ]


def test_what_comes_again_is_taken_once_and_what_says_something_else_is_refused() -> None:
    found = take(make_context(give(0)), send(0), send(0), send(0, {"mask": "2"}))
    assert [(one.status, one.is_new) for one in found.receipts[:2]] == [(COUNTED, True), (COUNTED, False)]
    assert found.receipts[2].refusal == OTHER_CONTENT
    assert len(found.taken) == 1


def test_what_cannot_be_taken_is_refused_and_the_others_are_taken() -> None:
    found = take(
        make_context(give(0), give(1), give(2, is_erased=True)), send(0, {"bad": 1}), send(2), send(3), send(1)
    )
    assert [one.refusal for one in found.receipts] == [
        "That is not an answer.",
        "You were erased from this study, so nothing more is stored.",
        NOT_YOURS,
        "",
    ]
    assert [one.client_id for one in found.taken] == ["client-1"]


def test_a_revision_is_credited_with_what_it_claims_beyond_the_answer_before() -> None:
    # The task was given 100 seconds ago: of 60 and then 60 more seconds, 60 and then 40 were there.
    change = replace(send(0, {"mask": "2"}, seconds=120.0, revision=1), client_id="client-again")
    found = take(make_context(give(0)), send(0, seconds=60.0), change)
    assert [one.seconds for one in found.taken] == [60.0, 100.0]
    assert found.free == {0: (100 * A_SECOND,)}


def test_what_was_known_before_is_left_as_it_was() -> None:
    context = make_context(give(0))
    take(context, send(0, seconds=1.0))
    assert (context.known, context.status_of, context.times) == ({}, {}, {})
    assert (context.n_counted, context.free) == ({1: 0}, {0: ALL_FREE})
