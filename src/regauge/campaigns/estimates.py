"""What a campaign will take and cost, before it is opened: plain arithmetic on how long a task takes."""

from __future__ import annotations

from dataclasses import dataclass

from regauge.records.campaigns.campaign import CampaignPlan
from regauge.records.campaigns.terms import Pay
from regauge.records.evaluation.planning import Workforce
from regauge.records.responses.quality import CampaignForecast

MIN_TIMED = 20
"""So many answers with a known time tell how long a task takes; fewer do not."""
SECONDS_PER_IMAGE = 1.25
"""For a grid, where nothing was measured: 48 images in a minute."""


@dataclass(frozen=True, slots=True)
class TaskTime:
    """How long a task takes, and how that is known.

    Attributes:
        seconds: how long.
        n_timed: the answers whose median it is; 0 where it is a default.
        source: that in a sentence.
    """

    seconds: float
    n_timed: int
    source: str


def admit_default(what: str) -> str:
    """Where a time comes from that nobody has measured."""
    few = f"fewer than {MIN_TIMED} answers of the kind were timed in this study"
    return f"{what[0].upper()}{what[1:]} is a default of ours: {few}."


def estimate(plan: CampaignPlan, *, n_tasks: int, time: TaskTime, force: Workforce) -> CampaignForecast:
    """What all answers together take and cost.

    Args:
        plan: answers per task, pay and repeats.
        n_tasks: tasks.
        time: how long one takes.
        force: who works at it.
    """
    n_answers = n_tasks * (force.n_people if plan.is_for_everybody else plan.n_annotators)
    n_repeats = round(n_answers * plan.terms.repeats)
    hours = (n_answers + n_repeats) * time.seconds / 3_600
    pay = plan.terms.pay
    hourly = None if pay is None or not time.seconds else pay.per_task * 3_600 / time.seconds
    wages = None if pay is None else (n_answers + n_repeats) * pay.per_task
    return CampaignForecast(
        kind=plan.kind,
        n_tasks=n_tasks,
        n_answers=n_answers,
        n_repeats=n_repeats,
        seconds_per_task=time.seconds,
        n_timed=time.n_timed,
        hours=hours,
        n_people=force.n_people,
        hours_per_day=force.hours_per_day,
        days=hours / (force.n_people * force.hours_per_day),
        pay=wages,
        fee=None if pay is None or wages is None else wages * pay.fee,
        hourly_pay=hourly,
        currency="" if pay is None else pay.currency,
        sources=(time.source, *_list_limits(plan, pay, hourly)),
    )


def _list_limits(plan: CampaignPlan, pay: Pay | None, hourly: float | None) -> list[str]:
    """What the figures leave out, and whether the pay is too low."""
    limits = []
    if plan.n_annotators > 1 or plan.terms.quiz is not None:
        limits.append("Training, quizzes, surplus answers and those of people who are dropped are not included.")
    if pay is not None and hourly is not None and pay.minimum_hourly is not None:
        standing = "less than" if hourly < pay.minimum_hourly else "at least"
        limits.append(
            f"The pay per hour is {standing} the {pay.minimum_hourly:,.2f} {pay.currency} that was asked for."
        )
    return limits
