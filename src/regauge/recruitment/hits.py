"""What is sent to Mechanical Turk to make HITs, as its service model has it, and what it charges for them, to the cent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from xml.sax.saxutils import escape

from regauge.errors import InputError
from regauge.records.campaigns.hits import CENT, HitCost, HitPlan

SCHEMA = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"

# Qualifications that Mechanical Turk itself keeps of workers:
# https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ApiReference_QualificationRequirementDataStructureArticle.html
APPROVED = "000000000000000000L0"
HITS = "00000000000000000040"
LOCALE = "00000000000000000071"
_NAMES = {"approved": APPROVED, "hits": HITS}
_COMPARATORS = {
    ">=": "GreaterThanOrEqualTo",
    "<=": "LessThanOrEqualTo",
    ">": "GreaterThan",
    "<": "LessThan",
    "=": "EqualTo",
}
_NUMBER = re.compile(r"(approved|hits|[A-Z0-9]{10,64})(>=|<=|>|<|=)([0-9]{1,9})", re.ASCII)
_PRESENCE = re.compile(r"(!?)([A-Z0-9]{10,64})", re.ASCII)
_COUNTRIES = re.compile(r"locale=([A-Z]{2}(?:,[A-Z]{2})*)", re.ASCII)

# https://www.mturk.com/pricing: 20% of rewards and bonuses; another 20% of rewards where a HIT has ten or more assignments; at
# least one cent for each payment; half cents are rounded up. Asking for Masters costs 5% more. What other qualifications of the
# platform's own cost is not in the list that programs can know.
FEE = Decimal("0.20")
FEE_OF_MANY = Decimal("0.20")
MANY_ASSIGNMENTS = 10
FEE_OF_MASTERS = Decimal("0.05")
MASTERS = frozenset({"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"})
"""The qualification that Mechanical Turk gives to its best workers, there and in the sandbox."""


def make_question(base_url: str, campaign_id: int) -> str:
    """The XML that says which page a HIT shows; its frame is as high as there is room."""
    address = escape(f"{base_url.rstrip('/')}/m/{campaign_id}")
    return (
        f'<ExternalQuestion xmlns="{SCHEMA}"><ExternalURL>{address}</ExternalURL>'
        "<FrameHeight>0</FrameHeight></ExternalQuestion>"
    )


def make_hit_type(plan: HitPlan) -> dict[str, Any]:
    """What CreateHITType takes."""
    return {
        "Title": plan.title,
        "Description": plan.description,
        "Keywords": plan.keywords,
        "Reward": f"{plan.reward:.2f}",
        "AssignmentDurationInSeconds": plan.duration,
        "AutoApprovalDelayInSeconds": plan.approval_delay,
        "QualificationRequirements": [parse_qualification(one) for one in plan.qualifications],
    }


def make_hit(plan: HitPlan, campaign_id: int, *, hit_type_id: str, token: str) -> dict[str, Any]:
    """What CreateHITWithHITType takes.

    The token makes a repetition harmless for a day, as Mechanical Turk says; after that the same text in the annotation tells
    which HITs there are already.
    """
    return {
        "HITTypeId": hit_type_id,
        "MaxAssignments": plan.n_assignments,
        "LifetimeInSeconds": plan.lifetime,
        "Question": make_question(plan.base_url, campaign_id),
        "RequesterAnnotation": token,
        "UniqueRequestToken": token,
    }


def parse_qualification(text: str) -> Mapping[str, Any]:
    """A requirement from how it is written on the command line.

    >>> parse_qualification("approved>=95")["IntegerValues"]
    [95]

    Raises:
        InputError: the text is not a requirement as the command line takes it.
    """
    if found := _NUMBER.fullmatch(text):
        name, comparator, number = found.groups()
        return _require(_NAMES.get(name, name), _COMPARATORS[comparator], IntegerValues=[int(number)])
    if found := _COUNTRIES.fullmatch(text):
        return _require(LOCALE, "In", LocaleValues=[{"Country": country} for country in found[1].split(",")])
    if found := _PRESENCE.fullmatch(text):
        return _require(found[2], "DoesNotExist" if found[1] else "Exists")
    raise InputError(
        f"A qualification is written as approved>=95, hits>=100, locale=US,GB, ID>=NUMBER, ID or !ID, not {text!r}."
    )


def _require(type_id: str, comparator: str, **values: Any) -> dict[str, Any]:  # noqa: ANN401 - as the service model has it
    # Whoever lacks it may still look at the HIT.
    return {"QualificationTypeId": type_id, "Comparator": comparator, "ActionsGuarded": "Accept", **values}


def count_cost(plan: HitPlan) -> HitCost:
    """What HITs cost if all assignments are handed in and approved."""
    rate = FEE + (FEE_OF_MANY if plan.n_assignments >= MANY_ASSIGNMENTS else 0)
    rate += FEE_OF_MASTERS if any(map(_asks_for_masters, plan.qualifications)) else 0
    return HitCost(plan.n_hits * plan.n_assignments, plan.reward, _round_fee(plan.reward * rate))


def count_bonus_cost(n_bonuses: int, amount: Decimal) -> HitCost:
    """What bonuses cost."""
    return HitCost(n_bonuses, amount, _round_fee(amount * FEE))


def _asks_for_masters(qualification: str) -> bool:
    asked = parse_qualification(qualification)
    return asked["QualificationTypeId"] in MASTERS and asked["Comparator"] != "DoesNotExist"


def _round_fee(fee: Decimal) -> Decimal:
    return max(CENT, fee.quantize(CENT, ROUND_HALF_UP))
