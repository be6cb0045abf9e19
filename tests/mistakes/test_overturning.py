"""What a review made of mistakes: by hand, the test of the paper, and what closes whatever the answers are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mistakes.small_sources import AFTER, BEFORE, FIRST, IDS, SECOND, aim, answer

from regauge.evaluation.targets import line_up
from regauge.mistakes.finding import apply_labels, find_mistakes
from regauge.mistakes.overturning import compare_flows, follow_review
from regauge.mistakes.sampling import share_of_sample
from regauge.records.labels.label_set import LabelSet, Truth
from regauge.records.mistakes.flows import FATES, Fate, ReviewFlow
from regauge.records.mistakes.found import FindSettings
from regauge.records.predictions import Predictions

TARGET = aim(BEFORE, AFTER)


def follow(predictions: Predictions, **settings: bool | int) -> ReviewFlow:
    strict = bool(settings.get("is_strict", False))
    before, after = (apply_labels(TARGET, place, is_strict=strict) for place in (0, 1))
    groups = {"animals": [0, 1, 2], "places": [3]}
    return follow_review(predictions, before, after=after, groups=groups, settings=FindSettings(**settings))  # type: ignore[arg-type]


def make_flow(n_overturned: int, n: int, name: str = "model") -> ReviewFlow:
    """A review of n mistakes that overturns the first of them."""
    fates = np.where(np.arange(n) < n_overturned, FATES.index(Fate.CORRECT), FATES.index(Fate.REMAINS)).astype(np.int8)
    return ReviewFlow(
        name,
        "set",
        "labels@1",
        "labels@2",
        image_ids=np.array([f"{name}{number}" for number in range(n)]),
        predictions=np.zeros(n, np.int32),
        is_novel=np.zeros(n, np.bool_),
        fates=fates,
        n_mistakes=n,
        n_images=n,
        n_appeared=0,
        overturned=share_of_sample(n_overturned, n, n_whole=n),
    )


def test_every_mistake_has_its_fate() -> None:
    # a remains; b is correct now; c, which was novel, is unclear now; d is problematic now.
    flow = follow(FIRST)
    assert flow.image_ids.tolist() == ["a", "b", "c", "d"]
    assert [FATES[code] for code in flow.fates] == [Fate.REMAINS, Fate.CORRECT, Fate.UNCLEAR, Fate.PROBLEMATIC]
    assert (flow.overturned.share.k, flow.overturned.share.n) == (3, 4)
    assert (flow.count(Fate.UNCLEAR, is_novel=True), flow.count(Fate.CORRECT, is_novel=True)) == (1, 0)


def test_strict_what_is_unclear_remains_a_mistake() -> None:
    flow = follow(FIRST, is_strict=True)
    assert [FATES[code] for code in flow.fates] == [Fate.REMAINS, Fate.CORRECT, Fate.REMAINS, Fate.PROBLEMATIC]


def test_accuracy_is_followed_on_all_images_and_on_groups() -> None:
    # Before: 0 of a, b, c, d. After, without d: b and c of three. On a, b and c, which both judge: two more.
    whole, animals, places = follow(FIRST).accuracies
    assert [(one.k, one.n) for one in (whole.before, whole.after)] == [(0, 4), (2, 3)]
    assert whole.change.value == pytest.approx(2 / 3)
    assert (animals.before.n, places.before.n, places.after.n) == (3, 1, 0)
    assert (places.after.value, places.change.value) == (None, None)


def test_answers_that_became_mistakes_are_counted() -> None:
    before = LabelSet.from_lists("one", ["a"], correct=[[0, 1]], wrong=[[]])
    after = LabelSet.from_lists("two", ["a"], correct=[[0]], wrong=[[1]])
    target = line_up(Truth(None, (before, after)))
    flow = follow_review(answer("m", [1], ["a"]), apply_labels(target, 0), after=apply_labels(target, 1))
    assert (len(flow), flow.n_appeared, flow.overturned.share.value) == (0, 1, None)


def test_images_that_the_later_label_set_does_not_know_are_no_part_of_the_share() -> None:
    before = LabelSet.from_lists("one", ["a", "b"], correct=[[0], [0]], wrong=[[], []])
    after = LabelSet.from_lists("two", ["a"], correct=[[0, 1]], wrong=[[]])
    target = line_up(Truth(None, (before, after)))
    flow = follow_review(answer("m", [1, 1], ["a", "b"]), apply_labels(target, 0), after=apply_labels(target, 1))
    assert (flow.count(Fate.UNKNOWN), flow.overturned.share.k, flow.overturned.share.n) == (1, 1, 1)


def test_a_sample_is_the_one_that_was_found_and_speaks_for_all() -> None:
    flow = follow(FIRST, n_sample=2, seed=1)
    found = find_mistakes(FIRST, apply_labels(TARGET, 0), settings=FindSettings(n_sample=2, seed=1))
    assert flow.image_ids.tolist() == found.image_ids.tolist()
    assert (flow.overturned.n_whole, flow.overturned.share.method) == (4, "hypergeometric")


def test_two_reviews_are_tested_as_in_the_paper() -> None:
    # Vasudevan et al. (2022, §4.2): 296 of 676 and 47 of 100, χ²(1, N = 776) = 0.36 (0.365), p = .55.
    found = compare_flows(make_flow(296, 676), make_flow(47, 100, "v2"), level=0.95)
    assert found.test.chi2 == pytest.approx(0.365, abs=5e-4)
    assert found.test.p == pytest.approx(0.55, abs=5e-3)
    assert (found.test.dof, found.test.n) == (1, 776)
    assert found.difference.value == pytest.approx(296 / 676 - 0.47)
    low, high = found.difference.low, found.difference.high
    assert low is not None
    assert high is not None
    assert low < 0 < high


def test_reviews_that_overturn_nothing_have_no_test() -> None:
    found = compare_flows(make_flow(0, 5), make_flow(0, 7, "v2"), level=0.95)
    assert (found.test.chi2, found.test.dof, found.test.n) == (None, 0, 12)
    empty = compare_flows(make_flow(0, 0), make_flow(2, 7, "v2"), level=0.95)
    assert (empty.test.chi2, empty.difference.value) == (None, None)


@given(st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_what_remains_and_what_appeared_are_the_later_mistakes(answers: list[int]) -> None:
    model = answer("m", answers)
    flow = follow(model)
    later = find_mistakes(model, apply_labels(TARGET, 1))
    assert flow.count(Fate.REMAINS) + flow.n_appeared == later.n_mistakes
    assert sum(flow.count(fate) for fate in FATES) == len(flow)


def test_the_second_model_keeps_its_only_mistake_that_was_not_overturned() -> None:
    flow = follow(SECOND)
    assert dict(zip(flow.image_ids.tolist(), (FATES[code] for code in flow.fates), strict=True)) == {
        "c": Fate.UNCLEAR,
        "d": Fate.PROBLEMATIC,
    }
    assert set(flow.image_ids.tolist()) <= set(IDS)
