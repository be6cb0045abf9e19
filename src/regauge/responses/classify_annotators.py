"""What is known of every annotator of a CLASSIFY campaign."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IdArray, divide
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.labels.classify import CLASSIFY_ANNOTATOR_COLUMNS, ClassifyScreening, Flaw
from regauge.records.responses.annotator_tables import AnnotatorTable
from regauge.records.responses.answers import ClassifyResponses
from regauge.responses.medians import find_medians
from regauge.stats.intervals import clopper_pearson


class MainLabelAgreement(NamedTuple):
    """Per response, whether it can be compared with others' and whether its main label is theirs."""

    is_compared: BoolArray
    is_alike: BoolArray


def describe_annotators(
    responses: ClassifyResponses, screening: ClassifyScreening, *, level: float = DEFAULT_LEVEL
) -> AnnotatorTable:
    """One row per annotator: how much they answered, how much of it is ignored, and how far they agree with the others.

    Agreement is the share of their sound responses whose main label is the most frequent one among the other accepted
    annotators of the image; it leaves the annotator's own answer out, since one's own vote always agrees. Images on which
    nobody else was accepted are not compared. An annotator without compared images has no agreement.
    """
    n = len(responses.annotator_ids)
    agreement = compare_mains(responses, screening)
    who = responses.response_annotators
    n_compared = np.bincount(who[agreement.is_compared], minlength=n)
    n_alike = np.bincount(who[agreement.is_alike], minlength=n)
    limits = clopper_pearson(n_alike, n_compared, level=level)
    n_ignored = np.bincount(who[~screening.is_accepted], minlength=n)
    columns: dict[str, FloatArray | CountArray | BoolArray | IdArray] = {
        "n_responses": screening.n_responses,
        "n_ignored": n_ignored,
        "mean_labels": _average_labels(responses),
        "n_compared": n_compared,
        "n_alike": n_alike,
        "main_agreement": divide(n_alike, n_compared),
        "main_agreement_low": limits.low,
        "main_agreement_high": limits.high,
        "median_seconds": _find_median_seconds(responses),
        "ignored": screening.is_ignored & ~screening.is_restored,
        "restored": screening.is_restored,
        "reason": _explain(screening),
    }
    return AnnotatorTable(responses.annotator_ids, columns, level, CLASSIFY_ANNOTATOR_COLUMNS)


def compare_mains(responses: ClassifyResponses, screening: ClassifyScreening) -> MainLabelAgreement:
    """Whether the main label of each sound response is the most frequent one of the other accepted annotators.

    Of equally frequent labels the first in acceptance order is theirs, as for the main label of the image.
    """
    from regauge.responses.live._kernels import compare_mains as compare
    from regauge.responses.live._kernels import sort_by

    is_sound = np.isin(screening.flaws, (Flaw.NONE, Flaw.ANNOTATOR))
    mains = np.where(is_sound | screening.is_accepted, responses.main, NO_CLASS).astype(np.int32)
    rows, groups = sort_by(np.array(responses.response_images), len(responses.image_ids))
    n_compared, n_alike = compare(rows, groups, mains, np.array(screening.is_accepted))
    return MainLabelAgreement(is_sound & (n_compared > 0), is_sound & (n_alike > 0))


def _explain(screening: ClassifyScreening) -> IdArray:
    """Why each annotator is ignored; empty where they are not."""
    counts = zip(
        screening.is_ignored.tolist(), screening.n_flawed.tolist(), screening.n_responses.tolist(), strict=True
    )
    return np.array(
        [f"{n_flawed:,} of {n:,} responses flawed, more than a third" if out else "" for out, n_flawed, n in counts],
        np.str_,
    )


def _average_labels(responses: ClassifyResponses) -> FloatArray:
    """Mean labels per response of every annotator, among responses that select any; NaN where none does."""
    n_labels = np.diff(responses.starts)
    n = len(responses.annotator_ids)
    total = np.bincount(responses.response_annotators, n_labels, minlength=n)
    return divide(total, np.bincount(responses.response_annotators[n_labels > 0], minlength=n))


def _find_median_seconds(responses: ClassifyResponses) -> FloatArray:
    n = len(responses.annotator_ids)
    if responses.seconds is None:
        return np.full(n, np.nan)
    return find_medians(responses.response_annotators, responses.seconds, n=n)
