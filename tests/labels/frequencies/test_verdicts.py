"""Verdicts from frequencies: the default rule at its edges, and as a label set."""

from __future__ import annotations

import numpy as np
import pytest

from regauge.errors import InputError
from regauge.labels.frequencies.verdicts import UNJUDGED, judge_counts, make_frequency_labels
from regauge.records.labels.frequencies import FrequencyRule, SelectionCounts
from regauge.records.labels.label_set import Unlisted
from regauge.records.labels.verdicts import Verdict

WRONG, UNCLEAR, CORRECT = Verdict


def make_counts(pairs: list[tuple[int, int, int, int]], n_images: int = 3) -> SelectionCounts:
    """Counts from (image, class, n_shown, n_selected)."""
    return SelectionCounts(np.array([f"i{one}" for one in range(n_images)]), *np.array(pairs).T)


@pytest.mark.parametrize(
    ("n_shown", "n_selected", "verdict"),
    [
        (10, 5, CORRECT),
        (9, 5, CORRECT),
        (9, 4, UNCLEAR),
        (8, 2, UNCLEAR),
        # A quarter of 9 is 2.25: 2 of 9 is less.
        (9, 2, WRONG),
        (5, 0, WRONG),
        (4, 4, UNJUDGED),
        (0, 0, UNJUDGED),
    ],
)
def test_the_default_rule(n_shown, n_selected, verdict):
    counts = make_counts([(0, 0, n_shown, n_selected)], n_images=1)
    assert judge_counts(counts, FrequencyRule()).tolist() == [verdict]


def test_thresholds_are_the_decimals_they_say():
    # 0.7 as a binary number is a little less than 7/10; 7 of 10 reaches it, 69 of 100 does not.
    rule = FrequencyRule(correct=0.7, unclear=0.1)
    counts = make_counts([(0, 0, 10, 7), (1, 0, 100, 69), (2, 0, 10, 1)])
    assert judge_counts(counts, rule).tolist() == [CORRECT, UNCLEAR, UNCLEAR]


def test_a_label_set_lists_what_was_judged_and_keeps_every_image():
    counts = make_counts([(0, 2, 9, 9), (0, 5, 9, 3), (1, 2, 9, 0), (2, 2, 4, 4)])
    labels = make_frequency_labels(counts, FrequencyRule(), name="mine")
    assert (labels.name, labels.unlisted) == ("mine", Unlisted.UNJUDGED)
    assert labels.image_ids.tolist() == ["i0", "i1", "i2"]
    assert labels.starts.tolist() == [0, 2, 3, 3]
    assert labels.classes.tolist() == [2, 5, 2]
    assert labels.verdicts.tolist() == [CORRECT, UNCLEAR, WRONG]
    assert not labels.is_problematic.any()
    assert not labels.has_main_labels


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"correct": 0.2, "unclear": 0.3}, "0 ≤ unclear ≤ correct ≤ 1, not unclear = 0.3, correct = 0.2"),
        ({"correct": 1.5}, "correct = 1.5"),
        ({"min_shown": 0}, "at least one annotator, not 0"),
    ],
)
def test_rules_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        FrequencyRule(**options)


def test_a_rule_says_what_it_does():
    assert FrequencyRule().describe() == (
        "selection-frequency: ≥ 0.5 correct, ≥ 0.25 unclear, else wrong; n_shown < 5 unjudged"
    )
