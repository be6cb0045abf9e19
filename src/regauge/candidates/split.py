"""Where an image goes after CONTAINS: easy, mislabeled, ambiguous, or to CLASSIFY.

The tests are made in this order, and the first that holds decides (Tsipras et al. 2020, appendix B.2):

1. **easy**: the dataset label was shown to six annotators or more and selected, and among all labels shown to six or more its
   frequency is more than twice that of every other. Where no other label was shown to six, nothing speaks against it.
2. **mislabeled**: the frequency of the dataset label is 0. A label that nobody was shown has no frequency, which is not 0.
3. **ambiguous**: fewer than six accepted annotators on the dataset label.
4. **follow-up**: the rest.
"""

from __future__ import annotations

import numpy as np

from regauge.arrays import NO_CLASS, CountArray
from regauge.candidates.pairs import CandidatePairs, describe_unasked, line_up_pairs
from regauge.estimates import DEFAULT_LEVEL
from regauge.records.candidates import Split, SplitPart
from regauge.records.labels.frequencies import SelectionCounts
from regauge.records.testsets.test_set import TestSet
from regauge.stats.intervals import clopper_pearson

MIN_SHOWN = 6
"""Annotators who must have seen a label before its frequency is compared."""
EASY_RATIO = 2
"""The dataset label of an easy image is selected more than this many times as often as any other."""


def split_images(counts: SelectionCounts, test_set: TestSet, *, level: float = DEFAULT_LEVEL) -> Split:
    """The part of every image that has counts, with the counts of its dataset label and of the strongest other label.

    Args:
        counts: how often each potential label was shown and selected in CONTAINS.
        test_set: the dataset labels.
        level: nominal coverage of the intervals of the frequencies.

    Raises:
        InputError: an image has no dataset label.
    """
    pairs = line_up_pairs(counts, test_set)
    own, rival = pairs.dataset_rows, _find_rivals(pairs)
    n_shown, n_selected = pairs.n_shown[own], pairs.n_selected[own]
    has_rival = rival >= 0
    rival_shown = np.where(has_rival, pairs.n_shown[rival], 0)
    rival_selected = np.where(has_rival, pairs.n_selected[rival], 0)
    # n_selected / n_shown > 2 · rival_selected / rival_shown, in whole numbers.
    is_ahead = ~has_rival | (n_selected * rival_shown > EASY_RATIO * rival_selected * n_shown)
    is_easy = (n_shown >= MIN_SHOWN) & (n_selected > 0) & is_ahead
    tests = [is_easy, (n_shown > 0) & (n_selected == 0), n_shown < MIN_SHOWN]
    parts = np.select(tests, [0, 1, 2], default=3)
    limits = clopper_pearson(n_selected, n_shown, level=level)
    return Split(
        image_ids=pairs.image_ids,
        parts=tuple(tuple(SplitPart)[number] for number in parts.tolist()),
        dataset_labels=pairs.dataset_labels,
        n_shown=n_shown,
        n_selected=n_selected,
        rivals=np.where(has_rival, pairs.classes[rival], NO_CLASS).astype(np.int32),
        rival_n_shown=rival_shown,
        rival_n_selected=rival_selected,
        low=limits.low,
        high=limits.high,
        notes=describe_unasked(counts, test_set),
    )


def _find_rivals(pairs: CandidatePairs) -> CountArray:
    """Per image the other pair with the highest frequency among those shown to enough annotators, −1 without one.

    Of equal ones the lower class index; the pair with the highest frequency decides whether all are below half.
    """
    others = np.flatnonzero(~pairs.is_dataset & (pairs.n_shown >= MIN_SHOWN))
    ranked = others[np.lexsort((pairs.classes[others], -pairs.frequencies[others], pairs.images[others]))]
    images, first = np.unique(pairs.images[ranked], return_index=True)
    rivals = np.full(len(pairs.image_ids), -1, np.int64)
    rivals[images] = ranked[first]
    return rivals
