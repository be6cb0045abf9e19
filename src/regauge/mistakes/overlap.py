"""Two participants' mistakes against each other, from their answers and a label set alone.

From one model to the next some mistakes are corrected, some are new, and some are common, with the same answer or with another
(Vasudevan et al. 2022, section 4.3).
"""

from __future__ import annotations

import numpy as np

from regauge.errors import InputError
from regauge.estimates import DEFAULT_LEVEL, Estimate
from regauge.mistakes.finding import AppliedLabels, share_of
from regauge.records.mistakes.overlaps import OVERLAPS, MistakesOverlap, Overlap
from regauge.records.predictions import Predictions
from regauge.stats.paired import exact_mcnemar, tango


def compare_answers(
    first: Predictions, second: Predictions, *, applied: AppliedLabels, level: float = DEFAULT_LEVEL
) -> MistakesOverlap:
    """What becomes of the first's mistakes in the second, on the images that both answered and the label set judges.

    Raises:
        InputError: there is no such image.
    """
    one, other = applied.rate(first), applied.rate(second)
    is_both = one.is_judged & other.is_judged
    if not is_both.any():
        raise InputError(
            f"{first.participant} and {second.participant} have no image in common that {applied.label_set.name} judges."
        )
    wrong, wrong_too = one.is_mistake & is_both, other.is_mistake & is_both
    is_same = one.answers == other.answers
    masks = {
        Overlap.CORRECTED: wrong & ~wrong_too,
        Overlap.NEW: ~wrong & wrong_too,
        Overlap.DIFFERENT: wrong & wrong_too & ~is_same,
        Overlap.SAME: wrong & wrong_too & is_same,
    }
    rows = np.flatnonzero(wrong | wrong_too)
    n, n_corrected, n_new = (int(mask.sum()) for mask in (is_both, masks[Overlap.CORRECTED], masks[Overlap.NEW]))
    low, high = tango(n_new, n_corrected, n=n, level=level)
    return MistakesOverlap(
        first=first.participant,
        second=second.participant,
        test_set=applied.target.name,
        labels=applied.label_set.name,
        image_ids=applied.target.image_ids[rows],
        overlaps=np.select([masks[one][rows] for one in OVERLAPS], range(len(OVERLAPS))).astype(np.int8),
        first_predictions=one.answers[rows],
        second_predictions=other.answers[rows],
        first_is_novel=one.is_novel[rows],
        second_is_novel=other.is_novel[rows],
        n_images=n,
        first_wrong=share_of(int(wrong.sum()), n, level=level),
        second_wrong=share_of(int(wrong_too.sum()), n, level=level),
        difference=Estimate((n_new - n_corrected) / n, float(low), float(high), n=n, method="tango"),
        p=float(exact_mcnemar(n_corrected, n_new)),
        is_strict=applied.is_strict,
    )
