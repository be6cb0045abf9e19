"""Agreement of coders, against the votes counted one by one; and what becomes of decided mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.labels.test_coding import NAMES, gone, vote

from regauge.labels.coding import decide_mistakes
from regauge.mistakes.coders import make_coded, measure_coders
from regauge.records.mistakes.coders import Aspect, CoderAgreement, TakenOver

VOTES = vote(
    *((0, 0, "texture", 0), (0, 1, "texture", 1)),
    *((1, 0, "shape", 2), (1, 1, "texture", 2)),
    *(gone(2, 0), gone(2, 1)),
    *((3, 0, "shape", 0), gone(3, 1)),
)
"""On the third image both overturn; on the fourth one does, so that only one has codes for it."""


def measure() -> dict[Aspect, CoderAgreement]:
    decided = decide_mistakes(VOTES, NAMES)
    return {one.aspect: one for one in measure_coders(VOTES, decided, names=NAMES, level=0.95)}


def alpha(pairs: list[tuple[object, object]]) -> float:
    """Krippendorff's alpha of two coders, as its formula has it."""
    values = [one for pair in pairs for one in pair]
    n = len(values)
    observed = sum(first != second for first, second in pairs) * 2 / n
    same = sum(values.count(one) * (values.count(one) - 1) for one in set(values))
    return 1 - observed / (1 - same / (n * (n - 1)))


def test_agreement_is_that_of_the_formula():
    found = measure()
    overturning = found[Aspect.OVERTURNING]
    assert (overturning.n, overturning.n_equal) == (4, 3)
    assert overturning.alpha.value == pytest.approx(alpha([(0, 0), (0, 0), (1, 1), (0, 1)]))
    severity = found[Aspect.SEVERITY]
    assert (severity.n, severity.n_equal) == (2, 1)
    assert severity.alpha.value == pytest.approx(alpha([(0, 1), (2, 2)]))
    low, value, high = overturning.alpha.low, overturning.alpha.value, overturning.alpha.high
    assert low is not None
    assert value is not None
    assert high is not None
    assert low <= value <= high


def test_category_counts_only_those_who_code():
    category = measure()[Aspect.CATEGORY]
    assert (category.n, category.n_equal) == (2, 1)
    assert category.alpha.value == pytest.approx(alpha([("t", "t"), ("s", "t")]))


def test_one_coder_alone_and_nobody_who_codes_have_no_value():
    alone = vote((0, 0, "texture", 0), (1, 0, "shape", 1))
    found = measure_coders(alone, decide_mistakes(alone, NAMES), names=NAMES, level=0.95)
    assert [(one.n, one.alpha.value) for one in found] == [(0, None)] * 3
    nobody = vote(gone(0, 0), gone(0, 1))
    found = measure_coders(nobody, decide_mistakes(nobody, NAMES), names=NAMES, level=0.95)
    assert [(one.n, one.alpha.value) for one in found] == [(1, None), (0, None), (0, None)]


def test_what_is_settled_is_coded_or_overturned_and_what_others_decided_comes_after_it():
    taken = [
        TakenOver("z", 1, "shape", "borderline", "", "other@2"),
        TakenOver("y", 2, "", "", "against the guide", "other@2"),
    ]
    coded, overturned, remarks = make_coded(
        decide_mistakes(VOTES, NAMES), VOTES, names=NAMES, taken=taken, participant="vit"
    )
    # The severity of the first, the category of the second, and whether the fourth is one are open.
    assert coded.image_ids.tolist() == ["z"]
    assert (coded.categories.tolist(), coded.severities.tolist(), remarks) == ([1], [2], ("decided by other@2",))
    assert overturned.image_ids.tolist() == ["i2", "y"]
    assert overturned.reasons == ("missed object", "against the guide")
    assert np.array_equal(overturned.predictions, [9, 2])
