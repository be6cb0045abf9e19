"""What a review made of mistakes: a later label set against an earlier one, mistake by mistake.

Vasudevan et al. (2022) report that review overturned 296 of the 676 mistakes of a model on one test set and 47 of 100 that they
drew from more than 900 on another, and test the two shares by chi-square without Yates' correction (section 4.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from regauge.arrays import BoolArray, IntArray
from regauge.estimates import Estimate
from regauge.mistakes.finding import AppliedLabels, RatedAnswers, draw_rows, share_of
from regauge.mistakes.sampling import share_of_sample
from regauge.records.evaluation.scores import WHOLE
from regauge.records.labels.verdicts import Verdict
from regauge.records.mistakes.coded import CodeArray
from regauge.records.mistakes.flows import FATES, OVERTURNED, AccuracyChange, Fate, FlowComparison, ReviewFlow
from regauge.records.mistakes.found import FindSettings
from regauge.records.mistakes.summaries import Independence
from regauge.records.predictions import Predictions
from regauge.stats.independence import chi_square
from regauge.stats.intervals import newcombe
from regauge.stats.paired import tango


def follow_review(
    predictions: Predictions,
    before: AppliedLabels,
    *,
    after: AppliedLabels,
    groups: Mapping[str, Sequence[int]] | None = None,
    settings: FindSettings | None = None,
) -> ReviewFlow:
    """A participant's mistakes under one label set, all or a random sample, and what a later one makes of each.

    Args:
        predictions: what the participant answered.
        before: the earlier label set.
        after: the later one, over the same images.
        groups: classes whose accuracy is followed too, by dataset label, such as organisms and objects.
        settings: size and seed of a sample, and level.

    Raises:
        InputError: the participant has not answered an image, or the sample is larger than the mistakes.
    """
    chosen = settings or FindSettings()
    then, now = before.rate(predictions), after.rate(predictions)
    rows, n_mistakes = draw_rows(np.flatnonzero(then.is_mistake), predictions.participant, settings=chosen)
    fates = find_fates(now, then.answers, after=after)[rows]
    n_judged = int(np.count_nonzero(fates != FATES.index(Fate.UNKNOWN)))
    n_overturned = int(np.isin(fates, [FATES.index(one) for one in OVERTURNED]).sum())
    n_whole = n_mistakes if len(rows) < n_mistakes else n_judged
    is_right_then = then.is_judged & ~then.is_mistake
    return ReviewFlow(
        participant=predictions.participant,
        test_set=before.target.name,
        before=before.label_set.name,
        after=after.label_set.name,
        image_ids=before.target.image_ids[rows],
        predictions=then.answers[rows],
        is_novel=then.is_novel[rows],
        fates=fates,
        n_mistakes=n_mistakes,
        n_images=int(then.is_judged.sum()),
        n_appeared=int((is_right_then & now.is_mistake).sum()),
        overturned=share_of_sample(n_overturned, n_judged, n_whole=n_whole, level=chosen.level),
        accuracies=_follow_accuracies(then, now, before.target.dataset_labels, groups or {}, chosen.level),
    )


def compare_flows(first: ReviewFlow, second: ReviewFlow, *, level: float) -> FlowComparison:
    """Whether two reviews overturn different shares of mistakes; the mistakes must be on different images.

    >>> import numpy as np
    >>> print(chi_square([[296, 380], [47, 53]]).p.__round__(2))
    0.55
    """
    one, other = first.overturned.share, second.overturned.share
    test = chi_square([[one.k, one.n - one.k], [other.k, other.n - other.k]])
    if one.value is None or other.value is None:
        difference: Estimate[float | None] = Estimate(None, None, None)
    else:
        low, high = newcombe(one.k, one.n, n_correct_b=other.k, n_b=other.n, level=level)
        difference = Estimate(one.value - other.value, float(low), float(high), method="newcombe")
    if not test.dof:
        return FlowComparison(difference, Independence(None, 0, None, test.n))
    smallest = float(test.expected.min())
    return FlowComparison(difference, Independence(test.statistic, test.dof, test.p, test.n, smallest))


def find_fates(now: RatedAnswers, answers: IntArray, *, after: AppliedLabels) -> CodeArray:
    """What a label set makes of the answer on each image, mistake or not."""
    places = {fate: FATES.index(fate) for fate in FATES}
    is_unclear = _find_unclear(after, answers)
    return np.select(
        [after.label_set.is_problematic, ~now.is_judged, now.is_mistake, is_unclear],
        [places[one] for one in (Fate.PROBLEMATIC, Fate.UNKNOWN, Fate.REMAINS, Fate.UNCLEAR)],
        places[Fate.CORRECT],
    ).astype(np.int8)


def _find_unclear(applied: AppliedLabels, answers: IntArray) -> BoolArray:
    """The images on which the answered class is unclear."""
    label_set = applied.label_set
    is_it = (label_set.classes == answers[label_set.rows]) & (label_set.verdicts == Verdict.UNCLEAR)
    return np.bincount(label_set.rows[is_it], minlength=len(answers)) > 0


def _follow_accuracies(
    then: RatedAnswers, now: RatedAnswers, labels: IntArray, groups: Mapping[str, Sequence[int]], level: float
) -> tuple[AccuracyChange, ...]:
    parts = {WHOLE: np.ones(len(labels), np.bool_)}
    parts |= {name: np.isin(labels, np.asarray(members)) for name, members in groups.items()}
    return tuple(_follow_accuracy(name, then, now, is_here, level) for name, is_here in parts.items())


def _follow_accuracy(
    subset: str, then: RatedAnswers, now: RatedAnswers, is_here: BoolArray, level: float
) -> AccuracyChange:
    rights = [one.is_judged & ~one.is_mistake & is_here for one in (then, now)]
    before, after = (
        share_of(int(right.sum()), int((one.is_judged & is_here).sum()), level=level)
        for right, one in zip(rights, (then, now), strict=True)
    )
    is_both = then.is_judged & now.is_judged & is_here
    n, n_gained = int(is_both.sum()), int((rights[1] & ~rights[0] & is_both).sum())
    n_lost = int((rights[0] & ~rights[1] & is_both).sum())
    if not n:
        return AccuracyChange(subset, before, after, Estimate(None, None, None, n=0))
    low, high = tango(n_gained, n_lost, n=n, level=level)
    change = Estimate((n_gained - n_lost) / n, float(low), float(high), n=n, method="tango")
    return AccuracyChange(subset, before, after, change)
