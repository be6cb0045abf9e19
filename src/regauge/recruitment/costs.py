"""What Mechanical Turk charges, to the cent."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from regauge.records.campaigns.hits import CENT, HitCost, HitPlan
from regauge.recruitment.hits import parse_qualification

# https://www.mturk.com/pricing: 20% of rewards and bonuses; another 20% of rewards where a HIT has ten or more assignments; at
# least one cent for each payment; half cents are rounded up. Asking for Masters costs 5% more. What other qualifications of the
# platform's own cost is not in the list that programs can know.
FEE = Decimal("0.20")
FEE_OF_MANY = Decimal("0.20")
MANY_ASSIGNMENTS = 10
FEE_OF_MASTERS = Decimal("0.05")
MASTERS = frozenset({"2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"})
"""The qualification that Mechanical Turk gives to its best workers, there and in the sandbox."""


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
