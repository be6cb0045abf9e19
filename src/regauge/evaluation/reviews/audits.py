"""The audit of right answers: how often the dataset label is wrong where everybody gives it.

A review of mistakes can only raise scores, for nobody looks at answers that count as right already (Vasudevan et al. 2022, §5.3).
So a random sample of the images on which all participants answer the dataset label is judged too, and accuracies are corrected by
what is found among them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from regauge.arrays import BoolArray, IdArray
from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate, Share, check_level, make_share
from regauge.evaluation.metrics.multilabel import LENIENT, STRICT
from regauge.evaluation.outcomes import Outcome, OutcomeArray
from regauge.evaluation.reviews.outcomes import judge_field
from regauge.records.evaluation.audits import DEFAULT_AUDITED, AuditReport, AuditSample, CorrectedAccuracy
from regauge.records.evaluation.reviews import ReviewField, ReviewMetric
from regauge.stats.intervals import clopper_pearson

METHOD = "clopper-pearson"
CORRECTED_METHOD = "clopper-pearson of the audit"


class _Range(NamedTuple):
    """How many images are of some kind: estimated, at least, and at most."""

    value: float
    low: float
    high: float


class _Counts(NamedTuple):
    """How images of the audit, or all agreed ones, were judged so far."""

    wrong: int
    problematic: int
    open: int


def draw_audit(field: ReviewField, *, n: int = DEFAULT_AUDITED, seed: int = 0) -> AuditSample:
    """Images for an audit: those on which everybody answers the dataset label, without a verdict on it, and n of them by chance.

    A review takes them into its queue as it takes any open dataset label. All of them are taken where there are no more than n.

    Raises:
        InputError: n is below 1, or there is no such image.
    """
    if n < 1:
        raise InputError(f"An audit needs at least 1 image, not {n}.")
    judged = judge_field(replace(field, trust_dataset_labels=False), ReviewMetric.STRICT)
    is_agreed = (field.answers == field.test_set.labels).all(axis=0) & (judged == Outcome.UNJUDGED).all(axis=0)
    rows = np.flatnonzero(is_agreed)
    if not len(rows):
        raise InputError(
            f"There is no image of {field.test_set.name} on which all participants answer the dataset label and nobody has "
            "judged it, so there is nothing to audit."
        )
    chosen = np.random.default_rng(seed).permutation(rows)[:n]
    ids = field.test_set.image_ids
    return AuditSample(ids[chosen], ids[rows], field.test_set.name, field.participants)


def report_audit(
    sample: AuditSample, field: ReviewField, *, metric: ReviewMetric = ReviewMetric.STRICT, level: float = DEFAULT_LEVEL
) -> AuditReport:
    """The error rate among answers that count as right, and every accuracy corrected by it.

    Agreed images that nobody has judged yet count as right for everybody. The audit says how many of them have a wrong label and
    how many are problematic: of the right answers of every participant both are taken away, and of the images the problematic
    ones. The limits are Clopper–Pearson's for the number among all agreed images, less what was found, for either kind at half
    the error; that is more than needed, because images are drawn without replacement. Images of the audit without verdict are
    right at one end and wrong at the other.

    Args:
        sample: the images that were drawn before the review.
        field: the same answers with the verdicts of now.
        metric: which verdicts make an answer right.
        level: the coverage of all limits.
    """
    check_level(level)
    outcomes = judge_field(replace(field, trust_dataset_labels=False), metric)
    audited, agreed = (_count(ids, field, outcomes) for ids in (sample.image_ids, sample.agreed_ids))
    n_judged = len(sample) - audited.open
    more = [
        _extend(audited[kind], sample=sample, level=level, n_open=audited.open, agreed=(agreed[kind], agreed.open))
        for kind in (0, 1)
    ]
    trusted = judge_field(replace(field, trust_dataset_labels=True), metric)
    accuracies = [
        _correct(name, row, more_wrong=more[0], more_problematic=more[1])
        for name, row in zip(field.participants, trusted, strict=True)
    ]
    if not n_judged:
        accuracies = [replace(one, corrected=Estimate(None, None, None)) for one in accuracies]
    return AuditReport(
        n_agreed=len(sample.agreed_ids),
        n_audited=len(sample),
        n_judged=n_judged,
        errors=_share(audited.wrong + _count_rejected(sample, field, metric), n_judged, level),
        problematic=_share(audited.problematic, n_judged, level),
        accuracies=tuple(accuracies),
        level=level,
    )


def _count(image_ids: IdArray, field: ReviewField, outcomes: OutcomeArray) -> _Counts:
    """What became of the dataset labels of agreed images."""
    row_by_id = {image_id: row for row, image_id in enumerate(field.test_set.image_ids.tolist())}
    missing = [one for one in image_ids.tolist() if one not in row_by_id]
    if missing:
        raise InputError(f"Image {missing[0]!r} of the audit is not in {field.test_set.name}; name its own test set.")
    rows = np.array([row_by_id[one] for one in image_ids.tolist()], np.int64)
    is_label: BoolArray = (field.answers[:, rows] == field.test_set.labels[rows]).all(axis=0)
    if not is_label.all():
        first = str(image_ids[int(np.argmin(is_label))])
        raise InputError(f"Not everybody answers the dataset label on image {first!r} of the audit; draw a new one.")
    found = np.bincount(outcomes[0, rows], minlength=len(Outcome))
    return _Counts(int(found[Outcome.WRONG]), int(found[Outcome.NOT_COUNTED]), int(found[Outcome.UNJUDGED]))


def _count_rejected(sample: AuditSample, field: ReviewField, metric: ReviewMetric) -> int:
    """Problematic images of the audit whose dataset label is not accepted, as a rule because that is their problem."""
    label_set = field.label_set
    if label_set is None:
        return 0
    accepted = STRICT if metric is ReviewMetric.STRICT else LENIENT
    label_of = dict(zip(field.test_set.image_ids.tolist(), field.test_set.labels.tolist(), strict=True))
    is_audited = np.isin(label_set.image_ids, sample.image_ids) & label_set.is_problematic
    found = np.flatnonzero(is_audited[label_set.rows] & ~np.isin(label_set.verdicts, list(accepted)))
    ids, classes = label_set.image_ids[label_set.rows[found]].tolist(), label_set.classes[found].tolist()
    return sum(label_of[image_id] == index for image_id, index in zip(ids, classes, strict=True))


def _extend(k: int, *, sample: AuditSample, level: float, n_open: int, agreed: tuple[int, int]) -> _Range:
    """How many of the agreed images that nobody has judged are of a kind.

    Args:
        k: images of that kind in the audit.
        sample: the audit.
        level: of the limits of both kinds together.
        n_open: images of the audit that nobody has judged.
        agreed: of all agreed images, those that were found to be of the kind, and those that nobody has judged.
    """
    n, n_agreed, (n_found, n_left) = len(sample), len(sample.agreed_ids), agreed
    if n == n_agreed:
        # Everything was drawn, so that nothing is left to chance.
        return _Range(n_left * k / max(n - n_open, 1), 0.0, n_left)
    half = (1 + level) / 2
    low = n_agreed * float(clopper_pearson(k, n, level=half).low) - n_found
    high = n_agreed * float(clopper_pearson(k + n_open, n, level=half).high) - n_found
    low, high = (min(max(one, 0.0), n_left) for one in (low, high))
    return _Range(min(max(n_left * k / max(n - n_open, 1), low), high), low, high)


def _correct(name: str, outcomes: OutcomeArray, *, more_wrong: _Range, more_problematic: _Range) -> CorrectedAccuracy:
    n_right, n = int((outcomes == Outcome.RIGHT).sum()), int((outcomes != Outcome.NOT_COUNTED).sum())
    parts = [n_right - wrong - other for wrong, other in zip(more_wrong, more_problematic, strict=True)]
    wholes = [n - other for other in more_problematic]
    if min(wholes) <= 0:
        # All images that count may be problematic, and then there is no accuracy.
        return CorrectedAccuracy(name, n, n_right / n if n else None, Estimate(None, None, None))
    value, high, low = (max(part, 0.0) / whole for part, whole in zip(parts, wholes, strict=True))
    return CorrectedAccuracy(name, n, n_right / n, Estimate(value, low, high, n=n, method=CORRECTED_METHOD))


def _share(k: int, n: int, level: float) -> Share[float | None]:
    limits = clopper_pearson(k, n, level=level)
    return make_share(k, n, limits=(float(limits.low), float(limits.high)), method=METHOD)
