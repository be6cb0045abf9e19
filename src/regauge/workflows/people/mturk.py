"""Mechanical Turk: put HITs there, see what came of them, approve, pay bonuses, and end them.

Every function that spends or decides takes what was shown to the manager before; nothing is worked out anew behind their back.
Ids of workers and assignments go to Mechanical Turk and to no other place.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeAlias

from regauge.errors import InputError, PlatformError
from regauge.records.campaigns.hits import HitAction, HitAssignment, HitPlan, Ruling, check_amount
from regauge.records.campaigns.visits import VisitState
from regauge.records.names import MAX_REASON
from regauge.recruitment.hits import count_bonus_cost, count_cost, make_hit, make_hit_type
from regauge.recruitment.rules import RULE, judge

__all__ = [
    "RULE",
    "Bonus",
    "Market",
    "carry_out",
    "choose_bonuses",
    "connect",
    "count_bonus_cost",
    "count_cost",
    "create_hits",
    "expire_hits",
    "find_hits",
    "judge",
    "list_submitted",
    "pay_bonuses",
]

Client: TypeAlias = Any
"""A client of boto3, which has no types."""

REGION = "us-east-1"
ENDPOINTS = {
    False: "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
    True: "https://mturk-requester.us-east-1.amazonaws.com",
}
ALREADY_THERE = "HITAlreadyExists"
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
NO_ACCESS = frozenset(
    {
        "AccessDeniedException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""What is said of credentials that do not fit. The words that come with it may hold parts of the request, so that they are not
repeated."""


@dataclass(frozen=True, slots=True)
class Market:
    """Where HITs are put.

    Attributes:
        client: what speaks to it.
        is_production: whether real people are paid real money; else it is the sandbox.
    """

    client: Client
    is_production: bool = False

    @property
    def name(self) -> str:
        """What messages call it."""
        return "Mechanical Turk" if self.is_production else "the sandbox of Mechanical Turk"

    @property
    def title(self) -> str:
        """The same where a sentence begins."""
        return self.name[0].upper() + self.name[1:]


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus for what somebody handed in; the same one is paid once, however often it is asked for."""

    assignment: HitAssignment
    amount: Decimal
    reason: str

    @property
    def token(self) -> str:
        """What makes a repetition harmless."""
        parts = (self.assignment.assignment_id, f"{self.amount:.2f}", self.reason)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def connect(*, is_production: bool = False) -> Market:
    """Mechanical Turk, with the credentials that boto3 finds; nothing is sent yet.

    Raises:
        InputError: boto3 is not installed.
    """
    try:
        boto3 = importlib.import_module("boto3")
        config = importlib.import_module("botocore.config").Config(retries={"mode": "standard", "max_attempts": 5})
    except ImportError:
        raise InputError("Mechanical Turk needs boto3; install it with: pip install 'regauge[mturk]'.") from None
    make = boto3.session.Session().client
    return Market(make("mturk", REGION, endpoint_url=ENDPOINTS[is_production], config=config), is_production)


def create_hits(market: Market, plan: HitPlan, *, campaign_id: int, batch: str, is_resumed: bool) -> tuple[str, ...]:
    """Make the HITs of a batch; those that an earlier attempt made are found again and not made twice.

    Args:
        market: where.
        plan: what they are like.
        campaign_id: whose tasks they show.
        batch: what tells the batch from all others.
        is_resumed: whether there was an earlier attempt.

    Returns:
        The id of each HIT.

    Raises:
        PlatformError: Mechanical Turk refuses or cannot be reached; the same call may be made again.
    """
    there = find_hits(market, batch) if is_resumed else {}
    hit_type_id = _call(market, "create_hit_type", **make_hit_type(plan))["HITTypeId"]
    tokens = [f"{batch}-{number:05d}" for number in range(plan.n_hits)]
    return tuple(
        there.get(token) or _create_hit(market, make_hit(plan, campaign_id, hit_type_id=hit_type_id, token=token))
        for token in tokens
    )


def find_hits(market: Market, batch: str) -> dict[str, str]:
    """The HITs of a batch that there are, by the token that each was made with."""
    found = _list(market, "list_hits", "HITs")
    notes = ((str(hit.get("RequesterAnnotation", "")), str(hit["HITId"])) for hit in found)
    return {note: hit_id for note, hit_id in notes if note.startswith(f"{batch}-")}


def list_submitted(market: Market, hit_ids: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """What workers have handed in, as Mechanical Turk tells it."""
    for hit_id in hit_ids:
        yield from _list(market, "list_assignments_for_hit", "Assignments", HITId=hit_id)


def carry_out(
    market: Market, rulings: Sequence[Ruling], *, feedback: str = "", note: Callable[[Ruling], None] = lambda _: None
) -> None:
    """Approve and reject as was ruled.

    Args:
        market: where.
        rulings: what the manager was shown and agreed to.
        feedback: what workers who are rejected are told.
        note: told of each ruling that was carried out.

    Raises:
        InputError: somebody would be rejected without a word.
        PlatformError: Mechanical Turk refuses or cannot be reached; those that were noted are done.
    """
    if any(one.action is HitAction.REJECT for one in rulings) and not feedback.strip():
        raise InputError("Whoever is rejected is told why: give a sentence with `feedback=…`.")
    for one in rulings:
        if one.action is HitAction.APPROVE:
            _call(market, "approve_assignment", AssignmentId=one.assignment.assignment_id)
        elif one.action is HitAction.REJECT:
            sent = {"AssignmentId": one.assignment.assignment_id, "RequesterFeedback": feedback.strip()}
            _call(market, "reject_assignment", **sent)
        note(one)


def choose_bonuses(
    market: Market, assignments: Sequence[HitAssignment], *, amount: Decimal, reason: str, by_rule: bool
) -> tuple[Bonus, ...]:
    """Bonuses that are due: to all who did their share, or by the rule only to those of them who were not dropped.

    Whoever has a bonus with the same reason for the same assignment is left out.

    Raises:
        InputError: the amount or the reason is not one.
    """
    check_amount(amount, "A bonus")
    if not 1 <= len(reason.strip()) <= MAX_REASON:
        raise InputError(f"Say what the bonus is for, in 1 to {MAX_REASON:,} characters: workers read it.")
    due = [one for one in assignments if _has_earned(one, by_rule=by_rule)]
    paid = {
        (payment.get("AssignmentId"), payment.get("Reason"))
        for hit_id in sorted({one.hit_id for one in due})
        for payment in _list(market, "list_bonus_payments", "BonusPayments", HITId=hit_id)
    }
    return tuple(Bonus(one, amount, reason.strip()) for one in due if (one.assignment_id, reason.strip()) not in paid)


def pay_bonuses(market: Market, bonuses: Sequence[Bonus], *, note: Callable[[Bonus], None] = lambda _: None) -> None:
    """Pay bonuses.

    Raises:
        PlatformError: Mechanical Turk refuses or cannot be reached; those that were noted are paid.
    """
    for bonus in bonuses:
        _call(
            market,
            "send_bonus",
            WorkerId=bonus.assignment.worker_id,
            AssignmentId=bonus.assignment.assignment_id,
            BonusAmount=f"{bonus.amount:.2f}",
            Reason=bonus.reason,
            UniqueRequestToken=bonus.token,
        )
        note(bonus)


def expire_hits(market: Market, hit_ids: Sequence[str]) -> None:
    """Offer HITs no longer; whoever is at work on one may finish it.

    Raises:
        PlatformError: Mechanical Turk refuses or cannot be reached; the same call may be made again.
    """
    for hit_id in hit_ids:
        _call(market, "update_expiration_for_hit", HITId=hit_id, ExpireAt=LONG_AGO)


def _has_earned(one: HitAssignment, *, by_rule: bool) -> bool:
    return one.state is VisitState.COMPLETED and one.status != "Rejected" and not (by_rule and one.is_dropped)


def _create_hit(market: Market, sent: Mapping[str, Any]) -> str:
    try:
        return str(_call(market, "create_hit_with_hit_type", **sent)["HIT"]["HITId"])
    except _AlreadyThereError as error:
        # The reply to an earlier call was lost on the way; Mechanical Turk names the HIT that it made then.
        batch = str(sent["UniqueRequestToken"]).rpartition("-")[0]
        known = find_hits(market, batch).get(str(sent["UniqueRequestToken"]))
        if known is None:
            raise PlatformError(str(error)) from None
        return known


class _AlreadyThereError(PlatformError):
    """The HIT was made before."""


def _list(market: Market, operation: str, what: str, **sent: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 - as in boto3
    """All pages of a list."""
    following: dict[str, Any] = {}
    while True:
        page = _call(market, operation, MaxResults=100, **sent, **following)
        yield from page.get(what, ())
        if not page.get("NextToken"):
            return
        following = {"NextToken": page["NextToken"]}


def _call(market: Market, operation: str, **sent: Any) -> Mapping[str, Any]:  # noqa: ANN401 - as in boto3
    """Ask for something; whatever goes wrong is one sentence."""
    exceptions = importlib.import_module("botocore.exceptions")
    name = operation.replace("_", " ")
    try:
        reply: Mapping[str, Any] = getattr(market.client, operation)(**sent)
    except exceptions.ClientError as error:
        raise _explain(market, name, error.response) from None
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError):
        raise PlatformError(
            "There are no credentials for Mechanical Turk: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile of AWS."
        ) from None
    except exceptions.BotoCoreError as error:
        what = type(error).__name__.removesuffix("Error")
        raise PlatformError(f"{market.title} cannot be asked to {name} ({what}); try again later.") from None
    return reply


def _explain(market: Market, name: str, reply: Mapping[str, Any]) -> PlatformError:
    error = reply.get("Error", {})
    code, turk_code = str(error.get("Code", "")), str(reply.get("TurkErrorCode", ""))
    if code in NO_ACCESS:
        return PlatformError(
            f"{market.title} does not accept the credentials ({code}); they must be those of its requester."
        )
    words = " ".join(re.sub(r"\s*\(\d{10,}[^)]*\)", "", str(error.get("Message", code))).split()).rstrip(".")
    kind = _AlreadyThereError if ALREADY_THERE.lower() in turk_code.lower() + words.lower() else PlatformError
    return kind(f"{market.title} refuses to {name}: {words or code}.")
