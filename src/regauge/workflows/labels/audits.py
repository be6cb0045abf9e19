"""Audit answers that count as right: draw images before a review, and correct accuracies after it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from regauge.campaigns.fields import AUDIT
from regauge.errors import InputError
from regauge.estimates import count_things, format_percent
from regauge.evaluation.reviews.audits import draw_audit, report_audit
from regauge.formats.labels.audits import load_audit, parse_audit, write_audit
from regauge.records.campaigns.campaign import CampaignEntry
from regauge.records.evaluation.audits import DEFAULT_AUDITED, AuditReport, AuditSample
from regauge.records.evaluation.reviews import ReviewTerms
from regauge.storage.campaigns.documents import digest_document, find_document
from regauge.storage.files import write_whole
from regauge.storage.predictions import get_predictions
from regauge.storage.study import Study
from regauge.storage.testsets.test_set import get_test_set
from regauge.workflows.labels.review_plans import ReviewRequest, open_field


@dataclass(frozen=True, slots=True, eq=False)
class ReportedAudit:
    """What an audit found, and what to say of it."""

    report: AuditReport
    sentences: tuple[str, ...]
    notes: tuple[str, ...]


def draw_study_audit(study: Study, request: ReviewRequest, *, path: Path, n: int = DEFAULT_AUDITED) -> AuditSample:
    """Draw images on which all chosen participants answer the dataset label, without verdict so far, and keep them in a file.

    Args:
        study: the study; a transaction that reads is enough.
        request: whose answers, on which test set, under which label set, and the seed.
        path: the file to write; it must not exist.
        n: how many images.

    Raises:
        InputError: there is no such image, test set, label set or participant, or the file exists.
    """
    field = open_field(study, labels=request.labels, test_set=request.test_set)
    entry = get_test_set(study, request.test_set)
    names = tuple(one.participant for one in get_predictions(study, entry, participants=request.participants))
    sample = draw_audit(field.keep_participants(names), n=n, seed=request.terms.seed)
    with write_whole(path) as partial:
        write_audit(sample, partial)
    return sample


def report_study_audit(
    study: Study, source: Path | CampaignEntry, *, labels: str, terms: ReviewTerms | None = None
) -> ReportedAudit:
    """The error rate among answers that count as right, and accuracies corrected by it, by the verdicts of a label set.

    Args:
        study: the study; a transaction that reads is enough.
        source: the file of the audit that was drawn, or the campaign that has it among its images.
        labels: the label set with verdicts, NAME@VERSION or NAME for the latest.
        terms: metric and level.

    Raises:
        InputError: the audit is of another study, the campaign has none, or there is no such label set.
    """
    terms = terms or ReviewTerms()
    sample = load_audit(source) if isinstance(source, Path) else _get_audit(study, source)
    field = open_field(study, labels=labels, test_set=sample.test_set)
    report = report_audit(sample, field.keep_participants(sample.participants), metric=terms.metric, level=terms.level)
    return ReportedAudit(report, tuple(_tell(report)), tuple(_note(report)))


def _get_audit(study: Study, campaign: CampaignEntry) -> AuditSample:
    """The audit of a campaign, as it was when the campaign was made."""
    kept = campaign.plan.settings.get(AUDIT.name)
    if not kept:
        raise InputError(f"Campaign {campaign.name} was made without an audit; name the file of one.")
    text = find_document(study, campaign, AUDIT.name) or ""
    if digest_document(text) != kept.get("digest"):
        raise InputError(
            f"The audit that campaign {campaign.name} was made with is not the one that is kept with it; bring back a backup."
        )
    return parse_audit(json.loads(text), Path(f"{campaign.name}.json"))


def _tell(report: AuditReport) -> Iterator[str]:
    """What was found, where anything was judged."""
    if not report.n_judged:
        return
    yield (
        f"Of {count_things(report.n_judged, 'audited image')}, {report.errors.k:,} "
        f"{'has' if report.errors.k == 1 else 'have'} a dataset label that is not accepted: {report.errors}; "
        f"{report.problematic.k:,} {'is' if report.problematic.k == 1 else 'are'} problematic."
    )


def _note(report: AuditReport) -> Iterator[str]:
    share = format_percent(report.n_audited / report.n_agreed)
    yield (
        f"The audit is of {report.n_audited:,} of the {count_things(report.n_agreed, 'image')} on which everybody answers the "
        f"dataset label ({share})."
    )
    if not report.n_judged:
        yield "No image of the audit has a verdict on its dataset label yet, so nothing is corrected."
    elif report.n_judged < report.n_audited:
        yield (
            f"{count_things(report.n_audited - report.n_judged, 'image')} of the audit without verdict: right at one end of the "
            "limits, wrong at the other."
        )
