"""Samples of the images: the whole is the whole, chance is the bootstrap's, and matched sets stay matched."""

from __future__ import annotations

import numpy as np
import pytest
from tests.evaluation.judged_sets import make_set

from regauge.errors import InputError
from regauge.evaluation.gap_samples import Material, line_up_sets, merge_bins, resample, take_whole
from regauge.records.evaluation.judged_sets import CandidateCounts
from regauge.records.testsets.shared_images import SharedImages

POOL = CandidateCounts(np.full(110, 10), np.arange(110) % 11)


def make_material(*, is_matched: bool = False) -> Material:
    old = make_set("old", "00110101 0111 111111110111", [1, 5, 9])
    new = make_set("new", "0101 10 110111", [1, 5, 9])
    return line_up_sets(old, new, pool=POOL, is_matched=is_matched)


def test_the_whole_has_every_image_once():
    whole = take_whole(make_material())
    assert whole.original_counts.tolist() == [[8, 4, 12]]
    assert whole.original_correct.tolist() == [[[4], [3], [11]]]
    assert whole.new_counts.tolist() == [[4, 2, 6]]
    assert whole.original_accuracy[0, 0] == pytest.approx(18 / 24)
    assert whole.new_accuracy[0, 0] == pytest.approx(8 / 12)
    assert whole.prior_counts.sum() == 110


def test_samples_are_as_large_as_the_sets_and_right_on_average(rng: np.random.Generator):
    (samples,) = resample(make_material(), rng=rng, n_samples=2_000)
    assert set(samples.original_counts.sum(axis=1)) == {24}
    assert set(samples.new_counts.sum(axis=1)) == {12}
    assert set(samples.prior_counts.sum(axis=1)) == {110}
    assert samples.original_accuracy.mean() == pytest.approx(18 / 24, abs=0.01)
    # The variance of a mean of 24 right or wrong answers.
    assert samples.original_accuracy.var() == pytest.approx(0.75 * 0.25 / 24, rel=0.15)
    assert (samples.original_correct <= samples.original_counts[:, :, np.newaxis]).all()


def test_the_chosen_images_of_a_sample_are_candidates_of_its_pool(rng: np.random.Generator):
    (samples,) = resample(make_material(), rng=rng, n_samples=2_000)
    assert (samples.prior_counts[:, [1, 5, 9]] >= samples.new_counts).all()
    # 10 candidates have each count; 4, 2 and 6 of those with 1, 5 and 9 are chosen.
    assert samples.prior_counts.mean(axis=0) == pytest.approx(np.full(11, 10), abs=0.3)
    assert np.corrcoef(samples.prior_counts[:, 9], samples.new_counts[:, 2])[0, 1] > 0.4
    (matched,) = resample(make_material(is_matched=True), rng=rng, n_samples=2_000)
    assert abs(np.corrcoef(matched.prior_counts[:, 9], matched.new_counts[:, 2])[0, 1]) < 0.1


def test_matched_samples_have_the_bins_of_their_original_sample(rng: np.random.Generator):
    material = make_material(is_matched=True)
    (samples,) = resample(material, rng=rng, n_samples=300)
    old, new = (
        merge_bins(counts[:, :, np.newaxis], pairs)[:, :, 0]
        for counts, pairs in (
            (samples.original_counts, material.original_pairs),
            (samples.new_counts, material.new_pairs),
        )
    )
    # The new set is half as large: each of its bins is half of that of the original, up to rounding.
    assert np.abs(new - old / 2).max() < 1
    assert new.mean(axis=0)[[0, 2, 4]].tolist() == pytest.approx([4, 2, 6], rel=0.1)


def test_without_a_pool_the_new_set_tells_its_own_distribution():
    old, new = make_set("old", "01", [3]), make_set("new", "01 1", [3, 4])
    whole = take_whole(line_up_sets(old, new))
    assert whole.prior_counts.tolist() == whole.new_counts.tolist() == [[2, 1]]


def test_large_sets_are_sampled_in_batches(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator):
    monkeypatch.setattr("regauge.evaluation.gap_samples._MAX_ELEMENTS", 100)
    batches = list(resample(make_material(), rng=rng, n_samples=7))
    assert [len(batch.new_counts) for batch in batches] == [2, 2, 2, 1]


def test_many_participants_make_smaller_batches(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator):
    monkeypatch.setattr("regauge.evaluation.gap_samples._MAX_ELEMENTS", 100)
    names = [f"m{place}" for place in range(20)]
    old, new = (make_set(name, "\n".join(["01 01"] * 20), [3, 4], names=" ".join(names)) for name in ("old", "new"))
    batches = list(resample(line_up_sets(old, new), rng=rng, n_samples=2))
    # Two pairs of counts on each side for each of 20 participants are 80 numbers.
    assert [len(batch.new_counts) for batch in batches] == [1, 1]


def test_a_pool_without_the_chosen_images_is_drawn_by_itself(rng: np.random.Generator):
    pool = CandidateCounts(np.full(8, 10), np.array([3] * 4 + [9] * 4))
    old, new = make_set("old", "01", [3]), make_set("new", "0101010101", [3])
    (samples,) = resample(line_up_sets(old, new, pool=pool), rng=rng, n_samples=500)
    assert set(samples.prior_counts.sum(axis=1)) == {8}
    assert samples.prior_counts.mean(axis=0) == pytest.approx([4, 4], abs=0.3)


def test_a_participant_may_not_be_called_the_mean():
    old, new = (make_set(name, "01", [3], names="(mean)") for name in ("old", "new"))
    with pytest.raises(InputError, match=r"\(mean\) stands for the mean of all participants"):
        line_up_sets(old, new)


@pytest.mark.parametrize("is_matched", [False, True])
def test_an_image_of_both_sets_is_drawn_as_often_for_one_as_for_the_other(rng: np.random.Generator, is_matched: bool):
    old = make_set("old", "00110101 0111 111111110111", [1, 5, 9])
    new = make_set("new", "0101 10 110111", [1, 5, 9])
    shared = SharedImages(np.array([0, 9, 20]), np.array([2, 4, 8]))
    (samples,) = resample(
        line_up_sets(old, new, pool=POOL, is_matched=is_matched, shared=shared), rng=rng, n_samples=2_000
    )
    assert np.array_equal(samples.original_weights[:, [0, 9, 20]], samples.new_weights[:, [2, 4, 8]])
    # Each image once on average, with the variance of a draw; others go by themselves.
    assert samples.new_weights.mean(axis=0) == pytest.approx(np.ones(12), abs=0.12)
    assert samples.original_weights.mean(axis=0) == pytest.approx(np.ones(24), abs=0.12)
    assert samples.original_weights.var(axis=0) == pytest.approx(np.ones(24), abs=0.25)
    apart = np.corrcoef(samples.original_weights[:, 1], samples.new_weights[:, 0])[0, 1]
    assert abs(apart) < (0.35 if is_matched else 0.1)


def test_no_sample_of_a_tiny_set_is_empty(rng: np.random.Generator):
    old, new = make_set("old", "0101010101", [3]), make_set("new", "1", [3])
    shared = SharedImages(np.array([4]), np.array([0]))
    (samples,) = resample(line_up_sets(old, new, shared=shared), rng=rng, n_samples=200)
    assert samples.new_counts.min() >= 1
