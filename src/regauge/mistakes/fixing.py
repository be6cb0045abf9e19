"""Whether major mistakes are corrected first: the share of them among corrected mistakes against kept ones.

Vasudevan et al. (2022, section 5.2) found no evidence that stronger models solve major errors first. A mistake is corrected where
the second participant makes none on the image, and kept where it does, with whichever answer.
"""

from __future__ import annotations

import numpy as np

from regauge.arrays import BoolArray
from regauge.errors import InputError
from regauge.estimates import Estimate, count_things
from regauge.evaluation.lookups import NO_PAIR, find_target_rows
from regauge.evaluation.metrics.multilabel import LENIENT, STRICT
from regauge.evaluation.outcomes import Outcome
from regauge.mistakes.accepting import judge_pairs
from regauge.mistakes.finding import AppliedLabels, share_of
from regauge.records.mistakes.coded import CodedMistakes
from regauge.records.mistakes.summaries import Independence, MajorsFixed
from regauge.records.predictions import Predictions
from regauge.stats.independence import chi_square, fisher_exact
from regauge.stats.intervals import newcombe


def compare_files(first: CodedMistakes, second: CodedMistakes, *, level: float) -> MajorsFixed:
    """Corrected are the mistakes on images that the second file does not have: all that remain must have been coded."""
    is_kept = np.isin(first.image_ids, second.image_ids)
    return count_majors(first, (first.name, second.name), masks=(~is_kept, is_kept), level=level)


def follow_coded(coded: CodedMistakes, second: Predictions, *, applied: AppliedLabels, level: float) -> MajorsFixed:
    """What becomes of coded mistakes in the answers of a second participant; those of the first need not be known.

    Left out are mistakes that the label set accepts by now, and those on images that the second did not answer or the label set
    does not judge.

    Raises:
        InputError: not one of the coded mistakes is a mistake under this label set.
    """
    accepted = STRICT if applied.is_strict else LENIENT
    outcomes = judge_pairs(applied.label_set, coded.image_ids, classes=coded.predictions, accepted=accepted)
    is_mistake = (outcomes == Outcome.WRONG) | (outcomes == Outcome.UNJUDGED)
    if not is_mistake.any():
        raise InputError(
            f"Not one of {count_things(len(coded), 'coded mistake')} of {coded.name} is a mistake under "
            f"{applied.label_set.name}; choose the label set under which they were coded, or a later version."
        )
    rated = applied.rate(second)
    rows = find_target_rows(applied.target, coded.image_ids)
    is_known = is_mistake & (rows != NO_PAIR) & rated.is_judged[rows]
    is_kept = rated.is_mistake[rows]
    names = coded.name, second.participant
    return count_majors(coded, names, masks=(is_known & ~is_kept, is_known & is_kept), level=level)


def count_majors(
    coded: CodedMistakes, names: tuple[str, str], *, masks: tuple[BoolArray, BoolArray], level: float
) -> MajorsFixed:
    """Majors among corrected and among kept mistakes, and whether the two shares differ."""
    (k, n), (k_kept, n_kept) = ((int((coded.is_major & mask).sum()), int(mask.sum())) for mask in masks)
    corrected, kept = share_of(k, n, level=level), share_of(k_kept, n_kept, level=level)
    difference: Estimate[float | None] = Estimate(None, None, None)
    if corrected.value is not None and kept.value is not None:
        low, high = newcombe(k, n, n_correct_b=k_kept, n_b=n_kept, level=level)
        difference = Estimate(corrected.value - kept.value, float(low), float(high), method="newcombe")
    test, p_exact = Independence(None, 0, None, n + n_kept), None
    found = chi_square([[k, n - k], [k_kept, n_kept - k_kept]])
    if found.dof:
        test = Independence(found.statistic, found.dof, found.p, found.n, float(found.expected.min()))
        p_exact = fisher_exact(k, n, n_second=k_kept, n_of_second=n_kept)
    n_left_out = len(coded) - n - n_kept
    return MajorsFixed(*names, corrected, kept, difference, test, p_exact, n_left_out)
