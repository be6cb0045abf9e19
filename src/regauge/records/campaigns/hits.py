"""HITs: what is put on Mechanical Turk, what it costs, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from regauge.errors import InputError
from regauge.records.addresses import check_base_url
from regauge.records.campaigns.visits import VisitState

CENT = Decimal("0.01")
MAX_REWARD = Decimal(1_000)
MAX_HITS = 10_000
MAX_ASSIGNMENTS = 1_000
MIN_SECONDS = 30
MAX_DURATION = 24 * 3600
"""Seconds that an assignment may take: as long as the token is good that the page in the frame has."""
MAX_LIFETIME = 365 * 24 * 3600
MAX_TEXT = 2_000


@dataclass(frozen=True, slots=True)
class HitPlan:
    """HITs to be put on Mechanical Turk.

    Attributes:
        title: what workers see in the list.
        description: what they see before they accept.
        reward: US dollars for one assignment.
        n_hits: HITs.
        n_assignments: people per HIT; nobody works on the same one twice.
        n_tasks: tasks that one assignment takes.
        base_url: the address of the server, which must be HTTPS.
        lifetime: seconds after which a HIT is no longer offered.
        duration: seconds that somebody has for it.
        approval_delay: seconds after which Mechanical Turk approves by itself.
        keywords: what workers may search for.
        qualifications: who may accept it, such as `approved>=95`, `hits>=100` or `locale=US,GB`.
    """

    title: str
    description: str
    reward: Decimal
    n_hits: int
    n_assignments: int
    n_tasks: int
    base_url: str
    lifetime: int = 7 * 24 * 3600
    duration: int = 3_600
    approval_delay: int = 3 * 24 * 3600
    keywords: str = "image, labelling"
    qualifications: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_amount(self.reward, "A reward")
        for name, text in (("title", self.title), ("description", self.description)):
            if not 1 <= len(text.strip()) <= MAX_TEXT:
                raise InputError(f"The {name} of a HIT has 1 to {MAX_TEXT:,} characters, not {len(text.strip()):,}.")
        for name, n, least, most in (
            ("The number of HITs", self.n_hits, 1, MAX_HITS),
            ("The number of assignments per HIT", self.n_assignments, 1, MAX_ASSIGNMENTS),
            ("The number of tasks per assignment", self.n_tasks, 1, 1_000),
            ("The lifetime in seconds", self.lifetime, MIN_SECONDS, MAX_LIFETIME),
            ("The duration in seconds", self.duration, MIN_SECONDS, MAX_DURATION),
        ):
            if not least <= n <= most:
                raise InputError(f"{name} is {least:,} to {most:,}, not {n:,}.")
        _check_address(self.base_url)


@dataclass(frozen=True, slots=True)
class HitCost:
    """What asking people costs, in US dollars.

    Attributes:
        n_payments: assignments or bonuses.
        amount: what each of them pays.
        fee: what Mechanical Turk takes for each.
    """

    n_payments: int
    amount: Decimal
    fee: Decimal

    @property
    def total(self) -> Decimal:
        """The whole cost: pay and fee of all payments, in US dollars."""
        return self.n_payments * (self.amount + self.fee)


class HitAction(StrEnum):
    """What is done about an assignment."""

    APPROVE = "approve"
    REJECT = "reject"
    LEAVE = "leave"
    """Nothing: it is decided already, or it is left to people."""


@dataclass(frozen=True, slots=True)
class HitAssignment:
    """What a worker handed in, with what our records say of it.

    Attributes:
        assignment_id: Mechanical Turk's id of it; names a person there, so it is neither stored nor printed.
        worker_id: who; likewise.
        hit_id: of which HIT.
        status: Submitted, Approved or Rejected.
        annotator: what the study calls them; empty where they never came here.
        state: how their visit ended; None where they never came here.
        n_done: tasks that the visit is paid for.
        n_controls: controls in all that they answered.
        n_controls_right: of those, answered as they should be.
        is_dropped: whether their answers do not count.
        has_receipt: whether they handed in the receipt of their visit.
    """

    assignment_id: str = field(repr=False)
    worker_id: str = field(repr=False)
    hit_id: str
    status: Literal["Submitted", "Approved", "Rejected"]
    annotator: str = ""
    state: VisitState | None = None
    n_done: int = 0
    n_controls: int = 0
    n_controls_right: int = 0
    is_dropped: bool = False
    has_receipt: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rule says of an assignment, and why."""

    assignment: HitAssignment
    action: HitAction
    why: str


def check_amount(amount: Decimal, what: str) -> None:
    """Make sure that an amount of money can be paid.

    Raises:
        InputError: the amount is not above zero and in whole cents, or is suspiciously large.
    """
    if not amount.is_finite() or not CENT <= amount <= MAX_REWARD or amount != amount.quantize(CENT):
        raise InputError(f"{what} is $0.01 to ${MAX_REWARD:,} in whole cents, not {amount}.")


def _check_address(address: str) -> None:
    # Mechanical Turk shows pages over HTTPS only, and browsers show nothing else inside its own.
    if not check_base_url(address).startswith("https://"):
        raise InputError(
            f"Mechanical Turk needs the address of the server over HTTPS, such as https://labels.example.org, not {address!r}."
        )
