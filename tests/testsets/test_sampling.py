"""Drawing test sets: the three strategies of Recht et al. (2019), keywords, revisions and what is lacking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regauge.errors import InputError
from regauge.records.testsets.sampling import (
    BIN_NAMES,
    Draw,
    PoolCandidates,
    SamplingPlan,
    Shortfall,
    Strategy,
    find_bins,
)
from regauge.testsets.quotas import scale_counts
from regauge.testsets.sampling import Original, count_bins, sample

MATCHED, ABOVE, BEST, KEYWORDS = Strategy


def make_pool(
    n_selected: Sequence[int],
    *,
    n_shown: int | Sequence[int] = 10,
    classes: int | Sequence[int] = 0,
    exclusions: Sequence[str] | None = None,
    keywords: Sequence[str] | None = None,
) -> PoolCandidates:
    n = len(n_selected)
    return PoolCandidates(
        image_ids=np.array([f"i{number:03d}" for number in range(n)]),
        classes=np.broadcast_to(np.array(classes), n),
        n_shown=np.broadcast_to(np.array(n_shown), n),
        n_selected=np.array(n_selected),
        exclusions=np.array(exclusions or [""] * n),
        keywords=np.array(keywords or [""] * n),
    )


def imitate(*histogram: int) -> Original:
    return Original({0: np.array(histogram)})


def count_drawn(draw: Draw) -> list[int]:
    return list(map(int, np.bincount(find_bins(draw.n_shown, draw.n_selected), minlength=5)))


# Bins and quotas


@given(st.integers(1, 400), st.data())
def test_bins_are_fifths_closed_below(n_shown: int, data: st.DataObject) -> None:
    n_selected = data.draw(st.integers(0, n_shown))
    (number,) = find_bins(np.array([n_shown]), np.array([n_selected])).tolist()
    assert number * n_shown <= 5 * n_selected
    assert 5 * n_selected < (number + 1) * n_shown or number == 4


@given(st.lists(st.integers(0, 50), min_size=1, max_size=7).filter(any), st.integers(1, 40))
def test_scaled_counts_have_the_total_and_stay_within_one_of_their_share(counts: list[int], total: int) -> None:
    scaled = scale_counts(np.array(counts), total)
    assert scaled.sum() == total
    assert all(
        abs(have * sum(counts) - wanted * total) < sum(counts) for have, wanted in zip(scaled, counts, strict=True)
    )


def test_equal_remainders_go_to_the_higher_bin() -> None:
    assert scale_counts(np.array([1, 1, 1, 1, 0]), 10).tolist() == [2, 2, 3, 3, 0]


def test_nothing_cannot_be_scaled() -> None:
    with pytest.raises(InputError, match="cannot be scaled"):
        scale_counts(np.zeros(5, np.int64), 10)


def test_original_images_are_counted_by_class_and_bin_without_those_that_nobody_saw() -> None:
    found = count_bins(np.array([0, 0, 1, 1]), n_shown=np.array([10, 10, 10, 0]), n_selected=np.array([9, 1, 5, 0]))
    assert {index: counts.tolist() for index, counts in found.items()} == {0: [1, 0, 0, 0, 1], 1: [0, 0, 1, 0, 0]}


# Matched frequencies


def test_every_bin_gives_its_share_of_the_originals() -> None:
    pool = make_pool([0] * 20 + [3] * 20 + [5] * 20 + [7] * 20 + [10] * 20)
    draw = sample(pool, SamplingPlan(MATCHED), original=imitate(2, 0, 4, 6, 8))
    assert count_drawn(draw) == [1, 0, 2, 3, 4]
    assert not draw.is_upward.any()
    assert draw.shortfalls == ()


def test_a_short_bin_is_filled_from_the_next_higher_one_with_images_left() -> None:
    pool = make_pool([3] * 1 + [5] * 2 + [7] * 2 + [10] * 20)
    draw = sample(pool, SamplingPlan(MATCHED), original=imitate(0, 6, 4, 4, 6))
    assert count_drawn(draw) == [0, 1, 2, 2, 5]
    assert draw.n_selected[draw.is_upward].tolist() == [10, 10]
    assert draw.shortfalls == ()


def test_what_cannot_be_filled_is_said_by_bin_with_what_to_gather() -> None:
    pool = make_pool([1] * 8 + [7] * 2 + [10] * 2)
    draw = sample(pool, SamplingPlan(MATCHED, min_original=20), original=imitate(0, 0, 0, 10, 10))
    assert count_drawn(draw) == [0, 0, 0, 2, 2]
    # Of 12 candidates 4 lie in the fourth bin or above, and 2 in the last.
    assert draw.shortfalls == (Shortfall(0, BIN_NAMES[3], 3, 9), Shortfall(0, BIN_NAMES[4], 3, 18))


def test_a_bin_like_no_candidate_has_no_estimate_of_what_to_gather() -> None:
    draw = sample(make_pool([1] * 8), SamplingPlan(MATCHED), original=imitate(0, 0, 0, 0, 20))
    assert draw.shortfalls == (Shortfall(0, BIN_NAMES[4], 10, None),)


def test_too_few_annotated_originals_are_refused() -> None:
    with pytest.raises(InputError, match="Class 0 has 19 annotated original images; 20 are needed"):
        sample(make_pool([5] * 30), SamplingPlan(MATCHED), original=imitate(0, 0, 19, 0, 0))
    with pytest.raises(InputError, match="Class 0 has 0 annotated original images"):
        sample(make_pool([5] * 30), SamplingPlan(MATCHED))


# Threshold and best


def test_a_threshold_is_compared_exactly_and_classes_may_have_their_own() -> None:
    pool = make_pool([7, 6, 7, 6], classes=[0, 0, 1, 1])
    plan = SamplingPlan(ABOVE, per_class=2, threshold=0.7, class_thresholds={1: 0.6})
    draw = sample(pool, plan)
    assert sorted(draw.image_ids.tolist()) == ["i000", "i002", "i003"]
    assert draw.shortfalls == (Shortfall(0, "≥ 0.7", 1, 2),)


def test_images_above_the_threshold_are_drawn_alike() -> None:
    pool = make_pool([10] * 5 + [7] * 5)
    drawn = Counter(
        image_id
        for seed in range(2_000)
        for image_id in sample(pool, SamplingPlan(ABOVE, per_class=3, seed=seed)).image_ids.tolist()
    )
    # 2,000 draws of 3 of 10: 600 each, standard deviation 20.
    assert all(abs(n - 600) < 100 for n in drawn.values())
    assert len(drawn) == 10


def test_a_threshold_of_many_decimals_is_compared_exactly_with_many_votes() -> None:
    # 0.1234567890123457 of 10,000 votes are 1,234.567…; in 64 bits the product of both would overflow.
    pool = make_pool([1_234, 1_235], n_shown=10_000)
    draw = sample(pool, SamplingPlan(ABOVE, per_class=2, threshold=0.1234567890123457))
    assert draw.image_ids.tolist() == ["i001"]


@pytest.mark.parametrize("strategy", [ABOVE, BEST])
def test_an_image_that_nobody_saw_has_no_frequency_to_be_chosen_by(strategy: Strategy) -> None:
    pool = make_pool([0, 1, 3], n_shown=[0, 1, 3])
    draw = sample(pool, SamplingPlan(strategy, per_class=3, min_annotations=0))
    assert sorted(draw.image_ids.tolist()) == ["i001", "i002"]
    assert draw.exclusions == {(0, "no annotators", "too few annotators"): 1}


def test_the_best_are_those_selected_most_then_seen_by_more_then_by_id() -> None:
    pool = make_pool([10, 20, 9, 10, 30], n_shown=[10, 20, 10, 10, 40])
    draw = sample(pool, SamplingPlan(BEST, per_class=4))
    assert draw.image_ids.tolist() == ["i001", "i000", "i003", "i002"]
    assert draw.n_shown.tolist() == [20, 10, 10, 10]


# Keywords


def test_keywords_have_their_share_of_the_originals() -> None:
    pool = make_pool([10] * 12, keywords=["tabby"] * 8 + ["siamese"] * 4)
    draw = sample(
        pool, SamplingPlan(KEYWORDS, per_class=8), original=Original(keywords={0: {"tabby": 30, "siamese": 10}})
    )
    assert Counter(draw.keywords.tolist()) == {"tabby": 6, "siamese": 2}


def test_a_keyword_that_is_short_is_named() -> None:
    pool = make_pool([10] * 3, keywords=["tabby", "tabby", "siamese"])
    draw = sample(
        pool, SamplingPlan(KEYWORDS, per_class=4), original=Original(keywords={0: {"tabby": 1, "siamese": 1}})
    )
    assert draw.shortfalls == (Shortfall(0, "siamese", 1, 3),)
    with pytest.raises(InputError, match="Class 0 has no original images with a keyword"):
        sample(pool, SamplingPlan(KEYWORDS))


# Eligibility, seeds and revisions


def test_excluded_images_and_those_with_few_annotators_are_never_taken_and_are_counted() -> None:
    pool = make_pool([9, 10, 10, 0], n_shown=[9, 10, 10, 0], exclusions=["", "", "wrong class", ""])
    draw = sample(pool, SamplingPlan(BEST, per_class=4))
    assert draw.image_ids.tolist() == ["i001"]
    assert draw.exclusions == {
        (0, "[0.8, 1]", "too few annotators"): 1,
        (0, "[0.8, 1]", "wrong class"): 1,
        (0, "no annotators", "too few annotators"): 1,
    }


def test_a_seed_draws_the_same_and_another_class_changes_nothing() -> None:
    alone = make_pool([8] * 30)
    plan = SamplingPlan(ABOVE, seed=7)
    first = sample(alone, plan).image_ids.tolist()
    assert sample(alone, plan).image_ids.tolist() == first
    assert sample(alone, SamplingPlan(ABOVE, seed=8)).image_ids.tolist() != first
    both = make_pool([8] * 60, classes=[0] * 30 + [1] * 30)
    assert sample(both, plan).image_ids.tolist()[:10] == first


@pytest.mark.parametrize("strategy", list(Strategy))
def test_a_revision_keeps_every_image_that_can_still_be_taken(strategy: Strategy) -> None:
    rng = np.random.default_rng(3)
    selected = rng.integers(0, 11, 200)
    original = Original({0: np.array([1, 2, 3, 4, 10])}, {0: {"a": 1, "b": 1}})
    keywords = ["a", "b"] * 100
    plan = SamplingPlan(strategy, per_class=20)
    first = sample(make_pool(selected.tolist(), keywords=keywords), plan, original=original)
    removed = first.image_ids[:4].tolist()
    exclusions = ["removed by a reviewer" if f"i{number:03d}" in removed else "" for number in range(200)]
    pool = make_pool(selected.tolist(), keywords=keywords, exclusions=exclusions)
    second = sample(pool, plan, original=original, previous=first.image_ids.tolist())
    assert set(first.image_ids.tolist()) - set(removed) <= set(second.image_ids.tolist())
    assert len(second) == 20
    assert second.is_carried.sum() == 16
    assert count_drawn(second) == count_drawn(first) or strategy is not MATCHED


def test_an_image_that_stood_in_for_a_lower_bin_goes_on_doing_so() -> None:
    short = make_pool([3] * 1 + [10] * 20)
    plan, original = SamplingPlan(MATCHED, per_class=10), imitate(0, 4, 0, 0, 16)
    first = sample(short, plan, original=original)
    assert count_drawn(first) == [0, 1, 0, 0, 9]
    more = make_pool([3] * 1 + [10] * 20 + [3] * 5)
    second = sample(more, plan, original=original, previous=first.image_ids.tolist())
    assert sorted(second.image_ids.tolist()) == sorted(first.image_ids.tolist())


@pytest.mark.parametrize("strategy", list(Strategy))
def test_a_smaller_revision_is_made_of_images_from_before(strategy: Strategy) -> None:
    pool = make_pool([n for n in (1, 3, 5, 7, 9) for _ in range(20)], keywords=["a", "b"] * 50)
    original = Original({0: np.array([4, 4, 4, 4, 4])}, {0: {"a": 1, "b": 1}})
    first = sample(pool, SamplingPlan(strategy, per_class=10), original=original)
    second = sample(
        pool, SamplingPlan(strategy, per_class=5, seed=1), original=original, previous=first.image_ids.tolist()
    )
    assert len(second) == 5
    assert set(second.image_ids.tolist()) < set(first.image_ids.tolist())
    assert count_drawn(second) == [1, 1, 1, 1, 1] or strategy is not MATCHED


@given(
    st.lists(st.integers(0, 10), min_size=1, max_size=60),
    st.lists(st.integers(0, 30), min_size=5, max_size=5),
    st.data(),
)
def test_a_matched_draw_never_has_too_many_and_lacks_only_what_is_not_there(
    selected: list[int], histogram: list[int], data: st.DataObject
) -> None:
    if sum(histogram) < 1:
        histogram[0] = 1
    pool = make_pool(selected)
    plan = SamplingPlan(MATCHED, per_class=10, min_original=1)
    previous = data.draw(st.lists(st.sampled_from(pool.image_ids.tolist()), unique=True, max_size=10))
    draw = sample(pool, plan, original=imitate(*histogram), previous=previous)
    assert len(set(draw.image_ids.tolist())) == len(draw)
    assert set(previous) <= set(draw.image_ids.tolist())
    assert len(draw) + sum(one.n_missing for one in draw.shortfalls) == 10
    if draw.shortfalls:
        lowest = min(BIN_NAMES.index(one.where) for one in draw.shortfalls)
        usable = {
            f"i{number:03d}"
            for number, n in enumerate(selected)
            if find_bins(np.array([10]), np.array([n]))[0] >= lowest
        }
        assert usable <= set(draw.image_ids.tolist())


def test_a_draw_is_a_table() -> None:
    frame = sample(make_pool([10, 3], keywords=["a", ""]), SamplingPlan(BEST, per_class=2)).to_frame()
    assert frame.columns == ["image_id", "class", "n_shown", "n_selected", "bin", "keyword", "carried_over", "upward"]
    assert frame["bin"].to_list() == ["[0.8, 1]", "[0.2, 0.4)"]
    assert frame["keyword"].to_list() == ["a", None]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_class": 0}, "1 to 1,000,000 images per class, not 0"),
        ({"per_class": 10**21}, "1 to 1,000,000 images per class"),
        ({"seed": -1}, "from 0 up, not -1"),
        ({"threshold": 1.5}, "share from 0 to 1, not 1.5"),
        ({"class_thresholds": {3: -0.1}}, "share from 0 to 1, not -0.1"),
        ({"min_annotations": -1}, "0 or more"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SamplingPlan(**options)
