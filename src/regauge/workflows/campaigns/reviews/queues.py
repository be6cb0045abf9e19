"""What a review asks that is made of participants' answers: what nobody has judged, or a plan of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regauge.campaigns.fields import (
    AUDIT,
    AUDIT_SIZE,
    PARTICIPANTS,
    REVIEW_PLAN,
    TRUST,
)
from regauge.campaigns.visibility import LABELS
from regauge.errors import FormatError, InputError
from regauge.evaluation.reviews.audits import draw_audit
from regauge.evaluation.reviews.queues import list_open_queue, list_planned_queue, mix_audit
from regauge.fields import pick
from regauge.formats.labels.audits import dump_audit, load_audit
from regauge.formats.labels.review_plans import dump_review_plan, load_review_plan
from regauge.records.evaluation.audits import AuditSample
from regauge.records.evaluation.reviews import ReviewField
from regauge.records.evaluation.sampled_reviews import PlannedReview
from regauge.records.studies import TestSetEntry
from regauge.storage.campaigns.documents import digest_document
from regauge.storage.evaluation.review_fields import load_review_field
from regauge.storage.predictions import get_predictions
from regauge.storage.study import Study


@dataclass(frozen=True, slots=True, eq=False)
class FoundQueue:
    """What a campaign asks that is made of what participants answered.

    Attributes:
        pairs: images with classes.
        order: image ids in the order of work; empty where there is none.
        settings: what the campaign rests on, for the record.
        documents: what it rests on as texts, by the names of their settings.
        not_for: per pair that not everybody may judge, the numbers of those who may not.
        pair_scores: per pair, the score of whoever answers it, where tasks show it.
    """

    pairs: Sequence[tuple[str, int]]
    order: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
    not_for: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    pair_scores: Mapping[tuple[str, int], float] = field(default_factory=dict)


def find_queue(study: Study, entry: TestSetEntry, *, settings: Mapping[str, Any], seed: int) -> FoundQueue:
    """Every first answer of the chosen participants, and every dataset label, that has no verdict; or what a plan asks of them.

    Args:
        study: the study; a transaction that reads is enough.
        entry: the test set.
        settings: participants, label set and whether dataset labels are trusted, or a plan, which says all this; and an
            audit, or how many images of one to draw.
        seed: decides where the images of an audit stand, and which are drawn.

    Raises:
        InputError: nobody has answered, the label set judges other images, or a plan or an audit is not of these answers.
    """
    planned = _load_own_plan(entry, settings) if settings.get(REVIEW_PLAN.name) else None
    kept = pick(settings, (LABELS, PARTICIPANTS.name, TRUST.name)) if planned is None else _settle_by_plan(planned)
    found = load_review_field(study, entry, labels=kept.get(LABELS) or None)
    documents = {}
    if planned is None:
        entries = get_predictions(study, entry, participants=kept.get(PARTICIPANTS.name, ()))
        names = [one.participant for one in entries]
        queue = list_open_queue(found.keep_participants(names, trusts=bool(kept.get(TRUST.name))))
    else:
        queue, names = list_planned_queue(planned, found), list(planned.plan.participants)
        documents[REVIEW_PLAN.name] = dump_review_plan(planned)
        kept[REVIEW_PLAN.name] = {"digest": digest_document(documents[REVIEW_PLAN.name]), "n_images": len(planned.plan)}
    order = () if planned is None else tuple(queue.classes)
    audit = _find_audit(settings, found.keep_participants(names), seed=seed)
    if audit is not None:
        mixed = mix_audit(queue, audit, field=found, seed=seed)
        order = tuple(mixed.classes) if order else ()
        documents[AUDIT.name] = dump_audit(audit)
        n_added = len(mixed.pairs) - len(queue.pairs)
        n_missing = int(settings.get(AUDIT_SIZE.name) or 0) - len(audit)
        kept[AUDIT.name] = {
            "digest": digest_document(documents[AUDIT.name]),
            "n_images": len(audit),
            "n_pairs": n_added,
            **({"n_missing": n_missing} if n_missing > 0 else {}),
        }
        queue = mixed
    return FoundQueue(queue.pairs, order, {name: value for name, value in kept.items() if value}, documents)


def _find_audit(settings: Mapping[str, Any], field: ReviewField, *, seed: int) -> AuditSample | None:
    """The audit that is named, or one of so many images drawn now; None where none is asked for.

    Raises:
        InputError: the file is not an audit, or there is no image that everybody gets right and nobody has judged.
    """
    if settings.get(AUDIT.name):
        return load_audit(Path(settings[AUDIT.name]))
    n = int(settings.get(AUDIT_SIZE.name) or 0)
    return draw_audit(field, n=n, seed=seed) if n else None


def _load_own_plan(entry: TestSetEntry, settings: Mapping[str, Any]) -> PlannedReview:
    """The plan that is named, if it is of this test set and nothing is said that it says itself."""
    if any(settings.get(name) for name in (LABELS, PARTICIPANTS.name, TRUST.name)):
        raise InputError(
            "A plan says itself whose answers are judged, which verdicts are there and whether dataset labels are trusted; leave "
            "out `participants=…`, `labels=…` and `trust_dataset_labels=…`."
        )
    path = Path(settings[REVIEW_PLAN.name])
    planned = load_review_plan(path)
    if planned.plan.test_set != entry.name:
        raise FormatError(path, f"this plan is of {planned.plan.test_set}, not of {entry.name}; name its own test set.")
    return planned


def _settle_by_plan(planned: PlannedReview) -> dict[str, Any]:
    """What a campaign that follows a plan rests on."""
    plan = planned.plan
    return {
        LABELS: plan.labels,
        PARTICIPANTS.name: list(plan.participants),
        TRUST.name: plan.trust_dataset_labels,
    }
