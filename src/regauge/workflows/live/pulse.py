"""The pulse of a campaign from its ledger."""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray
from regauge.estimates import count_things
from regauge.records.campaigns.campaign import CampaignEntry, CampaignProgress, CampaignState, ResponseStatus
from regauge.records.campaigns.terms import Pay
from regauge.records.responses.ledgers import CODE_OF, STATUSES, LedgerColumns
from regauge.records.responses.quality import CampaignPulse
from regauge.responses.ledger import Ledger
from regauge.responses.live.pace import FEWEST, HOUR, WINDOWS, count_hours, find_pace
from regauge.storage.campaigns.image_failures import count_reports
from regauge.storage.campaigns.ledgers import LedgerState, count_leased
from regauge.storage.moments import format_milliseconds, parse_moment
from regauge.storage.study import Study

WORKING = HOUR // 6
"""Whoever answered within these milliseconds is at work: ten minutes."""


def measure_pulse(study: Study, campaign: CampaignEntry, *, ledger: Ledger, standing: LedgerState) -> CampaignPulse:
    """How a campaign stands at this moment.

    Args:
        study: the study.
        campaign: which campaign.
        ledger: its answers.
        standing: whether it is open, and its pay.
    """
    columns, at = ledger.columns, study.around.now()
    now = parse_moment(at)
    n_of = np.bincount(columns.statuses, minlength=len(STATUSES))
    progress = _measure_progress(campaign, ledger, columns, n_leased=count_leased(study, campaign))
    expected_end, expectation = _expect_end(columns, progress, standing=standing, now=now)
    median_seconds, n_timed = _find_median(columns)
    pay = standing.terms.pay
    hourly = None if pay is None or not median_seconds else pay.per_task * 3_600 / median_seconds
    n_missing = progress.n_needed - progress.n_counted
    return CampaignPulse(
        progress=progress,
        at=at,
        answers_per_hour=tuple((format_milliseconds(start), n) for start, n in count_hours(columns.received, now)),
        n_last_hour=int((columns.received > now - HOUR).sum()),
        n_answers=len(columns),
        n_dropped=int(n_of[CODE_OF[ResponseStatus.DROPPED]]),
        n_repeats=int(n_of[CODE_OF[ResponseStatus.REPEAT]]),
        n_unseen=int(n_of[CODE_OF[ResponseStatus.UNSEEN]]),
        n_reports=count_reports(study, campaign) if standing.first_failed else 0,
        n_working=len(np.unique(columns.annotators[columns.received > now - WORKING])),
        expected_end=None if expected_end is None else format_milliseconds(expected_end),
        expectation=expectation,
        median_seconds=median_seconds,
        n_timed=n_timed,
        hourly_pay=hourly,
        pay_warning=_warn(pay, hourly),
        cost_so_far=find_cost(pay, len(columns)),
        cost_expected=find_cost(pay, len(columns) + n_missing * (1 + standing.terms.repeats)),
        currency="" if pay is None else pay.currency,
    )


def find_cost(pay: Pay | None, n_answers: float) -> float | None:
    """What so many answers cost with the platform's fee; None without pay."""
    return None if pay is None else n_answers * pay.per_task * (1 + pay.fee)


def _measure_progress(
    campaign: CampaignEntry, ledger: Ledger, columns: LedgerColumns, *, n_leased: int
) -> CampaignProgress:
    is_work = ledger.tasks.is_work
    if campaign.plan.is_for_everybody:
        campaign = campaign.count_people(len(np.unique(columns.annotators[_has(columns, ResponseStatus.COUNTED)])))
    n_counted = np.bincount(columns.tasks[_has(columns, ResponseStatus.COUNTED)], minlength=len(ledger.tasks))
    wanted = ledger.tasks.count_wanted(campaign.plan.n_annotators)
    people = np.bincount(columns.annotators[~_has(columns, ResponseStatus.REPEAT)])
    return CampaignProgress(
        n_tasks=int(is_work.sum()),
        n_done=int((is_work & (n_counted >= wanted)).sum()),
        n_needed=int(wanted[is_work].sum()),
        n_counted=int(n_counted.sum()),
        n_surplus=int(_has(columns, ResponseStatus.SURPLUS).sum()),
        n_leased=n_leased,
        n_annotators=int((people > 0).sum()),
    )


def _has(columns: LedgerColumns, status: ResponseStatus) -> BoolArray:
    return np.asarray(columns.statuses == CODE_OF[status], np.bool_)


def _find_median(columns: LedgerColumns) -> tuple[float | None, int]:
    """The median of all times but those of people who were dropped, who may have rushed; and how many are known."""
    # Their answers to hidden repeats go on being called repeats.
    dropped = np.unique(columns.annotators[_has(columns, ResponseStatus.DROPPED)])
    seconds = columns.seconds[~np.isin(columns.annotators, dropped)]
    known = seconds[~np.isnan(seconds)]
    return (float(np.median(known)) if known.size else None), int(known.size)


def _expect_end(
    columns: LedgerColumns, progress: CampaignProgress, *, standing: LedgerState, now: int
) -> tuple[float | None, str]:
    n_missing = progress.n_needed - progress.n_counted
    if not n_missing:
        return None, "Every task has all the answers it needs."
    if standing.state is not CampaignState.OPEN or standing.opened_at is None:
        return None, f"The campaign is {standing.state}, so no answers are coming in."
    counted = columns.received[_has(columns, ResponseStatus.COUNTED)]
    pace = find_pace(counted, now, since=parse_moment(standing.opened_at))
    if pace is None:
        return None, f"Fewer than {FEWEST} answers that count came in the last {WINDOWS[-1]} hours, too few to tell."
    sentence = (
        f"{count_things(n_missing, 'more answer')} needed; those that count came in at {_round(pace.per_hour)} an hour "
        f"in the last {_describe_hours(pace.hours)}."
    )
    return now + n_missing / pace.per_hour * HOUR, sentence


def _round(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _describe_hours(hours: float) -> str:
    """What comes after "in the last".

    >>> _describe_hours(0.001), _describe_hours(0.5), _describe_hours(1.2), _describe_hours(24)
    ('minute', '30 minutes', 'hour', '24 hours')
    """
    if hours < 1:
        minutes = max(1, round(60 * hours))
        return "minute" if minutes == 1 else f"{minutes} minutes"
    return "hour" if hours < 1.5 else f"{hours:,.0f} hours"


def _warn(pay: Pay | None, hourly: float | None) -> str:
    if pay is None or hourly is None or pay.minimum_hourly is None or hourly >= pay.minimum_hourly:
        return ""
    return (
        f"The median answer earns {hourly:,.2f} {pay.currency} an hour, less than the {pay.minimum_hourly:,.2f} "
        f"{pay.currency} that was set as the minimum; pay more per task, or pay a bonus."
    )
