"""Split gaps: worked by hand, additive, indifferent to order, and right about a world whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluation.judged_sets import make_set, simulate

from regauge.arrays import FloatArray
from regauge.errors import InputError
from regauge.evaluation.gap_samples import GapSamples, resample
from regauge.evaluation.gaps import _average, split_gap
from regauge.records.evaluation.gaps import CHOSEN_WARNING, MEAN, GapMethod, GapSettings
from regauge.records.evaluation.judged_sets import CandidateCounts, JudgedSet
from regauge.records.testsets.sampling import BIN_NAMES
from regauge.records.testsets.shared_images import SharedImages
from regauge.stats.intervals import clopper_pearson

ALL = GapSettings(tuple(GapMethod), n_bootstrap=100)
NAIVE = GapSettings((GapMethod.NAIVE,), n_bootstrap=100)


def test_the_naive_split_is_that_of_the_formula():
    # Bins of 1, 5 and 9 of 10 votes. Original: shares 1/4, 1/4, 1/2, accuracies 0, 1/2, 3/4, together 1/2.
    # New: shares 1/2, 0, 1/2, accuracies 1/4, -, 1/2, together 3/8.
    old = make_set("old", "00 01 1110", [1, 5, 9])
    new = make_set("new", "0001 0101", [1, 9])
    found = split_gap(old, new, settings=NAIVE).get("model", "naive")
    # Selection: (1/4 − 1/2)·0 + (1/4 − 0)·1/2 + (1/2 − 1/2)·3/4 = 1/8. Remainder: 1/2·(0 − 1/4) + 1/2·(3/4 − 1/2) = 0.
    assert (found.gap.value, found.selection.value, found.remainder.value) == pytest.approx((1 / 8, 1 / 8, 0))
    assert (found.n_original, found.n_new) == (8, 8)


def test_a_bin_without_original_images_takes_the_nearest_ones_accuracy_and_a_note_says_so():
    old, new = make_set("old", "0001 1111", [1, 9]), make_set("new", "0101 11", [3, 9])
    report = split_gap(old, new, settings=NAIVE)
    # The four images with 3 votes are compared with the bin of 1 vote: 4/6 · 1/4 + 2/6 · 1 = 1/2.
    assert report.get("model", "naive").remainder.value == pytest.approx(1 / 2 - 4 / 6)
    assert any(note.startswith("4 images of new in bins where old has none") for note in report.notes)


def test_equal_sets_have_no_gap_and_no_parts():
    old = make_set("old", "0001 0111 1111", [2, 6, 10])
    new = replace(old, name="new")
    for one in split_gap(old, new, settings=ALL).decompositions:
        assert (one.gap.value, one.selection.value, one.remainder.value) == pytest.approx((0, 0, 0), abs=0.02)
        assert one.selection_share is None


@st.composite
def judged_sets(draw: st.DrawFn, name: str) -> JudgedSet:
    n = draw(st.integers(3, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shown = rng.integers(4, 9, n)
    selected = rng.binomial(shown, rng.beta(2, 1, n))
    ids = np.array([f"{name}{place}" for place in range(n)])
    return JudgedSet(name, ids, shown, selected, ("a", "b"), rng.random((2, n)) < 0.6)


@settings(max_examples=30)
@given(judged_sets("old"), judged_sets("new"), st.booleans())
def test_the_parts_add_up_and_the_mean_is_the_mean(old: JudgedSet, new: JudgedSet, is_matched: bool):
    report = split_gap(old, new, settings=replace(ALL, is_matched=is_matched))
    for one in report.decompositions:
        assert one.selection.value + one.remainder.value == pytest.approx(one.gap.value, abs=1e-12)
        assert all(part.low <= part.high for part in (one.gap, one.selection, one.remainder))
    for method in GapMethod:
        for part in ("gap", "selection", "remainder"):
            both = [getattr(report.get(name, method), part).value for name in ("a", "b")]
            assert getattr(report.get(MEAN, method), part).value == pytest.approx(np.mean(both), abs=1e-12)


@settings(max_examples=20)
@given(judged_sets("old"), judged_sets("new"))
def test_the_order_of_images_and_participants_does_not_matter(old: JudgedSet, new: JudgedSet):
    order = np.random.default_rng(1).permutation(len(new))
    shuffled = JudgedSet(
        "new",
        new.image_ids[order],
        new.n_shown[order],
        new.n_selected[order],
        ("b", "a"),
        new.is_correct[::-1][:, order],
    )
    found, again = split_gap(old, new, settings=ALL), split_gap(old, shuffled, settings=ALL)
    for one in found.decompositions:
        other = again.get(one.participant, one.method)
        assert other.selection.value == pytest.approx(one.selection.value, abs=1e-9)
        assert other.remainder.value == pytest.approx(one.remainder.value, abs=1e-9)


def test_the_same_seed_gives_the_same_limits_and_another_seed_others():
    old, new = make_set("old", "0001 0111 1111", [2, 6, 10]), make_set("new", "0001 0101 1011", [2, 6, 9])
    found = [split_gap(old, new, settings=replace(ALL, seed=seed)).to_frame() for seed in (0, 0, 1)]
    assert found[0].equals(found[1])
    assert not found[0].equals(found[2])


def test_no_batch_is_drawn_before_the_one_before_was_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("regauge.evaluation.gap_samples._MAX_ELEMENTS", 150)
    events: list[str] = []

    def draw(*arguments: Any, **options: Any) -> Iterator[GapSamples]:
        for samples in resample(*arguments, **options):
            events.append("drawn")
            yield samples

    def average(*arguments: Any) -> tuple[FloatArray, FloatArray]:
        events.append("used")
        return _average(*arguments)

    monkeypatch.setattr("regauge.evaluation.gaps.resample", draw)
    monkeypatch.setattr("regauge.evaluation.gaps._average", average)
    split_gap(make_set("old", "01", [3]), make_set("new", "0", [3]), settings=NAIVE)
    # The sets themselves are used first, and either set is averaged in each batch.
    assert events == ["used", "used"] + ["drawn", "used", "used"] * events.count("drawn")
    assert events.count("drawn") > 1


def test_participants_on_one_set_only_are_refused():
    with pytest.raises(InputError, match="model is on one of old and new only"):
        split_gap(make_set("old", "01", [3]), make_set("new", "01", [3], names="other"), settings=ALL)


def test_the_jackknife_is_left_out_and_says_so_where_few_saw_an_image():
    old, new = make_set("old", "01", [3]), make_set("new", "01", [2], n_shown=3)
    sentence = "The jackknife needs 4 or more annotators for every image; one has 3"
    report = split_gap(old, new, settings=ALL)
    assert sum(sentence in note for note in report.notes) == 1
    assert {one.method for one in report.decompositions} == set(GapMethod) - {GapMethod.JACKKNIFE}
    with pytest.raises(InputError, match=sentence):
        split_gap(old, new, settings=replace(ALL, methods=(GapMethod.JACKKNIFE,)))


def test_the_jackknife_is_left_out_and_says_so_where_few_saw_every_candidate():
    old, new = make_set("old", "01", [3]), make_set("new", "01", [3])
    pool = CandidateCounts(np.full(9, 3), np.arange(9) % 4)
    report = split_gap(old, new, pool=pool, settings=ALL)
    assert {one.method for one in report.decompositions} == set(GapMethod) - {GapMethod.JACKKNIFE}
    assert any(
        "candidates that 4 or more annotators saw; none was seen by more than 3" in note for note in report.notes
    )


def test_samples_without_a_gap_have_no_share_and_blow_up_no_limit():
    # In 1 of 27 samples the new set is its one right image three times, and there is no gap.
    old, new = make_set("old", "111", [0]), make_set("new", "001", [10])
    quick = GapSettings((GapMethod.DECONVOLUTION,), n_bootstrap=100)
    reports = [split_gap(old, new, settings=replace(quick, seed=seed)) for seed in range(12)]
    shares = [report.get("model", "deconvolution").selection_share for report in reports]
    limits = [limit for share in shares if share is not None for limit in (share.low, share.high)]
    assert limits
    assert max(map(abs, limits)) < 10


def test_single_votes_are_not_corrected_and_a_note_says_why():
    old, new = make_set("old", "01", [1], n_shown=1), make_set("new", "01", [0], n_shown=1)
    report = split_gap(old, new, settings=ALL)
    assert {one.method for one in report.decompositions} == {GapMethod.NAIVE}
    assert sum("Single votes do not tell how noisy they are" in note for note in report.notes) == 2
    assert report.settings.methods == (GapMethod.NAIVE,)
    assert [one.expected for one in report.frequencies] == [None, None]
    assert report.to_sets_frame()["expected_low"].to_list() == [None, None]
    with pytest.raises(InputError, match="so deconvolution cannot correct them"):
        split_gap(old, new, settings=replace(ALL, methods=(GapMethod.DECONVOLUTION,)))


def test_accuracy_by_bin_has_counts_and_exact_limits():
    report = split_gap(make_set("old", "00 01 1110", [1, 5, 9]), make_set("new", "1", [9]), settings=NAIVE)
    rows = {one.bin: one.accuracy for one in report.bins if one.test_set == "old"}
    assert [rows[name].n for name in BIN_NAMES] == [2, 0, 2, 0, 4]
    best, empty = rows["[0.8, 1]"], rows["[0.2, 0.4)"]
    low, high = clopper_pearson(3, 4)
    assert (best.k, best.value) == (3, 0.75)
    assert [best.low, best.high] == pytest.approx([float(low), float(high)])
    assert (empty.value, empty.low, empty.high) == (None, None, None)


def test_a_hypothetical_set_weighs_the_bins():
    shares = ((0.5, 0, 0, 0, 0.5), (0, 0.5, 0, 0, 0.5))
    old = make_set("old", "00010001 1110111011101110", [1, 9])
    report = split_gap(old, make_set("new", "1", [9]), settings=replace(NAIVE, shares=shares))
    mine = {
        one.shares: one.accuracy for one in report.reweighted if one.test_set == "old" and one.participant == "model"
    }
    # Accuracies 1/4 and 3/4, half of each.
    assert mine[shares[0]].value == pytest.approx(0.5)
    assert mine[shares[0]].n == 24
    low, high = mine[shares[0]].low, mine[shares[0]].high
    assert low is not None
    assert high is not None
    assert 0.25 < low < 0.5 < high < 0.75
    # Nobody is in the second bin, so nothing is known about such a set.
    assert (mine[shares[1]].value, mine[shares[1]].low) == (None, None)


def test_chosen_images_look_better_than_they_are(rng: np.random.Generator):
    true = rng.beta(2, 2, 4_000)
    votes = rng.binomial(10, true)
    best = np.argsort(-votes, kind="stable")[:400]
    shown = np.full(400, 10)
    new = JudgedSet("new", best.astype(str), shown, votes[best], ("m",), rng.random((1, 400)) < 0.5)
    old = JudgedSet("old", best.astype(str), shown, rng.binomial(10, 0.5, 400), ("m",), rng.random((1, 400)) < 0.5)
    report = split_gap(old, new, pool=CandidateCounts(np.full(4_000, 10), votes), settings=NAIVE)
    found = report.frequencies[1]
    assert found.expected is not None
    assert found.observed.value > true[best].mean() + 0.1
    assert found.expected.value == pytest.approx(true[best].mean(), abs=0.02)
    assert report.n_pool == 4_000


def test_a_note_says_what_the_counts_are_taken_for():
    old, new = make_set("old", "01 01", [3, 9]), make_set("new", "01", [3])
    fresh = split_gap(old, new, settings=ALL).notes
    chosen = split_gap(old, new, pool=CandidateCounts(np.array([10]), np.array([3])), settings=ALL).notes
    assert "taken for fresh ones" in fresh[0]
    assert not chosen


def test_the_corrected_remainder_is_covered_and_the_naive_one_is_too_large():
    chosen = replace(ALL, is_matched=True)
    covered: dict[str, int] = dict.fromkeys(chosen.methods, 0)
    errors: dict[str, list[float]] = {method: [] for method in chosen.methods}
    n_studies = 60
    for seed in range(n_studies):
        study = simulate(np.random.default_rng(seed))
        report = split_gap(study.original, study.new, pool=study.pool, settings=replace(chosen, seed=seed))
        for method in chosen.methods:
            part = report.get("model", method).remainder
            covered[method] += part.low <= study.remainder <= part.high
            errors[method].append(part.value - study.remainder)
    for method in set(GapMethod) - {GapMethod.NAIVE}:
        low, high = clopper_pearson(covered[method], n_studies)
        assert low <= 0.95 <= high, (method, covered[method])
        assert abs(np.mean(errors[method])) < 3 * np.std(errors[method]) / np.sqrt(n_studies)
    # The poorer pool regresses further: votes match, true frequencies do not.
    assert np.mean(errors[GapMethod.NAIVE]) > 0.02


def test_fresh_votes_are_corrected_likewise():
    errors: dict[str, list[float]] = {method: [] for method in GapMethod}
    for seed in range(40):
        study = simulate(np.random.default_rng(seed), has_fresh_votes=True)
        report = split_gap(study.original, study.new, settings=replace(ALL, seed=seed))
        for method in GapMethod:
            errors[method].append(report.get("model", method).remainder.value - study.remainder)
    means = {method: abs(np.mean(mine)) for method, mine in errors.items()}
    for method in set(GapMethod) - {GapMethod.NAIVE}:
        assert means[method] < 3 * np.std(errors[method]) / np.sqrt(40)
        assert means[method] < means[GapMethod.NAIVE]


def test_a_set_that_shares_all_its_images_with_itself_has_no_gap_in_any_sample(rng: np.random.Generator):
    study = simulate(rng, n=100)
    rows = np.arange(100)
    report = split_gap(
        study.original, replace(study.original, name="copy"), settings=ALL, shared=SharedImages(rows, rows)
    )
    assert report.n_shared == 100
    for one in report.decompositions:
        assert (one.gap.value, one.gap.low, one.gap.high) == (0, 0, 0)


def test_shared_images_add_no_chance_to_the_gap(rng: np.random.Generator):
    # Of 400 images of each set 300 are in both with the same answers. The gap is that of 100 against 100 others, a quarter of
    # each set: its variance is a quarter of that of sets without common images.
    right, votes = rng.random(500) < 0.6, rng.binomial(10, 0.7, 500)
    old, new = (
        JudgedSet(name, rows.astype(str), np.full(400, 10), votes[rows], ("m",), right[np.newaxis, rows])
        for name, rows in (("old", np.arange(400)), ("new", np.arange(100, 500)))
    )
    shared = SharedImages(np.arange(100, 400), np.arange(300))
    parts = [
        split_gap(old, new, settings=replace(NAIVE, n_bootstrap=2_000), **known).get("m", "naive").gap  # type: ignore[arg-type]
        for known in ({}, {"shared": shared})
    ]
    assert parts[0].value == parts[1].value
    apart, together = (part.high - part.low for part in parts)
    assert together / apart == pytest.approx(0.5, rel=0.1)


def test_a_warning_stands_beside_corrections_that_leave_something_of_sets_that_votes_chose():
    old, new = make_set("old", "01 01", [3, 9]), make_set("new", "01", [3])
    pool = CandidateCounts(new.n_shown, new.n_selected)
    settings = replace(ALL, methods=(GapMethod.BETA_BINOMIAL, GapMethod.DECONVOLUTION), n_bootstrap=100)
    assert split_gap(old, new, pool=pool, settings=settings).warnings == (CHOSEN_WARNING,)
    assert not split_gap(old, new, settings=settings).warnings
    assert not split_gap(old, new, pool=pool, settings=replace(settings, is_matched=True)).warnings
    assert not split_gap(old, new, pool=pool, settings=replace(settings, methods=(GapMethod.DECONVOLUTION,))).warnings


def test_a_warning_stands_beside_the_naive_method():
    old, new = make_set("old", "01 01", [3, 9]), make_set("new", "01", [3])
    (warning,) = split_gap(old, new, settings=ALL).warnings
    assert warning.startswith("The naive method takes votes at their word, in five bins.")
    assert [method for method in GapMethod if method.is_biased] == [GapMethod.NAIVE]
    assert not split_gap(old, new, settings=replace(ALL, methods=(GapMethod.DECONVOLUTION,))).warnings
