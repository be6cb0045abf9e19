"""Mechanical Turk: nothing is made or paid twice, every refusal is one sentence, and no credential is told."""

from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal
from typing import Any

import botocore.exceptions
import pytest
from tests.workflows.fake_mturk import ACCESS_KEY, SECRET_KEY, make_client, play

from regauge.errors import InputError, PlatformError
from regauge.records.campaigns.hits import HitAction, HitAssignment, HitPlan, Ruling
from regauge.records.campaigns.visits import VisitState
from regauge.recruitment.hits import make_hit, make_hit_type
from regauge.workflows.people.mturk import (
    LONG_AGO,
    Bonus,
    Market,
    carry_out,
    choose_bonuses,
    connect,
    create_hits,
    expire_hits,
    find_hits,
    list_submitted,
    pay_bonuses,
)

PLAN = HitPlan("Label images", "Label images", Decimal("0.50"), 2, 3, 4, "https://labels.example")
BATCH = "b" * 32
DONE = HitAssignment("3A", "A1", "3H", "Submitted", annotator="mturk-1", state=VisitState.COMPLETED, n_done=4)
REASON = "Thank you for careful work."


def expect_hit(stubber: Any, number: int, hit_id: str | None = None) -> None:
    """That HIT will be made; without an id Mechanical Turk says that it is there already."""
    sent = make_hit(PLAN, 7, hit_type_id="3TYPE", token=f"{BATCH}-{number:05d}")
    if hit_id is not None:
        stubber.add_response("create_hit_with_hit_type", {"HIT": {"HITId": hit_id}}, sent)
        return
    stubber.add_client_error(
        "create_hit_with_hit_type",
        service_error_code="RequestError",
        service_message="A HIT with this token exists. (1700000000000)",
        modeled_fields={"TurkErrorCode": "AWS.MechanicalTurk.HITAlreadyExists"},
        expected_params=sent,
    )


def expect_type(stubber: Any) -> None:
    stubber.add_response("create_hit_type", {"HITTypeId": "3TYPE"}, make_hit_type(PLAN))


def expect_list(stubber: Any, *hits: tuple[str, str], following: str = "", after: str = "") -> None:
    sent = {"MaxResults": 100, **({"NextToken": after} if after else {})}
    found = [{"HITId": hit_id, "RequesterAnnotation": note} for note, hit_id in hits]
    reply = {"HITs": found, "NumResults": len(found), **({"NextToken": following} if following else {})}
    stubber.add_response("list_hits", reply, sent)


def create(market: Any, *, is_resumed: bool = False) -> tuple[str, ...]:
    return create_hits(market, PLAN, campaign_id=7, batch=BATCH, is_resumed=is_resumed)


def test_hits_are_made_one_type_and_then_each_with_a_token_of_its_own():
    with play() as (market, stubber):
        expect_type(stubber)
        expect_hit(stubber, 0, "3ONE")
        expect_hit(stubber, 1, "3TWO")
        assert create(market) == ("3ONE", "3TWO")


def test_after_a_crash_those_that_are_there_are_found_and_only_the_others_made():
    with play() as (market, stubber):
        expect_list(stubber, ("somebody else's", "3X"), following="more")
        expect_list(stubber, (f"{BATCH}-00000", "3ONE"), (f"{'c' * 32}-00001", "3Y"), after="more")
        expect_type(stubber)
        expect_hit(stubber, 1, "3TWO")
        assert create(market, is_resumed=True) == ("3ONE", "3TWO")


def test_a_hit_whose_reply_was_lost_is_found_again():
    with play() as (market, stubber):
        expect_type(stubber)
        expect_hit(stubber, 0)
        expect_list(stubber, (f"{BATCH}-00000", "3ONE"))
        expect_hit(stubber, 1, "3TWO")
        assert create(market) == ("3ONE", "3TWO")


def test_a_hit_that_is_there_and_cannot_be_found_is_said_so():
    with play() as (market, stubber):
        expect_type(stubber)
        expect_hit(stubber, 0)
        expect_list(stubber)
        with pytest.raises(
            PlatformError, match=r"The sandbox of Mechanical Turk refuses .*: A HIT with this token exists\.$"
        ):
            create(market)


def test_hits_of_another_batch_are_not_ours():
    with play() as (market, stubber):
        expect_list(stubber, (f"{BATCH}-00000", "3ONE"), (f"{BATCH}x-00001", "3TWO"), ("", "3THREE"))
        assert find_hits(market, BATCH) == {f"{BATCH}-00000": "3ONE"}


def test_all_pages_of_what_was_handed_in_are_read():
    one = {"AssignmentId": "3A", "WorkerId": "A1", "HITId": "3H", "AssignmentStatus": "Submitted"}
    with play() as (market, stubber):
        pages = ({"Assignments": [one], "NextToken": "t"}, {"Assignments": [{**one, "AssignmentId": "3B"}]})
        stubber.add_response("list_assignments_for_hit", pages[0], {"HITId": "3H", "MaxResults": 100})
        stubber.add_response("list_assignments_for_hit", pages[1], {"HITId": "3H", "MaxResults": 100, "NextToken": "t"})
        assert [found["AssignmentId"] for found in list_submitted(market, ["3H"])] == ["3A", "3B"]


def test_rulings_are_carried_out_and_what_is_left_is_left():
    rulings = [
        Ruling(DONE, HitAction.APPROVE, ""),
        Ruling(replace(DONE, assignment_id="3B"), HitAction.LEAVE, ""),
        Ruling(replace(DONE, assignment_id="3C"), HitAction.REJECT, ""),
    ]
    done: list[Ruling] = []
    with play() as (market, stubber):
        stubber.add_response("approve_assignment", {}, {"AssignmentId": "3A"})
        stubber.add_response(
            "reject_assignment", {}, {"AssignmentId": "3C", "RequesterFeedback": "Every cell was empty."}
        )
        carry_out(market, rulings, feedback=" Every cell was empty. ", note=done.append)
    assert done == rulings


def test_nobody_is_rejected_without_a_word():
    with play() as (market, _), pytest.raises(InputError, match="`feedback=…`"):
        carry_out(market, [Ruling(DONE, HitAction.APPROVE, ""), Ruling(DONE, HitAction.REJECT, "")], feedback="  ")


def test_what_was_done_before_a_refusal_is_known():
    done: list[Ruling] = []
    rulings = [Ruling(replace(DONE, assignment_id=f"3A{n}"), HitAction.APPROVE, "") for n in range(3)]
    with play() as (market, stubber):
        stubber.add_response("approve_assignment", {}, {"AssignmentId": "3A0"})
        stubber.add_client_error("approve_assignment", "RequestError", "This user account has insufficient funds.")
        with pytest.raises(PlatformError, match="insufficient funds"):
            carry_out(market, rulings, note=done.append)
    assert done == rulings[:1]


def expect_bonuses(stubber: Any, hit: str, *paid: tuple[str, str]) -> None:
    found = [{"AssignmentId": one, "WorkerId": "A1", "BonusAmount": "1.00", "Reason": reason} for one, reason in paid]
    reply = {"BonusPayments": found, "NumResults": len(found)}
    stubber.add_response("list_bonus_payments", reply, {"HITId": hit, "MaxResults": 100})


def test_a_bonus_goes_to_those_who_earned_it_and_do_not_have_it():
    dropped = replace(DONE, assignment_id="3B", is_dropped=True)
    others = [
        replace(DONE, assignment_id="3C", state=VisitState.STARTED),
        replace(DONE, assignment_id="3D", status="Rejected"),
        replace(DONE, assignment_id="3E", state=None),
    ]
    has_it = replace(DONE, assignment_id="3F", status="Approved")
    for by_rule, expected in ((True, ["3A"]), (False, ["3A", "3B"])):
        with play() as (market, stubber):
            expect_bonuses(stubber, "3H", ("3F", REASON), ("3A", "Another reason."))
            found = choose_bonuses(
                market, [DONE, dropped, *others, has_it], amount=Decimal("1.00"), reason=REASON, by_rule=by_rule
            )
        assert [one.assignment.assignment_id for one in found] == expected


@pytest.mark.parametrize(("amount", "reason", "words"), [("0", REASON, "A bonus is"), ("1", " ", "Say what")])
def test_a_bonus_that_makes_no_sense_is_refused(amount, reason, words):
    with play() as (market, _), pytest.raises(InputError, match=words):
        choose_bonuses(market, [DONE], amount=Decimal(amount), reason=reason, by_rule=True)


def test_a_bonus_is_sent_with_a_token_that_is_the_same_for_the_same_bonus_only():
    bonus = Bonus(DONE, Decimal("1"), REASON)
    with play() as (market, stubber):
        sent = {"WorkerId": "A1", "AssignmentId": "3A", "BonusAmount": "1.00", "Reason": REASON}
        stubber.add_response("send_bonus", {}, {**sent, "UniqueRequestToken": bonus.token})
        pay_bonuses(market, [bonus])
    assert bonus.token == Bonus(DONE, Decimal("1.00"), REASON).token
    others = (
        Bonus(DONE, Decimal("1.01"), REASON),
        Bonus(DONE, Decimal("1"), "Else."),
        Bonus(replace(DONE, assignment_id="3B"), Decimal("1"), REASON),
    )
    assert len({bonus.token, *(one.token for one in others)}) == 4
    assert len(bonus.token) == 64


def test_hits_end_by_a_moment_that_has_passed():
    with play() as (market, stubber):
        for hit in ("3H", "3I"):
            stubber.add_response("update_expiration_for_hit", {}, {"HITId": hit, "ExpireAt": LONG_AGO})
        expire_hits(market, ["3H", "3I"])


@pytest.mark.parametrize("code", ["UnrecognizedClientException", "SignatureDoesNotMatch", "AccessDeniedException"])
def test_credentials_that_do_not_fit_are_said_without_the_words_that_came(code):
    with play() as (market, stubber):
        stubber.add_client_error("update_expiration_for_hit", code, f"The key {ACCESS_KEY} and {SECRET_KEY} …")
        with pytest.raises(PlatformError, match="does not accept the credentials") as refused:
            expire_hits(market, ["3H"])
    assert ACCESS_KEY not in str(refused.value)
    assert SECRET_KEY not in str(refused.value)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (botocore.exceptions.NoCredentialsError(), "no credentials"),
        (botocore.exceptions.EndpointConnectionError(endpoint_url="https://x"), "EndpointConnection"),
        (botocore.exceptions.ReadTimeoutError(endpoint_url="https://x"), "ReadTimeout"),
    ],
)
def test_a_network_that_fails_is_one_sentence(monkeypatch, error, words):
    with play() as (market, _):
        monkeypatch.setattr(market.client, "update_expiration_for_hit", lambda **_: _raise(error))
        with pytest.raises(PlatformError, match=words) as refused:
            expire_hits(market, ["3H"])
    assert "\n" not in str(refused.value)


def _raise(error: Exception) -> None:
    raise error


def test_what_was_asked_wrongly_is_refused_by_the_service_model():
    with pytest.raises(PlatformError, match="ParamValidation"):
        expire_hits(Market(make_client()), [5])  # type: ignore[list-item]


def test_the_sandbox_is_where_one_is_unless_told_otherwise(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    assert "sandbox" in connect().client.meta.endpoint_url
    real = connect(is_production=True)
    assert real.client.meta.endpoint_url == "https://mturk-requester.us-east-1.amazonaws.com"
    assert ACCESS_KEY not in repr(real)


def test_without_boto3_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(InputError, match=r"regauge\[mturk\]"):
        connect()
