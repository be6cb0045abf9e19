"""Follow a participant's mistakes through versions of a label set and a coding, as the review flow of a paper shows it.

Vasudevan et al. (2022, Figure 1) begin with 676 apparent mistakes; a panel finds 140 to be none, coders look at all that remain
and overturn others, and what is left is major or minor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from regauge.arrays import BoolArray, IdArray, IntArray
from regauge.errors import InputError
from regauge.mistakes.finding import AppliedLabels, RatedAnswers
from regauge.mistakes.overturning import find_fates
from regauge.mistakes.sampling import share_of_sample
from regauge.records.mistakes.coded import SEVERITIES
from regauge.records.mistakes.coding import MistakeCoding
from regauge.records.mistakes.flows import FATES, NOT_CODED, OVERTURNED, Fate, FlowStep, MistakeFlow
from regauge.records.mistakes.found import SampledShare
from regauge.records.predictions import Predictions


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    """Which mistakes are left at the end, which of them nobody coded, and how severe they are."""

    is_left: BoolArray
    is_open: BoolArray
    severities: tuple[tuple[str, int], ...] = ()


def trace_flow(
    predictions: Predictions, applied: Sequence[AppliedLabels], *, coding: MistakeCoding | None = None, level: float
) -> MistakeFlow:
    """What became of a participant's mistakes under the first label set, step by step.

    A coding belongs to (image, prediction) pairs: of the mistakes under the last label set, those that coders overturned are
    none, those that they coded have a severity, and the rest is not coded.

    Args:
        predictions: what the participant answered.
        applied: the label sets over the same images, the earliest first.
        coding: what coders said of the participant's mistakes.
        level: nominal coverage of the interval.

    Raises:
        InputError: there is nothing to follow, or the coding is of another participant.
    """
    if len(applied) + (coding is not None) < 2:
        raise InputError("A flow of mistakes goes from one label set to another, or through a coding; name two.")
    if coding is not None and coding.participant != predictions.participant:
        raise InputError(
            f"{coding.name} has coded mistakes of {coding.participant}, not of {predictions.participant}; name a coding of the "
            "same participant."
        )
    rated = [one.rate(predictions) for one in applied]
    steps = [_follow_step(pair, labels) for pair, labels in zip(pairwise(rated), pairwise(applied), strict=True)]
    last = _End(rated[-1].is_mistake, rated[-1].is_mistake)
    if coding is not None:
        step, last = _follow_coding(coding, rated[-1], applied[-1])
        steps.append(step)
    return MistakeFlow(
        participant=predictions.participant,
        test_set=applied[0].target.name,
        labels=tuple(one.label_set.name for one in applied),
        steps=tuple(steps),
        n_end=int(last.is_left.sum()),
        n_end_novel=int((last.is_open & rated[-1].is_novel).sum()),
        ends=last.severities,
        overturned=_share_overturned(rated, applied[-1], last.is_left, level),
        coding="" if coding is None else coding.name,
        is_strict=applied[0].is_strict,
    )


def _follow_step(rated: tuple[RatedAnswers, RatedAnswers], labels: tuple[AppliedLabels, AppliedLabels]) -> FlowStep:
    """From one label set to the next one."""
    (then, now), (before, after) = rated, labels
    fates = Counter(find_fates(now, then.answers, after=after)[then.is_mistake].tolist())
    left = tuple((fate.value, fates[place]) for place, fate in enumerate(FATES) if fate is not Fate.REMAINS)
    return FlowStep(
        before=before.label_set.name,
        after=after.label_set.name,
        n=int(then.is_mistake.sum()),
        n_novel=int(then.is_novel.sum()),
        left=tuple((name, n) for name, n in left if n),
        n_remaining=fates[FATES.index(Fate.REMAINS)],
        n_joined=int((now.is_mistake & ~then.is_mistake).sum()),
    )


def _follow_coding(coding: MistakeCoding, rated: RatedAnswers, last: AppliedLabels) -> tuple[FlowStep, _End]:
    """The step through a coding, and what is left after it."""
    gone, coded = coding.overturned, coding.coded
    reason_of = dict(zip(_list_pairs(gone.image_ids, gone.predictions), gone.reasons, strict=True))
    code_of = dict(zip(_list_pairs(coded.image_ids, coded.predictions), coded.severities.tolist(), strict=True))
    rows = np.flatnonzero(rated.is_mistake)
    pairs = _list_pairs(last.target.image_ids[rows], rated.answers[rows])
    reasons = [reason_of.get(pair) for pair in pairs]
    is_left = rated.is_mistake.copy()
    is_left[rows[[reason is not None for reason in reasons]]] = False
    is_open = is_left.copy()
    is_open[rows[[pair in code_of for pair in pairs]]] = False
    codes = Counter(code_of[pair] for pair in pairs if pair in code_of)
    named = [(str(name), codes[place]) for place, name in enumerate(SEVERITIES)]
    named += [(NOT_CODED, int(is_open.sum()))] if is_open.any() else []
    step = FlowStep(
        before=last.label_set.name,
        after=coding.name,
        n=len(rows),
        n_novel=int(rated.is_novel.sum()),
        left=tuple(Counter(reason for reason in reasons if reason is not None).most_common()),
        n_remaining=int(is_left.sum()),
        is_coding=True,
    )
    return step, _End(is_left, is_open, tuple(named))


def _list_pairs(image_ids: IdArray, predictions: IntArray) -> list[tuple[str, int]]:
    return list(zip(image_ids.tolist(), predictions.tolist(), strict=True))


def _share_overturned(
    rated: Sequence[RatedAnswers], last: AppliedLabels, is_left: BoolArray, level: float
) -> SampledShare:
    """Of the first mistakes that the last label set judges, or whose image it finds problematic, those that are none."""
    fates = find_fates(rated[-1], rated[0].answers, after=last)
    is_overturned = np.isin(fates, [FATES.index(one) for one in OVERTURNED]) | (rated[-1].is_mistake & ~is_left)
    is_known = rated[0].is_mistake & (fates != FATES.index(Fate.UNKNOWN))
    n = int(is_known.sum())
    return share_of_sample(int((is_overturned & is_known).sum()), n, n_whole=n, level=level)
