"""What coders said of mistakes, as a coding, and how far they agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from regauge.arrays import BoolArray, CountArray, IntArray
from regauge.estimates import Estimate
from regauge.labels.coding import find_places
from regauge.mistakes.accepting import BY_LABEL_SET
from regauge.records.mistakes.coded import SEVERITIES, CodedMistakes
from regauge.records.mistakes.coders import Aspect, CoderAgreement, CoderVotes, DecidedMistakes, TakenOver
from regauge.records.mistakes.coding import MistakeCoding, OverturnedMistakes
from regauge.stats.agreement.coefficients import limit_agreement, measure_agreement
from regauge.stats.agreement.tables import count_answers


def measure_coders(
    votes: CoderVotes, decided: DecidedMistakes, *, names: Sequence[str], level: float
) -> tuple[CoderAgreement, ...]:
    """How far coders agree on whether mistakes are none, and, of those who code them, on category and severity.

    Args:
        votes: what each said alone.
        decided: the mistakes.
        names: the list of categories.
        level: the nominal coverage.
    """
    places, is_gone = find_places(votes, decided), votes.is_overturned
    columns: dict[Aspect, tuple[IntArray, BoolArray]] = {
        Aspect.OVERTURNING: (is_gone.astype(np.int32), np.ones(len(votes), np.bool_)),
        Aspect.CATEGORY: (votes.find_codes(names).astype(np.int32), ~is_gone),
        Aspect.SEVERITY: (votes.severities.astype(np.int32), ~is_gone),
    }
    return tuple(
        _measure(aspect, places[is_said], said[is_said], level=level) for aspect, (said, is_said) in columns.items()
    )


def make_coded(
    decided: DecidedMistakes,
    votes: CoderVotes,
    *,
    names: tuple[str, ...],
    taken: Iterable[TakenOver] = (),
    participant: str,
) -> tuple[CodedMistakes, OverturnedMistakes, tuple[str, ...]]:
    """What is settled: the mistakes that remain, those that are none, and what coders added to the former.

    Args:
        decided: what most coders said.
        votes: what each of them said.
        names: the list of categories.
        taken: what other codings decided, which comes after it.
        participant: whose mistakes they are.
    """
    ids = votes.image_ids[decided.images].tolist()
    order = np.lexsort((decided.predictions, votes.image_ids[decided.images]))
    kept, gone = (order[is_one[order]] for is_one in (decided.is_coded, decided.is_overturned & decided.is_settled))
    coded_too, gone_too = [one for one in taken if not one.reason], [one for one in taken if one.reason]
    severity_of = {severity.value: place for place, severity in enumerate(SEVERITIES)}
    coded = CodedMistakes(
        participant,
        np.array([*(ids[row] for row in kept), *(one.image_id for one in coded_too)], np.str_),
        np.array([*decided.predictions[kept], *(one.prediction for one in coded_too)], np.int32),
        np.array([*decided.categories[kept], *(names.index(one.category) for one in coded_too)], np.int8),
        np.array([*decided.severities[kept], *(severity_of[one.severity] for one in coded_too)], np.int8),
        category_names=names,
    )
    overturned = OverturnedMistakes(
        np.array([*(ids[row] for row in gone), *(one.image_id for one in gone_too)], np.str_),
        np.array([*decided.predictions[gone], *(one.prediction for one in gone_too)], np.int32),
        (*(decided.reasons[row] for row in gone), *(one.reason for one in gone_too)),
        (*(decided.notes[row] for row in gone), *map(_name_source, gone_too)),
    )
    return coded, overturned, (*(decided.notes[row] for row in kept), *map(_name_source, coded_too))


def list_decided(coding: MistakeCoding) -> list[TakenOver]:
    """What a coding says of each mistake, as others take it over; what coders wrote stays there.

    What a label set alone overturned, it overturned for those who believe it, so that is not among it.
    """
    coded, gone = coding.coded, coding.overturned
    rows = zip(coded.image_ids.tolist(), coded.predictions.tolist(), coded.categories, coded.severities, strict=True)
    kept = [
        TakenOver(image_id, prediction, coded.category_names[category], SEVERITIES[severity], "", coding.name)
        for image_id, prediction, category, severity in rows
    ]
    pairs = zip(gone.image_ids.tolist(), gone.predictions.tolist(), gone.reasons, strict=True)
    return kept + [
        TakenOver(image_id, prediction, "", "", reason, coding.name)
        for image_id, prediction, reason in pairs
        if reason != BY_LABEL_SET
    ]


def _name_source(one: TakenOver) -> str:
    return f"decided by {one.coding}"


def _measure(aspect: Aspect, places: CountArray, said: IntArray, *, level: float) -> CoderAgreement:
    distinct, tasks = np.unique(places, return_inverse=True)
    if not len(distinct):
        return CoderAgreement(aspect, 0, 0, Estimate(None, None, None, n=0))
    counts = count_answers(tasks, said)
    n_votes, n_labels = counts.n_votes_by_task, np.diff(counts.list_starts)
    alpha, limits = float(measure_agreement(counts).alpha), limit_agreement(counts, level=level).alpha
    low, high = (None if math.isnan(one) else float(one) for one in limits)
    n = int((n_votes > 1).sum())
    has_value = not math.isnan(alpha)
    estimate: Estimate[float | None] = Estimate(alpha, low, high, n=n) if has_value else Estimate(None, None, None, n=n)
    return CoderAgreement(aspect, n, int(((n_votes > 1) & (n_labels == 1)).sum()), estimate)
