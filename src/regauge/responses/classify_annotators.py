"""What is known of every annotator of a CLASSIFY campaign."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regauge.records.annotator_tables import AnnotatorTable
from regauge.records.arrays import NO_CLASS, BoolArray, CountArray, FloatArray, IdArray, IntArray
from regauge.records.classify import CLASSIFY_ANNOTATOR_COLUMNS, ClassifyScreening, Flaw
from regauge.records.estimates import DEFAULT_LEVEL
from regauge.records.responses import ClassifyResponses
from regauge.stats.intervals import clopper_pearson


class Agreement(NamedTuple):
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
        "main_agreement": _divide(n_alike, n_compared),
        "main_agreement_low": limits.low,
        "main_agreement_high": limits.high,
        "median_seconds": _find_median_seconds(responses),
        "ignored": screening.is_ignored & ~screening.is_restored,
        "restored": screening.is_restored,
        "reason": _explain(screening),
    }
    return AnnotatorTable(responses.annotator_ids, columns, level, CLASSIFY_ANNOTATOR_COLUMNS)


def compare_mains(responses: ClassifyResponses, screening: ClassifyScreening) -> Agreement:
    """Whether the main label of each sound response is the most frequent one of the other accepted annotators.

    Of equally frequent labels the first in acceptance order is theirs, as for the main label of the image. Taking one's own
    vote away can only dethrone the label that was first, and only in favour of the second. So it is enough to know, per image,
    the first two labels with their counts, where the first two votes for the one stand, and the first for the other.
    """
    n = len(responses)
    is_sound = np.isin(screening.flaws, (Flaw.NONE, Flaw.ANNOTATOR)) & (responses.main != NO_CLASS)
    counts = screening.is_accepted & (responses.main != NO_CLASS)
    ranks = _rank_mains(responses, counts)
    image = responses.response_images
    n_others = ranks.n_votes[image] - counts
    is_first = responses.main == ranks.first[image]
    own = counts & is_first
    rest = ranks.n_first[image] - own
    # Whether the votes that are left for the first label start before those for the second.
    start = np.where(own & (ranks.first_at[image] == np.arange(n)), ranks.first_again_at[image], ranks.first_at[image])
    is_ahead = (rest > ranks.n_second[image]) | ((rest == ranks.n_second[image]) & (start < ranks.second_at[image]))
    is_compared = is_sound & (n_others > 0)
    return Agreement(is_compared, is_compared & is_first & (rest > 0) & is_ahead)


class _Ranks(NamedTuple):
    """Per image: the votes; the most frequent label, its votes, where its first two stand; votes and start of the next."""

    n_votes: CountArray
    first: CountArray
    n_first: CountArray
    first_at: CountArray
    first_again_at: CountArray
    n_second: CountArray
    second_at: CountArray


def _rank_mains(responses: ClassifyResponses, counts: BoolArray) -> _Ranks:
    n, never = len(responses.image_ids), len(responses)
    rows = np.flatnonzero(counts)
    order = rows[np.lexsort((rows, responses.main[rows], responses.response_images[rows]))]
    image, label = responses.response_images[order], responses.main[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (np.diff(image) != 0) | (np.diff(label) != 0)
    heads = np.flatnonzero(is_new)
    sizes = np.diff(np.append(heads, len(order)))
    # One run per (image, label), the most frequent of an image first, equal ones by their first vote.
    ranked = np.lexsort((order[heads], -sizes, image[heads]))
    owner = image[heads][ranked]
    starts = np.searchsorted(owner, np.arange(n + 1))
    best = _take(ranked, starts[:-1], starts[1:])
    second = _take(ranked, starts[:-1] + 1, starts[1:])
    again = np.where((best >= 0) & (np.append(sizes, 0)[best] > 1), np.append(heads, 0)[best] + 1, -1)
    return _Ranks(
        n_votes=np.bincount(image, minlength=n),
        first=_pick(label, np.append(heads, -1)[best], best, NO_CLASS),
        n_first=_pick(sizes, best, best, 0),
        first_at=_pick(order, np.append(heads, -1)[best], best, never),
        first_again_at=_pick(order, again, again, never),
        n_second=_pick(sizes, second, second, 0),
        second_at=_pick(order, np.append(heads, -1)[second], second, never),
    )


def _explain(screening: ClassifyScreening) -> IdArray:
    """Why each annotator is ignored; empty where they are not."""
    counts = zip(
        screening.is_ignored.tolist(), screening.n_flawed.tolist(), screening.n_responses.tolist(), strict=True
    )
    return np.array(
        [f"{n_flawed:,} of {n:,} responses flawed, more than a third" if out else "" for out, n_flawed, n in counts],
        np.str_,
    )


def _take(ranked: CountArray, places: CountArray, ends: CountArray) -> CountArray:
    """What stands at the places, −1 where the image has no such rank."""
    is_there = places < ends
    return np.where(is_there, np.append(ranked, -1)[np.where(is_there, places, -1)], -1)


def _pick(values: CountArray | IntArray, places: CountArray, known: CountArray, missing: int) -> CountArray:
    """The values at the places, and a filler where nothing is known."""
    return np.where(known >= 0, np.append(values, missing)[np.where(known >= 0, places, -1)], missing)


def _average_labels(responses: ClassifyResponses) -> FloatArray:
    """Mean labels per response of every annotator, among responses that select any; NaN where none does."""
    n_labels = np.diff(responses.starts)
    n = len(responses.annotator_ids)
    total = np.bincount(responses.response_annotators, n_labels, minlength=n)
    return _divide(total, np.bincount(responses.response_annotators[n_labels > 0], minlength=n))


def _find_median_seconds(responses: ClassifyResponses) -> FloatArray:
    """The median of the known times of every annotator; NaN where none is known."""
    medians = np.full(len(responses.annotator_ids), np.nan)
    if responses.seconds is None:
        return medians
    rows = np.flatnonzero(~np.isnan(responses.seconds))
    rows = rows[np.lexsort((responses.seconds[rows], responses.response_annotators[rows]))]
    who, seconds = responses.response_annotators[rows], responses.seconds[rows]
    starts = np.searchsorted(who, np.arange(len(medians) + 1))
    sizes = np.diff(starts)
    timed = sizes > 0
    low, high = starts[:-1] + (sizes - 1) // 2, starts[:-1] + sizes // 2
    medians[timed] = (seconds[low[timed]] + seconds[high[timed]]) / 2
    return medians


def _divide(part: CountArray | FloatArray, whole: CountArray) -> FloatArray:
    return np.where(whole > 0, part / np.maximum(whole, 1), np.nan)
